"""The records of a compiled corpus: one `Item` a line of `items.jsonl`, and the corpus manifest."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Name, Spec
from .scene import Bucket, Condition, Tag

FORMAT_VERSION = 1

WindowKind = Literal["response", "silence", "answering", "yield"]
Expectation = Literal["respond", "silent", "may-answer", "stopped"]
Position = Annotated[int, Field(ge=0)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class ItemSpeaker(Spec):
    """A human of the item and the voice that speaks for them."""

    id: Name
    name: str
    voice: str


class ItemAssistant(Spec):
    """The names of the assistant."""

    name: str
    aliases: tuple[str, ...] = Field(default=(), strict=False)


class ItemDevice(Spec):
    """Another assistant in the room."""

    id: Name
    name: str


class ItemTurn(Spec):
    """One turn in the compiled audio.

    Counted in samples from the first sample of the item, `end` exclusive.
    """

    id: Name
    speaker: Name
    tag: Tag
    to: Name | None
    text: str
    spoken_text: str
    start: Position
    end: Position
    clip: Digest = Field(description="Key of the clip in the store; equal clips are equal audio.")


class Preamble(Spec):
    """Speech before the first turn that tells the agent its task."""

    text: str
    spoken_text: str
    voice: str
    start: Position
    end: Position
    clip: Digest


class Window(Spec):
    """A stretch of the item in which something is expected of the agent.

    Counted in samples for a hold of 0, `end` exclusive.
    """

    kind: WindowKind
    turn: Name
    start: Position
    end: Position
    expect: Expectation


class ItemAnswer(Spec):
    """The gold answer of the request."""

    text: str
    accept: tuple[str, ...] = Field(default=(), strict=False)
    support: tuple[Name, ...] = Field(strict=False)


class Item(Spec):
    """One scene under one condition, compiled."""

    kind: Literal["scene"]
    id: str
    scene: str
    pair: str
    condition: Condition
    bucket: Bucket
    language: str
    attributes: dict[str, str]
    sample_rate: Literal[24000]
    num_samples: Position
    audio: str = Field(description="Path of the mix, relative to the corpus folder.")
    stems: dict[str, str] = Field(description="Path of each speaker's stem, by speaker id.")
    peaks: str = Field(description="Path of the waveform peaks.")
    gain: float = Field(description="The one gain of the item; stems hold it already.")
    speakers: tuple[ItemSpeaker, ...] = Field(strict=False)
    assistant: ItemAssistant
    devices: tuple[ItemDevice, ...] = Field(default=(), strict=False)
    preamble: Preamble | None = None
    turns: tuple[ItemTurn, ...] = Field(strict=False)
    windows: tuple[Window, ...] = Field(strict=False)
    answer: ItemAnswer
    varied: tuple[Name, ...] = Field(
        strict=False, description="Turns whose words differ between the versions of the pair."
    )
    hold_point: Position = Field(description="End of T: a run may wait here for the agent.")
    plan: Digest = Field(description="Digest of all that determines this item's bytes.")
    file_bytes: dict[str, Position] = Field(
        default_factory=dict, description="Length of each file of the item, by path."
    )


class Manifest(Spec):
    """`corpus.json`: what a compiled folder holds and what it was made from."""

    format: Literal[1]
    kind: Literal["compiled-corpus"]
    id: str
    title: str
    licence: str
    seed: int
    engine: str
    engine_fingerprint: dict[str, str]
    duplexkit: str = Field(description="Version of the toolkit that wrote it.")
    sample_rate: Literal[24000]
    gap_samples: Position
    resolution_gap_samples: Position
    response_samples: Position
    items: Position
    pairs: Position
    turns: Position
    distinct_clips: Position
    num_samples: Position = Field(description="Samples of all mixes together.")
    hours: float
    files: Position = Field(description="Files listed in SHA256SUMS.")
    bytes: Position = Field(description="Bytes of those files together.")
    suppressed: dict[str, int] = Field(description="Suppressed findings of the sources, by code.")
    plan: Digest
