"""Where speech begins and ends in a clip, by short-time energy.

A window of 5 ms counts as speech when its RMS reaches the larger of -50 dB below the clip's loudest window and
8 units of int16 (-72 dBFS). That is low enough for a weak /h/ onset or an unvoiced /s/ tail, and above the rounding
noise of 16 bits. The first speech window's first sample and the last one's last sample are the bounds, so cutting
a clip at its bounds and measuring again gives the whole clip. A burst shorter than 15 ms that stands 200 ms or more
away from everything else is a click, not speech, when it is the first or the last thing in the clip.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Int16 = np.ndarray[Any, np.dtype[np.int16]]
Indices = np.ndarray[Any, np.dtype[np.int64]]

WINDOW_MS = 5
RELATIVE_DB = -50.0
FLOOR_RMS = 8.0
CLICK_MS = 15
CLICK_GAP_MS = 200


def speech_bounds(samples: Int16, sample_rate: int) -> tuple[int, int] | None:
    """First and one-past-last sample of speech in int16 mono `samples`, or None when there is none.

    `sample_rate` is in Hz. Raises `ValueError` for anything but a 1-D int16 array and a positive rate.
    """
    runs = speech_runs(samples, sample_rate)
    return (int(runs[0, 0]), int(runs[-1, 1])) if len(runs) else None


def speech_runs(samples: Int16, sample_rate: int) -> Indices:
    """The stretches of speech, shape (n, 2): first and one-past-last sample; edge clicks are left out."""
    if samples.ndim != 1 or samples.dtype != np.int16:
        raise ValueError(f"expected 1-D int16 samples, got {samples.ndim}-D {samples.dtype}")
    if sample_rate <= 0:
        raise ValueError(f"the sample rate must be positive, got {sample_rate}")
    window_samples = max(1, sample_rate * WINDOW_MS // 1000)
    active = _active_windows(samples, window_samples)
    if not active.any():
        return np.empty((0, 2), np.int64)
    steps = np.diff(np.concatenate(([0], active.view(np.int8), [0])))
    # A window that starts at i covers i .. i + window, so a run of windows covers one window more.
    firsts = np.flatnonzero(steps == 1)
    lasts = np.minimum(np.flatnonzero(steps == -1) - 1 + window_samples, len(samples))
    runs = np.stack([firsts, lasts], axis=1).astype(np.int64)
    return _without_edge_clicks(runs, sample_rate, window_samples)


def _active_windows(samples: Int16, window_samples: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """For each window start, whether its mean square reaches the threshold. Exact integers, no rounding."""
    if len(samples) == 0:
        return np.zeros(0, np.bool_)
    squares = np.square(samples, dtype=np.int64)
    if len(samples) <= window_samples:
        energy = np.array([squares.sum()])
        window_samples = len(samples)
    else:
        total = np.concatenate(([0], np.cumsum(squares)))
        energy = total[window_samples:] - total[:-window_samples]
    relative = float(energy.max()) * 10.0 ** (RELATIVE_DB / 10.0)
    threshold: float = max(relative, FLOOR_RMS**2 * window_samples)
    return np.asarray(energy >= threshold)


def _without_edge_clicks(runs: Indices, sample_rate: int, window_samples: int) -> Indices:
    # Each run carries up to a window of smear on either side of a short burst.
    click_samples = sample_rate * CLICK_MS // 1000 + 2 * window_samples
    gap_samples = sample_rate * CLICK_GAP_MS // 1000
    first, last = 0, len(runs)
    while last - first > 0 and _is_click(runs, first, first + 1, last, click_samples, gap_samples):
        first += 1
    while last - first > 0 and _is_click(runs, last - 1, last - 2, last, click_samples, gap_samples):
        last -= 1
    return runs[first:last]


def _is_click(runs: Indices, at: int, neighbour: int, end: int, click_samples: int, gap_samples: int) -> bool:
    """Whether run `at` is short and far from `neighbour`. A clip that is one short run is speech, if brief."""
    if not 0 <= neighbour < end or runs[at, 1] - runs[at, 0] >= click_samples:
        return False
    left, right = (runs[at], runs[neighbour]) if at < neighbour else (runs[neighbour], runs[at])
    return bool(right[0] - left[1] >= gap_samples)
