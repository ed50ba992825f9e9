"""The engines by name: their voices without loading them, their fingerprints, and the engines themselves."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .engine import Engine, EngineError, Voice
from .engines import espeak, hibari, tone
from .fingerprints import package_version

_MODULES: dict[str, Any] = {"hibari": hibari, "espeak": espeak, "tone": tone}


def engine_names() -> tuple[str, ...]:
    """The names that `load_engine` takes, the default first."""
    return tuple(_MODULES)


def known_voices(engine: str) -> tuple[Voice, ...]:
    """The engine's voices, without loading its model or needing its package. Raises `EngineError` for its name."""
    _module(engine)
    return hibari.known_voices() if engine == "hibari" else tuple(_module(engine).VOICES)


def load_engine(name: str) -> Engine:
    """An engine that is ready to speak.

    Raises `EngineUnavailable` (package missing, or its model file is not the pinned one) and `EngineError`.
    """
    _module(name)
    if name == "hibari":
        return hibari.HibariEngine()
    return espeak.EspeakEngine() if name == "espeak" else tone.ToneEngine()


def engine_fingerprint(name: str) -> dict[str, str]:
    """Everything that decides a clip's bytes apart from voice, text and seed. Loads and imports no model.

    Raises `EngineUnavailable` when the engine's package is missing or altered.
    """
    facts: dict[str, str] = _module(name).fingerprint()
    # Clips of another rate are resampled, so the resampler decides bytes too.
    resampler = {"soxr": package_version("soxr") or "missing"} if name == "espeak" else {}
    return {"engine": name, **facts, **resampler}


def fingerprint_digest(fingerprint: dict[str, str]) -> str:
    """The hex SHA-256 of the fingerprint's canonical JSON (sorted keys, no spaces)."""
    text = json.dumps(fingerprint, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _module(name: str) -> Any:
    try:
        return _MODULES[name]
    except KeyError:
        raise EngineError(f"there is no engine {name!r}; the engines are {', '.join(_MODULES)}") from None
