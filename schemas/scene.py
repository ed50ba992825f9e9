"""The source model of a scene: several people and one assistant in a room, in an explicit/implicit pair."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Name, Slug, Spec

Tag = Literal["T", "N1", "N2", "N3", "N4_Q", "N4_R"]
"""The six turn tags of Duplex-MPE (arXiv 2609.31948, section 3)."""

Bucket = Literal["early-middle", "middle", "late-middle"]
Condition = Literal["explicit", "implicit"]
CONDITIONS: tuple[Condition, Condition] = ("explicit", "implicit")
ASSISTANT = "assistant"
"""The word in `to:` that means the assistant, whatever its name is."""

Timbre = Literal["low", "medium", "high"]
Spoken = Annotated[str, Field(description="Words that are spoken. Put them in double quotes.")]


class Attributes(Spec):
    """The five attributes that place a scene (Duplex-MPE, section 3.1). Free text."""

    setting: str = Field(description="Where it happens.", examples=["garage before a flea market"])
    activity: str = Field(description="What the people are busy with.", examples=["packing"])
    relationship: str = Field(description="What the people are to each other.", examples=["old friends"])
    device: str = Field(description="What the assistant lives in.", examples=["shelf speaker"])
    register_: str = Field(alias="register", description="How they talk.", examples=["casual and hurried"])


class Assistant(Spec):
    """The assistant under test. It never speaks in the source."""

    name: str = Field(default="Aria", min_length=1, description="The name that addresses it.")
    aliases: tuple[str, ...] = Field(
        default=(), strict=False, description="Other names that address it, whole words."
    )


class Device(Spec):
    """Another assistant in the room: addressed, never speaking."""

    id: Name = Field(description="The id that `to:` uses.")
    name: str = Field(min_length=1, description="The name that it is called by.")


class Speaker(Spec):
    """One human of the scene."""

    id: Name = Field(description="The id that `speaker:` and `to:` use.", examples=["A"])
    name: str = Field(min_length=1, description="The name that others call them by.")
    timbre: Timbre | None = Field(
        default=None, description="Pitch range of the voice that the engine picks for this speaker."
    )
    voices: dict[str, str] = Field(
        default_factory=dict, description="A fixed voice, by engine: `{hibari: h03}`."
    )


class Turn(Spec):
    """One speaker's unbroken speech.

    The request turn, and the cue turn before it where the pair has one, carry no `text`: their words
    stand in `pair`, once for each condition.
    """

    id: Name = Field(description="The id of the turn, unique in the scene.", examples=["t1"])
    speaker: Name = Field(description="Id of the human who speaks.")
    to: Name | None = Field(
        default=None, description="Whom it is for: a speaker's id, a device's id, `assistant`, or left out."
    )
    tag: Tag = Field(description="T request; N1 mention; N2 to another; N3 to nobody; N4_Q and its N4_R.")
    text: Spoken | None = Field(default=None, description="The words spoken, in double quotes.")
    spell: tuple[str, ...] = Field(
        default=(), strict=False, description="Pieces of `text` to be spelled character by character."
    )


class TwoForms(Spec):
    """The words of one turn in both conditions."""

    turn: Name = Field(description="Id of the turn that has these words.")
    explicit: Spoken
    implicit: Spoken


class Cue(Spec):
    """What points at the assistant in the implicit version without naming it."""

    turn: Name = Field(description="The request turn, or the turn before it.")
    words: str = Field(
        min_length=1, description="The words of the implicit form that point at the assistant."
    )


class Pair(Spec):
    """The request in its explicit and its implicit form. Nothing else differs between the versions."""

    turn: Name = Field(description="Id of the request turn, tagged T.")
    explicit: Spoken = Field(description="The request with the assistant's name.")
    implicit: Spoken = Field(description="The request with a cue instead of the name.")
    before: TwoForms | None = Field(
        default=None, description="The turn before the request in both forms, where the cue stands there."
    )
    cue: Cue


class Answer(Spec):
    """The gold answer and the turns that it follows from."""

    text: str = Field(min_length=1, description="The answer as the assistant would say it.")
    accept: tuple[str, ...] = Field(default=(), strict=False, description="Other ways of saying it.")
    support: tuple[Name, ...] = Field(
        strict=False, description="Ids of the turns that the answer follows from, all before the request."
    )


class Suppression(Spec):
    """A finding that the author accepts, with the reason."""

    code: str = Field(pattern=r"^DK[0-9]{3}$", description="The code of the finding.")
    because: str = Field(min_length=8, description="Why it is right here.")


class Scene(Spec):
    """A multi-party scene: one file holds both versions of the pair."""

    kind: Literal["scene"]
    id: Slug
    title: str | None = Field(default=None, description="A line for lists.")
    language: str = Field(default="en-US", description="Language of the speech, as a BCP 47 tag.")
    attributes: Attributes
    assistant: Assistant = Field(default_factory=Assistant)
    devices: tuple[Device, ...] = Field(default=(), strict=False)
    speakers: tuple[Speaker, ...] = Field(strict=False, min_length=1)
    bucket: Bucket = Field(description="Third of the inner turns that the request stands in.")
    turns: tuple[Turn, ...] = Field(strict=False, min_length=1)
    pair: Pair
    answer: Answer
    suppress: tuple[Suppression, ...] = Field(default=(), strict=False)

    def words(self, turn: Turn, condition: Condition) -> str | None:
        """The written words of `turn` in `condition`; None where the source gives none."""
        if turn.id == self.pair.turn:
            return self.pair.explicit if condition == "explicit" else self.pair.implicit
        before = self.pair.before
        if before is not None and turn.id == before.turn:
            return before.explicit if condition == "explicit" else before.implicit
        return turn.text
