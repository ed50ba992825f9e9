"""The difference between two states of a world: what gold freezes, what a replay shows, what a report explains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .state import Row, View, thaw

Changes = dict[str, dict[str, dict[str, Any] | None]]
"""Table, key, columns that differ (None empties one); None for a row that is gone. A JSON merge patch (RFC 7396)."""


def changes(start: View, end: View, *, graded: bool = True) -> Changes:
    """What leads from `start` to `end`; with `graded`, only what is compared."""
    found: Changes = {}
    places = {(t, k) for t, k, _, _ in end.touched()} | {(t, k) for t, k, _, _ in start.touched()}
    for table, key in sorted(places):
        spec = end.seed[table].spec
        if graded and not spec.graded:
            continue
        ungraded = spec.ungraded if graded else frozenset[str]()
        before, after = start.row(table, key), end.row(table, key)
        if before is None and after is None:
            continue
        difference = _row(before, after, ungraded)
        if difference is None or difference:
            found.setdefault(table, {})[key] = difference
    return found


def _row(before: Row | None, after: Row | None, ungraded: frozenset[str]) -> dict[str, Any] | None:
    if after is None:
        return None
    if before is None:
        made: dict[str, Any] = thaw({k: v for k, v in after.items() if k not in ungraded and v != ()})
        return made
    names = sorted((set(before) | set(after)) - ungraded, key=lambda n: list({**before, **after}).index(n))
    return {n: thaw(after.get(n)) for n in names if not _equal(before.get(n), after.get(n))}


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return set(a) == set(b) and all(_equal(a[k], b[k]) for k in a)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_equal, a, b))
    return type(a) is type(b) and bool(a == b)


def lines(difference: Changes, start: View | None = None) -> list[str]:
    """The difference for people: one line a column, with the old value where `start` is given."""
    told = []
    for table, rows in difference.items():
        for key, columns in rows.items():
            before = start.row(table, key) if start is not None else None
            if columns is None:
                told.append(f"- {table} {key}")
            elif start is not None and before is None:
                told.append(f"+ {table} {key}: " + ", ".join(f"{c}: {_said(v)}" for c, v in columns.items()))
            else:
                for column, value in columns.items():
                    old = f"{_said(thaw(before.get(column)))} -> " if before is not None else ""
                    told.append(f"~ {table} {key} {column}: {old}{_said(value)}")
    return told


def _said(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
