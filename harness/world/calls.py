"""A scenario made ready in its world: typed patch, typed gold, compiled expressions; and the replay of its gold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.scenario import Action, Scenario
from ...schemas.source import Document, Path_
from ...schemas.values import Problem, read_mapping
from .cel import EvaluationError, ExpressionError, Program
from .diff import Changes, changes
from .expressions import ExpressionProblem, Problems
from .loading import to_finding
from .runtime import Call, Runtime
from .state import StateError, View
from .tables import Rows, read_rows


@dataclass(frozen=True)
class Step:
    """One gold action with typed arguments."""

    action: Action
    arguments: Mapping[str, Any]
    place: Path_


@dataclass(frozen=True)
class CallScenario:
    """A scenario in its world. Nothing in it changes after loading."""

    scenario: Scenario
    runtime: Runtime
    document: Document
    patch: Rows
    steps: tuple[Step, ...]
    goals: tuple[Rows, ...]
    """The frozen end state first, then the alternates; empty where nothing is frozen yet."""
    wants: tuple[Program | None, ...]
    asserts: tuple[Program | None, ...]
    derivations: Mapping[tuple[str, str], Program] = field(default_factory=dict)
    """The expressions of `from`, by action and argument."""
    forbidden: tuple[Mapping[str, Any], ...] = ()

    def start(self) -> View:
        """The state before the call."""
        return self.runtime.start(self.patch)

    def goal_view(self, goal: Rows) -> View:
        """The start with the difference of a goal. Raises `StateError` where it cannot be reached from there."""
        view = self.start()
        self.runtime.apply(view, goal)
        return view


@dataclass(frozen=True)
class Replay:
    """What the gold actions did."""

    call: CallScenario
    calls: tuple[Call, ...]
    start: View
    end: View

    @property
    def digest(self) -> str:
        """The hash of the end state, as hex."""
        return self.end.digest().hex()

    def changes(self, *, graded: bool = True) -> Changes:
        """What differs from the start."""
        return changes(self.start, self.end, graded=graded)

    def failures(self) -> list[tuple[Step, Call]]:
        """The actions that did not do what gold says: undeclared errors, and declared ones that did not come."""
        return [
            (step, call)
            for step, call in zip(self.call.steps, self.calls, strict=True)
            if call.error != step.action.fails
        ]

    def results(self) -> dict[str, Any]:
        """The results by action."""
        return {s.action.id: c.result for s, c in zip(self.call.steps, self.calls, strict=True)}


def replay(call: CallScenario, order: tuple[int, ...] | None = None) -> Replay:
    """Seed, patch, gold actions, end state. `order` gives the actions another order by their indices."""
    steps = call.steps if order is None else tuple(call.steps[i] for i in order)
    view = call.start()
    done = tuple(call.runtime.call(view, s.action.tool, s.arguments, s.action.side) for s in steps)
    played = call if order is None else replace(call, steps=steps)
    return Replay(played, done, call.start(), view)


def load_call(
    document: Document, scenario: Scenario, runtime: Runtime
) -> tuple[CallScenario | None, list[Finding]]:
    """A scenario in its world, and what is wrong with its rows, arguments and expressions.

    There is none where the patch cannot be applied.
    """
    return _Loader(document, scenario, runtime).load()


class _Loader:
    def __init__(self, document: Document, scenario: Scenario, runtime: Runtime) -> None:
        self.document, self.scenario, self.runtime = document, scenario, runtime
        self.problems: Problems = []
        self.values: list[Problem] = []

    def load(self) -> tuple[CallScenario | None, list[Finding]]:
        gold, runtime = self.scenario.gold, self.runtime
        patch = self.patch()
        patched_wrong = bool(self.values)
        steps = tuple(self.step(i, a) for i, a in enumerate(gold.actions))
        forbidden = tuple(
            self.arguments(f.tool, f.arguments, ("gold", "forbid", i), partial=True)
            for i, f in enumerate(gold.forbid)
        )
        wants = [
            self.program(t, ("caller", "wants", i), ("BOOL",))
            for i, t in enumerate(self.scenario.caller.wants)
        ]
        asserts = [
            self.program(c.that, ("gold", "assert", i, "that"), ("BOOL",)) for i, c in enumerate(gold.assert_)
        ]
        derived = self.derivations(gold.actions)
        try:
            start = runtime.start(patch)
        except StateError as error:
            self.values.append(Problem(("seed",), "DK302", str(error), "", key=True))
            return None, self.findings()
        self.check_patched(patch, start)
        # Where the patch is wrong, the frozen state is wrong with it; one mistake is told once.
        frozen = [] if patched_wrong else self.frozen()
        goals = tuple(self.goal(raw, place, start) for raw, place in frozen)
        made = CallScenario(
            self.scenario,
            runtime,
            self.document,
            patch,
            tuple(s for s in steps if s is not None),
            goals,
            tuple(wants),
            tuple(asserts),
            derived,
            forbidden,
        )
        sound = all(s is not None for s in steps)
        return (made if sound and not self.values else None), self.findings()

    def findings(self) -> list[Finding]:
        return [to_finding(self.document, p) for p in (*self.problems, *self.values)]

    def patch(self) -> Rows:
        seed = self.runtime.seed
        return read_rows(
            self.scenario.seed,
            self.runtime.tables,
            self.runtime.session,
            ("seed",),
            self.values,
            exists=lambda table, key: key in seed[table].rows,
        )

    def check_patched(self, patch: Rows, start: View) -> None:
        """References and invariants of the rows that the patch touches, and references to rows it takes away."""
        gone = {(t, k) for t, rows in patch.rows.items() for k, row in rows.items() if row is None}
        for (table, key), place in patch.places.items():
            if table not in self.runtime.tables:
                continue
            row = start.row(table, key)
            said = self.runtime.dangling(start, table, row)
            if said is not None:
                self.values.append(Problem(place, "DK303", said, "add that row, or name another", key=True))
            try:
                broken = [b.declared.id for b in self.runtime.broken(start, table, key, row, row)]
            except EvaluationError as error:
                broken = [str(error)]
            for name in broken:
                said = f"{table} {key!r} breaks the invariant {name!r}"
                self.values.append(Problem(place, "DK323", said, "mend the row", key=True))
        if gone:
            self.values += self.left_behind(patch, start, gone)

    def left_behind(self, patch: Rows, start: View, gone: set[tuple[str, str]]) -> list[Problem]:
        found = []
        for name, table in self.runtime.tables.items():
            for column, target in table.declared.references.items():
                lost = {k for t, k in gone if t == target}
                if not lost:
                    continue
                for key, row in start.rows(name):
                    value = row.get(column)
                    for wanted in value if isinstance(value, tuple) else (value,):
                        if wanted in lost:
                            said = f"{name} {key!r} still names {wanted!r} in {column}"
                            found.append(Problem(patch.places[target, wanted], "DK303", said, "", key=True))
        return found

    def frozen(self) -> list[tuple[Mapping[str, Any], Path_]]:
        gold = self.scenario.gold
        found: list[tuple[Mapping[str, Any], Path_]] = []
        if gold.expects == "no_change" and gold.state is None:
            found.append(({}, ("gold",)))
        elif gold.state is not None:
            found.append((gold.state, ("gold", "state")))
        return found + [(a.state, ("gold", "any_of", i, "state")) for i, a in enumerate(gold.any_of)]

    def goal(self, raw: Mapping[str, Any], place: Path_, start: View) -> Rows:
        return read_rows(
            raw,
            self.runtime.tables,
            self.runtime.session,
            place,
            self.values,
            exists=lambda table, key: start.row(table, key) is not None,
            graded_only=True,
        )

    def step(self, index: int, action: Action) -> Step | None:
        place = ("gold", "actions", index)
        if self.runtime.tool(action.tool, action.side) is None:
            self.values.append(self.no_tool(action.tool, action.side, (*place, "tool")))
            return None
        return Step(action, self.arguments(action.tool, action.arguments, place, partial=False), place)

    def no_tool(self, name: str, side: str, place: Path_) -> Problem:
        found = self.runtime.tools.get(name)
        if found is not None:
            other = found.spec.side
            return Problem(
                place, "DK403", f"{name} is a tool of the {other}'s side", f"write `side: {other}`"
            )
        near = did_you_mean(name, [n for n, t in self.runtime.tools.items() if t.spec.side == side])
        hint = f"did you mean {near}?" if near else f"known: {', '.join(self.runtime.tools)}"
        return Problem(place, "DK403", f"there is no tool {name!r}", hint)

    def arguments(self, name: str, raw: Mapping[str, Any], place: Path_, *, partial: bool) -> dict[str, Any]:
        tool = self.runtime.tools.get(name)
        if tool is None:
            if place[1] == "forbid":
                self.values.append(self.no_tool(name, "agent", (*place, "tool")))
            return {}
        found: list[Problem] = []
        values = read_mapping(tool.parameters, raw, (*place, "arguments"), found, partial=True)
        self.values += [_as_argument(p, name) for p in found]
        if not partial:
            for wanted in sorted(tool.required - set(raw)):
                said = f"{name} needs the argument {wanted!r}"
                self.values.append(
                    Problem((*place, "tool"), "DK404", said, f"add `{wanted}:` to `arguments:`")
                )
        return {n: v for n, v in values.items() if v is not None}

    def program(self, text: str, place: Path_, want: tuple[str, ...] = ()) -> Program | None:
        try:
            return self.runtime.judge.compile(text, want)
        except ExpressionError as error:
            self.problems.append(ExpressionProblem(place, error.offset, error.message, error.hint))
            return None

    def derivations(self, actions: tuple[Action, ...]) -> dict[tuple[str, str], Program]:
        found = {}
        for index, action in enumerate(actions):
            for name, text in action.from_.items():
                place = ("gold", "actions", index, "from", name)
                if name not in action.arguments:
                    said = f"`from` explains {name!r}, which is no argument of this action"
                    self.values.append(Problem(place, "DK404", said, "", key=True))
                program = self.program(text, place)
                if program is not None:
                    found[action.id, name] = program
        return found


def _as_argument(problem: Problem, tool: str) -> Problem:
    """A problem of a value as one of an argument."""
    message = problem.message.replace("gold.actions", "actions", 1)
    if "has no column" in message:
        message = f"{tool} takes no argument {problem.place[-1]!r}"
    code = problem.code if problem.code == "DK105" else "DK404"
    return Problem(problem.place, code, message, problem.hint, problem.key)
