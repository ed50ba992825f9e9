"""A world that can be called: loaded once, then any number of states, calls and evaluations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from google.protobuf.message import Message

from ...schemas.values import ValueType
from ...schemas.world import Invariant, World
from .cel import Compiler, EvaluationError, Program, function
from .engines import Engine, NativeTool, ToolError
from .joined import one_list
from .messages import Messages
from .scope import Scope
from .state import GONE, SeedTable, StateError, View
from .tables import VIEW, Rows, TableType, row_message
from .tools import CallFailed, CompiledTool, first_stop, result_of

Side = Literal["agent", "caller"]
BUILT_IN_ERRORS = ("unknown_tool", "bad_arguments", "already_exists", "write_once", "invariant", "internal")


@dataclass(frozen=True)
class Call:
    """One call of a tool and what came of it. `result` is plain JSON; an error stands under `error`."""

    tool: str
    side: Side
    arguments: Mapping[str, Any]
    result: Mapping[str, Any]
    error: str | None = None
    detail: str = ""
    """What failed inside, where the one who called is only told that something did."""

    @property
    def ok(self) -> bool:
        """Whether the call succeeded."""
        return self.error is None


TRACE: ContextVar[Sequence[Call]] = ContextVar("duplexkit_trace")
"""The calls that expressions over a trace read, set around each evaluation."""


@dataclass(frozen=True)
class CompiledInvariant:
    """An invariant: broken when `program` gives `broken_at`."""

    declared: Invariant
    program: Program
    broken_at: bool


@dataclass
class Runtime:
    """A world made ready. Nothing in it changes after loading."""

    world: World
    engine: Engine
    tables: Mapping[str, TableType]
    session: Mapping[str, ValueType]
    messages: Messages
    compiler: Compiler
    """Variables `session`, `now`, `today`; for expressions over a state."""
    seed: Mapping[str, SeedTable]
    tools: Mapping[str, CompiledTool]
    native: Mapping[str, NativeTool]
    invariants: Mapping[str, tuple[CompiledInvariant, ...]]
    invariant_compilers: Mapping[str, Compiler]
    rows: Rows
    functions: Sequence[Any]

    @cached_property
    def judge(self) -> Compiler:
        """For expressions over an end state and the calls that led there, with `facts` and `results`."""
        names = [*self.compiler.known_functions, *(f"calls_{n}" for n in self.tools)]
        return Compiler(
            self.messages.pool,
            "world",
            {**self.compiler.variables, "facts": "MAP", "results": "MAP"},
            [*self.functions, *_call_functions(self.messages, self.tools)],
            {**self.messages.columns, "": tuple(names)},
        )

    def evaluate(
        self,
        program: Program,
        view: View,
        trace: Sequence[Call] = (),
        facts: Mapping[str, str] | None = None,
        results: Mapping[str, Any] | None = None,
    ) -> Any:
        """The value of an expression of `judge` over a state. Raises `EvaluationError`."""
        data = {**self.data(view), "facts": dict(facts or {}), "results": dict(results or {})}
        state, calls = VIEW.set(view), TRACE.set(trace)
        try:
            return self.messages.plain(program.run(self.judge.activation(data)))
        finally:
            VIEW.reset(state)
            TRACE.reset(calls)

    @cached_property
    def today(self) -> str:
        """The date of the world's clock."""
        return self.world.now[:10]

    @cached_property
    def initial_session(self) -> dict[str, Any]:
        """The session before any call."""
        return {n: k.default for n, k in self.session.items() if k.default is not None}

    @cached_property
    def initial_counters(self) -> dict[str, int]:
        """The largest number in a key of each table that makes keys."""
        found = {}
        for name, table in self.tables.items():
            if table.new_key is not None:
                numbers = (table.new_key.number(key) for key in self.seed[name].rows)
                found[name] = max((n for n in numbers if n is not None), default=0)
        return found

    def start(self, patch: Rows | None = None) -> View:
        """A state before any call: the seed, with the rows of a patch."""
        view = View(self.seed, dict(self.initial_session), dict(self.initial_counters))
        if patch is not None:
            self.apply(view, patch)
        self.engine.begin(view)
        return view

    def apply(self, view: View, patch: Rows) -> None:
        """Change a state as a patch says. Raises `StateError`."""
        for name, rows in patch.rows.items():
            table = self.tables[name]
            for key, row in rows.items():
                if row is None:
                    view._write(name, key, GONE)
                elif view.row(name, key) is None:
                    view.insert(name, key, table.whole(row))
                    number = table.new_key.number(key) if table.new_key is not None else None
                    if number is not None:
                        view.counters[name] = max(view.counters.get(name, 0), number)
                else:
                    view.update(name, key, table.whole({**(view.row(name, key) or {}), **row}))
        view.session.update(patch.session)

    def tool(self, name: str, side: Side) -> CompiledTool | None:
        """The tool of this name on this side, or None."""
        found = self.tools.get(name)
        return found if found is not None and found.spec.side == side else None

    def call(self, view: View, name: str, arguments: Mapping[str, Any], side: Side = "agent") -> Call:
        """Call a tool. An error leaves the state as it was; nothing raises for anything that is called."""
        tool = self.tool(name, side)
        mark, session, counters = view.mark(), dict(view.session), dict(view.counters)
        values: Mapping[str, Any] = arguments if isinstance(arguments, Mapping) else {}
        try:
            if tool is None:
                raise CallFailed("unknown_tool", f"there is no tool {name!r}")
            if not isinstance(arguments, Mapping):
                raise CallFailed("bad_arguments", "the arguments are no object")
            values = tool.arguments(arguments)
            return Call(name, side, values, self._result(view, tool, values, mark))
        except (CallFailed, StateError, EvaluationError, ToolError) as error:
            view.undo(mark)
            view.session.clear()
            view.session.update(session)
            view.counters.clear()
            view.counters.update(counters)
            return _failed(name, side, values, error)

    def _result(
        self, view: View, tool: CompiledTool, values: Mapping[str, Any], mark: int
    ) -> Mapping[str, Any]:
        pure = tool.spec.effect == "read"
        before = (view.digest(), dict(view.session), dict(view.counters)) if pure else None
        token = VIEW.set(view)
        try:
            if tool.spec.name in self.native:
                result = self.native[tool.spec.name].run(view, values)
            else:
                result = self._declared(view, tool, values)
            self._hold(view, mark)
        finally:
            VIEW.reset(token)
        # Ungraded columns are in no digest, so a read must not have written anything at all.
        if before is not None and (
            view.mark() != mark or before != (view.digest(), view.session, view.counters)
        ):
            raise EvaluationError(f"the read {tool.spec.name} changed the state")
        return result

    def _declared(self, view: View, tool: CompiledTool, values: Mapping[str, Any]) -> Mapping[str, Any]:
        data = self.data(view, session=tool.uses_session)
        data["args"] = self.messages.build(f"args_{tool.spec.name}", values)
        if tool.uses_new:
            data["new"] = self.messages.build("new_", self._new_keys(view))
        scope = Scope(data)
        stopped = first_stop(tool, scope.activation(self.compiler)) if tool.guards else None
        if stopped is not None:
            raise CallFailed(stopped.declared.error, stopped.message)
        for effect in tool.effects:
            effect(view, scope)
        return result_of(tool, scope)

    def data(self, view: View, *, session: bool = True) -> dict[str, Any]:
        """The variables that every expression over a state has."""
        session = self.messages.build("session_", view.session) if session else self._no_session
        return {"session": session, "now": self.world.now, "today": self.today}

    def _new_keys(self, view: View) -> dict[str, str]:
        return {
            name: table.new_key.make(view.counters.get(name, 0) + 1)
            for name, table in self.tables.items()
            if table.new_key is not None
        }

    def _hold(self, view: View, mark: int) -> None:
        """Raise `CallFailed` where a row that was written since `mark` breaks an invariant or a reference."""
        for table, key, before, after in view.since(mark):
            for broken in self.broken(view, table, key, before, after):
                raise CallFailed(
                    "invariant", f"the call would break {broken.declared.id!r} at {table} {key!r}"
                )
            said = self.dangling(view, table, after)
            if said is not None:
                raise EvaluationError(f"{table} {key!r}: {said}")

    def broken(
        self,
        view: View,
        table: str,
        key: str,
        before: Mapping[str, Any] | None,
        after: Mapping[str, Any] | None,
    ) -> Iterator[CompiledInvariant]:
        """The invariants that a row breaks around a call; None stands for no row. Raises `EvaluationError`."""
        held = self.invariants.get(table, ())
        if not held or (before is None and after is None):
            return
        name = self.tables[table].declared.key
        data = {
            "before": self._row_message(view, table, name, key, before),
            "after": self._row_message(view, table, name, key, after),
            "inserted": before is None,
            "removed": after is None,
            "now": self.world.now,
            "today": self.today,
        }
        activation = self.invariant_compilers[table].activation(data)
        token = VIEW.set(view)
        try:
            values = self._verdicts(table, held, activation)
        finally:
            VIEW.reset(token)
        yield from (i for i, value in zip(held, values, strict=True) if value is i.broken_at)

    def _verdicts(self, table: str, held: Sequence[CompiledInvariant], activation: Any) -> list[Any]:
        """The values of all invariants of a table, by one expression where there are several."""
        joined = self._joined.get(table)
        if joined is None and len(held) > 1:
            text = one_list(i.program.text for i in held)
            joined = self._joined[table] = self.invariant_compilers[table].compile(text)
        if joined is not None:
            try:
                found: list[Any] = joined.run(activation)
                return found
            except EvaluationError:
                pass
        return [invariant.program.run(activation) for invariant in held]

    @cached_property
    def _joined(self) -> dict[str, Program]:
        return {}

    @cached_property
    def _no_session(self) -> Message:
        """What stands for the session in calls of tools that do not look at it."""
        return self.messages.build("session_", {})

    def _row_message(
        self, view: View, table: str, name: str, key: str, row: Mapping[str, Any] | None
    ) -> Message:
        """A row as invariants see it; no row has no values."""
        if row is None:
            return self.messages.build(table, {})
        made: Message = row_message(self.messages, view, table, name, key, row)
        return made

    def dangling(self, view: View, table: str, row: Mapping[str, Any] | None) -> str | None:
        """Which reference of a row leads nowhere, or None."""
        if row is None:
            return None
        for column, target in self.tables[table].declared.references.items():
            value = row.get(column)
            for key in value if isinstance(value, tuple) else (value,):
                if key is not None and view.row(target, key) is None:
                    return f"{column} {key!r} is no key of {target}"
        return None


def _failed(name: str, side: Side, values: Mapping[str, Any], error: Exception) -> Call:
    if isinstance(error, CallFailed):
        code, told, detail = error.code, error.message, ""
        if code == "invariant":
            told, detail = "this cannot be done", error.message
    elif isinstance(error, StateError | ToolError):
        code, told, detail = error.code, str(error), ""
        if code == "internal":
            told, detail = "something went wrong", str(error)
    else:
        code, told, detail = "internal", "something went wrong", str(error)
    return Call(name, side, values, {"error": {"code": code, "message": told}}, code, detail)


def _call_functions(messages: Messages, tools: Iterable[str]) -> list[Any]:
    """`calls_TOOL` for every tool: the arguments of its successful calls, in order."""
    return [function(f"calls_{n}", [], f"LIST<world.args_{n}>", _calls_of(messages, n)) for n in tools]


def _calls_of(messages: Messages, name: str) -> Callable[[], list[Any]]:
    def calls() -> list[Any]:
        made = (c for c in TRACE.get() if c.ok and c.tool == name)
        return [messages.build(f"args_{name}", c.arguments) for c in made]

    return calls
