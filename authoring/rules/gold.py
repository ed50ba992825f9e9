"""Rules on the gold of a call: it replays, it is frozen, it can be told from doing nothing, it does what is wanted."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from ...harness.world.calls import CallScenario, Replay, replay
from ...harness.world.cel import EvaluationError
from ...harness.world.diff import Changes, changes, lines
from ...harness.world.reward import equal, reward
from ...harness.world.runtime import Call
from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.source import Document, Path_

_NEVER_MEANT = ("internal", "invariant", "bad_arguments", "unknown_tool")
_MOST_GROUPS = 4
_FREEZE = "run `duplexkit gold {file} --write`"


def gold_findings(document: Document, call: CallScenario, done: Replay) -> Iterator[Finding]:
    """What the replay of gold shows. `done` is the replay of `call`."""
    failed = list(_failures(document, done))
    yield from failed
    if failed:
        return
    difference = done.changes()
    yield from _frozen(document, call, difference, done)
    yield from _idle(document, call, difference)
    yield from _wants(document, call, difference, done)
    yield from _asserts(document, call, done)
    yield from _forbidden(document, call, done)
    yield from _orders(document, call, done)
    yield from _derived(document, call, done)


def _failures(document: Document, done: Replay) -> Iterator[Finding]:
    for step, made in zip(done.call.steps, done.calls, strict=True):
        action, place = step.action, step.place
        write = done.call.runtime.tools[action.tool].spec.effect == "write"
        if action.fails is not None and write:
            said = f"{action.id} is a write, and a write of gold may not fail"
            yield document.finding(
                (*place, "fails"), "DK405", said, "leave the call out; `forbid` says what must not be done"
            )
        elif action.fails in _NEVER_MEANT:
            said = f"{action.fails!r} is a mistake of the file, never what a read is meant to meet"
            yield document.finding((*place, "fails"), "DK405", said, "name the error code of a guard")
        elif action.fails is None and made.error is not None:
            told = made.detail or made.result["error"]["message"]
            said = f"{action.id} ({action.tool}) fails with {made.error}: {told}"
            yield document.finding(
                (*place, "tool"), "DK405", said, "mend the order, the arguments or the seed"
            )
            return
        elif action.fails != made.error:
            said = f"{action.id} ({action.tool}) " + (
                f"fails with {made.error}" if made.error else "succeeds"
            )
            near = did_you_mean(action.fails or "", [made.error] if made.error else [])
            hint = f"did you mean {near}?" if near else "write the error that comes, or remove `fails:`"
            yield document.finding((*place, "fails"), "DK406", f"{said}, and gold says {action.fails}", hint)


def _frozen(document: Document, call: CallScenario, difference: Changes, done: Replay) -> Iterator[Finding]:
    gold = call.scenario.gold
    if gold.expects == "no_change":
        if difference:
            said = f"`no_change`, and gold changes {_first(difference, done)}"
            yield document.finding(
                ("gold", "expects"), "DK413", said, "remove `expects:` and freeze the end state"
            )
        elif gold.state:
            said = "`no_change`, and `gold.state` has changes"
            yield document.finding(("gold", "state"), "DK413", said, "remove one of the two", key=True)
        return
    if not difference:
        return
    if gold.state is None:
        if "state" in call.scenario.reward:
            said = "`gold.state` is missing: nothing says what the right end state is"
            yield document.finding(("gold",), "DK407", said, _freeze(document), key=True)
        return
    wanted = changes(call.start(), call.goal_view(call.goals[0]))
    yield from _stale(document, wanted, difference)
    yield from _idle_entries(document, call, gold.state)
    for index, goal in enumerate(call.goals[1:]):
        if call.goal_view(goal).digest() in {call.goal_view(g).digest() for g in call.goals[: index + 1]}:
            said = "this end state is the same as one before"
            yield document.finding(("gold", "any_of", index), "DK407", said, "remove the alternate")


def _freeze(document: Document) -> str:
    return _FREEZE.format(file=document.name)


def _stale(document: Document, wanted: Changes, difference: Changes) -> Iterator[Finding]:
    """One finding for each row in which the frozen end state is not what gold does."""
    for table in [*wanted, *(t for t in difference if t not in wanted)]:
        frozen, real = wanted.get(table, {}), difference.get(table, {})
        for key in [*frozen, *(k for k in real if k not in frozen)]:
            if key not in frozen or key not in real or frozen[key] is None or real[key] is None:
                if key in frozen and key in real and frozen[key] is real[key]:
                    continue
                said = f"gold changes {table} {key!r} otherwise than `gold.state` says"
                yield document.finding(
                    _nearest(document, table, key), "DK407", said, _freeze(document), key=True
                )
                continue
            yield from _stale_row(document, (table, key), frozen[key] or {}, real[key] or {})


def _stale_row(
    document: Document, row: tuple[str, str], frozen: dict[str, Any], real: dict[str, Any]
) -> Iterator[Finding]:
    for column in [*frozen, *(c for c in real if c not in frozen)]:
        if column in frozen and column in real and equal(frozen[column], real[column]):
            continue
        told = f"{real[column]!r}" if column in real else "unchanged"
        said = f"{row[0]} {row[1]!r}: {column} is {told} after gold, and `gold.state` says "
        said += f"{frozen[column]!r}" if column in frozen else "nothing of it"
        yield document.finding(_nearest(document, *row, column), "DK407", said, _freeze(document), key=True)


def _nearest(document: Document, *parts: str) -> Path_:
    """The deepest place of `gold.state` that exists."""
    place: Path_ = ("gold", "state")
    rows: Any = document.data["gold"]["state"]
    for part in parts:
        rows = rows.get(part) if isinstance(rows, dict) else None
        if rows is None:
            break
        place = (*place, part)
    return place


def _idle_entries(document: Document, call: CallScenario, state: Any) -> Iterator[Finding]:
    """Entries of `gold.state` that say what the seed says already."""
    start, frozen = call.start(), call.goals[0]
    for table, rows in frozen.rows.items():
        for key, columns in rows.items():
            before = start.row(table, key)
            for column, value in (columns or {}).items():
                if before is not None and equal(before.get(column), value):
                    said = f"{column} of {table} {key!r} has this value before the call already"
                    place = _nearest(document, table, key, column)
                    yield document.finding(place, "DK407", said, "remove the entry", key=True)


def _first(difference: Changes, done: Replay) -> str:
    return lines(difference, done.start)[0].lstrip("~+- ")


def _idle(document: Document, call: CallScenario, difference: Changes) -> Iterator[Finding]:
    """Whether an agent that does nothing and says nothing would pass."""
    scenario = call.scenario
    if not difference and scenario.gold.expects is None:
        said = "gold leaves the state as it was, so the state cannot tell it from doing nothing"
        yield document.finding(("gold",), "DK412", said, "add the writes, or `expects: no_change`", key=True)
        return
    beside = set(scenario.reward) - {"state", "claims"}
    if beside and reward(call, call.start(), [], []).value == 1.0:
        code = "DK414" if scenario.gold.expects == "no_change" else "DK412"
        said = "an agent that does nothing and says nothing passes"
        yield document.finding(
            ("reward",), code, said, "add a factor that it fails: say, actions or assert", key=True
        )


def _holds(call: CallScenario, program: Any, done: Replay, *, end: bool) -> tuple[bool, str]:
    view, trace = (done.end, done.calls) if end else (done.start, ())
    try:
        return call.runtime.evaluate(program, view, trace) is True, ""
    except EvaluationError as error:
        return False, f": {error}"


def _wants(document: Document, call: CallScenario, difference: Changes, done: Replay) -> Iterator[Finding]:
    scenario = call.scenario
    refused = scenario.gold.expects == "no_change"
    if not scenario.caller.wants and not refused and difference:
        said = "nothing says what the end state must be for the caller to be served"
        yield document.finding(("caller",), "DK420", said, "add `wants:` in the caller's own terms", key=True)
    for index, program in enumerate(call.wants):
        place = ("caller", "wants", index)
        if program is None:
            continue
        held, why = _holds(call, program, done, end=True)
        if not held:
            hint = "mend gold, or what the caller wants"
            yield document.finding(place, "DK421", f"this does not hold at the end of gold{why}", hint)
        elif not refused and _holds(call, program, done, end=False)[0]:
            hint = "say what must have become of it"
            yield document.finding(place, "DK420", "this holds before the call already", hint)
        elif _copies(scenario.caller.wants[index], difference):
            said = "this repeats `gold.state` value by value, so it finds no mistake in it"
            hint = "say it as the caller would see it: a bound, or what is no longer so"
            yield document.finding(place, "DK422", said, hint)


_ATOM = re.compile(
    r"""\s*([a-z][a-z0-9_]*)\((?:'([^']*)'|"([^"]*)")\)\.([a-z][a-z0-9_]*)\s*==\s*(?:'[^']*'|"[^"]*"|-?\d+)\s*\Z"""
)


def _copies(want: str, difference: Changes) -> bool:
    """Whether a want is nothing but equalities with values that gold changes."""
    for atom in want.split("&&"):
        found = _ATOM.match(atom)
        row = difference.get(found[1], {}).get(found[2] or found[3] or "") if found is not None else None
        if found is None or found[4] not in (row or {}):
            return False
    return True


def _asserts(document: Document, call: CallScenario, done: Replay) -> Iterator[Finding]:
    for index, program in enumerate(call.asserts):
        if program is None:
            continue
        held, why = _holds(call, program, done, end=True)
        if not held:
            said = f"gold itself does not meet this{why}"
            yield document.finding(
                ("gold", "assert", index, "that"), "DK423", said, "mend gold, or the assertion"
            )


def _forbidden(document: Document, call: CallScenario, done: Replay) -> Iterator[Finding]:
    for index, (entry, arguments) in enumerate(zip(call.scenario.gold.forbid, call.forbidden, strict=True)):
        for step, made in zip(call.steps, done.calls, strict=True):
            if _is_forbidden(entry.tool, arguments, made):
                said = f"gold does this itself: {step.action.id} in line {document.mark(step.place).line}"
                yield document.finding(
                    ("gold", "forbid", index), "DK424", said, "narrow it with `arguments:`"
                )
                break


def _is_forbidden(tool: str, arguments: Any, made: Call) -> bool:
    return (
        made.ok
        and made.tool == tool
        and all(n in made.arguments and equal(v, made.arguments[n]) for n, v in arguments.items())
    )


def _orders(document: Document, call: CallScenario, done: Replay) -> Iterator[Finding]:
    groups = call.scenario.gold.any_order
    if not groups:
        return
    place: Path_ = ("gold", "any_order")
    at = {s.action.id: i for i, s in enumerate(call.steps)}
    names = [n for g in groups for n in g]
    if len(groups) < 2:
        said = "one group has nothing to change places with"
        yield document.finding(place, "DK428", said, "give two groups or more, or remove it", key=True)
        return
    twice = list(_twice(document, groups))
    if twice:
        yield from twice
        return
    if not all(n in at for n in names):
        return
    for order in _permuted([[at[n] for n in g] for g in groups], len(call.steps)):
        other = replay(call, order)
        if other.failures():
            step, made = other.failures()[0]
            said = f"in another order, {step.action.id} {'fails with ' + made.error if made.error else 'succeeds'}"
        elif other.end.digest() != done.end.digest():
            said = f"in another order, the end differs: {lines(changes(done.end, other.end), done.end)[0]}"
        else:
            continue
        yield document.finding(
            place, "DK428", said, "put what depends on each other into one group", key=True
        )
        return


def _twice(document: Document, groups: tuple[tuple[str, ...], ...]) -> Iterator[Finding]:
    seen: set[str] = set()
    for i, group in enumerate(groups):
        for j, name in enumerate(group):
            if name in seen:
                said = f"{name!r} stands in two places"
                yield document.finding(("gold", "any_order", i, j), "DK428", said, "name each action once")
            seen.add(name)


def _permuted(groups: list[list[int]], count: int) -> Iterator[tuple[int, ...]]:
    """Other orders of the groups, in the places that their actions have."""
    slots = sorted(i for g in groups for i in g)
    if len(groups) <= _MOST_GROUPS:
        orders: Any = itertools.permutations(range(len(groups)))
    else:
        rotated = [[*range(i, len(groups)), *range(i)] for i in range(len(groups))]
        orders = [*rotated, [*reversed(range(len(groups)))]]
    for order in orders:
        filled = dict(zip(slots, (i for g in order for i in groups[g]), strict=True))
        yield tuple(filled.get(i, i) for i in range(count))


def _derived(document: Document, call: CallScenario, done: Replay) -> Iterator[Finding]:
    facts = {f.id: f.value for f in call.scenario.caller.facts}
    results: dict[str, Any] = {}
    tables = "|".join(call.runtime.tables)
    state = re.compile(rf"\b(?:(?:has_|all_)?(?:{tables})|(?:{tables})_by_[a-z0-9_]+|calls_[a-z0-9_]+)\(")
    for step, made in zip(call.steps, done.calls, strict=True):
        for name, text in step.action.from_.items():
            program = call.derivations.get((step.action.id, name))
            if program is None:
                continue
            place = (*step.place, "from", name)
            if (seen := state.search(text)) is not None:
                said = f"{seen[0]}...) looks into the state, which the agent cannot"
                yield document.finding(place, "DK433", said, "derive it from `facts.ID` and `results.ACTION`")
                continue
            try:
                value = call.runtime.evaluate(program, done.start, (), facts, results)
            except EvaluationError as error:
                yield document.finding(
                    place, "DK433", f"this cannot be worked out before {step.action.id}: {error}", ""
                )
                continue
            if not equal(value, step.arguments.get(name)):
                said = f"this gives {value!r}, and the argument is {step.arguments.get(name)!r}"
                yield document.finding(place, "DK433", said, "mend one of the two")
        results[step.action.id] = made.result
