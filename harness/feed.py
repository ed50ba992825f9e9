"""The input side of an episode: an item's mix, tick by tick, with the wait at the hold point.

Duplex-MPE (arXiv 2609.31948, App. A3.1): after T up to 5 s for an onset; an agent that speaks is waited for
until 2 s of silence, capped at 60 s after T. The wait is silence put behind the item's own response space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..schemas.item import Item
from ..tts.placement import Int16

RATE = 24_000
Source = Literal["item", "hold", "drain"]


@dataclass(frozen=True)
class HoldRule:
    """How long an episode waits for the agent after T, in samples."""

    onset_samples: int = 5 * RATE
    silence_samples: int = 2 * RATE
    cap_samples: int = 60 * RATE


class ActivityMeter:
    """When the agent last made a sound, for the wait alone; scoring detects speech with its own detector.

    A stretch of 10 ms counts as sound when its root mean square is 100 of 32,768 (-50 dBFS) or more.
    """

    frame_samples = RATE // 100
    threshold = 100.0

    def __init__(self) -> None:
        self._before: int | None = None
        self._frames: list[int] = []
        """First samples of the loud stretches of the tick that was heard last."""

    def hear(self, samples: Int16, t: int) -> None:
        """Take in the agent's samples `[t, t + len(samples))`."""
        if self._frames:
            self._before = self._frames[-1] + self.frame_samples
        self._frames = []
        if not samples.any():
            return
        count = len(samples) // self.frame_samples
        frames = samples[: count * self.frame_samples].reshape(count, self.frame_samples).astype(np.float64)
        loud = np.flatnonzero(np.sqrt((frames * frames).mean(axis=1)) >= self.threshold)
        self._frames = [t + int(n) * self.frame_samples for n in loud]

    def last_sound(self, now: int) -> int | None:
        """The end of the last loud stretch that began at sample `now` or before, or None."""
        begun = [start for start in self._frames if start <= now]
        return begun[-1] + self.frame_samples if begun else self._before


class ItemFeed:
    """Hands out an item's samples in ticks and inserts the wait. `hold_samples` grows while it waits."""

    def __init__(self, item: Item, mix: Int16, rule: HoldRule) -> None:
        self.item = item
        self.mix = mix
        self.rule = rule
        self.position = 0
        """Samples of the item handed out."""
        self.hold_samples = 0
        self._waiting_done = False
        response = [w for w in item.windows if w.kind == "response"]
        self._wait_at = response[0].end if response else item.hold_point

    @property
    def finished(self) -> bool:
        """Whether all of the item was handed out."""
        return self.position >= len(self.mix)

    def tick(self, count: int, t: int, meter: ActivityMeter) -> tuple[Int16, Source]:
        """The input samples of `[t, t + count)` and where they came from, and zeros behind the item's end.

        `meter` has heard the agent in this tick: the wait is decided at its own sample, not at the tick's.
        """
        out = np.zeros(count, np.int16)
        if self.finished:
            return out, "drain"
        filled = 0
        source: Source = "item"
        while filled < count and not self.finished:
            if not self._waiting_done and self.position == self._wait_at:
                if self._must_wait(t + filled, meter.last_sound(t + filled)):
                    self.hold_samples += count - filled
                    return out, "hold" if filled == 0 else source
                self._waiting_done = True
            stop = len(self.mix) if self._waiting_done else self._wait_at
            step = min(count - filled, stop - self.position)
            out[filled : filled + step] = self.mix[self.position : self.position + step]
            filled += step
            self.position += step
        return out, source

    def _must_wait(self, now: int, last_sound: int | None) -> bool:
        since_request = now - self.item.hold_point
        if since_request >= self.rule.cap_samples:
            return False
        if last_sound is None or last_sound <= self.item.hold_point:
            return since_request < self.rule.onset_samples
        return now - last_sound < self.rule.silence_samples
