"""Values by their type: what a source file writes, and what a tool is given, against a `Column`."""

from __future__ import annotations

import datetime
import functools
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .column import SAFE_INTEGER, Column
from .diagnostics import did_you_mean
from .scalars import Plain
from .source import Path_

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)\Z")
_MONEY = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]{2}\Z")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?\Z")
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?\Z")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_DATE_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])\Z"
)


@dataclass(frozen=True)
class Problem:
    """What is wrong with a value, at a place relative to the document."""

    place: Path_
    code: str
    message: str
    hint: str = ""
    key: bool = False


def is_date(text: str) -> bool:
    """Whether a text is a day that exists, as 2026-03-02."""
    if not _DATE.match(text):
        return False
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_date_time(text: str) -> bool:
    """Whether a text is a moment that exists, with its offset, as 2026-03-02T09:15:00Z (RFC 3339)."""
    return bool(_DATE_TIME.match(text)) and is_date(text[:10])


def is_money(text: str) -> bool:
    """Whether a text is an exact amount with two decimals and no sign for zero."""
    return bool(_MONEY.match(text)) and text != "-0.00"


def is_decimal(text: str) -> bool:
    """Whether a text is a plain decimal number without a sign for zero."""
    return bool(_DECIMAL.match(text)) and not (text.startswith("-") and not text.strip("-0."))


_FORMATS: dict[str, tuple[Callable[[str], bool], str]] = {
    "date": (is_date, "a day that exists, such as 2026-03-02"),
    "time": (lambda t: bool(_TIME.match(t)), "a time of day, such as 09:15"),
    "date-time": (is_date_time, "a moment with its offset, such as 2026-03-02T09:15:00Z"),
    "money": (is_money, 'an amount with two decimals, such as "12.50"'),
    "decimal": (is_decimal, 'a plain decimal number, such as "2.5"'),
}


@dataclass(frozen=True)
class ValueType:
    """A column made ready: constants typed, pattern compiled, inner types in place."""

    column: Column
    required: bool
    """Whether the value must be there: False where null and leaving out are allowed."""
    enum: tuple[Any, ...] | None = None
    const: Any = None
    default: Any = None
    pattern: re.Pattern[str] | None = None
    items: ValueType | None = None
    properties: Mapping[str, ValueType] = field(default_factory=dict)

    @functools.cached_property
    def kind(self) -> str:
        """The type's name."""
        return self.column.kind

    def read(self, raw: Any, place: Path_, problems: list[Problem]) -> Any:
        """The value that a source file writes at `place`; problems are added, and the value is then None."""
        if isinstance(raw, Plain) and raw.text in ("null", "~", "Null", "NULL"):
            if not self.required:
                return None
            problems.append(Problem(place, "DK302", f"{_shown(place)} may not be null", "write the value"))
            return None
        reader = {"string": _text, "integer": _integer, "boolean": _flag, "array": _list, "object": _object}
        value = reader[self.kind](self, raw, place, problems)
        if value is not None and self.kind in ("string", "integer", "boolean"):
            said = self.fault(value)
            if said is not None:
                problems.append(Problem(place, "DK302", f"{_shown(place)}: {said}", self._hint(value)))
                return None
        return value

    def check(self, value: Any, where: str) -> str | None:
        """What is wrong with a value that a tool was given, or None. Types are never converted."""
        if value is None:
            return None if not self.required else f"{where} may not be null"
        if not _is(self.kind, value):
            return f"{where} should be {said_kind(self.kind)}"
        if self.kind == "array":
            return self._check_list(value, where)
        if self.kind == "object":
            return self._check_object(value, where)
        said = self.fault(value)
        return None if said is None else f"{where}: {said}"

    def fault(self, value: Any) -> str | None:
        """Which limit a text, number or truth value of the right type breaks, or None."""
        column = self.column
        if self.enum is not None and not _among(value, self.enum):
            return f"{_said(value)} is not one of {', '.join(map(_said, self.enum))}"
        if self.const is not None and not _same(value, self.const):
            return f"{_said(value)} is not {_said(self.const)}"
        if isinstance(value, bool):
            return None
        if isinstance(value, int):
            return _bounds(value, column)
        return self._text_fault(value)

    def _text_fault(self, value: str) -> str | None:
        column = self.column
        if column.format is not None and not _FORMATS[column.format][0](value):
            return f"{value!r} is not {_FORMATS[column.format][1]}"
        if self.pattern is not None and not self.pattern.fullmatch(value):
            return f"{value!r} does not fit the pattern {column.pattern}"
        if column.min_length is not None and len(value) < column.min_length:
            return f"{value!r} is shorter than {column.min_length}"
        if column.max_length is not None and len(value) > column.max_length:
            return f"{value!r} is longer than {column.max_length}"
        return None

    def _hint(self, value: Any) -> str:
        if isinstance(value, str) and value.endswith("\n"):
            return "it ends in a line break: write it in quotes, or with |- instead of |"
        if self.enum is not None and isinstance(value, str):
            near = did_you_mean(value, [e for e in self.enum if isinstance(e, str)])
            return f"did you mean {near}?" if near else ""
        return ""

    def _check_list(self, value: Any, where: str) -> str | None:
        said = _length(value, self.column)
        if said is not None or self.items is None:
            return said if said is None else f"{where}: {said}"
        faults = (self.items.check(item, f"{where}[{i}]") for i, item in enumerate(value))
        return next((f for f in faults if f is not None), None)

    def _check_object(self, value: Any, where: str) -> str | None:
        for name in value:
            if name not in self.properties:
                return f"{where} has no {name!r}"
        for name, inner in self.properties.items():
            said = inner.check(value.get(name), f"{where}.{name}")
            if said is not None:
                return said
        return None


def _text(kind: ValueType, raw: Any, place: Path_, problems: list[Problem]) -> str | None:
    if isinstance(raw, str):
        return raw
    if isinstance(raw, Plain):
        if not raw.text:
            said = f"{_shown(place)}: the key has no value"
            problems.append(Problem(place, "DK105", said, "write the value, or remove the key"))
            return None
        said = f"{_shown(place)}: unquoted {raw.text} is read as something else than text by a YAML reader"
        problems.append(Problem(place, "DK105", said, f'quote it: "{raw.text}"'))
        return None
    problems.append(Problem(place, "DK302", f"{_shown(place)} should be text", "write one text, in quotes"))
    return None


def _integer(kind: ValueType, raw: Any, place: Path_, problems: list[Problem]) -> int | None:
    if isinstance(raw, Plain) and _INTEGER.match(raw.text) and raw.text != "-0":
        value = int(raw.text)
        if abs(value) <= SAFE_INTEGER:
            return value
        said = f"{_shown(place)}: {raw.text} is larger than every reader keeps"
        problems.append(Problem(place, "DK302", said, f"at most {SAFE_INTEGER}; write ids as text"))
        return None
    shown = raw.text if isinstance(raw, Plain) else repr(raw)
    said = f"{_shown(place)}: {shown} is not a whole number"
    problems.append(
        Problem(
            place, "DK302", said, "digits only, without quotes, sign +, leading zero, _, point or exponent"
        )
    )
    return None


def _flag(kind: ValueType, raw: Any, place: Path_, problems: list[Problem]) -> bool | None:
    if isinstance(raw, Plain) and raw.text in ("true", "false"):
        return raw.text == "true"
    shown = raw.text if isinstance(raw, Plain) else repr(raw)
    said = f"{_shown(place)}: {shown} is not a truth value"
    problems.append(Problem(place, "DK302", said, "write true or false, without quotes"))
    return None


def _list(kind: ValueType, raw: Any, place: Path_, problems: list[Problem]) -> tuple[Any, ...] | None:
    if not isinstance(raw, list | tuple):
        problems.append(Problem(place, "DK302", f"{_shown(place)} should be a list", "write [..., ...]"))
        return None
    said = _length(raw, kind.column)
    if said is not None:
        problems.append(Problem(place, "DK302", f"{_shown(place)}: {said}"))
    if kind.items is None:
        return None
    return tuple(kind.items.read(item, (*place, i), problems) for i, item in enumerate(raw))


def _object(kind: ValueType, raw: Any, place: Path_, problems: list[Problem]) -> dict[str, Any] | None:
    if not isinstance(raw, dict):
        problems.append(Problem(place, "DK302", f"{_shown(place)} should be a mapping", "write {key: value}"))
        return None
    return read_mapping(kind.properties, raw, place, problems)


def read_mapping(
    types: Mapping[str, ValueType],
    raw: Mapping[str, Any],
    place: Path_,
    problems: list[Problem],
    *,
    partial: bool = False,
) -> dict[str, Any]:
    """The values of a mapping by their types. With `partial`, what is left out stays as it is elsewhere."""
    values: dict[str, Any] = {}
    for name, item in raw.items():
        if name not in types:
            said = f"{_shown(place)} has no column {name!r}"
            problems.append(Problem((*place, name), "DK304", said, near_name(name, types), key=True))
            continue
        values[name] = types[name].read(item, (*place, name), problems)
    if not partial:
        for name, kind in types.items():
            if kind.required and name not in raw and kind.kind != "array":
                said = f"{_shown(place)} lacks {name!r}"
                problems.append(Problem(place, "DK302", said, f"add `{name}:`", key=True))
    return values


def near_name(name: str, known: Iterable[str]) -> str:
    """What to write instead of a name that is not known."""
    options = list(known)
    near = did_you_mean(name, options)
    return f"did you mean {near}?" if near else f"known: {', '.join(options)}" if options else ""


def _bounds(value: int, column: Column) -> str | None:
    if abs(value) > SAFE_INTEGER:
        return f"{value} is larger than every reader keeps"
    if column.minimum is not None and value < column.minimum:
        return f"{value} is less than {column.minimum}"
    if column.maximum is not None and value > column.maximum:
        return f"{value} is more than {column.maximum}"
    return None


def _length(value: Any, column: Column) -> str | None:
    if column.min_items is not None and len(value) < column.min_items:
        return f"{len(value)} items are fewer than {column.min_items}"
    if column.max_items is not None and len(value) > column.max_items:
        return f"{len(value)} items are more than {column.max_items}"
    return None


_PYTHON: dict[str, Any] = {"string": str, "boolean": bool, "array": (list, tuple), "object": Mapping}


def _is(kind: str, value: Any) -> bool:
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, _PYTHON[kind])


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


def _among(value: Any, options: tuple[Any, ...]) -> bool:
    return any(_same(value, option) for option in options)


def said_kind(kind: str) -> str:
    """A type in words, with its article."""
    return {
        "string": "text",
        "integer": "a whole number",
        "boolean": "true or false",
        "array": "a list",
        "object": "a mapping",
    }[kind]


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else repr(value)


def _shown(place: Path_) -> str:
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def normal(value: Any) -> Any:
    """Text of a JSON value in Unicode NFC, so that both spellings of a letter are one."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, Mapping):
        return {unicodedata.normalize("NFC", k): normal(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [normal(v) for v in value]
    return value
