"""The type of one value: the part of JSON Schema (2020-12) that tables, sessions and tool parameters use."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from .base import Distinct, Integer, Spec
from .scalars import Plain

TypeName = Literal["string", "integer", "boolean", "array", "object"]
Format = Literal["date", "time", "date-time", "money", "decimal"]
"""`date` 2026-03-02, `time` 09:15, `date-time` 2026-03-02T09:15:00Z, `money` 12.50 (two decimals, no sign for
zero), `decimal` any plain decimal number. All are text."""

SAFE_INTEGER = 2**53 - 1
"""The largest whole number that every JSON reader keeps (RFC 8259, section 6)."""

_RESERVED = frozenset(
    """as break const continue else false for function if import in let loop package namespace null return
    true var void while""".split()
)
_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*\Z")


def _identifier(value: str) -> str:
    if not _IDENTIFIER.match(value) or len(value) > 60:
        raise PydanticCustomError(
            "not_identifier", "{value} is no name for an expression", {"value": repr(value)}
        )
    if value in _RESERVED:
        raise PydanticCustomError(
            "reserved_word", "{value} is a reserved word of expressions", {"value": repr(value)}
        )
    return value


Identifier = Annotated[
    str,
    AfterValidator(_identifier),
    Field(json_schema_extra={"pattern": "^[a-z][a-z0-9_]*$"}),
]
"""A name that expressions use: lower-case letters, digits and `_`, beginning with a letter."""


def _types(value: Any) -> Any:
    """`type: string` and `type: [string, "null"]` as the list of names; an unquoted null is meant as one."""
    if isinstance(value, Plain) and value.text == "null":
        return ("null",)
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list):
        return tuple(v.text if isinstance(v, Plain) and v.text == "null" else v for v in value)
    return value


def _one_type(value: tuple[str, ...]) -> tuple[str, ...]:
    names = [v for v in value if v != "null"]
    if len(names) != 1 or len(set(value)) != len(value):
        raise PydanticCustomError(
            "type_union", "a value has one type, or one type and null; got {names}", {"names": list(value)}
        )
    return value


Types = Annotated[
    tuple[Literal["string", "integer", "boolean", "array", "object", "null"], ...],
    BeforeValidator(
        _types,
        json_schema_input_type=TypeName
        | Annotated[list[Literal[TypeName, "null"]], Field(min_length=2, max_length=2)],
    ),
    AfterValidator(_one_type),
]

Scalar = Any
"""A literal of the column's own type. It is typed by the column, so a text that looks like a number is quoted."""


class Column(Spec):
    """A value's type. Numbers are whole; money and other decimals are text with a format."""

    type: Types = Field(
        description='`string`, `integer`, `boolean`, `array`, `object`, or one of them with null: `[string, "null"]`.',
        examples=["string", ["string", "null"]],
    )
    description: str | None = Field(
        default=None, description="What the value means. Agents read it on tools."
    )
    enum: tuple[Scalar, ...] | None = Field(
        default=None,
        strict=False,
        min_length=1,
        description="The values allowed.",
        examples=[["active", "locked"]],
    )
    const: Scalar | None = Field(default=None, description="The one value allowed.")
    default: Scalar | None = Field(
        default=None, description="The value of an argument or a session column that is left out."
    )
    examples: tuple[Scalar, ...] = Field(default=(), strict=False, description="Examples for agents.")
    pattern: str | None = Field(
        default=None,
        description="A regular expression for the whole text, from ^ to $.",
        examples=["^CRD-[0-9]{4}$"],
    )
    format: Format | None = Field(
        default=None, description="What kind of text it is.", examples=["date", "money"]
    )
    min_length: Annotated[Integer | None, Field(ge=0)] = Field(
        default=None, alias="minLength", description="Least number of characters."
    )
    max_length: Annotated[Integer | None, Field(ge=0)] = Field(
        default=None, alias="maxLength", description="Largest number of characters."
    )
    minimum: Integer | None = Field(default=None, description="Least whole number.")
    maximum: Integer | None = Field(default=None, description="Largest whole number.")
    items: Column | None = Field(default=None, description="Type of the items of an array.")
    min_items: Annotated[Integer | None, Field(ge=0)] = Field(
        default=None, alias="minItems", description="Least number of items."
    )
    max_items: Annotated[Integer | None, Field(ge=0)] = Field(
        default=None, alias="maxItems", description="Largest number of items."
    )
    properties: dict[Identifier, Column] = Field(
        default_factory=dict, description="Types of an object's values, by name."
    )
    required: Distinct[str] = Field(
        default=(),
        strict=False,
        description="Properties that an object must have. Others may be null or left out.",
    )

    @property
    def kind(self) -> str:
        """The type's name without null."""
        return next(t for t in self.type if t != "null")

    @property
    def nullable(self) -> bool:
        """Whether null is written as a type of its own."""
        return "null" in self.type


class RowSchema(Spec):
    """The JSON Schema of a table's rows."""

    type: Literal["object"] = "object"
    required: Distinct[str] = Field(
        default=(), strict=False, description="Columns that every row has. Others may be null or left out."
    )
    properties: dict[Identifier, Column] = Field(min_length=1, description="The columns, by name.")
