"""Declared tools: compiled once with the world, then called: guards, effects, invariants, result, atomically."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...schemas.source import Path_
from ...schemas.values import ValueType, normal
from ...schemas.world import Guard, ReturnList, Tool
from .cel import Compiler, EvaluationError, Program
from .effects import EffectCompiler, Run, Target
from .expressions import Expressions
from .joined import one_guard, one_result
from .messages import Messages
from .scope import Scope
from .tables import TableType


class CallFailed(Exception):
    """A call that ends in an error: its code, and what is told."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(frozen=True)
class CompiledGuard:
    """A guard: the call is stopped when `program` gives `stops_at`."""

    declared: Guard
    program: Program
    stops_at: bool

    @property
    def message(self) -> str:
        """What the one who called is told."""
        return self.declared.message or self.declared.error.replace("_", " ")


@dataclass(frozen=True)
class CompiledTool:
    """A tool made ready. `run` does the effects; `returns` gives the result."""

    spec: Tool
    parameters: Mapping[str, ValueType]
    required: frozenset[str]
    defaults: Mapping[str, Any]
    guards: tuple[CompiledGuard, ...] = ()
    effects: tuple[Run, ...] = ()
    returns: tuple[tuple[str, Callable[[Scope], Any]], ...] = ()
    uses_new: bool = False
    uses_session: bool = True
    targets: tuple[Target, ...] = ()
    stop: Program | None = None
    """All guards as one expression: the index of the first that stops the call, or -1."""
    told: Callable[[Scope], dict[str, Any]] | None = None
    """The whole result by one expression, which does what `returns` does one by one."""

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with their defaults. Raises `CallFailed` with what is wrong with them."""
        for name in given:
            if name not in self.parameters:
                raise CallFailed("bad_arguments", f"{self.spec.name} takes no {name!r}")
        values: dict[str, Any] = {}
        for name, kind in self.parameters.items():
            if name not in given or given[name] is None:
                if name in self.required:
                    raise CallFailed("bad_arguments", f"{self.spec.name} needs {name!r}")
                if self.defaults.get(name) is not None:
                    values[name] = self.defaults[name]
                continue
            value = normal(given[name])
            said = kind.check(value, name)
            if said is not None:
                raise CallFailed("bad_arguments", said)
            values[name] = value
        return values


def first_stop(tool: CompiledTool, activation: Any) -> CompiledGuard | None:
    """The first guard that stops a call, or None. Raises `EvaluationError` naming the guard that fails."""
    if tool.stop is not None:
        try:
            index = tool.stop.run(activation)
        except EvaluationError:
            index = None
        if index is not None:
            return tool.guards[index] if index >= 0 else None
    return next((g for g in tool.guards if g.program.run(activation) is g.stops_at), None)


def result_of(tool: CompiledTool, scope: Scope) -> dict[str, Any]:
    """What a call tells. Raises `EvaluationError` naming the part that fails."""
    if tool.told is not None:
        try:
            return tool.told(scope)
        except EvaluationError:
            pass
    return {name: give(scope) for name, give in tool.returns}


class ToolCompiler:
    """Compiles the tools of a world; what is wrong is added to the problems of `expressions`."""

    def __init__(
        self,
        tables: Mapping[str, TableType],
        session: Mapping[str, ValueType],
        messages: Messages,
        compiler: Compiler,
        expressions: Expressions,
    ) -> None:
        self.tables, self.session, self.messages = tables, session, messages
        self.base, self.expressions = compiler, expressions

    def tool(self, spec: Tool, kinds: Mapping[str, ValueType], place: Path_) -> CompiledTool:
        """A declared tool made ready."""
        compiler = self.base.with_variable("args", f"world.args_{spec.name}")
        guards = [self._guard(compiler, g, (*place, "guards", i)) for i, g in enumerate(spec.guards)]
        effects = EffectCompiler(self.tables, self.session, self.messages, self.expressions)
        runs = list(effects.runs(compiler, spec.effects, (*place, "effects"), looped=False))
        returns = [(n, self._return(compiler, r, (*place, "returns", n))) for n, r in spec.returns.items()]
        return CompiledTool(
            spec,
            kinds,
            frozenset(n for n, k in kinds.items() if k.required and k.default is None),
            {n: k.default for n, k in kinds.items() if k.default is not None},
            tuple(g for g in guards if g is not None),
            tuple(runs),
            tuple((n, r) for n, r in returns if r is not None),
            uses_new="new." in spec.model_dump_json(),
            uses_session="session" in spec.model_dump_json(exclude={"description", "name"}),
            targets=tuple(effects.targets),
            stop=one_guard(compiler, spec) if all(guards) else None,
            told=one_result(compiler, spec, self.messages.plain) if all(r for _, r in returns) else None,
        )

    def _guard(self, compiler: Compiler, guard: Guard, place: Path_) -> CompiledGuard | None:
        name = "unless" if guard.unless is not None else "when"
        text = guard.unless if guard.unless is not None else guard.when
        program = self.expressions.program(compiler, text or "", (*place, name), ("BOOL",))
        return None if program is None else CompiledGuard(guard, program, name == "when")

    def _return(
        self, compiler: Compiler, told: str | ReturnList, place: Path_
    ) -> Callable[[Scope], Any] | None:
        plain = self.messages.plain
        if isinstance(told, str):
            program = self.expressions.program(compiler, told, place)
            return None if program is None else lambda scope: plain(program.run(scope.activation(compiler)))
        over = self.expressions.items(compiler, told.for_each, (*place, "for_each"))
        if over is None:
            return None
        items, item_type = over
        inner = compiler.with_variable(told.as_, item_type)
        gives = [(n, self.expressions.program(inner, t, (*place, "give", n))) for n, t in told.give.items()]

        def tell(scope: Scope) -> list[Any]:
            rows = []
            for item in items.run(scope.activation(compiler)):
                act = scope.inner(told.as_, item).activation(inner)
                rows.append({n: plain(p.run(act)) for n, p in gives if p is not None})
            return rows

        return tell
