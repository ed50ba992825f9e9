"""Columns made ready: what is wrong with a column itself, its pattern compiled, its constants read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .column import SAFE_INTEGER, Column
from .source import Path_
from .values import Problem, ValueType, near_name, said_kind


def value_type(column: Column, place: Path_, problems: list[Problem], *, required: bool) -> ValueType:
    """A column made ready; what is wrong with the column itself is added to `problems` (DK308)."""
    needed = required and not column.nullable
    problems.extend(_misfits(column, place))
    pattern = _compiled(column, place, problems)
    items = None
    if column.items is not None:
        items = value_type(column.items, (*place, "items"), problems, required=True)
    inner = {
        name: value_type(c, (*place, "properties", name), problems, required=name in column.required)
        for name, c in column.properties.items()
    }
    for index, name in enumerate(column.required):
        if name not in column.properties:
            said = f"there is no property {name!r} to require"
            problems.append(
                Problem((*place, "required", index), "DK308", said, near_name(name, column.properties))
            )
    bare = ValueType(column, needed, pattern=pattern, items=items, properties=inner)
    literals: dict[str, Any] = {}
    if column.enum is not None:
        read = [bare.read(raw, (*place, "enum", i), problems) for i, raw in enumerate(column.enum)]
        literals["enum"] = tuple(read)
        for i, value in enumerate(read):
            if value is not None and value in read[:i]:
                problems.append(
                    Problem((*place, "enum", i), "DK308", f"{value!r} stands twice", "remove one")
                )
    for name in ("const", "default"):
        raw = getattr(column, name)
        if raw is not None:
            literals[name] = bare.read(raw, (*place, name), problems)
    whole = ValueType(column, needed, pattern=pattern, items=items, properties=inner, **literals)
    for index, raw in enumerate(column.examples):
        whole.read(raw, (*place, "examples", index), problems)
    if whole.default is not None and column.enum is not None:
        whole.read(column.default, (*place, "default"), problems)
    return whole


_BY_KIND = {
    "string": {"pattern", "format", "min_length", "max_length"},
    "integer": {"minimum", "maximum"},
    "boolean": set[str](),
    "array": {"items", "min_items", "max_items"},
    "object": {"properties", "required"},
}


def _misfits(column: Column, place: Path_) -> Iterator[Problem]:
    """Keywords that say nothing about the type, and limits that no value can meet."""
    allowed = _BY_KIND[column.kind]
    for kind, names in _BY_KIND.items():
        for name in sorted(names - allowed):
            if name in column.model_fields_set:
                key = Column.model_fields[name].alias or name
                said = f"{key} says nothing about {said_kind(column.kind)}"
                yield Problem((*place, key), "DK308", said, f"it belongs to {said_kind(kind)}", key=True)
    for low, high in (("minimum", "maximum"), ("min_length", "max_length"), ("min_items", "max_items")):
        a, b = getattr(column, low), getattr(column, high)
        if a is not None and b is not None and a > b:
            key = Column.model_fields[low].alias or low
            yield Problem((*place, key), "DK308", f"no value is at least {a} and at most {b}", "swap them")
        for name, limit in ((low, a), (high, b)):
            if limit is not None and abs(limit) > SAFE_INTEGER:
                key = Column.model_fields[name].alias or name
                said = f"{key} is larger than every reader takes a number"
                yield Problem((*place, key), "DK308", said, f"at most {SAFE_INTEGER}")
    if column.kind == "array" and column.items is None:
        yield Problem(place, "DK308", "the array does not say what its items are", "add `items:`", key=True)
    if column.kind == "object" and not column.properties:
        yield Problem(place, "DK308", "the object has no properties", "add `properties:`", key=True)
    if column.kind in ("array", "object"):
        for name in ("enum", "const", "default"):
            if getattr(column, name) is not None:
                yield Problem(
                    (*place, name), "DK308", f"{name} is for text, numbers and truth values", "", key=True
                )


def _compiled(column: Column, place: Path_, problems: list[Problem]) -> re.Pattern[str] | None:
    text = column.pattern
    if text is None:
        return None
    where = (*place, "pattern")
    try:
        compiled = re.compile(text, re.ASCII)
    except re.error as error:
        problems.append(
            Problem(where, "DK308", f"the pattern does not compile: {error}", "mend the expression")
        )
        return None
    if not _anchored(text):
        body = text.removeprefix("^").removesuffix("$")
        inner = f"(?:{body})" if "|" in body else body
        said = "the pattern does not stand for the whole text, so other texts with it inside would pass"
        problems.append(Problem(where, "DK308", said, f'write "^{inner}$"'))
    return compiled


def _anchored(text: str) -> bool:
    if not (text.startswith("^") and text.endswith("$") and not text.endswith("\\$")):
        return False
    depth, at = 0, 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 2
            continue
        if char == "[":
            close = text.find("]", at + 2)
            at = close if close > 0 else at
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            return False
        at += 1
    return True
