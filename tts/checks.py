"""Checks of one synthesised clip against the text it should say. Each gives a `Failure` or None."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .bounds import Int16, speech_runs
from .engine import Samples

MIN_S_PER_LETTER = 0.022
MAX_S_PER_LETTER = 0.22
MAX_BASE_S = 1.0
MAX_S_PER_PAUSE = 1.0
MAX_GAP_S = 0.9
"""The longest inner silence of a text without a pause mark."""
MAX_GAP_WITH_PAUSE_S = 2.0
CLIPPED_RUN_SAMPLES = 12
_PAUSE_MARKS = frozenset(",;:.!?…—–\n")


@dataclass(frozen=True)
class Failure:
    """The name of the check that failed and the numbers that failed it."""

    check: str
    detail: str


def check_raw(raw: Samples) -> Failure | None:
    """What an engine returned, as it is: shape, type, emptiness, finite values, flat tops at full scale."""
    if raw.ndim != 1 or raw.dtype not in (np.dtype(np.float32), np.dtype(np.int16)):
        return Failure("format", f"expected 1-D float32 or int16 samples, got {raw.ndim}-D {raw.dtype}")
    if len(raw) == 0:
        return Failure("empty", "the engine returned no samples")
    if raw.dtype == np.float32 and not np.isfinite(raw).all():
        count = int(len(raw) - np.isfinite(raw).sum())
        return Failure("non-finite", f"{count} of {len(raw)} samples are not finite numbers")
    return _check_flat_tops(raw)


def check_clip(samples: Int16, sample_rate: int, spoken_text: str) -> Failure | None:
    """A trimmed clip (int16 at `sample_rate` Hz): its duration for its text, and its longest inner silence."""
    return _check_gap(samples, sample_rate, spoken_text) or _check_duration(samples, sample_rate, spoken_text)


def _check_flat_tops(raw: Samples) -> Failure | None:
    """A run of samples that all stand at full scale: the engine cut its own peaks off."""
    limit = 32767 if raw.dtype == np.int16 else 0.99996
    for sign, top in (("positive", raw >= limit), ("negative", raw <= -limit)):
        if not top.any():
            continue
        steps = np.diff(np.concatenate(([0], top.view(np.int8), [0])))
        starts, ends = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
        longest = int((ends - starts).argmax())
        first, last = int(starts[longest]), int(ends[longest])
        # Peaks above full scale that keep their shape are handled by a gain, not refused.
        if last - first >= CLIPPED_RUN_SAMPLES and np.ptp(raw[first:last].astype(np.float64)) < 1e-4:
            return Failure("clipping", f"{last - first} samples in a row stand at {sign} full scale")
    return None


def _check_gap(samples: Int16, sample_rate: int, text: str) -> Failure | None:
    runs = speech_runs(samples, sample_rate)
    if len(runs) < 2:
        return None
    gaps = runs[1:, 0] - runs[:-1, 1]
    at = int(gaps.argmax())
    gap_s = float(gaps[at]) / sample_rate
    allowed_s = MAX_GAP_WITH_PAUSE_S if _inner_pauses(text) else MAX_GAP_S
    if gap_s <= allowed_s:
        return None
    where_s = float(runs[at, 1]) / sample_rate
    return Failure(
        "runaway", f"{gap_s:.2f} s of silence at {where_s:.2f} s, at most {allowed_s:.2f} s fit the text"
    )


def _check_duration(samples: Int16, sample_rate: int, text: str) -> Failure | None:
    letters = sum(c.isalnum() for c in text)
    pauses = _inner_pauses(text)
    duration_s = len(samples) / sample_rate
    low_s = MIN_S_PER_LETTER * letters
    # A letter said by its name is a syllable, not a fraction of one.
    spelled = sum(len(word) == 1 for word in text.split())
    high_s = MAX_BASE_S + MAX_S_PER_LETTER * (letters + 2 * spelled) + MAX_S_PER_PAUSE * pauses
    if low_s <= duration_s <= high_s:
        return None
    return Failure(
        "duration", f"{duration_s:.2f} s for {letters} letters, expected {low_s:.2f} to {high_s:.2f} s"
    )


def _inner_pauses(text: str) -> int:
    """How many pause marks stand inside the text; a run of marks counts once, the ones that end it do not."""
    inside = text.strip().rstrip("".join(_PAUSE_MARKS) + "\"')] ")
    marks = [c in _PAUSE_MARKS for c in inside]
    return sum(mark and not (i and marks[i - 1]) for i, mark in enumerate(marks))
