"""Joining the pieces of one turn (its sentences) without clicks and with one stated pause between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .bounds import speech_bounds
from .engine import Samples

PAUSE_MS = 320
"""From the end of one sentence's speech to the start of the next one's."""
MARGIN_MS = 40
"""What is kept of a piece's own edge silence, with its breath and its room."""
FADE_MS = 5


def join_sentences(pieces: Sequence[Samples], sample_rate: int) -> Samples:
    """One float32 array of all pieces (float32, mono, at `sample_rate` Hz).

    A single piece is returned as it is. At a join each piece is cut to `MARGIN_MS` outside its speech, faded over
    `FADE_MS` within itself, and followed by zeros up to `PAUSE_MS`. The outer edges stay as they are.
    Raises `ValueError` when there is no piece.
    """
    if not pieces:
        raise ValueError("there is nothing to join")
    if len(pieces) == 1:
        return pieces[0]
    spoken = [(p, b) for p, b in ((p, _bounds(p, sample_rate)) for p in pieces) if b is not None]
    if len(spoken) < 2:
        return spoken[0][0] if spoken else pieces[0]
    margin_samples = sample_rate * MARGIN_MS // 1000
    fade_samples = sample_rate * FADE_MS // 1000
    pause_samples = sample_rate * PAUSE_MS // 1000
    joined: list[Samples] = []
    kept_after = 0
    for i, (piece, (first, end)) in enumerate(spoken):
        start = 0 if i == 0 else max(0, first - margin_samples)
        stop = len(piece) if i == len(spoken) - 1 else min(len(piece), end + margin_samples)
        if i > 0:
            joined.append(np.zeros(pause_samples - kept_after - (first - start), np.float32))
        joined.append(_faded(piece[start:stop], fade_samples, head=i > 0, tail=i < len(spoken) - 1))
        kept_after = stop - end
    return np.concatenate(joined)


def _bounds(piece: Samples, sample_rate: int) -> tuple[int, int] | None:
    whole = np.clip(np.nan_to_num(piece) * 32767, -32768, 32767).astype(np.int16)
    return speech_bounds(whole, sample_rate)


def _faded(piece: Samples, fade_samples: int, *, head: bool, tail: bool) -> Samples:
    faded = piece.astype(np.float32)
    count = min(fade_samples, len(piece) // 2)
    if count:
        ramp = (np.arange(count, dtype=np.float32) + np.float32(0.5)) / np.float32(count)
        if head:
            faded[:count] *= ramp
        if tail:
            faded[-count:] *= ramp[::-1]
    return faded
