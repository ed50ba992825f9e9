"""The baseline agents: silent, oracle, chatterbox. They bound every metric from below and above."""

from __future__ import annotations

import numpy as np

from ...tts.placement import Int16
from .base import AgentEvent, Capabilities, GoldFeed, Say, Session, Stop
from .voice import Voicebox


class SilentAgent:
    """Never says anything."""

    sees_gold = False

    def open(self, session: Session) -> Capabilities:
        """As `Agent.open`."""
        return Capabilities("silent")

    def step(self, samples: Int16, t: int) -> list[AgentEvent]:
        """As `Agent.step`."""
        return []

    def played(self, num_samples: int) -> None:
        """As `Agent.played`."""

    def close(self) -> None:
        """As `Agent.close`."""


class OracleAgent:
    """Knows the gold: answers T, begins to answer N4_Q, and stops when N4_R begins.

    It acts on turn boundaries one tick after they were heard, as fast as an agent in lockstep can.
    """

    sees_gold = True
    filler = (
        "Let me think about that for a moment, I am looking at what I have here, "
        "and it may be that I need to check one more thing before I can tell you for certain, "
        "so please bear with me while I go through it."
    )

    def __init__(self, voice: Voicebox) -> None:
        self.voice = voice
        self._gold: GoldFeed | None = None

    def open(self, session: Session) -> Capabilities:
        """As `Agent.open`."""
        if session.gold is None:
            raise ValueError("the oracle needs the gold of the item")
        self._gold = session.gold
        return Capabilities("oracle", settings=self.voice.settings())

    def step(self, samples: Int16, t: int) -> list[AgentEvent]:
        """As `Agent.step`."""
        if self._gold is None:
            raise RuntimeError("step before open")
        events: list[AgentEvent] = []
        for cue in self._gold.heard:
            if cue.edge == "end" and cue.turn.tag == "T":
                events.append(self._say(self._gold.item.answer.text))
            elif cue.edge == "end" and cue.turn.tag == "N4_Q":
                events.append(self._say(self.filler))
            elif cue.edge == "start" and cue.turn.tag == "N4_R":
                events.append(Stop())
        return events

    def _say(self, text: str) -> Say:
        return Say(self.voice.speak(text), text)

    def played(self, num_samples: int) -> None:
        """As `Agent.played`."""

    def close(self) -> None:
        """As `Agent.close`."""
        self._gold = None


class ChatterboxAgent:
    """Answers everyone: it speaks whenever it hears somebody and is not speaking already."""

    sees_gold = False
    phrases = (
        "Sure, I can help you with that, just tell me a little more about it.",
        "That is a good question, and I would say it depends on what you need.",
        "Okay, let me see what I can find for you right now.",
    )
    threshold = 200
    """Peak of a tick, in 16-bit steps, above which it takes the tick for speech."""

    def __init__(self, voice: Voicebox) -> None:
        self.voice = voice
        self._until = 0
        self._count = 0

    def open(self, session: Session) -> Capabilities:
        """As `Agent.open`."""
        return Capabilities(
            "chatterbox", settings={**self.voice.settings(), "threshold": str(self.threshold)}
        )

    def step(self, samples: Int16, t: int) -> list[AgentEvent]:
        """As `Agent.step`."""
        now = t + len(samples)
        loud = bool(len(samples)) and int(np.abs(samples.astype(np.int32)).max()) > self.threshold
        if now < self._until or not loud:
            return []
        text = self.phrases[self._count % len(self.phrases)]
        self._count += 1
        speech = self.voice.speak(text)
        self._until = now + len(speech)
        return [Say(speech, text)]

    def played(self, num_samples: int) -> None:
        """As `Agent.played`."""

    def close(self) -> None:
        """As `Agent.close`."""
