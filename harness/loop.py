"""The loop of a scene: 200 ms of item in, 200 ms of agent out, in simulated time, onsets kept to the sample.

Order within a tick: the playout gives what the agent says in this tick; the feed gives the item's samples;
the agent hears them; its events take effect from the next tick's first sample on, or later where it says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..corpora.windows import held, held_turns, held_windows
from ..schemas.episode import TICK_SAMPLES, Episode, Tick, TickEvent
from ..schemas.item import Item, ItemTurn
from ..tts.placement import Int16
from .agents.base import Agent, AgentEvent, Capabilities, GoldFeed, Say, Session, Stop, TurnCue
from .feed import RATE, ActivityMeter, HoldRule, ItemFeed, Source
from .playout import Playout

_T = TypeVar("_T")

DRAIN_CAP_SAMPLES = 60 * RATE
"""How long an episode goes on behind its item for speech that is still queued."""


class AgentFault(Exception):
    """An agent broke its contract, or raised. The message says in which tick and how."""


@dataclass(frozen=True)
class Recording:
    """One episode: its record, its ticks, and the agent's samples as heard."""

    episode: Episode
    ticks: tuple[Tick, ...]
    agent: Int16


def play_item(
    item: Item, mix: Int16, agent: Agent, *, agent_name: str, seed: int, rule: HoldRule
) -> Recording:
    """Play one item to one agent. Raises `AgentFault` when the agent raises or sends what it may not."""
    run = _Run(item, mix, agent, seed, rule)
    while not run.done:
        run.tick()
    agent_samples = np.concatenate(run.audio)
    hold = run.feed.hold_samples
    episode = _episode(item, agent_name, seed, hold).model_copy(
        update={
            "agent_settings": dict(run.capabilities.settings),
            "num_samples": len(agent_samples),
            "ticks": len(run.ticks),
            "utterances": run.playout.utterances(),
            "unheard_samples": run.playout.queued,
        }
    )
    return Recording(episode, tuple(run.ticks), agent_samples)


def writable(text: str) -> bool:
    """Whether a text can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def raised(error: BaseException) -> str:
    """What an agent raised, in words that can be written anywhere."""
    words = f"the agent raised {type(error).__name__}: {error}"
    return words.encode("utf-8", "backslashreplace").decode("utf-8")


def failed_episode(item: Item, agent_name: str, seed: int, reason: str) -> Episode:
    """The record of an episode that the agent broke: its events are counted, and none is scored."""
    return _episode(item, agent_name, seed, 0).model_copy(update={"outcome": "agent-error", "reason": reason})


def _episode(item: Item, agent_name: str, seed: int, hold_samples: int) -> Episode:
    return Episode(
        format=1,
        kind="episode",
        item=item.id,
        scene=item.scene,
        pair=item.pair,
        condition=item.condition,
        bucket=item.bucket,
        language=item.language,
        plan=item.plan,
        seed=seed,
        agent=agent_name,
        outcome="completed",
        sample_rate=24_000,
        num_samples=0,
        ticks=0,
        hold_point=item.hold_point,
        hold_samples=hold_samples,
        assistant=item.assistant,
        turns=held_turns(item.turns, item.hold_point, hold_samples),
        windows=held_windows(item.windows, item.turns, item.hold_point, hold_samples),
        answer=item.answer,
        utterances=(),
    )


class _Run:
    def __init__(self, item: Item, mix: Int16, agent: Agent, seed: int, rule: HoldRule) -> None:
        self.item, self.agent = item, agent
        self.feed = ItemFeed(item, mix, rule)
        self.playout = Playout()
        self.meter = ActivityMeter()
        self.gold = GoldFeed(item) if agent.sees_gold else None
        self.t = 0
        self.ticks: list[Tick] = []
        self.audio: list[Int16] = []
        session = Session(RATE, TICK_SAMPLES, seed, item.assistant.name, self.gold)
        self.capabilities = self._opened(session)
        self.done = False

    def _opened(self, session: Session) -> Capabilities:
        found: object = self._guarded(lambda: self.agent.open(session))
        if not isinstance(found, Capabilities):
            raise self._fault(f"open() gave {type(found).__name__}; it must give Capabilities")
        if found.clock != "lockstep":
            raise self._fault(
                f"the agent asks for the clock {found.clock!r}; this loop has simulated time only"
            )
        if any(not (isinstance(k, str) and isinstance(v, str)) for k, v in found.settings.items()):
            raise self._fault("the settings of Capabilities must be texts by name")
        return found

    def tick(self) -> None:
        """Play the next 4,800 samples."""
        out, heard = self.playout.take(self.t, TICK_SAMPLES)
        self.meter.hear(out, self.t)
        samples, source = self.feed.tick(TICK_SAMPLES, self.t, self.meter)
        if self.gold is not None:
            self.gold.heard = self._cues()
        samples.flags.writeable = False
        events = self._guarded(lambda: list(self.agent.step(samples, self.t)))
        notes = [self._apply(event) for event in events]
        self._guarded(lambda: self.agent.played(heard))
        self.audio.append(out)
        self.ticks.append(self._record(source, heard, notes))
        self.t += TICK_SAMPLES
        self.done = self.feed.finished and (not self.playout.queued or self._drained())
        if self.done:
            self._guarded(self.agent.close)

    def _drained(self) -> bool:
        end = len(self.feed.mix) + self.feed.hold_samples
        return self.t - end >= DRAIN_CAP_SAMPLES

    def _moved(self, turn: ItemTurn) -> int:
        return held(turn, self.item.hold_point, self.feed.hold_samples)

    def _cues(self) -> tuple[TurnCue, ...]:
        """Boundaries of turns in the tick just heard; an end is where the first sample behind it would be."""
        cues = []
        for turn in self.item.turns:
            for edge, position in (("start", turn.start), ("end", turn.end)):
                at = position + self._moved(turn)
                if self.t <= at < self.t + TICK_SAMPLES and position <= self.feed.position:
                    cues.append(TurnCue(turn, "start" if edge == "start" else "end", at))
        return tuple(sorted(cues, key=lambda c: c.sample))

    def _apply(self, event: AgentEvent) -> TickEvent:
        soonest = self.t + TICK_SAMPLES
        if not isinstance(event, Say | Stop):
            raise self._fault(f"an event of type {type(event).__name__}; it may be Say or Stop")
        at = soonest if event.at is None else event.at
        if isinstance(at, bool) or not isinstance(at, int):
            raise self._fault(f"an event at {at!r}; positions are whole samples")
        if at < soonest:
            raise self._fault(f"an event for sample {at}, which is over (soonest {soonest})")
        if isinstance(event, Stop):
            return TickEvent(sample=at, type="stop", data={"dropped_samples": self.playout.stop(at)})
        samples, text = event.samples, event.text
        if not isinstance(samples, np.ndarray) or samples.dtype != np.int16 or samples.ndim != 1:
            raise self._fault(f"speech must be one row of int16 samples at {RATE} Hz")
        if not isinstance(text, str):
            raise self._fault(f"text must be a string, not {type(text).__name__}")
        if not writable(text):
            raise self._fault("text holds half a character (a lone surrogate); send whole characters")
        if not len(samples):
            return TickEvent(sample=at, type="empty_speech", data={"text": text})
        self.playout.say(samples.copy(), text, at)
        return TickEvent(sample=at, type="say", data={"samples": len(samples), "text": text})

    def _fault(self, what: str) -> AgentFault:
        return AgentFault(f"tick {len(self.ticks)}: {what}")

    def _record(self, source: Source, heard: int, notes: list[TickEvent]) -> Tick:
        low, high = self.t, self.t + TICK_SAMPLES
        sounding = tuple(
            turn.id
            for turn in self.item.turns
            if turn.start < self.feed.position
            and turn.start + self._moved(turn) < high
            and turn.end + self._moved(turn) > low
        )
        return Tick(
            tick=len(self.ticks),
            start=low,
            source=source,
            heard_samples=heard,
            turns=sounding,
            events=tuple(notes),
        )

    def _guarded(self, call: Callable[[], _T]) -> _T:
        try:
            return call()
        except (Exception, SystemExit) as error:
            raise AgentFault(f"tick {len(self.ticks)}: {raised(error)}") from error
