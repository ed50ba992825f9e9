"""Joining the pieces of one turn (its sentences) without clicks and with one stated pause between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .bounds import speech_bounds
from .engine import Samples

PAUSE_MS = 320
"""From the end of one sentence's speech to the start of the next one's, all of it zeros."""
FADE_MS = 5
_SILENT = 1e-3
"""Samples below this at a piece's inner edge are silence, so that the fade falls on what can be heard."""


def join_sentences(pieces: Sequence[Samples], sample_rate: int) -> Samples:
    """One float32 array of all pieces (float32, mono, at `sample_rate` Hz).

    A single piece is returned as it is. At a join each piece is cut to its speech, faded over `FADE_MS` within
    itself, and followed by `PAUSE_MS` of zeros; the outer edges stay as they are. Pieces without speech are left
    out. Raises `ValueError` when there is no piece.
    """
    if not pieces:
        raise ValueError("there is nothing to join")
    if len(pieces) == 1:
        return pieces[0]
    spoken = [(p, b) for p, b in ((p, _bounds(p, sample_rate)) for p in pieces) if b is not None]
    if len(spoken) < 2:
        return spoken[0][0] if spoken else pieces[0]
    fade_samples = sample_rate * FADE_MS // 1000
    pause = np.zeros(sample_rate * PAUSE_MS // 1000, np.float32)
    joined: list[Samples] = []
    for i, (piece, (first, end)) in enumerate(spoken):
        inner_head, inner_tail = i > 0, i < len(spoken) - 1
        cut = piece[first if inner_head else 0 : end if inner_tail else len(piece)]
        joined += [pause] if inner_head else []
        joined.append(_faded(cut, fade_samples, head=inner_head, tail=inner_tail))
    return np.concatenate(joined)


def _bounds(piece: Samples, sample_rate: int) -> tuple[int, int] | None:
    """The speech of a piece without the silent samples at its edges."""
    # Samples that are not finite are left for the clip's checks to name.
    finite = np.nan_to_num(piece, posinf=1.0, neginf=-1.0)
    bounds = speech_bounds(np.clip(finite * 32767, -32768, 32767).astype(np.int16), sample_rate)
    if bounds is None:
        return None
    audible = np.flatnonzero(np.abs(finite[bounds[0] : bounds[1]]) >= _SILENT)
    return (bounds[0] + int(audible[0]), bounds[0] + int(audible[-1]) + 1) if len(audible) else bounds


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
