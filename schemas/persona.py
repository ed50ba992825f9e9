"""The source model of a persona: who calls, how they talk, and which voice they have."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Slug, Spec
from .scene import Timbre


class Persona(Spec):
    """A caller's manner and voice. What they call about stands in the scenario."""

    kind: Literal["persona"]
    id: Slug
    name: str = Field(
        min_length=1, description="The name of the manner, for lists; not the caller's own name."
    )
    pool: Literal["control", "regular"] = Field(
        description="`control`: plain speech; `regular`: accents, ages and rates as on a real line."
    )
    language: str = Field(default="en-US", description="Language of the speech, as a BCP 47 tag.")
    manner: str = Field(
        min_length=20,
        description="How this person talks on the phone, as an actor would be told. No facts of any call.",
    )
    timbre: Timbre | None = Field(default=None, description="Pitch range of the voice that an engine picks.")
    voices: dict[str, str] = Field(
        default_factory=dict, description="A fixed voice, by engine: `{hibari: h03}`."
    )
