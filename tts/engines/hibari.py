"""hibari, the embedded neural engine: ten voices from its one model, by pitch and formant factors.

The network predicts, for each 12.5 ms frame, three spectral envelopes and a pitch. A voice multiplies the pitch
and stretches the envelopes along frequency, then hibari's own synthesis makes the waveform. Further voices that
hibari knows are offered where their model is on disk already with the registered digest; nothing is fetched.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from ..fingerprints import file_sha256, package_facts, package_folder, package_version, processor_facts
from ..joins import join_sentences
from ..onnx import onnx_runtime

ADAPTER_VERSION = "1"
PACKAGE = "hibari-tts"
_RATE = 24000
_BUNDLED_MODEL = "hibari.onnx"
_KNOWN_MODELS = {"0.2.1": "5f70741d4e900f4e85d0037498736cc1b3e1b9a63a13546a5da1e63abf4fccd8"}
"""SHA-256 of the model file that each known version of the package carries."""

_LETTER_A = re.compile(r"(?<=[\w,] )A(?![\w'])(?! [A-Z]\w)|(?<!\w)A(?= [A-Z](?!\w))")
"""The letter A, which the phonemiser would read as the article: before another letter, or inside a sentence.

Before a capitalised word it is left alone: in a title or in capitals it is the article.
"""

_Frames = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True)
class Preset:
    """How a voice differs from the model's own: factors of pitch and of the vocal tract's formants."""

    name: str
    timbre: Timbre
    pitch_factor: float
    formant_factor: float
    model: str = "heart"
    language: str = "en-US"


PRESETS = (
    Preset("low-1", "low", 0.5, 0.88),
    Preset("low-2", "low", 0.68, 0.82),
    Preset("low-3", "low", 0.8, 0.88),
    Preset("low-4", "low", 0.8, 1.0),
    Preset("medium-1", "medium", 1.0, 1.0),
    Preset("medium-2", "medium", 1.0, 0.82),
    Preset("medium-3", "medium", 1.0, 1.16),
    Preset("high-1", "high", 1.15, 1.0),
    Preset("high-2", "high", 1.15, 1.16),
    Preset("high-3", "high", 1.15, 0.94),
)
_FURTHER: tuple[Preset, ...] = (
    Preset("fenrir", "low", 1.0, 1.0, "fenrir"),
    Preset("fable", "low", 1.0, 1.0, "fable", "en-GB"),
    Preset("emma", "medium", 1.0, 1.0, "emma", "en-GB"),
    Preset("kore", "medium", 1.0, 1.0, "kore"),
)


class HibariEngine:
    """hibari in this process, one thread, models loaded at a voice's first use."""

    name = "hibari"
    sample_rate = _RATE

    def __init__(self) -> None:
        """Check the bundled model. Raises `EngineUnavailable` when it is missing or not the pinned one."""
        _checked_model()
        self._presets = {p.name: p for p in _presets()}
        self._voices = known_voices()
        self._models: dict[str, Any] = {}
        self._speakable: dict[tuple[bool, str], bool] = {}

    def synthesize(self, spoken_text: str, voice: str, seed: int) -> Samples:
        """Float32 mono samples at 24 kHz; `seed` (not negative) decides the noise in the voice.

        Raises `UnknownVoice`, and `EngineError` naming the word for text that the model cannot pronounce.
        """
        require_voice(self.name, voice, self._voices)
        if seed < 0:
            raise EngineError(f"a seed cannot be negative, got {seed}")
        preset = self._presets[voice]
        model = self._model(preset.model)
        # Brackets are markup to the phonemiser; the spoken text has no markup.
        text = spoken_text.replace("[", " ").replace("]", " ")
        self._refuse_unspeakable(model, text)
        text = mark_letter_a(text)
        noise = np.random.default_rng(seed)
        try:
            pieces = [_speak(model, phonemes, preset, noise) for phonemes in model.phonemize(text)]
        except (RuntimeError, ValueError, IndexError, KeyError) as error:
            raise EngineError(f"hibari could not speak {spoken_text!r}: {error}") from error
        if not pieces:
            raise EngineError(f"nothing in {spoken_text!r} can be spoken")
        return join_sentences(pieces, _RATE)

    def _model(self, name: str) -> Any:
        if name not in self._models:
            onnx_runtime()
            from hibari import Hibari

            self._models[name] = Hibari(voice=name, threads=1)
        return self._models[name]

    def _refuse_unspeakable(self, model: Any, text: str) -> None:
        """Refuse a text with a word that would be left out of what is spoken."""
        for word in require_latin_words(self.name, text):
            key = (bool(model.g2p.british), word)
            if key not in self._speakable:
                self._speakable[key] = _has_sounds(model, word)
            if not self._speakable[key]:
                raise EngineError(
                    f"hibari has no sounds for the word {word!r}; write it as it should be said"
                )


def mark_letter_a(text: str) -> str:
    """The text with the letter A marked to be said by its name where the phonemiser would take it for the article."""
    return _LETTER_A.sub("[A](/ˈA/)", text)


def known_voices() -> tuple[Voice, ...]:
    """The presets of the bundled model, and further voices whose verified model is on disk."""
    return tuple(
        Voice(
            p.name,
            p.timbre,
            p.language,
            f"model {p.model}, pitch x {p.pitch_factor}, formants x {p.formant_factor}",
        )
        for p in _presets()
    )


def fingerprint() -> dict[str, str]:
    """All that decides the samples. Raises `EngineUnavailable` when the package is missing or altered.

    The digests of further models stand in the package's own registry, which `package_files` covers.
    """
    fft = package_version("scipy")
    table = json.dumps([[p.name, p.pitch_factor, p.formant_factor, p.model] for p in PRESETS + _FURTHER])
    return {
        "adapter": ADAPTER_VERSION,
        "fft": f"scipy {fft}" if fft else "numpy",
        "model_sha256": _checked_model(),
        "numpy": package_version("numpy") or "missing",
        "onnxruntime": package_version("onnxruntime") or "missing",
        "presets": hashlib.sha256(table.encode()).hexdigest(),
        **package_facts(PACKAGE),
        **processor_facts(),
    }


def _checked_model() -> str:
    """The digest of the bundled model. An unknown version's is recorded, a known version's must be the pinned one."""
    path, version = _assets() / _BUNDLED_MODEL, package_version(PACKAGE)
    if not path.is_file():
        raise EngineUnavailable(
            f"hibari's model is missing; reinstall it: pip install --force-reinstall {PACKAGE}"
        )
    digest = file_sha256(path)
    pinned = _KNOWN_MODELS.get(version or "")
    if pinned is not None and digest != pinned:
        raise EngineUnavailable(
            f"the model file of {PACKAGE} {version} has SHA-256 {digest[:16]}..., expected {pinned[:16]}...; "
            f"reinstall it: pip install --force-reinstall {PACKAGE}=={version}"
        )
    return digest


def _assets() -> Path:
    folder = package_folder("hibari")
    if folder is None:
        raise EngineUnavailable(f"engine hibari needs its package: pip install {PACKAGE}")
    return folder / "assets"


def _presets() -> tuple[Preset, ...]:
    return PRESETS + tuple(p for p in _FURTHER if _on_disk(p.model))


def _on_disk(model: str) -> bool:
    """Whether a further model lies in hibari's cache folder with the digest of its registry."""
    if package_folder("hibari") is None:
        return False
    from hibari import voices

    try:
        path = Path(voices.voice_path(model, download_missing=False))
        status = path.stat()
    except (ValueError, OSError):
        return False
    expected = str(voices.VOICES[model]["sha256"])
    return _digest_of_version(path, status.st_size, status.st_mtime_ns) == expected


@functools.lru_cache(maxsize=16)
def _digest_of_version(path: Path, size: int, modified_ns: int) -> str:
    # A file of that size and time is read once: the catalogue is asked for often.
    return file_sha256(path)


def _has_sounds(model: Any, word: str) -> bool:
    return any(c.isalpha() and c in model.vocab for phonemes in model.phonemize(word) for c in phonemes)


def _speak(model: Any, phonemes: str, preset: Preset, noise: np.random.Generator) -> Samples:
    from hibari import dsp

    inputs = {"ids": np.asarray([model.ids(phonemes)], np.int64), "speed": np.ones(1, np.float32)}
    outputs = (output[0] for output in model.sess.run(None, inputs))
    harmonic, rotation, breath, residual, phase, pitch = outputs
    factor = preset.formant_factor
    samples: Samples = dsp.synth(
        _stretch(harmonic, factor),
        rotation,
        _stretch(breath, factor),
        _stretch(residual, factor),
        phase,
        (pitch * preset.pitch_factor).astype(np.float32),
        noise,
    )
    return samples


def _stretch(envelope: _Frames, factor: float) -> _Frames:
    """An envelope (bins, frames) moved along frequency: what stood at bin b stands at `factor` x b."""
    if factor == 1.0:
        return envelope
    last = len(envelope) - 1
    source = np.minimum(np.arange(len(envelope)) / factor, last)
    below = np.minimum(source.astype(np.int64), last - 1)
    weight = (source - below)[:, None].astype(np.float32)
    stretched = envelope[below] * (np.float32(1) - weight) + envelope[below + 1] * weight
    result: _Frames = stretched.astype(np.float32, copy=False)
    return result
