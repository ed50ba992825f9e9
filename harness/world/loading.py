"""Loading a world: from its model to a runtime, with every mistake in columns, rows and expressions at its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...schemas.column_types import value_type
from ...schemas.diagnostics import Finding
from ...schemas.source import Document
from ...schemas.values import Problem, ValueType
from ...schemas.world import Table, Tool, World
from . import search
from .cel import Compiler
from .engines import Engine, UnknownEngine, make_engine
from .expressions import ExpressionProblem, Expressions, Problems
from .functions import pure_functions
from .messages import Messages, Shape
from .runtime import CompiledInvariant, Runtime
from .state import SeedTable
from .tables import Rows, TableType, function_names, read_rows, seed_tables, table_functions, table_types
from .tools import CompiledTool, ToolCompiler


@dataclass
class _Loading:
    """The steps of loading one world."""

    document: Document
    world: World
    expressions: Expressions = field(default_factory=Expressions)

    def plain(self) -> list[Problem]:
        """The list for steps that know values only."""
        kept: list[Problem] = []
        self._later.append(kept)
        return kept

    def __post_init__(self) -> None:
        self._later: list[list[Problem]] = []

    def findings(self) -> list[Finding]:
        """All problems as findings."""
        every: Problems = [*self.expressions.problems, *(p for kept in self._later for p in kept)]
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
    tool_compiler = ToolCompiler(tables, session, messages, within, loading.expressions)
    tools = {n: CompiledTool(t.spec, kinds[n], *_needs(kinds[n])) for n, t in native.items()}
    for index, spec in enumerate(world.tools):
        if spec.name not in native and spec is specs[spec.name]:
            tools[spec.name] = tool_compiler.tool(spec, kinds[spec.name], ("tools", index))
    rows, seed = _seed(loading, engine, tables, session)
    invariants, compilers = _invariants(world, tables, compiler, loading.expressions)
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
    world: World, tables: Mapping[str, TableType], compiler: Compiler, expressions: Expressions
) -> tuple[dict[str, tuple[CompiledInvariant, ...]], dict[str, Compiler]]:
    made: dict[str, list[CompiledInvariant]] = {}
    compilers: dict[str, Compiler] = {}
    for index, invariant in enumerate(world.invariants):
        place = ("invariants", index)
        table = tables.get(invariant.table)
        if table is None:
            said = f"there is no table {invariant.table!r}"
            expressions.problems.append(
                Problem((*place, "table"), "DK304", said, f"known: {', '.join(tables)}")
            )
            continue
        if invariant.table not in compilers:
            row = table.shape().full_name
            own = compiler
            for name, kind in (("before", row), ("after", row), ("inserted", "BOOL"), ("removed", "BOOL")):
                own = own.with_variable(name, kind)
            compilers[invariant.table] = own
        name = "never" if invariant.never is not None else "always"
        text = invariant.never if invariant.never is not None else invariant.always
        program = expressions.program(compilers[invariant.table], text or "", (*place, name), ("BOOL",))
        if program is not None:
            made.setdefault(invariant.table, []).append(
                CompiledInvariant(invariant, program, name == "never")
            )
    return {n: tuple(v) for n, v in made.items()}, compilers
