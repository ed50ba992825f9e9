"""The reward of a call: one pure function that gives each declared factor true, false or null with a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...schemas.scenario import Factor, Slot
from .calls import CallScenario, Step
from .cel import EvaluationError
from .diff import changes, lines
from .runtime import Call
from .slots import is_said
from .state import StateError, View


@dataclass(frozen=True)
class Verdict:
    """What became of one factor. `value` is None where it cannot be decided here."""

    factor: Factor
    value: bool | None
    reason: str


@dataclass(frozen=True)
class Reward:
    """The verdicts of all declared factors, and their product: None where one is null and none is false."""

    verdicts: tuple[Verdict, ...]

    @property
    def value(self) -> float | None:
        """1.0, 0.0 or None."""
        values = [v.value for v in self.verdicts]
        if False in values:
            return 0.0
        return None if None in values else 1.0

    def to_json(self) -> dict[str, Any]:
        """The value and each factor with its reason."""
        factors = {v.factor: {"value": v.value, "reason": v.reason} for v in self.verdicts}
        return {"value": self.value, "factors": factors}


def reward(call: CallScenario, end_state: View, trace: Sequence[Call], said: Sequence[str] | None) -> Reward:
    """The reward of a run: its end state, all its calls, and what the agent said (None where unknown)."""
    judges: dict[Factor, Callable[[], tuple[bool | None, str]]] = {
        "state": lambda: _state(call, end_state),
        "actions": lambda: _actions(call, trace),
        "say": lambda: _say(call.scenario.gold.say, said),
        "never_say": lambda: _never_say(call.scenario.gold.never_say, said),
        "assert": lambda: _assert(call, end_state, trace),
        "forbid": lambda: _forbid(call, trace),
        "claims": lambda: (None, "claims need a judge"),
    }
    return Reward(tuple(Verdict(f, *judges[f]()) for f in call.scenario.reward))


def _state(call: CallScenario, end: View) -> tuple[bool | None, str]:
    if not call.goals:
        return None, "no end state is frozen: run `duplexkit gold SCENARIO --write`"
    digest = end.digest()
    for number, goal in enumerate(call.goals):
        try:
            wanted = call.goal_view(goal)
        except StateError as error:
            return None, f"the frozen end state cannot be reached: {error}"
        if wanted.digest() == digest:
            return True, "the end state is gold's" if number == 0 else f"the end state is alternate {number}"
        if number == 0:
            first = wanted
    return False, "; ".join(lines(changes(first, end), first)[:6])


def _actions(call: CallScenario, trace: Sequence[Call]) -> tuple[bool, str]:
    """Each required action has a call of its own that matches (a matching in a bipartite graph)."""
    wanted = [s for s in call.steps if s.action.required]
    made = [c for c in trace if c.ok]
    fits = [[i for i, c in enumerate(made) if matches(call, step, c)] for step in wanted]
    owner: dict[int, int] = {}
    for number, step in enumerate(wanted):
        if not _assign(number, fits, owner, set()):
            return False, f"no call of its own matches {step.action.id} ({step.action.tool})"
    return True, f"{len(wanted)} required calls were made"


def _assign(number: int, fits: Sequence[Sequence[int]], owner: dict[int, int], seen: set[int]) -> bool:
    for made in fits[number]:
        if made in seen:
            continue
        seen.add(made)
        if made not in owner or _assign(owner[made], fits, owner, seen):
            owner[made] = number
            return True
    return False


def matches(call: CallScenario, step: Step, made: Call) -> bool:
    """Whether a call is the one that a gold action asks for.

    All of the action's arguments are compared, and no others may be given, unless `compare` lists which count.
    An argument that the call leaves out never matches. Text that only goes into free-text columns is not compared.
    """
    if made.tool != step.action.tool or made.side != step.action.side:
        return False
    tool = call.runtime.tools[step.action.tool]
    wanted = {**tool.defaults, **step.arguments}
    if step.action.compare is not None:
        return all(
            n in made.arguments and equal(wanted.get(n), made.arguments[n]) for n in step.action.compare
        )
    free = free_text_parameters(call, step.action.tool)
    names = (set(wanted) | set(made.arguments)) - free
    return all(n in made.arguments and n in wanted and equal(wanted[n], made.arguments[n]) for n in names)


def free_text_parameters(call: CallScenario, name: str) -> set[str]:
    """The parameters of a tool that go into free-text columns and nowhere else."""
    tool = call.runtime.tools[name].spec
    found = set()
    for parameter in tool.parameters:
        uses = [(target, text) for target, text in _uses(call, name) if f"args.{parameter}" in _words(text)]
        if uses and all(target == "free" for target, _ in uses):
            found.add(parameter)
    return found


def _words(text: str) -> set[str]:
    import re

    return set(re.findall(r"args\.[a-z][a-z0-9_]*", text))


def _uses(call: CallScenario, name: str) -> list[tuple[str, str]]:
    """Every expression of a tool with where its value goes: `free` for free-text columns, else `used`."""
    spec, tables = call.runtime.tools[name].spec, call.runtime.tables
    uses = [("used", g.unless or g.when or "") for g in spec.guards]
    for told in spec.returns.values():
        uses.append(
            ("used", told if isinstance(told, str) else " ".join([told.for_each, *told.give.values()]))
        )
    todo = list(spec.effects)
    while todo:
        effect = todo.pop()
        todo += list(effect.effects or ())
        pointer = effect.set or effect.insert or effect.remove or effect.append or effect.increment or ""
        parts = pointer.split("/")
        table = tables.get(parts[1]) if len(parts) > 1 else None
        free = set(table.declared.free_text) if table is not None else set()
        uses.append(("used", pointer))
        if effect.for_each:
            uses.append(("used", effect.for_each))
        value_goes = "free" if parts[-1] in free else "used"
        for text in (effect.to, effect.value, effect.by):
            uses.append((value_goes, text or ""))
        for column, text in (effect.row or {}).items():
            uses.append(("free" if column in free else "used", text))
        if effect.when and not ("null" in effect.when and value_goes == "free"):
            uses.append(("used", effect.when))
    return uses


def equal(a: Any, b: Any) -> bool:
    """Whether two argument values are the same: `true` is not 1, `"1"` is not 1, lists and tuples are one."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return set(a) == set(b) and all(equal(a[k], b[k]) for k in a)
    return type(a) is type(b) and bool(a == b)


def _say(slots: Sequence[Slot], said: Sequence[str] | None) -> tuple[bool | None, str]:
    if said is None:
        return None, "what the agent said is not known"
    missing = [s.value for s in slots if not is_said(s, said)]
    return not missing, f"not said: {', '.join(missing)}" if missing else "all was said"


def _never_say(slots: Sequence[Slot], said: Sequence[str] | None) -> tuple[bool | None, str]:
    if said is None:
        return None, "what the agent said is not known"
    found = [s.value for s in slots if is_said(s, said)]
    return not found, f"said: {', '.join(found)}" if found else "nothing was said that must not be"


def _assert(call: CallScenario, end: View, trace: Sequence[Call]) -> tuple[bool | None, str]:
    for condition, program in zip(call.scenario.gold.assert_, call.asserts, strict=True):
        if program is None:
            return None, f"{condition.that!r} does not compile"
        try:
            if call.runtime.evaluate(program, end, trace) is not True:
                return False, f"does not hold: {condition.because}"
        except EvaluationError as error:
            return False, f"does not hold: {condition.because} ({error})"
    return True, "all holds"


def _forbid(call: CallScenario, trace: Sequence[Call]) -> tuple[bool, str]:
    for entry, arguments in zip(call.scenario.gold.forbid, call.forbidden, strict=True):
        for made in trace:
            if (
                made.ok
                and made.tool == entry.tool
                and all(n in made.arguments and equal(v, made.arguments[n]) for n, v in arguments.items())
            ):
                return False, f"{entry.tool} was called: {entry.because}"
    return True, "nothing forbidden was done"
