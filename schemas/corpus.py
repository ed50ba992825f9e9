"""The source model of a corpus: which scenes are compiled, with which voices, gaps and seed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Integer, Slug, Spec

Milliseconds = Annotated[Integer, Field(ge=0, le=600_000)]


class Corpus(Spec):
    """What `duplexkit compile` turns into audio. Times are whole milliseconds, so that they are whole samples."""

    kind: Literal["corpus"]
    id: Slug
    title: str = Field(min_length=1)
    licence: str = Field(
        default="CC-BY-4.0", description="Licence of the texts and the audio, as an SPDX id."
    )
    scenes: tuple[str, ...] = Field(
        strict=False, min_length=1, description="Paths or globs of scene files, relative to this file."
    )
    seed: Integer = Field(default=0, ge=0, description="Every draw of the compile is derived from it.")
    engine: str = Field(default="hibari", description="The speech engine where the command names none.")
    gap_ms: Milliseconds = Field(default=500, description="Silence after an ordinary turn.")
    resolution_gap_ms: Milliseconds = Field(
        default=3_000, description="Silence between the end of N4_Q and the start of N4_R."
    )
    response_ms: Milliseconds = Field(default=5_000, description="Silence after T, left for the agent.")
    preamble: str | None = Field(default=None, description="Words spoken before the first turn.")
