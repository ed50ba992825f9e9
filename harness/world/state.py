"""The state of a world: an immutable seed, and a copy-on-write view that one replay or one call works on.

A row is a read-only mapping of column names to text, whole numbers, truth values, tuples and mappings. A
column without a value is not in the row: empty and left out are the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from . import hashing

Row = Mapping[str, Any]
_SCALARS = frozenset({str, int, bool, type(None)})


class _Gone:
    """Marks a row that is in the seed and was taken away."""

    __slots__ = ()


GONE = _Gone()


class StateError(Exception):
    """A change that the state cannot take. `code` is the error of the call, the message says what and where."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def freeze(value: Any) -> Any:
    """The value with lists as tuples and mappings read-only and without empty columns."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, Mapping):
        return MappingProxyType({k: freeze(v) for k, v in value.items() if v is not None})
    if isinstance(value, list | tuple):
        return tuple(freeze(v) for v in value)
    return value


def thaw(value: Any) -> Any:
    """The value as plain dict, list, text, int and bool, for JSON."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, Mapping):
        return {k: thaw(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(v) for v in value]
    return value


@dataclass(frozen=True)
class TableSpec:
    """What the state must know of a table."""

    name: str
    ungraded: frozenset[str] = frozenset()
    """Columns that are neither hashed nor compared."""
    write_once: frozenset[str] = frozenset()
    graded: bool = True


class SeedTable:
    """The rows of one table before any call, with everything that can be worked out once."""

    def __init__(self, spec: TableSpec, rows: Mapping[str, Mapping[str, Any]]) -> None:
        self.spec = spec
        self.rows: dict[str, Row] = {key: freeze(rows[key]) for key in sorted(rows)}
        self._indexes: dict[str, dict[Any, tuple[str, ...]]] = {}
        self._buckets: list[dict[bytes, bytes]] | None = None
        self._bucket_digests: list[bytes] = []
        self._digest: bytes | None = None
        self.messages: dict[str, Any] = {}
        """The rows as messages for expressions, each made when it is first read."""

    def index(self, column: str) -> dict[Any, tuple[str, ...]]:
        """The keys of the rows by the value of a column, made at its first use."""
        found = self._indexes.get(column)
        if found is None:
            lists: dict[Any, list[str]] = {}
            for key, row in self.rows.items():
                lists.setdefault(row.get(column), []).append(key)
            found = self._indexes[column] = {value: tuple(keys) for value, keys in lists.items()}
        return found

    def buckets(self) -> tuple[list[dict[bytes, bytes]], list[bytes]]:
        """The entries of each bucket by key, and the buckets' digests."""
        if self._buckets is None:
            buckets: list[dict[bytes, bytes]] = [{} for _ in range(hashing.BUCKETS)]
            for key, row in self.rows.items():
                digest = hashing.row_digest(thaw(row), self.spec.ungraded)
                buckets[hashing.bucket_of(key)][key.encode("utf-8")] = hashing.entry(key, digest)
            self._bucket_digests = [hashing.bucket_digest(sorted(b.items())) for b in buckets]
            self._buckets = [dict(sorted(b.items())) for b in buckets]
        return self._buckets, self._bucket_digests

    def digest(self) -> bytes:
        """The digest of the table as it is in the seed, worked out once."""
        if self._digest is None:
            self._digest = hashlib.sha256(b"".join(self.buckets()[1])).digest()
        return self._digest


@dataclass
class _Change:
    """How to undo one write."""

    table: str
    key: str
    before: Row | _Gone | None


@dataclass
class View:
    """A state under change. Reads see the seed with the changes; the seed itself is never touched.

    `session` is the ungraded row that lasts for a call; `counters` holds the last number given by `new_key`.
    """

    seed: Mapping[str, SeedTable]
    session: dict[str, Any] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    _changed: dict[str, dict[str, Row | _Gone]] = field(default_factory=dict)
    _journal: list[_Change] = field(default_factory=list)
    _entries: dict[tuple[str, str], tuple[Row, bytes]] = field(default_factory=dict)
    """What a written row adds to the hash, with the row that it was worked out from. Rows never change."""

    def row(self, table: str, key: str) -> Row | None:
        """The row, or None where there is none."""
        changed = self._changed.get(table)
        if changed is not None and key in changed:
            found = changed[key]
            return None if isinstance(found, _Gone) else found
        return self.seed[table].rows.get(key)

    def keys(self, table: str) -> list[str]:
        """The keys of a table, sorted as text."""
        base, changed = self.seed[table].rows, self._changed.get(table)
        if not changed:
            return list(base)
        gone = {k for k, row in changed.items() if isinstance(row, _Gone)}
        new = [k for k in changed if k not in base and k not in gone]
        kept = [k for k in base if k not in gone] if gone else list(base)
        return sorted([*kept, *new]) if new else kept

    def rows(self, table: str) -> Iterator[tuple[str, Row]]:
        """All rows with their keys, in the order of the keys."""
        for key in self.keys(table):
            row = self.row(table, key)
            if row is not None:
                yield key, row

    def where(self, table: str, column: str, value: Any) -> list[tuple[str, Row]]:
        """The rows whose column has this value, in the order of the keys."""
        base = self.seed[table]
        keys = base.index(column).get(value, ())
        changed = self._changed.get(table)
        if not changed:
            return [(key, base.rows[key]) for key in keys]
        found = [(key, base.rows[key]) for key in keys if key not in changed]
        for key, row in changed.items():
            if not isinstance(row, _Gone) and row.get(column) == value and _same_type(row.get(column), value):
                found.append((key, row))
        return sorted(found, key=lambda pair: pair[0])

    def insert(self, table: str, key: str, row: Mapping[str, Any]) -> None:
        """Add a row. Raises `StateError` where the key is taken."""
        if self.row(table, key) is not None:
            raise StateError("already_exists", f"{table} has a row {key!r} already")
        self._write(table, key, freeze(row))

    def remove(self, table: str, key: str) -> None:
        """Take a row away. Raises `StateError` where there is none, or where a write-once column has a value."""
        row = self._needed(table, key)
        self._keep_once(table, key, row, {})
        self._write(table, key, GONE)

    def update(self, table: str, key: str, columns: Mapping[str, Any]) -> None:
        """Give columns of a row new values; None empties one. Raises `StateError`."""
        row = self._needed(table, key)
        new = freeze({**row, **columns})
        self._keep_once(table, key, row, new)
        self._write(table, key, new)

    def touched(self) -> Iterator[tuple[str, str, Row | None, Row | None]]:
        """Table, key, row of the seed and row now, for every row that was written, in order."""
        for table in sorted(self._changed):
            for key in sorted(self._changed[table]):
                yield table, key, self.seed[table].rows.get(key), self.row(table, key)

    def mark(self) -> int:
        """A point that `undo` can go back to."""
        return len(self._journal)

    def undo(self, mark: int) -> None:
        """Take back every write since `mark`."""
        while len(self._journal) > mark:
            change = self._journal.pop()
            rows = self._changed[change.table]
            if change.before is None:
                del rows[change.key]
            else:
                rows[change.key] = change.before

    def since(self, mark: int) -> Iterator[tuple[str, str, Row | None, Row | None]]:
        """Table, key, row before and row now, once for each row that was written since `mark`, in order."""
        first: dict[tuple[str, str], Row | None] = {}
        for change in self._journal[mark:]:
            place = (change.table, change.key)
            if place not in first:
                before = change.before
                if before is None:
                    first[place] = self.seed[change.table].rows.get(change.key)
                else:
                    first[place] = None if isinstance(before, _Gone) else before
        for (table, key), row in first.items():
            yield table, key, row, self.row(table, key)

    def digest(self) -> bytes:
        """The hash of the graded tables: what was written is hashed with its bucket and all that stands above."""
        return hashing.state_digest(
            {name: self._table_digest(name) for name, t in self.seed.items() if t.spec.graded}
        )

    def _table_digest(self, table: str) -> bytes:
        base = self.seed[table]
        changed = self._changed.get(table)
        if not changed:
            return base.digest()
        buckets, digests = base.buckets()
        by_bucket: dict[int, dict[bytes, bytes]] = {}
        grown: set[int] = set()
        for key, row in changed.items():
            number = hashing.bucket_of(key)
            entries = by_bucket.get(number)
            if entries is None:
                entries = by_bucket[number] = dict(buckets[number])
            raw = key.encode("utf-8")
            if isinstance(row, _Gone):
                entries.pop(raw, None)
            else:
                if raw not in entries:
                    grown.add(number)
                entries[raw] = self._entry(base, key, row)
        digests = list(digests)
        for number, entries in by_bucket.items():
            # The entries of the seed are in order, and a changed one stays in its place.
            ordered = sorted(entries.items()) if number in grown else entries.items()
            digests[number] = hashing.bucket_digest(ordered)
        return hashlib.sha256(b"".join(digests)).digest()

    def _entry(self, base: SeedTable, key: str, row: Row) -> bytes:
        place = (base.spec.name, key)
        known = self._entries.get(place)
        if known is None or known[0] is not row:
            made = hashing.entry(key, hashing.row_digest(thaw(row), base.spec.ungraded))
            known = self._entries[place] = (row, made)
        return known[1]

    def _needed(self, table: str, key: str) -> Row:
        row = self.row(table, key)
        if row is None:
            raise StateError("internal", f"{table} has no row {key!r}")
        return row

    def _keep_once(self, table: str, key: str, old: Row, new: Mapping[str, Any]) -> None:
        for column in self.seed[table].spec.write_once:
            if column in old and (column not in new or new[column] != old[column]):
                raise StateError("write_once", f"{table}.{column} of {key!r} has its value and keeps it")

    def _write(self, table: str, key: str, row: Row | _Gone) -> None:
        rows = self._changed.setdefault(table, {})
        self._journal.append(_Change(table, key, rows.get(key)))
        rows[key] = row


def _same_type(a: Any, b: Any) -> bool:
    return isinstance(a, bool) == isinstance(b, bool)


Change = Callable[[View], None]
