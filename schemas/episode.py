"""The records of a run: what one agent did on one item. Scoring reads these and nothing else."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .base import Name, Spec
from .item import Digest, ItemAnswer, ItemAssistant, ItemTurn, Position, Window
from .scene import Bucket, Condition

TICK_SAMPLES = 4_800
"""200 ms at 24 kHz."""

RUN_RATE = 24_000

Outcome = Literal["completed", "agent-error"]


class AgentUtterance(Spec):
    """Words that the agent says it spoke, with the span in which they were heard.

    Counted in samples from the first sample of the episode, `end` exclusive.
    """

    text: str
    start: Position
    end: Position
    interrupted: bool = Field(default=False, description="Cut before its last word was heard.")


class Episode(Spec):
    """`transcript.json`: one item as it was played to one agent.

    Turns and windows are the item's, each position after the hold point moved by `hold_samples`.
    """

    format: Literal[1]
    kind: Literal["episode"]
    item: str
    scene: str
    pair: str
    condition: Condition
    bucket: Bucket
    language: str
    plan: Digest = Field(description="The item's plan: what determined its bytes.")
    seed: Position = Field(description="Seed of the episode.")
    agent: str
    agent_settings: dict[str, str] = Field(
        default_factory=dict, description="What the agent says that it runs with, by name."
    )
    outcome: Outcome
    reason: str | None = Field(default=None, description="What went wrong, where the outcome says so.")
    sample_rate: Literal[24000]
    num_samples: Position
    ticks: Position
    hold_point: Position
    hold_samples: Position
    assistant: ItemAssistant
    turns: tuple[ItemTurn, ...] = Field(strict=False)
    windows: tuple[Window, ...] = Field(strict=False)
    answer: ItemAnswer
    utterances: tuple[AgentUtterance, ...] = Field(strict=False)
    unheard_samples: Position = Field(
        default=0, description="Speech that was still queued when the episode ended."
    )


class TickEvent(Spec):
    """Something that happened at one sample of the episode."""

    sample: Position
    type: str
    data: dict[str, Any] = Field(default_factory=dict)


class Tick(Spec):
    """One line of `ticks.jsonl`: 4,800 samples in, 4,800 samples out."""

    tick: Position
    start: Position
    source: Literal["item", "hold", "drain"] = Field(description="Where the input samples came from.")
    heard_samples: Annotated[int, Field(ge=0, le=TICK_SAMPLES)] = Field(
        description="Samples of agent speech played in this tick."
    )
    turns: tuple[Name, ...] = Field(strict=False, description="Turns that sound in this tick.")
    events: tuple[TickEvent, ...] = Field(default=(), strict=False)


class RunManifest(Spec):
    """`run.json`: what was run on what, with which settings."""

    format: Literal[1]
    kind: Literal["run"]
    agent: str
    corpus: str
    corpus_plan: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    duplexkit: str
    tick_samples: Position
    seed: int
    settings: dict[str, Any]
    items: tuple[str, ...] = Field(strict=False, description="Ids of the items planned.")
    planned: Position
    completed: Position
    failed: dict[str, str] = Field(default_factory=dict, description="Reason, by item id.")
