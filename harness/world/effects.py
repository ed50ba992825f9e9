"""Effects: what a call changes, compiled once; a pointer names the place, an expression gives the value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...schemas.source import Path_
from ...schemas.values import Problem, ValueType
from ...schemas.world import Effect
from .cel import Compiler, EvaluationError, Program
from .expressions import ExpressionProblem, Expressions
from .messages import Messages, cel_name
from .scope import Scope
from .state import View
from .tables import TableType

_BRACED = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Target:
    """The place that an effect changes: a row, or a column and what is inside it."""

    table: str
    key: Program | str | None
    inside: tuple[str, ...]
    kind: ValueType | None
    """The type of the column; None for a whole row."""


Run = Callable[[View, Scope], None]


@dataclass
class EffectCompiler:
    """Compiles the effects of one tool; the places that they change are added to `targets`."""

    tables: Mapping[str, TableType]
    session: Mapping[str, ValueType]
    messages: Messages
    expressions: Expressions
    targets: list[Target] = field(default_factory=list)

    def runs(
        self,
        compiler: Compiler,
        effects: Sequence[Effect],
        place: Path_,
        *,
        looped: bool,
    ) -> Iterator[Run]:
        """What to do for each effect, in order; an effect with a mistake is told of and left out."""
        for index, effect in enumerate(effects):
            at = (*place, index)
            run = self._effect(compiler, effect, at, looped=looped)
            if run is None:
                continue
            if effect.when is not None:
                run = self._conditional(compiler, effect.when, (*at, "when"), run)
            yield run

    def _conditional(self, compiler: Compiler, text: str, place: Path_, run: Run) -> Run:
        program = self.expressions.program(compiler, text, place, ("BOOL",))

        def maybe(view: View, scope: Scope) -> None:
            if program is not None and program.run(scope.activation(compiler)):
                run(view, scope)

        return maybe

    def _effect(self, compiler: Compiler, effect: Effect, place: Path_, *, looped: bool) -> Run | None:
        if effect.for_each is not None:
            return self._loop(compiler, effect, place)
        verb = next(
            v for v in ("set", "insert", "remove", "append", "increment") if getattr(effect, v) is not None
        )
        pointer = getattr(effect, verb)
        if looped and "{new." in pointer:
            said = "a call makes one new key of a table, and this effect happens once for each item"
            self.expressions.problems.append(
                Problem((*place, verb), "DK304", said, "make the key from the item")
            )
            return None
        target = self._target(compiler, pointer, (*place, verb))
        if target is None:
            return None
        self.targets.append(target)
        made: Run | None = getattr(self, f"_{verb}")(compiler, effect, target, place)
        return made

    def _loop(self, compiler: Compiler, effect: Effect, place: Path_) -> Run | None:
        over = self.expressions.items(compiler, effect.for_each or "", (*place, "for_each"))
        name = effect.as_ or ""
        if over is None:
            return None
        items, item_type = over
        inner = compiler.with_variable(name, item_type)
        runs = list(self.runs(inner, effect.effects or (), (*place, "effects"), looped=True))

        def loop(view: View, scope: Scope) -> None:
            for item in items.run(scope.activation(compiler)):
                within = scope.inner(name, item)
                for run in runs:
                    run(view, within)

        return loop

    def _target(self, compiler: Compiler, pointer: str, place: Path_) -> Target | None:
        parts = [_unescaped(p) for p in _split(pointer)]
        table = self.tables.get(parts[0])
        if parts[0] == "session":
            if len(parts) != 2 or parts[1] not in self.session:
                self._no_target(place, f"{pointer!r} names no session column", ", ".join(self.session))
                return None
            return Target("session", None, (parts[1],), self.session[parts[1]])
        if table is None:
            self._no_target(place, f"there is no table {parts[0]!r}", ", ".join(self.tables))
            return None
        if len(parts) < 2 or not parts[1]:
            self._no_target(place, f"{pointer!r} names no row", f'write "/{parts[0]}/{{args.KEY}}"')
            return None
        key = self._key(compiler, parts[1], pointer, place)
        if key is None:
            return None
        kind: ValueType | None = None
        known: Mapping[str, ValueType] = table.columns
        for step in parts[2:]:
            if step not in known:
                self._no_target(place, f"{pointer!r}: there is no {step!r}", ", ".join(known))
                return None
            kind = known[step]
            known = kind.properties
        return Target(parts[0], key, tuple(parts[2:]), kind)

    def _no_target(self, place: Path_, said: str, known: str) -> None:
        self.expressions.problems.append(Problem(place, "DK304", said, f"known: {known}" if known else ""))

    def _key(self, compiler: Compiler, part: str, pointer: str, place: Path_) -> Program | str | None:
        found = _BRACED.search(part)
        if found is None:
            if "{" in part or "}" in part:
                self._no_target(place, f"{pointer!r} has a brace that is not closed", "")
                return None
            return part
        texts = _BRACED.split(part)
        pieces = [_quoted(t) if i % 2 == 0 else f"string({t})" for i, t in enumerate(texts) if i % 2 or t]
        joined = found[1] if found[0] == part else " + ".join(pieces)
        program = self.expressions.program(compiler, joined, place, ("STRING", "INT"))
        if program is None and isinstance(self.expressions.problems[-1], ExpressionProblem):
            last = self.expressions.problems.pop()
            self.expressions.problems.append(
                ExpressionProblem(place, pointer.find(found[0]) + 1, last.message, last.hint)
            )
        return program

    def _set(self, compiler: Compiler, effect: Effect, target: Target, place: Path_) -> Run | None:
        if target.kind is None:
            said = "`set` changes a column, and this names a row"
            self.expressions.problems.append(Problem((*place, "set"), "DK304", said, "add /COLUMN"))
            return None
        value = self.expressions.program(compiler, effect.to or "", (*place, "to"), self._wanted(target.kind))
        return None if value is None else self._change(compiler, target, value, lambda old, new: new)

    def _append(self, compiler: Compiler, effect: Effect, target: Target, place: Path_) -> Run | None:
        kind = target.kind
        if kind is None or kind.items is None:
            said = "`append` adds to a list column"
            self.expressions.problems.append(
                Problem((*place, "append"), "DK304", said, "name a column of type array")
            )
            return None
        value = self.expressions.program(
            compiler, effect.value or "", (*place, "value"), self._wanted(kind.items)
        )
        if value is None:
            return None
        return self._change(compiler, target, value, lambda old, new: (*(old or ()), new))

    def _increment(self, compiler: Compiler, effect: Effect, target: Target, place: Path_) -> Run | None:
        if target.kind is None or target.kind.kind != "integer":
            said = "`increment` adds to a whole number"
            hint = 'for money: set ... to: "money.add(...)"'
            self.expressions.problems.append(Problem((*place, "increment"), "DK304", said, hint))
            return None
        value = self.expressions.program(compiler, effect.by or "1", (*place, "by"), ("INT",))
        return (
            None
            if value is None
            else self._change(compiler, target, value, lambda old, new: (old or 0) + new)
        )

    def _remove(self, compiler: Compiler, effect: Effect, target: Target, place: Path_) -> Run | None:
        if target.table == "session" or target.inside:
            said = "`remove` takes a whole row away"
            self.expressions.problems.append(
                Problem((*place, "remove"), "DK304", said, 'to empty a column: set ... to: "null"')
            )
            return None

        def remove(view: View, scope: Scope) -> None:
            view.remove(target.table, _key_of(target, compiler, scope))

        return remove

    def _insert(self, compiler: Compiler, effect: Effect, target: Target, place: Path_) -> Run | None:
        if target.table == "session" or target.inside:
            self.expressions.problems.append(
                Problem((*place, "insert"), "DK304", "`insert` adds a whole row", "write /TABLE/KEY")
            )
            return None
        table = self.tables[target.table]
        columns: list[tuple[str, Program]] = []
        for name, text in (effect.row or {}).items():
            kind = table.columns.get(name)
            where = (*place, "row", name)
            if kind is None:
                said = f"{target.table} has no column {name!r}"
                self.expressions.problems.append(
                    Problem(where, "DK304", said, f"known: {', '.join(table.columns)}", key=True)
                )
                continue
            program = self.expressions.program(compiler, text, where, self._wanted(kind))
            if program is not None:
                columns.append((name, program))
        for name, kind in table.columns.items():
            if kind.required and kind.kind != "array" and name not in (effect.row or {}):
                said = f"the new row of {target.table} lacks {name!r}"
                self.expressions.problems.append(
                    Problem((*place, "row"), "DK304", said, f"add `{name}:`", key=True)
                )

        def insert(view: View, scope: Scope) -> None:
            act = scope.activation(compiler)
            row = {n: self.messages.plain(p.run(act)) for n, p in columns}
            for name, value in row.items():
                said = table.columns[name].check(value, f"{target.table}.{name}")
                if said is not None:
                    raise EvaluationError(f"the new row does not fit: {said}")
            key = _key_of(target, compiler, scope)
            if not key:
                raise EvaluationError(f"the key of the new row of {target.table} is empty")
            view.insert(target.table, key, table.whole(row))
            if table.new_key is not None and (number := table.new_key.number(key)) is not None:
                view.counters[target.table] = max(view.counters.get(target.table, 0), number)

        return insert

    def _change(
        self, compiler: Compiler, target: Target, value: Program, combine: Callable[[Any, Any], Any]
    ) -> Run:
        plain = self.messages.plain
        where = ".".join((target.table, *target.inside))

        def change(view: View, scope: Scope) -> None:
            new = plain(value.run(scope.activation(compiler)))
            if target.key is None:
                name = target.inside[0]
                view.session[name] = _fitting(target, combine(view.session.get(name), new), where)
                scope.put("session", self.messages.build("session_", view.session))
                return
            key = _key_of(target, compiler, scope)
            row = view.row(target.table, key)
            if row is None:
                raise EvaluationError(f"{target.table} has no row {key!r} to change")
            old: Any = row
            for step in target.inside:
                old = old.get(step) if old is not None else None
            made = _fitting(target, combine(old, new), where)
            view.update(target.table, key, _nested(row, target.inside, made))

        return change

    def _wanted(self, kind: ValueType) -> tuple[str, ...]:
        names = (cel_name(kind),) if kind.kind != "object" else ("MAP<STRING, DYN>",)
        return names if kind.required and kind.kind != "array" else (*names, "NULL", "NULL_TYPE")


def _fitting(target: Target, value: Any, where: str) -> Any:
    if target.kind is None:
        return value
    if value is None and target.kind.kind == "array":
        value = ()
    said = target.kind.check(value, where)
    if said is not None:
        raise EvaluationError(f"the new value does not fit: {said}")
    return value


def _nested(row: Mapping[str, Any], inside: tuple[str, ...], value: Any) -> dict[str, Any]:
    """The changed top-level column of a row, with `value` put in at the path `inside`."""
    name, rest = inside[0], inside[1:]
    if not rest:
        return {name: value}
    inner = dict(row.get(name) or {})
    return {name: {**inner, **_nested(inner, rest, value)}}


def _key_of(target: Target, compiler: Compiler, scope: Scope) -> str:
    key = target.key
    if isinstance(key, Program):
        return str(key.run(scope.activation(compiler)))
    return key or ""


def _split(pointer: str) -> list[str]:
    """The parts of a JSON Pointer; a slash inside braces belongs to the expression."""
    parts, depth = [""], 0
    for char in pointer[1:]:
        depth += (char == "{") - (char == "}")
        if char == "/" and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _unescaped(part: str) -> str:
    return "".join(
        piece if i % 2 else piece.replace("~1", "/").replace("~0", "~")
        for i, piece in enumerate(re.split(r"(\{[^{}]*\})", part))
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
