"""The rule of knowability: where an agent could have each argument of gold from, and whether each fact is used.

A flow of information through the call in gold's order: the brief and the clauses, what the caller has told by then,
what earlier results gave, what the tool's own schema fixes, and what `from` derives from these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...harness.world import search
from ...harness.world.calls import CallScenario, Replay
from ...harness.world.reward import equal, free_text_parameters
from ...schemas.diagnostics import Finding
from ...schemas.scenario import Event, Fact, Line, Scenario, When
from ...schemas.source import Document, Path_
from ...schemas.values import ValueType
from .calls import spoken_line, words_of
from .common import folded, has_phrase

_EARLY = -1
"""The place in gold of what is told whenever the agent asks."""


def knowable_findings(document: Document, call: CallScenario, done: Replay) -> Iterator[Finding]:
    """Arguments that nobody could know, facts that are of no use, and distractors that are."""
    flow = _Flow(call, done)
    unknown: list[str] = []
    for index, step in enumerate(call.steps):
        tool = call.runtime.tools[step.action.tool]
        free = free_text_parameters(call, step.action.tool)
        if step.action.tool == search.NAME and call.runtime.world.policies:
            continue  # The words of a search are the agent's own.
        for name, value in step.arguments.items():
            if name in free or name in step.action.from_:
                continue
            if not all(flow.known(leaf, kind, index) for leaf, kind in _leaves(value, tool.parameters[name])):
                unknown.append(str(value))
                yield _unknowable(document, flow, index, name, value)
    yield from _facts(document, flow, {shape_of(v) for v in unknown})


@dataclass
class _Flow:
    """What is known when. `told` gives for each fact the action before which it is first told, or None."""

    call: CallScenario
    done: Replay
    told: dict[str, int | None] = field(default_factory=dict)
    words: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        scenario, runtime = self.call.scenario, self.call.runtime
        moments = moments_of(self.call)
        everything: list[Line | Event] = [*scenario.caller.script, *scenario.caller.events]
        for said in everything:
            moment = moments[said.id]
            for name in said.tells:
                earlier = self.told.get(name)
                self.told[name] = moment if earlier is None else min(earlier, moment)
            texts = (said.say or "", *(said.alternatives if isinstance(said, Line) else ()))
            self.words += [(moment, spoken_line(scenario, t)) for t in texts[:1]]
        self.always = [runtime.world.brief, *(p.text for p in runtime.world.policies)]
        self.spoken_results = {
            name: moments[line.id] for line in scenario.caller.script for name in line.speaks
        }

    def known(self, value: Any, kind: ValueType | None, index: int) -> bool:
        """Whether a scalar can be known before the action at `index`."""
        if isinstance(value, bool) or value is None or _fixed(kind, value):
            return True
        text = str(value)
        if text in (self.call.runtime.world.now, self.call.runtime.today):
            return True
        caller = self.call.steps[index].action.side == "caller"
        if any(has_token(t, text) for t in self.always):
            return True
        if any(alike(f.value, text) for f in self._facts(index, everything=caller)):
            return True
        if any(moment < index and has_token(said, text) for moment, said in self.words):
            return True
        return any(_holds(r, text) for r in self._results(index))

    def _facts(self, index: int, *, everything: bool) -> Iterator[Fact]:
        for fact in self.call.scenario.caller.facts:
            moment = self.told.get(fact.id)
            if everything or (moment is not None and moment < index):
                yield fact

    def _results(self, index: int) -> Iterator[Any]:
        for at, (step, made) in enumerate(zip(self.call.steps, self.done.calls, strict=True)):
            if at >= index:
                return
            if (
                step.action.side == "agent"
                or self.call.steps[index].action.side == "caller"
                or self.spoken_results.get(step.action.id, index) < index
            ):
                yield made.result


def moments_of(call: CallScenario) -> dict[str, int]:
    """For each line and event the action of gold after which it is said: -1 where no tool must come first."""
    scenario = call.scenario
    everything: list[Line | Event] = [*scenario.caller.script, *scenario.caller.events]
    said = {x.id: x for x in everything}
    first: dict[str, int] = {}
    for index, step in enumerate(call.steps):
        first.setdefault(step.action.tool, index)
    found: dict[str, int] = {}

    def moment(name: str, seen: frozenset[str]) -> int:
        when: When = said[name].when
        if when.after_tool is not None:
            return first.get(when.after_tool, len(call.steps))
        if when.after_line is not None and when.after_line in said and when.after_line not in seen:
            return moment(when.after_line, seen | {name})
        return _EARLY

    for name in said:
        found[name] = moment(name, frozenset())
    return found


def _leaves(value: Any, kind: ValueType | None) -> Iterator[tuple[Any, ValueType | None]]:
    if isinstance(value, Mapping):
        inner = kind.properties if kind is not None else {}
        for name, part in value.items():
            yield from _leaves(part, inner.get(name))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part, kind.items if kind is not None else None)
    else:
        yield value, kind


def _fixed(kind: ValueType | None, value: Any) -> bool:
    """Whether the tool's own schema shows the value."""
    if kind is None:
        return False
    column = kind.column
    if column.enum is not None or column.const is not None:
        return True
    return column.default is not None and equal(kind.default, value)


def has_token(text: str, wanted: str) -> bool:
    """Whether a value stands in a text as a whole: `12` is not in `2012`, and `C-1` not in `C-10`."""
    at = text.casefold().find(wanted.casefold())
    while at >= 0:
        end = at + len(wanted)
        before, behind = text[at - 1 : at], text[end : end + 1]
        joined_before = before.isalnum() or (before in ("-", ".") and text[max(0, at - 2) : at - 1].isalnum())
        joined_behind = behind.isalnum() or (behind in ("-", ".", ":") and text[end + 1 : end + 2].isalnum())
        if not joined_before and not joined_behind:
            return True
        at = text.casefold().find(wanted.casefold(), at + 1)
    return False


def alike(fact: str, value: str) -> bool:
    """Whether a fact's value gives an argument: the same text whatever the case, or a whole part of it."""
    return folded(fact) == folded(value) or has_token(fact, value)


def _holds(result: Any, text: str) -> bool:
    if isinstance(result, Mapping):
        return any(_holds(v, text) for v in result.values())
    if isinstance(result, list | tuple):
        return any(_holds(v, text) for v in result)
    if isinstance(result, bool) or result is None:
        return False
    return folded(str(result)) == folded(text) or has_token(str(result), text)


def _unknowable(document: Document, flow: _Flow, index: int, name: str, value: Any) -> Finding:
    step = flow.call.steps[index]
    place = (*step.place, "arguments", name)
    late = [f.id for f in flow.call.scenario.caller.facts if alike(f.value, str(value))]
    who = "the caller" if step.action.side == "caller" else "the agent"
    said = f"{who} cannot know {value!r} when {step.action.id} is called"
    if late and flow.told.get(late[0]) is not None:
        moment = flow.told[late[0]] or 0
        after = (
            flow.call.steps[moment].action.id
            if moment < len(flow.call.steps)
            else "a tool that gold never calls"
        )
        said += f": the fact {late[0]!r} is told only after {after}"
        hint = "tell it earlier, or move the action behind it"
    elif late:
        hint = f"tell the fact {late[0]!r} in a line: `tells: [{late[0]}]`"
    else:
        hint = "let the caller tell it as a fact, let an earlier result give it, or derive it with `from:`"
        twins = [f for f in flow.call.scenario.caller.facts if shape_of(f.value) == shape_of(str(value))]
        if twins and any(c.isdecimal() for c in str(value)):
            said += f"; the fact {twins[0].id!r} is {twins[0].value!r}"
            hint = "write one value in both places"
    return document.finding(place, "DK415", said, hint)


def shape_of(text: str) -> str:
    """The look of a value: letters as A, digits as 9. A fact and an argument of one look are meant to be one."""
    return re.sub(r"[0-9]", "9", re.sub(r"[A-Za-z]+", "A", text))


def _facts(document: Document, flow: _Flow, unknown: set[str]) -> Iterator[Finding]:
    """Facts without use. One that looks like an argument that is not known is the other half of that mistake."""
    scenario = flow.call.scenario
    values = [
        str(leaf)
        for step in flow.call.steps
        for value in step.arguments.values()
        for leaf, _ in _leaves(value, None)
        if not isinstance(leaf, bool)
    ]
    derived = " ".join(t for a in scenario.gold.actions for t in a.from_.values())
    replaced = {f.supersedes for f in scenario.caller.facts if f.supersedes}
    useful = [f for f in scenario.caller.facts if not f.distractor]
    for index, fact in enumerate(scenario.caller.facts):
        place: Path_ = ("caller", "facts", index)
        hit = any(alike(fact.value, v) for v in values)
        named = bool(re.search(rf"\bfacts\.{fact.id}\b", derived))
        if fact.distractor:
            shared = any(folded(f.value) == folded(fact.value) for f in useful)
            if fact.used_by or named or (hit and not shared):
                said = f"{fact.id!r} is a distractor, and gold uses it"
                yield document.finding(
                    (*place, "distractor"), "DK418", said, "remove `distractor:`", key=True
                )
        elif shape_of(fact.value) in unknown:
            continue
        elif not (hit or named or fact.used_by or fact.id in replaced):
            said = f"no action of gold rests on the fact {fact.id!r}"
            hint = "name the action in `used_by:`, write `distractor: true`, or leave the fact out"
            yield document.finding((*place, "id"), "DK417", said, hint)


def mentions(scenario: Scenario, text: str) -> bool:
    """Whether the caller may say a text."""
    return any(has_phrase(spoken_line(scenario, said), text) for _, said in words_of(scenario))
