"""The agent interface: what an agent is told, what it hears, and what it may do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

from ...schemas.item import Item, ItemTurn
from ...tts.placement import Int16


@dataclass(frozen=True)
class TurnCue:
    """A boundary of a turn, at a sample of the episode. For agents that see gold."""

    turn: ItemTurn
    edge: Literal["start", "end"]
    sample: int


@dataclass
class GoldFeed:
    """What a baseline agent may know beyond the sound: the item, and the boundaries in the tick just heard."""

    item: Item
    heard: tuple[TurnCue, ...] = ()


@dataclass(frozen=True)
class Session:
    """One episode as the agent is told of it. `gold` is None unless the agent declares that it sees gold."""

    sample_rate: int
    tick_samples: int
    seed: int
    assistant: str
    gold: GoldFeed | None


@dataclass(frozen=True)
class Capabilities:
    """What an agent says of itself. `lockstep`: it may be driven in simulated time."""

    name: str
    clock: Literal["lockstep", "realtime"] = "lockstep"
    settings: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Say:
    """Speech to be played: int16 mono samples at the session's rate, from sample `at` on or as soon as it can.

    It is queued behind what is still to be played. `text` is what the agent says that it says.
    """

    samples: Int16
    text: str
    at: int | None = None


@dataclass(frozen=True)
class Stop:
    """Drop all that is queued from sample `at` on, or at once."""

    at: int | None = None


AgentEvent = Say | Stop


class Agent(Protocol):
    """A voice agent. One instance plays one episode."""

    sees_gold: bool

    def open(self, session: Session) -> Capabilities:
        """Begin an episode."""
        ...

    def step(self, samples: Int16, t: int) -> list[AgentEvent]:
        """Hear the samples `[t, t + len(samples))`; the events take effect from sample `t + len(samples)` on."""
        ...

    def played(self, num_samples: int) -> None:
        """So many of its samples were heard in this tick."""
        ...

    def close(self) -> None:
        """End the episode."""
        ...
