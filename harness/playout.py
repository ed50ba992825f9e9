"""Playout of what an agent sends: a queue on the episode's clock, cut where the agent says stop.

Every sample received is played, dropped by a stop, or still queued: `received == played + dropped + queued`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..schemas.episode import AgentUtterance
from ..tts.placement import Int16


@dataclass
class _Piece:
    """One utterance on the timeline: its samples begin at `start`."""

    start: int
    samples: Int16
    text: str
    keep: int
    """Samples that will be heard: all, unless a stop cut it."""

    @property
    def end(self) -> int:
        return self.start + self.keep


class Playout:
    """The queue of one episode. Positions are samples of the episode."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self._first_open = 0
        self.received = 0
        self.played = 0
        self.dropped = 0

    @property
    def queued(self) -> int:
        """Samples received that are neither played nor dropped."""
        return self.received - self.played - self.dropped

    def say(self, samples: Int16, text: str, at: int) -> None:
        """Queue speech from sample `at` on, behind what is queued already."""
        start = max(at, self._pieces[-1].end if self._pieces else 0)
        self.received += len(samples)
        self._pieces.append(_Piece(start, samples, text, len(samples)))

    def stop(self, at: int) -> int:
        """Drop everything from sample `at` on. Gives how many samples were dropped."""
        dropped = 0
        for piece in self._pieces[self._first_open :]:
            keep = min(max(at - piece.start, 0), piece.keep)
            dropped += piece.keep - keep
            piece.keep = keep
        self.dropped += dropped
        return dropped

    def take(self, t: int, count: int) -> tuple[Int16, int]:
        """The samples heard in `[t, t + count)`, zero where nothing is said, and how many were speech."""
        out = np.zeros(count, np.int16)
        heard = 0
        for piece in self._pieces[self._first_open :]:
            low, high = max(piece.start, t), min(piece.end, t + count)
            if low < high:
                out[low - t : high - t] = piece.samples[low - piece.start : high - piece.start]
                heard += high - low
        while self._first_open < len(self._pieces) and self._pieces[self._first_open].end <= t + count:
            self._first_open += 1
        self.played += heard
        return out, heard

    def utterances(self) -> tuple[AgentUtterance, ...]:
        """What was heard, in order. A cut utterance keeps the words of the part that was heard.

        Words are taken to be spread evenly over the samples, since an agent gives no word times here.
        """
        result = []
        for piece in self._pieces:
            if piece.keep == 0:
                continue
            words = piece.text.split()
            cut = piece.keep < len(piece.samples)
            kept = words[: math.floor(len(words) * piece.keep / len(piece.samples))] if cut else words
            result.append(
                AgentUtterance(text=" ".join(kept), start=piece.start, end=piece.end, interrupted=cut)
            )
        return tuple(result)
