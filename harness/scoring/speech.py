"""Speech in an agent's audio: the record types, and the steps that every detector shares.

A detector finds stretches of speech. The shared steps drop what is too short to count, join what a short
pause divides, and move an edge to where the energy rises or falls. Positions are samples at 24 kHz, `end`
exclusive. Durations follow Duplex-MPE (arXiv 2609.31948), section 3.4.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

Int16 = np.ndarray[Any, np.dtype[np.int16]]
Int64 = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

RATE = 24_000
"""Samples a second of all agent audio."""

MIN_SPEECH_SAMPLES = 2_880
"""120 ms: what is shorter does not count as speech."""

MERGE_SAMPLES = 19_200
"""800 ms: a pause shorter than this joins the speech on both sides of it."""

WINDOW_SAMPLES = 240
"""10 ms: length of the window that energy is measured in."""


class AudioError(ValueError):
    """Audio that no detector can read: the message says what is wrong with it and what it should be."""


@dataclass(frozen=True, order=True)
class Segment:
    """A stretch of speech in samples at 24 kHz, `end` exclusive."""

    start: int
    end: int

    def overlaps(self, start: int, end: int) -> bool:
        """Whether any sample of the segment lies in [`start`, `end`)."""
        return self.start < end and self.end > start and start < end

    def covers(self, sample: int) -> bool:
        """Whether the segment holds this sample."""
        return self.start <= sample < self.end


@dataclass(frozen=True)
class Detection:
    """Speech of one recording: `raw` as found, and `merged` with short pauses filled. Both in order of time."""

    raw: tuple[Segment, ...]
    merged: tuple[Segment, ...]


class Detector(Protocol):
    """Finds speech in isolated agent audio."""

    name: str

    def settings(self) -> dict[str, Any]:
        """Everything that decides the result, by name, in samples and decibels as each name says."""
        ...

    def detect(self, samples: Int16 | Path) -> Detection:
        """Speech in int16 mono samples at 24 kHz, or in a file of them. Raises `AudioError`."""
        ...


def load_samples(audio: Int16 | Path) -> Int16:
    """Mono int16 samples at 24 kHz, from an array or a file that soundfile can read.

    Two or more equal channels are read as one. Raises `AudioError` for another rate, another sample type,
    channels that differ, or a file that cannot be read.
    """
    if not isinstance(audio, np.ndarray):
        audio = _read(Path(audio))
    if audio.dtype != np.int16:
        raise AudioError(f"samples are {audio.dtype}; speech is detected in int16 samples at {RATE} Hz")
    if audio.ndim == 2 and audio.shape[1] and bool((audio == audio[:, :1]).all()):
        audio = audio[:, 0]
    if audio.ndim != 1:
        raise AudioError(f"samples have the shape {audio.shape}; agent audio has one channel")
    return audio


def _read(path: Path) -> Int16:
    import soundfile

    # As bytes, a name works under any locale; soundfile takes them, its annotations do not say so.
    name: Any = os.fsencode(path)
    try:
        samples, rate = soundfile.read(name, dtype="int16")
    except (soundfile.SoundFileError, OSError) as error:
        raise AudioError(f"{path}: cannot be read as audio ({error})") from error
    if rate != RATE:
        raise AudioError(f"{path}: {rate} Hz; agent audio is {RATE} Hz")
    array: Int16 = np.asarray(samples, dtype=np.int16)
    return array


def finish(found: Sequence[Segment], min_speech: int, merge: int) -> Detection:
    """Drop segments under `min_speech` samples, then join those divided by fewer than `merge` samples."""
    raw = tuple(s for s in found if s.end - s.start >= min_speech)
    merged: list[Segment] = []
    for segment in raw:
        if merged and segment.start - merged[-1].end < merge:
            merged[-1] = Segment(merged[-1].start, max(merged[-1].end, segment.end))
        else:
            merged.append(segment)
    return Detection(raw, tuple(merged))


def runs(flags: Flags) -> list[tuple[int, int]]:
    """The stretches of true values as (first, one behind the last)."""
    if not flags.size:
        return []
    edges = np.flatnonzero(flags[1:] != flags[:-1]) + 1
    bounds = [0, *edges.tolist(), len(flags)]
    first = 0 if flags[0] else 1
    return [(bounds[i], bounds[i + 1]) for i in range(first, len(bounds) - 1, 2)]


def join_runs(found: Sequence[tuple[int, int]], gap: int) -> list[tuple[int, int]]:
    """Stretches with gaps of fewer than `gap` joined."""
    joined: list[tuple[int, int]] = []
    for start, end in found:
        if joined and start - joined[-1][1] < gap:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def bursts(samples: Int16, min_zeros: int) -> list[tuple[int, int]]:
    """The stretches between runs of at least `min_zeros` zero samples; each begins and ends on a non-zero."""
    return join_runs(runs(samples != 0), min_zeros)


def trim_zeros(samples: Int16, segment: Segment) -> Segment | None:
    """The segment from its first to its last non-zero sample; None where it has none."""
    there = np.flatnonzero(samples[segment.start : segment.end])
    if not there.size:
        return None
    return Segment(segment.start + int(there[0]), segment.start + int(there[-1]) + 1)


def window_energy(samples: Int16) -> Int64:
    """Sum of squares of the 10 ms window centred on each sample; zeros are assumed outside. Exact integers.

    Exactness makes the energy of a window independent of where the recording begins.
    """
    half = WINDOW_SAMPLES // 2
    padded = np.zeros(len(samples) + WINDOW_SAMPLES, np.int64)
    padded[half : half + len(samples)] = samples
    np.multiply(padded, padded, out=padded)
    total = np.concatenate((np.zeros(1, np.int64), np.cumsum(padded)))
    energy: Int64 = total[WINDOW_SAMPLES : WINDOW_SAMPLES + len(samples)] - total[: len(samples)]
    return energy
