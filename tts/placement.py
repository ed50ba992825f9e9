"""Where turns stand on the timeline, and the stems and the mix that follow. Integer samples throughout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Int16 = np.ndarray[Any, np.dtype[np.int16]]


@dataclass(frozen=True)
class Gaps:
    """Silences of the timeline, in samples."""

    ordinary_samples: int
    """After a turn that has no rule of its own."""
    resolution_samples: int
    """Between the end of N4_Q and the start of N4_R."""
    response_samples: int
    """After T, left for the agent."""

    def after(self, tag: str) -> int:
        """The silence between the end of a turn tagged `tag` and the start of the next."""
        return {"T": self.response_samples, "N4_Q": self.resolution_samples}.get(tag, self.ordinary_samples)


@dataclass(frozen=True)
class Span:
    """A stretch of the timeline, `end` exclusive."""

    start: int
    end: int


class PlacementError(ValueError):
    """Clips that cannot be placed as asked: empty, overlapping, or outside the item."""


def place(lengths: Sequence[tuple[str, int]], gaps: Gaps, start: int = 0) -> tuple[Span, ...]:
    """The spans of turns given as (tag, length in samples), one after the other.

    The first turn begins at `start`. Raises `PlacementError` for a turn without samples.
    """
    spans = []
    cursor = start
    for number, (tag, length) in enumerate(lengths, start=1):
        if length <= 0:
            raise PlacementError(f"turn {number} has {length} samples; a turn needs speech")
        spans.append(Span(cursor, cursor + length))
        cursor += length + gaps.after(tag)
    return tuple(spans)


def build_stems(
    parts: Sequence[tuple[str, Span, Int16]], speakers: Sequence[str], num_samples: int
) -> dict[str, Int16]:
    """One int16 array of `num_samples` for each speaker: the clips at their spans, zero elsewhere.

    `parts` holds (speaker, span, clip). Raises `PlacementError` when a clip does not fill its span, leaves
    the item, or falls on another clip of the same speaker.
    """
    stems = {speaker: np.zeros(num_samples, np.int16) for speaker in speakers}
    last_end: dict[str, int] = {}
    for speaker, span, clip in sorted(parts, key=lambda p: p[1].start):
        if span.end - span.start != len(clip) or span.start < 0 or span.end > num_samples:
            raise PlacementError(f"a clip of {len(clip)} samples does not fit [{span.start}, {span.end})")
        if span.start < last_end.get(speaker, 0):
            raise PlacementError(f"two turns of {speaker} overlap at sample {span.start}")
        stems[speaker][span.start : span.end] = clip
        last_end[speaker] = span.end
    return stems


def mix_stems(stems: Mapping[str, Int16]) -> Int16:
    """The exact sum of the stems. Raises `PlacementError` where it leaves int16: it is never clipped."""
    arrays = list(stems.values())
    total = np.zeros(len(arrays[0]), np.int32)
    for stem in arrays:
        total += stem
    if total.size and (int(total.max()) > 32767 or int(total.min()) < -32768):
        at = int(np.argmax(np.abs(total)))
        raise PlacementError(
            f"the mix leaves the 16-bit range at sample {at} ({int(total[at])}); lower the gain"
        )
    return total.astype(np.int16)
