"""Speech detection on isolated agent audio: the detectors by name.

`silero` is a small neural network that tells speech from other sound; `energy` calls everything above a fixed
level speech. A detector is chosen by name; none stands in for another.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from .silero import SileroDetector, SileroSettings
from .speech import (
    MERGE_SAMPLES,
    MIN_SPEECH_SAMPLES,
    WINDOW_SAMPLES,
    AudioError,
    Detection,
    Detector,
    Int16,
    Segment,
    bursts,
    finish,
    join_runs,
    load_samples,
    runs,
    window_energy,
)

__all__ = (
    "AudioError",
    "Detection",
    "Detector",
    "DetectorName",
    "EnergyDetector",
    "EnergySettings",
    "Segment",
    "SileroDetector",
    "SileroSettings",
    "make_detector",
)

DetectorName = Literal["silero", "energy"]


@dataclass(frozen=True)
class EnergySettings:
    """What decides where the energy detector hears speech. Lengths in samples at 24 kHz."""

    level_dbfs: float = -55.0
    """Root mean square of 10 ms that counts as speech, against full scale (32,768). Fixed, so that no part
    of a recording decides about another."""
    min_pause_samples: int = 2_304
    """A dip shorter than 96 ms does not end speech."""
    min_speech_samples: int = MIN_SPEECH_SAMPLES
    merge_samples: int = MERGE_SAMPLES


class EnergyDetector:
    """Speech is what is louder than a fixed level. It hears noise and music as speech."""

    name = "energy"

    def __init__(self, settings: EnergySettings | None = None) -> None:
        self._settings = settings or EnergySettings()

    def settings(self) -> dict[str, Any]:
        """The settings by name."""
        return asdict(self._settings)

    def detect(self, samples: Int16 | Path) -> Detection:
        """Speech in int16 mono samples at 24 kHz, or in a file of them. Raises `AudioError`."""
        audio = load_samples(samples)
        level = WINDOW_SAMPLES * 32_768.0**2 * 10 ** (self._settings.level_dbfs / 10)
        pause = self._settings.min_pause_samples
        found: list[Segment] = []
        for start, end in bursts(audio, 2 * pause):
            sound = runs(window_energy(audio[start:end]) >= level)
            found += (Segment(start + s, start + e) for s, e in join_runs(sound, pause))
        return finish(found, self._settings.min_speech_samples, self._settings.merge_samples)


def make_detector(name: str) -> Detector:
    """The detector of this name with its default settings. Raises `ValueError` for another name."""
    if name == "silero":
        return SileroDetector()
    if name == "energy":
        return EnergyDetector()
    raise ValueError(f"no detector is called {name!r}; choose silero or energy")
