"""The source model of a walker's city: a grid of avenues and streets with what is missing, closed or named in it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Flag, Integer, Spec

Heading = Literal["north", "east", "south", "west"]
HEADINGS: tuple[Heading, Heading, Heading, Heading] = ("north", "east", "south", "west")
"""The headings, clockwise: the next one is a turn to the right."""

Arm = Literal["N", "E", "S", "W"]
Junction = Annotated[
    str,
    Field(
        pattern=r"^n_[0-9]+_[0-9]+$",
        description="A junction: `n_A_S`, avenue A counted from the west, street S counted from the north.",
        examples=["n_1_6"],
    ),
]
Segment = Annotated[
    str,
    Field(
        pattern=r"^seg_n_[0-9]+_[0-9]+__n_[0-9]+_[0-9]+$",
        description="A block: the junction further west or north stands first.",
        examples=["seg_n_1_6__n_2_6"],
    ),
]


class Lengths(Spec):
    """Lengths of blocks in metres."""

    along_avenue: Annotated[Integer, Field(gt=0)] = Field(
        description="From one street to the next.", examples=[81]
    )
    along_street: Annotated[Integer, Field(gt=0)] = Field(
        description="From one avenue to the next.", examples=[274]
    )


class Superblock(Spec):
    """A building that interrupts the grid: it is seen from the junctions around it."""

    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    avenues: tuple[Integer, Integer] = Field(strict=False, description="First and last avenue, from 0.")
    streets: tuple[Integer, Integer] = Field(strict=False, description="First and last street, from 0.")


class NoCrossing(Spec):
    """An arm of a junction that cannot be crossed on foot."""

    at: Junction
    arm: Arm


class Place(Spec):
    """Something with a name at a junction."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$", examples=["poi_pharmacy"])
    name: str = Field(min_length=1)
    category: str = Field(min_length=1, examples=["pharmacy"])
    at: Junction
    side: Arm | None = Field(default=None, description="The side of the junction that it stands on.")
    landmark: Flag = Field(default=False, description="Whether it is seen from the junctions one block away.")


class StreetGrid(Spec):
    """The city. Segments join neighbouring junctions unless they are missing."""

    avenues: tuple[str, ...] = Field(strict=False, min_length=2, description="Names, from west to east.")
    streets: tuple[str, ...] = Field(strict=False, min_length=2, description="Names, from north to south.")
    block_m: Lengths
    missing: tuple[Segment, ...] = Field(default=(), strict=False, description="Blocks that do not exist.")
    superblocks: tuple[Superblock, ...] = Field(default=(), strict=False)
    no_crossing: tuple[NoCrossing, ...] = Field(default=(), strict=False)
    places: tuple[Place, ...] = Field(default=(), strict=False)
    gps_accuracy_m: Annotated[Integer, Field(gt=0)] = Field(
        default=40, description="How far the position of the phone may be off."
    )
    live_range_blocks: Annotated[Integer, Field(ge=0)] = Field(
        default=2, description="How near an end of a closed block must be for the live status to list it."
    )
    track_side: Flag = Field(default=False, description="Whether the side of the street counts on arrival.")
