"""Rules on a world: names, clauses, what tools may do, what nothing reads, what gives the answer away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...harness.world.cel import EvaluationError
from ...harness.world.runtime import Runtime
from ...harness.world.search import NAME as SEARCH
from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.source import Document, Path_
from ...schemas.values import is_date_time
from ...schemas.world import Effect, ReturnList, Tool, World
from .expressions import expression_findings


def world_findings(document: Document, world: World, runtime: Runtime | None) -> Iterator[Finding]:
    """What the rules say of a world, beside what loading it found."""
    if not is_date_time(world.now):
        yield document.finding(("now",), "DK302", f"now: {world.now!r} is no moment that exists", "")
    yield from _doubles(document, world)
    yield from _policies(document, world)
    for index, tool in enumerate(world.tools):
        yield from _tool(document, tool, ("tools", index), bool(world.policies))
    yield from _leaks(document, world)
    if runtime is not None:
        yield from _unread(document, world, runtime)
        yield from _broken_seed(document, runtime)
        yield from expression_findings(document, world, runtime)


def _doubles(document: Document, world: World) -> Iterator[Finding]:
    lists = (
        ("tools", "name", [t.name for t in world.tools]),
        ("policies", "id", [p.id for p in world.policies]),
        ("invariants", "id", [i.id for i in world.invariants]),
    )
    for section, key, names in lists:
        first: dict[str, int] = {}
        for index, name in enumerate(names):
            if name in first:
                line = document.mark((section, first[name], key)).line
                said = f"{name!r} stands twice in {section}; the first is in line {line}"
                yield document.finding((section, index, key), "DK325", said, "give each its own name")
            first.setdefault(name, index)


def _policies(document: Document, world: World) -> Iterator[Finding]:
    known = {p.id for p in world.policies}
    named: set[str] = set()
    for place, policy in _named_policies(world):
        named.add(policy)
        if policy not in known:
            near = did_you_mean(policy, known)
            hint = f"did you mean {near}?" if near else f"known: {', '.join(sorted(known)) or 'none'}"
            yield document.finding(place, "DK326", f"there is no policy {policy}", hint)
    for index, clause in enumerate(world.policies):
        if clause.id not in named and not clause.spoken:
            said = f"no guard and no invariant enforces {clause.id}"
            hint = "name it at a guard, or write `spoken: true` where it is about what is said"
            yield document.finding(("policies", index, "id"), "DK320", said, hint)


def _named_policies(world: World) -> Iterator[tuple[Path_, str]]:
    for i, tool in enumerate(world.tools):
        for j, guard in enumerate(tool.guards):
            if guard.policy is not None:
                yield ("tools", i, "guards", j, "policy"), guard.policy
    for i, invariant in enumerate(world.invariants):
        if invariant.policy is not None:
            yield ("invariants", i, "policy"), invariant.policy


def _tool(document: Document, tool: Tool, place: Path_, has_policies: bool) -> Iterator[Finding]:
    if has_policies and tool.name == SEARCH:
        hint = "rename it, or leave it out: every world with policies has it"
        yield document.finding((*place, "name"), "DK315", f"{SEARCH} is given by the world's policies", hint)
    if tool.effect == "read" and tool.effects:
        said = f"{tool.name} is a read and has effects"
        yield document.finding((*place, "effect"), "DK324", said, "write `effect: write`")
    if tool.effect == "write" and not tool.effects:
        said = f"{tool.name} is a write and changes nothing"
        yield document.finding((*place, "effect"), "DK324", said, "give it effects, or write `effect: read`")
    if tool.effect == "read" and not tool.returns:
        said = f"{tool.name} is a read and tells nothing"
        yield document.finding((*place, "name"), "DK324", said, "add `returns:`")
    for index, name in enumerate(tool.optional):
        if name not in tool.parameters:
            near = did_you_mean(name, tool.parameters)
            hint = f"did you mean {near}?" if near else f"parameters: {', '.join(tool.parameters)}"
            yield document.finding(
                (*place, "optional", index), "DK327", f"there is no parameter {name!r}", hint
            )
    text = " ".join(tool_texts(tool))
    for name in tool.parameters:
        if f"args.{name}" not in set(re.findall(r"args\.[a-z][a-z0-9_]*", text)):
            said = f"nothing reads the argument {name!r} of {tool.name}"
            yield document.finding(
                (*place, "parameters", name), "DK321", said, "use it, or remove it", key=True
            )


def tool_texts(tool: Tool) -> Iterator[str]:
    """All expressions and pointers of a tool."""
    for guard in tool.guards:
        yield guard.unless or guard.when or ""
    for told in tool.returns.values():
        if isinstance(told, ReturnList):
            yield told.for_each
            yield from told.give.values()
        else:
            yield told
    yield from _effect_texts(tool.effects)


def _effect_texts(effects: tuple[Effect, ...]) -> Iterator[str]:
    for effect in effects:
        for text in (effect.set, effect.insert, effect.remove, effect.append, effect.increment):
            if text is not None:
                yield text
        for text in (effect.to, effect.value, effect.by, effect.when, effect.for_each):
            if text is not None:
                yield text
        yield from (effect.row or {}).values()
        yield from _effect_texts(effect.effects or ())


def _unread(document: Document, world: World, runtime: Runtime) -> Iterator[Finding]:
    texts = [t for tool in world.tools for t in tool_texts(tool)]
    texts += [i.never or i.always or "" for i in world.invariants]
    whole = "\n".join(texts)
    guarded = {i.table for i in world.invariants}
    for name, table in world.state.items():
        functions = rf"\b(?:has_|all_)?{name}(?:_by_\w+)?\("
        wanted = re.search(functions, whole) or f"/{name}/" in whole
        referred = any(name in t.references.values() for t in world.state.values())
        if not wanted and not referred and name not in guarded:
            said = f"no tool and no invariant reads or writes the table {name!r}"
            yield document.finding(("state", name), "DK321", said, "use it, or remove it", key=True)
        del table
    for name in world.session:
        if not re.search(rf"\bsession[./]{name}\b", whole):
            said = f"nothing reads or writes the session column {name!r}"
            yield document.finding(("session", name), "DK321", said, "use it, or remove it", key=True)


def _broken_seed(document: Document, runtime: Runtime) -> Iterator[Finding]:
    start = runtime.start()
    for name in runtime.invariants:
        for key, row in runtime.seed[name].rows.items():
            try:
                broken = [
                    f"the invariant {b.declared.id!r}" for b in runtime.broken(start, name, key, row, row)
                ]
            except EvaluationError as error:
                broken = [f"an invariant: {error}"]
            for told in broken:
                said = f"{name} {key!r} breaks {told}"
                yield document.finding(
                    ("seed", name, key), "DK323", said, "mend the row, or the invariant", key=True
                )


_EVALUATOR = re.compile(
    r"""\b(?:
        (?:correct|right|wrong|expected|gold|golden|best)\ (?:answer|choice|one|option|action|outcome|result|row|record)
      | ground\ truth | gold(?:en)?\ (?:state|path|standard) | test\ case | distractor | decoy
      | (?:agent|grader|evaluator|judge)s?\ (?:should|must|will\ be|is\ graded|are\ graded)
      | (?:is|are)\ graded | (?:the|this)\ (?:evaluation|benchmark|scenario)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_VERDICT = re.compile(
    r"""\b(?:
        should(?:\ not|n't)?\ (?:be|have\ been|get|not\ be)\b
      | (?:do\ not|don't|never)\ (?:refund|pick|choose|use|pay)\ this
      | (?:is|was)\ (?:wrong|incorrect|a\ mistake|the\ duplicate|the\ fraudulent|the\ right)
      | incorrectly | wrongly | by\ mistake
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def evaluator_words(text: str, *, record: bool) -> str | None:
    """Words of whoever grades, or in a record a verdict on it; None where there are none."""
    found = _EVALUATOR.search(text) or (_VERDICT.search(text) if record else None)
    return found[0] if found is not None else None


def _leaks(document: Document, world: World) -> Iterator[Finding]:
    texts: list[tuple[Path_, str, bool]] = [(("brief",), world.brief, False)]
    texts += [(("policies", i, "text"), p.text, False) for i, p in enumerate(world.policies)]
    for i, tool in enumerate(world.tools):
        texts.append((("tools", i, "description"), tool.description, False))
        for name, column in tool.parameters.items():
            texts.append((("tools", i, "parameters", name, "description"), column.description or "", False))
        for j, guard in enumerate(tool.guards):
            texts.append((("tools", i, "guards", j, "message"), guard.message or "", False))
    texts += [(place, text, True) for place, text in seed_texts(world.seed, ("seed",), world)]
    yield from leak_findings(document, texts)


def leak_findings(document: Document, texts: list[tuple[Path_, str, bool]]) -> Iterator[Finding]:
    """A finding for each text that gives an answer away."""
    for place, text, record in texts:
        said = evaluator_words(text, record=record)
        if said is not None:
            hint = "say what a record of that kind would say, and let the rules decide"
            yield document.finding(place, "DK322", f"{said!r} gives the answer away", hint)


def seed_texts(seed: Mapping[str, Any], place: Path_, world: World) -> Iterator[tuple[Path_, str]]:
    """The texts of rows that are no enum values, with their places."""
    for table, rows in seed.items():
        declared = world.state.get(table)
        for key, row in rows.items() if isinstance(rows, dict) else ():
            for column, value in row.items() if isinstance(row, dict) else ():
                kind = declared.row.properties.get(column) if declared is not None else None
                if isinstance(value, str) and (kind is None or kind.enum is None):
                    yield (*place, table, key, column), value
