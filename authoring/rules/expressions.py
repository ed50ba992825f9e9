"""Rules on expressions beyond their types: text that is no text, literals that no column has, rows that may not be there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...harness.world.calls import CallScenario
from ...harness.world.runtime import Runtime
from ...schemas.diagnostics import Finding
from ...schemas.source import Document, Path_
from ...schemas.values import ValueType
from ...schemas.world import Effect, ReturnList, Tool, World

_COMPARED = re.compile(
    r"(?P<owner>[a-z_][a-z0-9_]*|\)|\])\.(?P<column>[a-z][a-z0-9_]*)\s*(?P<sign>==|!=|<=|>=|<|>)\s*(?P<right>'[^']*')?"
)
_REVERSED = re.compile(
    r"(?P<right>'[^']*')\s*(?P<sign>==|!=|<=|>=|<|>)\s*(?P<owner>args|session|before|after)\.(?P<column>[a-z][a-z0-9_]*)"
)
_LITERAL = re.compile(r"\s*'([^']*)'\s*\Z")
_CHOICE = re.compile(r"\?\s*'([^']*)'\s*:\s*'([^']*)'\s*\Z")
_AS_TEXT = ("money", "decimal")
Text = tuple[Path_, str]


def expression_findings(document: Document, world: World, runtime: Runtime) -> Iterator[Finding]:
    """What is wrong with the expressions of a world that compile."""
    for index, tool in enumerate(world.tools):
        compiled = runtime.tools.get(tool.name)
        if compiled is None or compiled.spec is not tool:
            continue
        owners: dict[str, Mapping[str, ValueType]] = {"args": compiled.parameters, "session": runtime.session}
        for place, text in tool_places(tool, ("tools", index)):
            yield from compared(document, place, text, owners, runtime)
        for place, effect in effect_places(tool.effects, ("tools", index, "effects")):
            yield from _values(document, place, effect, runtime)
            yield from _kept(document, place, effect, world)
        if len(compiled.guards) == len(tool.guards):
            yield from _unproven(document, tool, ("tools", index), runtime)
    for index, invariant in enumerate(world.invariants):
        columns = runtime.tables[invariant.table].columns if invariant.table in runtime.tables else {}
        owners = {"before": columns, "after": columns}
        name = "never" if invariant.never is not None else "always"
        text = invariant.never or invariant.always or ""
        yield from compared(document, ("invariants", index, name), text, owners, runtime)


def call_expression_findings(document: Document, call: CallScenario) -> Iterator[Finding]:
    """The same of the expressions of a scenario."""
    scenario, owners = call.scenario, {"session": call.runtime.session}
    texts: list[Text] = [(("caller", "wants", i), t) for i, t in enumerate(scenario.caller.wants)]
    texts += [(("gold", "assert", i, "that"), c.that) for i, c in enumerate(scenario.gold.assert_)]
    for place, text in texts:
        yield from compared(document, place, text, owners, call.runtime)


def compared(
    document: Document,
    place: Path_,
    text: str,
    owners: Mapping[str, Mapping[str, ValueType]],
    runtime: Runtime,
) -> Iterator[Finding]:
    """Comparisons in one expression that compile and cannot mean what they say (DK305)."""
    for pattern in (_COMPARED, _REVERSED):
        for found in pattern.finditer(text):
            kind = _column(text, found, owners, runtime)
            if kind is None:
                continue
            right, sign, name = found["right"], found["sign"], found["column"]
            if sign in ("<", "<=", ">", ">=") and kind.column.format in _AS_TEXT:
                said = f"{name} is compared as text, in which 9.00 is more than 10.00"
                hint = "write money.less(a, b) or money.at_most(a, b)"
                yield document.finding_inside(place, found.start("column"), "DK305", said, hint)
            elif right and sign in ("==", "!="):
                fault = kind.check(right[1:-1], name) if kind.kind == "string" else None
                if fault is not None:
                    said = f"{name} never has the value {right}: {fault.removeprefix(f'{name}: ')}"
                    yield document.finding_inside(
                        place, found.start("right"), "DK305", said, "write a value that it has"
                    )


def _column(
    text: str, found: re.Match[str], owners: Mapping[str, Mapping[str, ValueType]], runtime: Runtime
) -> ValueType | None:
    """The type of the column that is compared, or None where it cannot be told."""
    owner, name = found["owner"], found["column"]
    if owner in owners:
        return owners[owner].get(name)
    if owner in (")", "]"):
        table = _table_before(text, found.start("owner"), runtime)
        return runtime.tables[table].columns.get(name) if table else None
    kinds = [t.columns[name] for t in runtime.tables.values() if name in t.columns]
    same = {(k.kind, k.column.format, k.column.enum, k.column.pattern) for k in kinds}
    return kinds[0] if len(same) == 1 else None


def _table_before(text: str, at: int, runtime: Runtime) -> str | None:
    """The table whose function's call ends at `at`."""
    depth = 0
    for index in range(at, -1, -1):
        if text[index] in ")]":
            depth += 1
        elif text[index] in "([":
            depth -= 1
            if depth == 0 and text[index] == "(":
                name = re.search(r"([a-z][a-z0-9_]*)\Z", text[:index])
                word = name[1] if name else ""
                return next((t for t in runtime.tables if word == t or word.startswith(f"{t}_by_")), None)
    return None


def tool_places(tool: Tool, place: Path_) -> Iterator[Text]:
    """Every expression of a tool with its place; pointers are left out."""
    for i, guard in enumerate(tool.guards):
        name = "unless" if guard.unless is not None else "when"
        yield (*place, "guards", i, name), guard.unless or guard.when or ""
    for at, effect in effect_places(tool.effects, (*place, "effects")):
        for name in ("to", "value", "by", "when", "for_each"):
            text = getattr(effect, name)
            if text is not None:
                yield (*at, name), text
        for column, text in (effect.row or {}).items():
            yield (*at, "row", column), text
    for name, told in tool.returns.items():
        if isinstance(told, ReturnList):
            yield (*place, "returns", name, "for_each"), told.for_each
            for inner, text in told.give.items():
                yield (*place, "returns", name, "give", inner), text
        else:
            yield (*place, "returns", name), told


def effect_places(effects: tuple[Effect, ...], place: Path_) -> Iterator[tuple[Path_, Effect]]:
    """Every effect with its place, those inside of others too."""
    for index, effect in enumerate(effects):
        yield (*place, index), effect
        yield from effect_places(effect.effects or (), (*place, index, "effects"))


def _values(document: Document, place: Path_, effect: Effect, runtime: Runtime) -> Iterator[Finding]:
    """Literals that do not fit the column that they are put in."""
    parts = (effect.set or effect.insert or "").split("/")
    kinds: Mapping[str, Any] = {}
    if len(parts) > 1:
        table = runtime.tables.get(parts[1])
        kinds = runtime.session if parts[1] == "session" else table.columns if table is not None else {}
    texts: list[tuple[Path_, str, str]] = []
    if effect.set and effect.to is not None and len(parts) in (3, 4):
        texts.append(((*place, "to"), parts[-1], effect.to))
    texts += [((*place, "row", c), c, t) for c, t in (effect.row or {}).items()]
    for at, column, text in texts:
        kind = kinds.get(column)
        found = _LITERAL.match(text) or _CHOICE.search(text)
        if found is None or kind is None or kind.kind != "string":
            continue
        for value in found.groups():
            fault = kind.check(value, column)
            if fault is not None:
                yield document.finding(at, "DK302", fault, "write a value that the column may have")


def _kept(document: Document, place: Path_, effect: Effect, world: World) -> Iterator[Finding]:
    """A change of a column that always has its value already and keeps it."""
    parts = (effect.set or "").split("/")
    table = world.state.get(parts[1]) if len(parts) == 4 else None
    if table is not None and parts[3] in table.write_once and parts[3] in table.row.required:
        said = f"{parts[3]} is write_once and every row has it, so this change always fails"
        hint = "take it out of `write_once:`, or out of `required:`"
        yield document.finding((*place, "set"), "DK306", said, hint)


_ROW = r"(?<![a-z0-9_]){table}\((args\.[a-z][a-z0-9_]*)\)"


def _unproven(document: Document, tool: Tool, place: Path_, runtime: Runtime) -> Iterator[Finding]:
    """Rows that are read by an argument before anything has shown that they are there (once a table and argument)."""
    texts = list(tool_places(tool, place))
    for table in runtime.tables:
        pattern = re.compile(_ROW.format(table=re.escape(table)))
        told: set[str] = set()
        shown = ""
        for at, text in texts:
            for found in pattern.finditer(text):
                key = found[1]
                column = runtime.tools[tool.name].parameters.get(key.removeprefix("args."))
                if column is None or key in told or _shows(shown + text[: found.start()], table, key):
                    continue
                told.add(key)
                said = f"{table}({key}) is read, and nothing has shown that there is such a row"
                hint = f'put a guard before it: {{unless: "has_{table}({key})", error: not_found, ...}}'
                yield document.finding_inside(at, found.start(), "DK307", said, hint)
            if "guards" in at or "when" in at:
                shown += f" {text} "


def _shows(text: str, table: str, key: str) -> bool:
    """Whether what was asked before says that the row is there, or that the argument is one of a row's own keys."""
    bare = re.escape(key)
    return bool(
        re.search(
            rf"has_{table}\({bare}\)|exists\([^)]*\b{bare}\b|==\s*{bare}(?![a-z0-9_])|(?<![a-z0-9_.]){bare}\s+in\b",
            text,
        )
    )
