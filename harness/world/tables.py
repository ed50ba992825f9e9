"""The tables of a world made ready: typed columns, typed rows of the seed, and the functions that read them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from ...schemas.column import Column
from ...schemas.column_types import value_type
from ...schemas.diagnostics import did_you_mean
from ...schemas.scalars import Plain
from ...schemas.source import Path_
from ...schemas.values import Problem, ValueType, read_mapping
from ...schemas.world import Table
from .cel import function
from .functions import BUILTIN_NAMES, PURE_NAMES
from .messages import Messages, Shape, cel_name
from .state import Row, SeedTable, TableSpec, View

VIEW: ContextVar[View] = ContextVar("duplexkit_view")
"""The state that expressions read, set around each evaluation."""

_NEW_KEY = re.compile(r"(?P<head>[^{}]*)\{n(?::(?P<width>[1-9]))?\}(?P<tail>[^{}]*)\Z")


@dataclass(frozen=True)
class NewKey:
    """How keys of new rows are made: text before the number, its least width, text behind it."""

    head: str
    width: int
    tail: str

    def make(self, number: int) -> str:
        """The key with this number."""
        return f"{self.head}{number:0{self.width}d}{self.tail}"

    def number(self, key: str) -> int | None:
        """The number in a key of this form, or None."""
        if not (key.startswith(self.head) and key.endswith(self.tail)):
            return None
        middle = key[len(self.head) : len(key) - len(self.tail)]
        return int(middle) if middle.isascii() and middle.isdecimal() else None


@dataclass(frozen=True)
class TableType:
    """A table: its declaration and its columns made ready."""

    name: str
    declared: Table
    columns: Mapping[str, ValueType]
    new_key: NewKey | None
    declared_at: Path_
    """Where in the document the table stands; () for an engine's own."""

    @property
    def spec(self) -> TableSpec:
        """What the state knows of it."""
        t = self.declared
        return TableSpec(self.name, frozenset(t.free_text), frozenset(t.write_once), t.graded)

    def shape(self) -> Shape:
        """The message of a row: its key, then its columns."""
        return Shape(self.name, {self.declared.key: None, **self.columns})

    def read_row(
        self,
        raw: Any,
        place: Path_,
        problems: list[Problem],
        *,
        partial: bool = False,
        graded_only: bool = False,
    ) -> dict[str, Any] | None:
        """A row as a source file writes it, typed. Lists that are left out are empty."""
        if not isinstance(raw, dict):
            problems.append(
                Problem(place, "DK302", "a row is a mapping of columns to values", "write {column: value}")
            )
            return None
        columns = self.columns
        if graded_only:
            free = self.declared.free_text
            columns = {c: kind for c, kind in columns.items() if c not in free}
            for name in (n for n in raw if n in free):
                said = f"{name} is free text, which is never compared"
                problems.append(Problem((*place, name), "DK304", said, "remove it", key=True))
            raw = {n: v for n, v in raw.items() if n not in free}
        row = read_mapping(columns, raw, place, problems, partial=partial)
        return row if partial else self.whole(row)

    def whole(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row with empty lists where lists are left out, so that both spellings are one state."""
        lists = {c: () for c, kind in self.columns.items() if kind.kind == "array" and row.get(c) is None}
        return {**row, **lists}


def table_types(tables: Mapping[str, tuple[Table, Path_]], problems: list[Problem]) -> dict[str, TableType]:
    """The tables of a world by name; what is wrong with them is added to `problems`."""
    made: dict[str, TableType] = {}
    for name, (table, place) in tables.items():
        if name in BUILTIN_NAMES or name in {n.split(".")[0] for n in PURE_NAMES} or name in _VARIABLES:
            problems.append(
                Problem(
                    place, "DK315", f"{name!r} is a name of expressions already", "rename the table", key=True
                )
            )
            continue
        row = table.row
        columns = {
            column: value_type(
                kind, (*place, "row", "properties", column), problems, required=column in row.required
            )
            for column, kind in row.properties.items()
        }
        problems += _row_faults(table, place)
        made[name] = TableType(name, table, columns, _new_key(table, place, problems), place)
    for name, table_type in made.items():
        problems += _reference_faults(name, table_type, made)
    return made


_VARIABLES = frozenset({"args", "session", "now", "today", "new", "before", "after", "inserted", "removed"})


def _row_faults(table: Table, place: Path_) -> Iterator[Problem]:
    columns = table.row.properties
    for index, name in enumerate(table.row.required):
        if name not in columns:
            said = f"there is no column {name!r} to require"
            yield Problem((*place, "row", "required", index), "DK308", said, _near(name, columns))
    for label, names in (("free_text", table.free_text), ("write_once", table.write_once)):
        for index, name in enumerate(names):
            if name not in columns:
                said = f"{label} names {name!r}, which is no column"
                yield Problem((*place, label, index), "DK304", said, _near(name, columns))
    if table.key in columns:
        said = f"the key {table.key!r} stands among the columns too"
        yield Problem((*place, "key"), "DK315", said, "remove the column, or name the key otherwise")
    for name, column in columns.items():
        yield from _defaults(column, (*place, "row", "properties", name))


def _defaults(column: Column, place: Path_) -> Iterator[Problem]:
    if column.default is not None:
        hint = "write the value in each row; defaults are for parameters and session columns"
        yield Problem((*place, "default"), "DK308", "a column of a table has no default", hint, key=True)
    for name, inner in column.properties.items():
        yield from _defaults(inner, (*place, "properties", name))
    if column.items is not None:
        yield from _defaults(column.items, (*place, "items"))


def _new_key(table: Table, place: Path_, problems: list[Problem]) -> NewKey | None:
    if table.new_key is None:
        return None
    found = _NEW_KEY.match(table.new_key)
    if found is None:
        said = f"{table.new_key!r} does not say where the number goes"
        problems.append(Problem((*place, "new_key"), "DK304", said, 'write "DSP-{n}" or "DSP-{n:4}"'))
        return None
    return NewKey(found["head"], int(found["width"] or 1), found["tail"])


def _reference_faults(name: str, table: TableType, tables: Mapping[str, TableType]) -> Iterator[Problem]:
    for column, target in table.declared.references.items():
        place = (*table.declared_at, "references", column)
        if column not in table.columns:
            said = f"references names {column!r}, which is no column of {name}"
            yield Problem(place, "DK304", said, _near(column, table.columns), key=True)
        elif target not in tables:
            yield Problem(place, "DK304", f"there is no table {target!r}", _near(target, tables))
        else:
            kind = table.columns[column]
            inner = kind.items if kind.kind == "array" else kind
            if inner is not None and inner.kind != "string":
                yield Problem(
                    place, "DK304", f"{column!r} holds keys, and keys are text", "type: string", key=True
                )


def _near(name: str, known: Any) -> str:
    near = did_you_mean(name, known)
    return f"did you mean {near}?" if near else f"known: {', '.join(known)}"


@dataclass
class Rows:
    """Typed rows with the place of each: `None` for a row that a patch takes away."""

    rows: dict[str, dict[str, dict[str, Any] | None]] = field(default_factory=dict)
    session: dict[str, Any] = field(default_factory=dict)
    places: dict[tuple[str, str], Path_] = field(default_factory=dict)


def read_rows(
    raw: Mapping[str, Any],
    tables: Mapping[str, TableType],
    session: Mapping[str, ValueType],
    place: Path_,
    problems: list[Problem],
    *,
    exists: Callable[[str, str], bool] | None = None,
    graded_only: bool = False,
) -> Rows:
    """Rows as a seed, a patch or an end state writes them.

    With `exists` this is a patch: a row that exists is changed column by column, `null` takes one away, and
    `session:` sets session columns. Without it, this is a seed of whole rows. With `graded_only` it is the
    difference of an end state: only what is compared may stand in it.
    """
    read = Rows()
    for name, rows in raw.items():
        if name == "session" and exists is not None and not graded_only:
            if isinstance(rows, dict):
                read.session = read_mapping(session, rows, (*place, "session"), problems, partial=True)
            else:
                problems.append(
                    Problem((*place, name), "DK302", "session is a mapping", "write {column: value}")
                )
            continue
        if name not in tables:
            near = _near(name, tables)
            problems.append(Problem((*place, name), "DK304", f"there is no table {name!r}", near, key=True))
            continue
        if not isinstance(rows, dict):
            problems.append(
                Problem((*place, name), "DK302", f"{name} is a mapping of keys to rows", "write KEY: {...}")
            )
            continue
        if graded_only and not tables[name].declared.graded:
            said = f"{name} is not graded, so its end state is never compared"
            problems.append(Problem((*place, name), "DK304", said, "remove it", key=True))
            continue
        for key, row in rows.items():
            where = (*place, name, key)
            read.places[name, key] = where
            problems += _key_faults(key, where)
            if exists is not None and isinstance(row, Plain) and row.text in ("null", "~"):
                if not exists(name, key):
                    said = f"{name} has no row {key!r} to take away"
                    problems.append(Problem(where, "DK304", said, "", key=True))
                read.rows.setdefault(name, {})[key] = None
                continue
            partial = exists is not None and exists(name, key)
            made = tables[name].read_row(row, where, problems, partial=partial, graded_only=graded_only)
            if made is not None:
                read.rows.setdefault(name, {})[key] = made
    return read


def _key_faults(key: str, place: Path_) -> Iterator[Problem]:
    if not key or key != key.strip() or any(not c.isprintable() for c in key):
        yield Problem(
            place, "DK302", f"{key!r} is no key of a row", "write it without spaces around it", key=True
        )


def seed_tables(
    tables: Mapping[str, TableType], rows: Mapping[str, Mapping[str, Any]]
) -> dict[str, SeedTable]:
    """The immutable seed of a state."""
    return {name: SeedTable(t.spec, rows.get(name, {})) for name, t in tables.items()}


def table_functions(tables: Mapping[str, TableType], messages: Messages) -> list[Any]:
    """`has_T`, `T`, `all_T` and `T_by_C` for each table, reading the state of the moment."""
    made: list[Any] = []
    for name, table in tables.items():
        made += _functions_of(name, table, messages)
    return made


def row_message(messages: Messages, view: View, table: str, key_name: str, key: str, row: Row) -> Any:
    """A row as a message; that of a row of the seed is made once."""
    base = view.seed[table]
    if base.rows.get(key) is not row:
        return messages.build(table, {key_name: key, **row})
    made = base.messages.get(key)
    if made is None:
        made = base.messages[key] = messages.build(table, {key_name: key, **row})
    return made


def _functions_of(name: str, table: TableType, messages: Messages) -> list[Any]:
    row_type = table.shape().full_name
    key_name = table.declared.key

    def message(key: str, row: Row) -> Any:
        return row_message(messages, VIEW.get(), name, key_name, key, row)

    def has(key: str) -> bool:
        return VIEW.get().row(name, key) is not None

    def get(key: str) -> Any:
        row = VIEW.get().row(name, key)
        if row is None:
            raise LookupError(f"{name} has no row {key!r}")
        return message(key, row)

    def every() -> list[Any]:
        return [message(key, row) for key, row in VIEW.get().rows(name)]

    made = [
        function(f"has_{name}", ["STRING"], "BOOL", has),
        function(name, ["STRING"], row_type, get),
        function(f"all_{name}", [], f"LIST<{row_type}>", every),
    ]
    for column, kind in table.columns.items():
        if kind.kind in ("string", "integer", "boolean"):
            made.append(
                function(
                    f"{name}_by_{column}",
                    [cel_name(kind)],
                    f"LIST<{row_type}>",
                    _finder(name, column, message),
                )
            )
    return made


def _finder(name: str, column: str, message: Callable[[str, Row], Any]) -> Callable[[Any], list[Any]]:
    def find(value: Any) -> list[Any]:
        return [message(key, row) for key, row in VIEW.get().where(name, column, value)]

    return find


def function_names(tables: Mapping[str, TableType]) -> list[str]:
    """The names of the functions of a world, for did-you-mean."""
    names = list(PURE_NAMES)
    for name, table in tables.items():
        names += [name, f"has_{name}", f"all_{name}"]
        names += [f"{name}_by_{c}" for c, k in table.columns.items() if k.kind not in ("array", "object")]
    return names
