"""espeak-ng from the `espeakng-loader` wheel: formant speech, byte-identical on every machine (extra `espeak`).

The library keeps flutter, echo and noise state in C statics that no call resets, so a voice's second utterance
would differ from its first. Each utterance therefore loads a fresh image of the library and unloads it after.
"""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path

import numpy as np

from ..engine import (
    EngineError,
    EngineUnavailable,
    Samples,
    Timbre,
    Voice,
    require_latin_words,
    require_voice,
)
from ..fingerprints import file_sha256, package_facts, package_folder

ADAPTER_VERSION = "1"
PACKAGE = "espeakng-loader"
_RATE = 22050
_SYNCHRONOUS = 2
_RATE_PARAMETER, _PITCH_PARAMETER, _RANGE_PARAMETER = 1, 3, 4
_WORDS_PER_MINUTE, _PITCH, _PITCH_RANGE = 175, 50, 50
_UTF8 = 1

_VARIANTS: tuple[tuple[str, Timbre, str], ...] = (
    ("low-1", "low", "quincy"),
    ("low-2", "low", "Hugo"),
    ("low-3", "low", "m1"),
    ("low-4", "low", "david"),
    ("medium-1", "medium", "robosoft8"),
    ("medium-2", "medium", "steph2"),
    ("medium-3", "medium", "Nguyen"),
    ("high-1", "high", "f5"),
    ("high-2", "high", "belinda"),
    ("high-3", "high", "zac"),
    ("low-5", "low", "Marco"),
    ("low-6", "low", "sandro"),
    ("low-7", "low", "robosoft"),
    ("low-8", "low", "Demonic"),
    ("low-9", "low", "iven3"),
    ("low-10", "low", "Storm"),
)
VOICES = tuple(
    Voice(name, timbre, "en-US", f"espeak-ng variant {variant}") for name, timbre, variant in _VARIANTS
)
_VARIANT_OF = {name: variant for name, _, variant in _VARIANTS}


class EspeakEngine:
    """espeak-ng in this process. The seed is accepted and changes nothing: a repeat is always the same."""

    name = "espeak"
    sample_rate = _RATE

    def __init__(self) -> None:
        """Find the library. Raises `EngineUnavailable` when its package is not installed."""
        self._library, self._data = _files()
        # Two images of one library share a process's file names and C locale; one utterance at a time.
        self._lock = threading.Lock()

    def synthesize(self, spoken_text: str, voice: str, seed: int) -> Samples:
        """Int16 mono samples at 22,050 Hz. Raises `UnknownVoice` and `EngineError`."""
        require_voice(self.name, voice, VOICES)
        require_latin_words(self.name, spoken_text)
        if "\0" in spoken_text:
            raise EngineError(f"espeak cannot speak past the null character in {spoken_text!r}")
        with self._lock:
            return _speak(self._library, self._data, spoken_text, f"gmw/en-US+{_VARIANT_OF[voice]}")


def fingerprint() -> dict[str, str]:
    """All that decides the samples. Raises `EngineUnavailable` when the package is not installed."""
    library, _ = _files()
    return {
        "adapter": ADAPTER_VERSION,
        "library_sha256": file_sha256(library),
        "settings": f"{_WORDS_PER_MINUTE} {_PITCH} {_PITCH_RANGE}",
        "voices": " ".join(f"{name}={variant}" for name, _, variant in _VARIANTS),
        **package_facts(PACKAGE),
    }


def _files() -> tuple[Path, Path]:
    """The library and its data folder."""
    folder = package_folder("espeakng_loader")
    if folder is not None:
        for name in ("libespeak-ng.so", "libespeak-ng.dylib", "espeak-ng.dll"):
            if (folder / name).is_file():
                return folder / name, folder / "espeak-ng-data"
    raise EngineUnavailable("engine espeak needs its package: pip install 'duplexkit[espeak]'")


def _speak(library_path: Path, data: Path, text: str, voice: str) -> Samples:
    library = ctypes.CDLL(str(library_path))
    try:
        return _speak_with(library, data, text, voice)
    finally:
        library.espeak_Terminate()
        _unload(library)


def _speak_with(library: ctypes.CDLL, data: Path, text: str, voice: str) -> Samples:
    blocks: list[bytes] = []

    def collect(wave: int | None, count: int, _events: int | None) -> int:
        if wave and count > 0:
            blocks.append(ctypes.string_at(wave, 2 * count))
        return 0

    callback_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    callback = callback_type(collect)
    rate = library.espeak_Initialize(_SYNCHRONOUS, 0, str(data).encode(), 0)
    if rate != _RATE:
        raise EngineError(f"espeak-ng did not start: it gave {rate} as its sample rate, expected {_RATE}")
    library.espeak_SetSynthCallback(callback)
    library.espeak_ng_SetRandSeed(ctypes.c_long(1))
    if library.espeak_SetVoiceByName(voice.encode()):
        raise EngineError(f"espeak-ng has no voice {voice}")
    settings = (
        (_RATE_PARAMETER, _WORDS_PER_MINUTE),
        (_PITCH_PARAMETER, _PITCH),
        (_RANGE_PARAMETER, _PITCH_RANGE),
    )
    for parameter, value in settings:
        library.espeak_SetParameter(parameter, value, 0)
    content = text.encode() + b"\0"
    if library.espeak_Synth(content, ctypes.c_size_t(len(content)), 0, 0, 0, _UTF8, None, None):
        raise EngineError(f"espeak-ng could not speak {text!r}")
    library.espeak_Synchronize()
    return np.frombuffer(b"".join(blocks), "<i2").astype(np.int16, copy=False)


def _unload(library: ctypes.CDLL) -> None:
    import _ctypes

    close = getattr(_ctypes, "dlclose", None) or _ctypes.FreeLibrary  # type: ignore[attr-defined]
    close(library._handle)
