"""The rule of ambiguity: a record that gold touches can be told from every other one by what the agent gets to see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...harness.world.calls import CallScenario, Replay, replay
from ...harness.world.reward import equal
from ...harness.world.search import NAME as SEARCH
from ...harness.world.state import Row, View
from ...schemas.diagnostics import Finding
from ...schemas.source import Document
from .calls import spoken_line, words_of
from .knowable import has_token


def record_findings(document: Document, call: CallScenario, done: Replay) -> Iterator[Finding]:
    """Rows named in gold's arguments that have a twin which would do as well and is counted as wrong."""
    if not call.goals:
        return
    said = [spoken_line(call.scenario, t) for _, t in words_of(call.scenario)]
    said += [f.value for f in call.scenario.caller.facts]
    seen: set[tuple[str, str]] = set()
    for step in call.steps:
        for name, value in step.arguments.items():
            for table in _tables_of(call, done.start, value):
                if (table, value) in seen or any(has_token(t, value) for t in said):
                    continue
                seen.add((table, value))
                twin = _twin(call, done.start, table, value)
                if twin is not None and _counted_wrong(call, done, value, twin):
                    told = f"nothing that the agent sees tells {table} {value!r} from {twin!r}"
                    hint = "let a column that a tool shows differ, or accept both with `any_of:`"
                    yield document.finding((*step.place, "arguments", name), "DK427", told, hint)


def _tables_of(call: CallScenario, start: View, value: Any) -> list[str]:
    if not isinstance(value, str):
        return []
    return [t for t in call.runtime.tables if start.row(t, value) is not None]


def _twin(call: CallScenario, start: View, table: str, key: str) -> str | None:
    """Another key whose row looks the same, and is referred to by rows that look the same."""
    row, columns = start.row(table, key), _visible(call, table)
    shown = _seen(row or {}, columns)
    for other, candidate in start.rows(table):
        alike = other != key and equal(_seen(candidate, columns), shown)
        if alike and _referring(call, start, table, key) == _referring(call, start, table, other):
            return other
    return None


def _visible(call: CallScenario, table: str) -> set[str]:
    """The columns of a table that results of the agent's tools show; all of them, where tools are code."""
    columns = set(call.runtime.tables[table].columns)
    if any(n != SEARCH for n in call.runtime.native):
        return columns
    texts = []
    for tool in call.runtime.world.tools:
        if tool.side == "agent":
            for told in tool.returns.values():
                texts += [told] if isinstance(told, str) else [told.for_each, *told.give.values()]
    shown = " ".join(texts)
    return {c for c in columns if re.search(rf"\.{c}\b|{table}_by_{c}\(", shown)}


def _seen(row: Row, columns: set[str]) -> dict[str, Any]:
    return {k: v for k, v in row.items() if k in columns}


def _referring(call: CallScenario, start: View, table: str, key: str) -> list[str]:
    """How the rows that refer to a key look, without their own keys."""
    found = []
    for name, kind in call.runtime.tables.items():
        for column, target in kind.declared.references.items():
            if target == table:
                rows = start.where(name, column, key) if kind.columns[column].kind == "string" else []
                found += [
                    f"{name} {sorted((k, str(v)) for k, v in row.items() if k != column)}" for _, row in rows
                ]
    return sorted(found)


def _counted_wrong(call: CallScenario, done: Replay, key: str, twin: str) -> bool:
    """Whether gold with the twin's key works as well and ends in a state that is not accepted."""
    steps = tuple(replace(s, arguments=_swapped(s.arguments, key, twin)) for s in call.steps)
    other = replay(replace(call, steps=steps))
    if other.failures():
        return False
    return other.end.digest() not in {call.goal_view(g).digest() for g in call.goals}


def _swapped(value: Any, key: str, twin: str) -> Any:
    if isinstance(value, Mapping):
        return {k: _swapped(v, key, twin) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_swapped(v, key, twin) for v in value)
    return twin if value == key else value
