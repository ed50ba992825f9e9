"""A world that can be called: loaded once, then any number of states, calls and evaluations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from google.protobuf.message import Message

from ...schemas.diagnostics import Finding
from ...schemas.source import Document
from ...schemas.values import Problem, ValueType, value_type
from ...schemas.world import Invariant, Table, Tool, World
from . import search
from .cel import Compiler, EvaluationError, Program, function
from .engines import Engine, NativeTool, ToolError, UnknownEngine, make_engine
from .functions import pure_functions
from .joined import one_list
from .messages import Messages, Shape
from .scope import Scope
from .state import GONE, SeedTable, StateError, View
from .tables import (
    VIEW,
    Rows,
    TableType,
    function_names,
    read_rows,
    row_message,
    seed_tables,
    table_functions,
    table_types,
)
from .tools import (
    CallFailed,
    CompiledTool,
    ExpressionProblem,
    Problems,
    ToolCompiler,
    first_stop,
    result_of,
)

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


@dataclass
class _Loading:
    """The steps of loading one world."""

    document: Document
    world: World
    problems: Problems = field(default_factory=list)

    def plain(self) -> list[Problem]:
        """The list for steps that know values only."""
        kept: list[Problem] = []
        self._later.append(kept)
        return kept

    def __post_init__(self) -> None:
        self._later: list[list[Problem]] = []

    def findings(self) -> list[Finding]:
        """All problems as findings."""
        every: Problems = [*self.problems, *(p for kept in self._later for p in kept)]
        return [to_finding(self.document, p) for p in every]


def to_finding(document: Document, problem: Problem | ExpressionProblem) -> Finding:
    """A problem at its place in the document."""
    if isinstance(problem, ExpressionProblem):
        return document.finding_inside(problem.place, problem.offset, "DK301", problem.message, problem.hint)
    return document.finding(problem.place, problem.code, problem.message, problem.hint, key=problem.key)


def load_world(document: Document, world: World) -> tuple[Runtime | None, list[Finding]]:
    """The runtime of a world, and what is wrong with its columns, rows and expressions.

    There is none where the tables or the engine cannot be made; other mistakes leave one that can be looked at.
    """
    loading = _Loading(document, world)
    try:
        engine = make_engine(world)
    except UnknownEngine as error:
        return None, [document.finding(("engine",), "DK314", str(error), "")]
    own = list(engine.findings(document))
    if own:
        return None, own
    runtime = _build(loading, engine)
    return runtime, loading.findings()


def _build(loading: _Loading, engine: Engine) -> Runtime | None:
    world = loading.world
    declared: dict[str, tuple[Table, tuple[str | int, ...]]] = {
        n: (t, ()) for n, t in engine.tables().items()
    }
    declared |= {n: (t, ("state", n)) for n, t in world.state.items()}
    problems = loading.plain()
    tables = table_types(declared, problems)
    session = {
        n: value_type(c, ("session", n), problems, required=c.default is not None)
        for n, c in {**engine.session(), **world.session}.items()
    }
    native = {t.spec.name: t for t in (*engine.tools(), *search.tools(world))}
    specs = {t.name: t for t in reversed(world.tools)}
    at = {t.name: i for i, t in reversed(list(enumerate(world.tools)))}
    kinds = {
        name: _parameters(spec, ("tools", at[name], "parameters"), problems) for name, spec in specs.items()
    }
    kinds |= {name: _parameters(t.spec, (), problems) for name, t in native.items()}
    if len(tables) < len(declared):
        return None
    messages = Messages(_shapes(tables, session, kinds))
    names = function_names(tables)
    columns = {**messages.columns, "": tuple(names)}
    functions = [*pure_functions(), *table_functions(tables, messages)]
    base = {"session": "world.session_", "now": "STRING", "today": "STRING"}
    compiler = Compiler(messages.pool, "world", base, functions, columns)
    within = compiler.with_variable("new", "world.new_")
    tool_compiler = ToolCompiler(tables, session, messages, within, loading.problems)
    tools = {n: CompiledTool(t.spec, kinds[n], *_needs(kinds[n])) for n, t in native.items()}
    for index, spec in enumerate(world.tools):
        if spec.name not in native and spec is specs[spec.name]:
            tools[spec.name] = tool_compiler.tool(spec, kinds[spec.name], ("tools", index))
    rows, seed = _seed(loading, engine, tables, session)
    invariants, compilers = _invariants(world, tables, compiler, tool_compiler)
    return Runtime(
        world,
        engine,
        tables,
        session,
        messages,
        compiler,
        seed,
        tools,
        native,
        invariants,
        compilers,
        rows,
        functions,
    )


def _needs(kinds: Mapping[str, ValueType]) -> tuple[frozenset[str], dict[str, Any]]:
    required = frozenset(n for n, k in kinds.items() if k.required and k.default is None)
    return required, {n: k.default for n, k in kinds.items() if k.default is not None}


def _parameters(spec: Tool, place: tuple[str | int, ...], problems: list[Problem]) -> dict[str, ValueType]:
    return {
        name: value_type(c, (*place, name), problems, required=name not in spec.optional)
        for name, c in spec.parameters.items()
    }


def _shapes(
    tables: Mapping[str, TableType],
    session: Mapping[str, ValueType],
    kinds: Mapping[str, Mapping[str, ValueType]],
) -> list[Shape]:
    shapes = [t.shape() for t in tables.values()]
    shapes.append(Shape("session_", dict(session)))
    shapes.append(Shape("new_", {n: None for n, t in tables.items() if t.declared.new_key is not None}))
    shapes += [Shape(f"args_{name}", dict(parameters)) for name, parameters in kinds.items()]
    return shapes


def _seed(
    loading: _Loading, engine: Engine, tables: Mapping[str, TableType], session: Mapping[str, ValueType]
) -> tuple[Rows, dict[str, SeedTable]]:
    rows = read_rows(loading.world.seed, tables, session, ("seed",), loading.plain())
    whole: dict[str, dict[str, Mapping[str, Any]]] = {n: dict(r) for n, r in engine.seed().items()}
    for name, table_rows in rows.rows.items():
        whole.setdefault(name, {}).update({k: r for k, r in table_rows.items() if r is not None})
    seed = seed_tables(tables, whole)
    problems = loading.plain()
    for name, table in tables.items():
        for column, target in table.declared.references.items():
            problems += _lost(name, column, target, rows, seed)
    return rows, seed


def _lost(
    name: str, column: str, target: str, rows: Rows, seed: Mapping[str, SeedTable]
) -> Iterator[Problem]:
    for key, row in seed[name].rows.items():
        value = row.get(column)
        for wanted in value if isinstance(value, tuple) else (value,):
            if wanted is not None and target in seed and wanted not in seed[target].rows:
                place = (*rows.places.get((name, key), ("seed", name, key)), column)
                yield Problem(
                    place, "DK303", f"{column} {wanted!r} is no key of {target}", f"add {wanted} to {target}"
                )


def _invariants(
    world: World, tables: Mapping[str, TableType], compiler: Compiler, tools: ToolCompiler
) -> tuple[dict[str, tuple[CompiledInvariant, ...]], dict[str, Compiler]]:
    made: dict[str, list[CompiledInvariant]] = {}
    compilers: dict[str, Compiler] = {}
    for index, invariant in enumerate(world.invariants):
        place = ("invariants", index)
        table = tables.get(invariant.table)
        if table is None:
            said = f"there is no table {invariant.table!r}"
            tools.problems.append(Problem((*place, "table"), "DK304", said, f"known: {', '.join(tables)}"))
            continue
        if invariant.table not in compilers:
            row = table.shape().full_name
            own = compiler
            for name, kind in (("before", row), ("after", row), ("inserted", "BOOL"), ("removed", "BOOL")):
                own = own.with_variable(name, kind)
            compilers[invariant.table] = own
        name = "never" if invariant.never is not None else "always"
        text = invariant.never if invariant.never is not None else invariant.always
        program = tools.program(compilers[invariant.table], text or "", (*place, name), ("BOOL",))
        if program is not None:
            made.setdefault(invariant.table, []).append(
                CompiledInvariant(invariant, program, name == "never")
            )
    return {n: tuple(v) for n, v in made.items()}, compilers


def _call_functions(messages: Messages, tools: Iterable[str]) -> list[Any]:
    """`calls_TOOL` for every tool: the arguments of its successful calls, in order."""
    return [function(f"calls_{n}", [], f"LIST<world.args_{n}>", _calls_of(messages, n)) for n in tools]


def _calls_of(messages: Messages, name: str) -> Callable[[], list[Any]]:
    def calls() -> list[Any]:
        made = (c for c in TRACE.get() if c.ok and c.tool == name)
        return [messages.build(f"args_{name}", c.arguments) for c in made]

    return calls
