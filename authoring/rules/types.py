"""The rule of types: what a conversation type needs is really in the call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...harness.world.calls import CallScenario, Replay
from ...schemas.diagnostics import Finding
from ...schemas.scenario import Fact, Requirement, Types
from ...schemas.source import Document
from .calls import spoken_line
from .knowable import alike, has_token

Lack = str | None
"""What is missing, or None."""


def type_findings(document: Document, call: CallScenario, done: Replay, types: Types) -> Iterator[Finding]:
    """Each thing that the type of a scenario needs and that is not there."""
    entry = next((t for t in types.types if t.id == call.scenario.type), None)
    if entry is None:
        return
    for name in Requirement.model_fields:
        wanted = getattr(entry.needs, name)
        if wanted is None or wanted is False:
            continue
        lack = _CHECKS[name](call, done, wanted)
        if lack is not None:
            said = f"a call of type {entry.id} needs {lack}"
            yield document.finding(("type",), "DK429", said, "add it, or write the type that the call is of")


def _writes(call: CallScenario) -> int:
    return sum(call.runtime.tools[s.action.tool].spec.effect == "write" for s in call.steps)


def _min_writes(call: CallScenario, done: Replay, wanted: int) -> Lack:
    return None if _writes(call) >= wanted else f"at least {wanted} writes in gold; it has {_writes(call)}"


def _max_writes(call: CallScenario, done: Replay, wanted: int) -> Lack:
    return None if _writes(call) <= wanted else f"at most {wanted} writes in gold; it has {_writes(call)}"


def _intents(call: CallScenario, done: Replay, wanted: int) -> Lack:
    groups = call.scenario.gold.any_order
    if len(groups) < wanted:
        return f"`any_order` with at least {wanted} groups, one a request"
    return (
        None
        if any(len(g) > 1 for g in groups)
        else "one request whose actions depend on each other (a group of two)"
    )


def _refusal(call: CallScenario, done: Replay, wanted: bool) -> Lack:
    if not call.scenario.gold.forbid:
        return "`forbid`: what must not be done"
    return None if call.scenario.tests else "`tests`: the clause that forbids it"


def _matching_rows(call: CallScenario, done: Replay, wanted: int) -> Lack:
    opening = _opening(call)
    asked = [f for f in call.scenario.caller.facts if f.reveal != "opening" and not f.distractor]
    best = 0
    for step in call.steps:
        for value in step.arguments.values():
            for table in call.runtime.tables:
                target = done.start.row(table, value) if isinstance(value, str) else None
                if target is None:
                    continue
                fitting = _fitting(done, table, value, dict(target), opening)
                best = max(best, len(fitting))
                if len(fitting) >= wanted and _told_apart(value, dict(target), fitting, asked):
                    return None
    if best < wanted:
        return f"{wanted} rows of one table that fit what the caller says first; the most is {best}"
    return "a fact that is told when asked and tells the rows apart that fit the opening"


def _opening(call: CallScenario) -> list[str]:
    scenario = call.scenario
    said = [spoken_line(scenario, x.say) for x in scenario.caller.script if x.when.start]
    return [*said, *(f.value for f in scenario.caller.facts if f.reveal == "opening")]


def _fitting(
    done: Replay, table: str, key: str, target: dict[str, Any], opening: list[str]
) -> dict[str, dict[str, Any]]:
    """The rows that share with the target a value that the opening speaks of, and the target."""
    spoken = {
        c: v for c, v in target.items() if isinstance(v, str) and any(_speaks_of(text, v) for text in opening)
    }
    rows = {
        k: dict(r)
        for k, r in done.start.rows(table)
        if spoken and all(r.get(c) == v for c, v in spoken.items())
    }
    return rows | {key: target}


def _speaks_of(text: str, value: str) -> bool:
    return has_token(text, value) or has_token(text, value.replace("_", " "))


def _told_apart(
    key: str, target: dict[str, Any], fitting: dict[str, dict[str, Any]], asked: list[Fact]
) -> bool:
    for fact in asked:
        if not _has_value(key, target, fact):
            continue
        if not any(_has_value(k, row, fact) for k, row in fitting.items() if k != key):
            return True
    return False


def _has_value(key: str, row: dict[str, Any], fact: Fact) -> bool:
    return any(
        alike(fact.value, str(v)) or has_token(str(v), fact.value)
        for v in (key, *row.values())
        if v not in ("", None)
    )


def _verification(call: CallScenario, done: Replay, wanted: bool) -> Lack:
    if not call.scenario.tests:
        return "`tests`: the clause about identity"
    fails = any(s.action.fails for s in call.steps)
    before, after = done.start.session, done.end.session
    return (
        None
        if fails or before != after
        else "a read that fails until the caller is verified, or a session that is raised"
    )


def _caller_tools(call: CallScenario, done: Replay, wanted: int) -> Lack:
    count = sum(s.action.side == "caller" for s in call.steps)
    return None if count >= wanted else f"at least {wanted} gold actions of the caller's side; it has {count}"


def _correction(call: CallScenario, done: Replay, wanted: bool) -> Lack:
    facts = {f.id: f for f in call.scenario.caller.facts}
    for event in call.scenario.caller.events:
        for name in event.tells if event.kind == "correction" else ():
            new = facts.get(name)
            old = facts.get(new.supersedes or "") if new is not None else None
            if new is None or old is None:
                continue
            first, later = _first_use(call, old), _last_use(call, new)
            if first is not None and later is not None and first < later:
                return None
    return "a correction whose fact supersedes one that gold used before"


def _uses(call: CallScenario, fact: Fact) -> list[int]:
    found = []
    for index, step in enumerate(call.steps):
        values = [v for v in step.arguments.values() if isinstance(v, str | int) and not isinstance(v, bool)]
        if step.action.id in fact.used_by or any(alike(fact.value, str(v)) for v in values):
            found.append(index)
    return found


def _first_use(call: CallScenario, fact: Fact) -> int | None:
    return min(_uses(call, fact), default=None)


def _last_use(call: CallScenario, fact: Fact) -> int | None:
    return max(_uses(call, fact), default=None)


def _away(call: CallScenario, done: Replay, wanted: bool) -> Lack:
    held = any(e.kind == "suspension" and e.holds for e in call.scenario.caller.events)
    return None if held else "a suspension with `away_s` and the actions whose results it `holds`"


def _told_facts(call: CallScenario, done: Replay, wanted: int) -> Lack:
    told = [f for f in call.scenario.caller.facts if f.reveal == "opening" and not f.distractor]
    return None if len(told) >= wanted else f"at least {wanted} used facts in the opening; it has {len(told)}"


def _distractors(call: CallScenario, done: Replay, wanted: int) -> Lack:
    count = sum(f.distractor for f in call.scenario.caller.facts)
    return None if count >= wanted else f"at least {wanted} distractor facts; it has {count}"


def _closures(call: CallScenario, done: Replay, wanted: int) -> Lack:
    count = len(done.start.keys("closures")) if "closures" in call.runtime.tables else 0
    return None if count >= wanted else f"at least {wanted} closed blocks; it has {count}"


def _stops(call: CallScenario, done: Replay, wanted: int) -> Lack:
    count = len(done.start.keys("stops")) if "stops" in call.runtime.tables else 0
    return None if count >= wanted else f"at least {wanted} stops; it has {count}"


_CHECKS: dict[str, Callable[[CallScenario, Replay, Any], Lack]] = {
    "min_writes": _min_writes,
    "max_writes": _max_writes,
    "intents": _intents,
    "refusal": _refusal,
    "matching_rows": _matching_rows,
    "verification": _verification,
    "caller_tools": _caller_tools,
    "correction": _correction,
    "away": _away,
    "told_facts": _told_facts,
    "distractors": _distractors,
    "closures": _closures,
    "stops": _stops,
}
