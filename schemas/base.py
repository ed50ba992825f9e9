"""The shared base of every model, and the field types that source files are typed by."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Annotated, NewType, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from .scalars import Plain

Samples = NewType("Samples", int)
"""A position or a length counted in samples at the rate that the record names."""

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)\Z")


class Spec(BaseModel):
    """A frozen record that refuses unknown keys and never converts one type into another."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, validate_default=False)


def _integer(value: object) -> object:
    if isinstance(value, Plain):
        if not _INTEGER.match(value.text):
            raise PydanticCustomError(
                "not_integer", "{text} is not a whole number in plain decimal digits", {"text": value.text}
            )
        return int(value.text)
    return value


def _flag(value: object) -> object:
    if isinstance(value, Plain) and value.text in ("true", "false"):
        return value.text == "true"
    return value


Integer = Annotated[int, BeforeValidator(_integer)]
"""A whole number written in plain decimal digits: `010`, `1_000`, `250.0` and `true` are refused."""

Flag = Annotated[bool, BeforeValidator(_flag)]
"""`true` or `false`, unquoted."""

Entry = TypeVar("Entry", bound=Hashable)


def _distinct(value: tuple[Entry, ...]) -> tuple[Entry, ...]:
    twice = next((v for i, v in enumerate(value) if v in value[:i]), None)
    if twice is not None:
        raise PydanticCustomError("twice", "{entry} stands twice", {"entry": repr(twice)})
    return value


Distinct = Annotated[
    tuple[Entry, ...],
    AfterValidator(_distinct),
    Field(strict=False, json_schema_extra={"uniqueItems": True}),
]
"""A list in which nothing stands twice."""

Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(?:[-_.][a-z0-9]+)*$", max_length=80)]
"""An id that is safe as a file name: lower-case letters, digits, and single `-`, `_` or `.` between them."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*$", max_length=40)]
"""A short id inside one file: letters, digits, and single `-` or `_` between them."""
