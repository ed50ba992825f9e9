"""Rules on what the caller says of the call: the result that a line tells, and a wish that is no order to the agent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...harness.world.calls import CallScenario, Replay
from ...schemas.diagnostics import Finding
from ...schemas.source import Document, Path_
from ...tts.codes import spells
from ...tts.compare import contains_answer, spoken_tokens
from .calls import spoken_line, words_of
from .common import folded
from .knowable import has_token

_NEAR = 4
"""How many other words may stand between two words of a tool's name for the name still to be said."""


def word_findings(document: Document, call: CallScenario, done: Replay) -> Iterator[Finding]:
    """What the caller's words say that they should not, or do not say that they should."""
    yield from _results_told(document, call, done)
    yield from _operations(document, call)
    yield from _enum_words(document, call)


def _results_told(document: Document, call: CallScenario, done: Replay) -> Iterator[Finding]:
    """A line that tells the result of something that the caller did says at least one value of it."""
    results = done.results()
    for index, line in enumerate(call.scenario.caller.script):
        for name in line.speaks:
            values = [v for v in _texts(results.get(name)) if spoken_tokens(v)]
            text = spoken_line(call.scenario, line.say)
            if values and not any(_tells(text, v) for v in values):
                said = f"the words say nothing of what {name!r} gave ({', '.join(values[:3])})"
                place = ("caller", "script", index, "say")
                yield document.finding(place, "DK435", said, "say a value of the result")


def _tells(text: str, value: str) -> bool:
    """Whether words say a value of a result: as it stands, in other words, or spelled out where it is a code."""
    if has_token(text, value) or contains_answer(text, [value]):
        return True
    return any(c.isdecimal() for c in value) and spells(text, value)


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [t for v in value.values() for t in _texts(v)]
    if isinstance(value, list | tuple):
        return [t for v in value for t in _texts(v)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


def _operations(document: Document, call: CallScenario) -> Iterator[Finding]:
    """Callers say what they noticed: no tool's name, no key of a record that they do not know."""
    scenario, tools = call.scenario, call.runtime.tools
    facts = {folded(t) for f in scenario.caller.facts for t in (f.value, f.say or "")}
    keys = {k for t in call.runtime.tables for k in call.start().keys(t) if re.match(r"[A-Z]+-\d", k)}
    written = {
        s.action.tool
        for s in call.steps
        if tools[s.action.tool].spec.effect == "write" and s.action.side == "agent"
    }
    texts = [
        (("caller", "reason"), scenario.caller.reason),
        (("caller", "goal"), scenario.caller.goal),
        *words_of(scenario),
    ]
    starts = {("caller", "script", i, "say") for i, x in enumerate(scenario.caller.script) if x.when.start}
    for place, text in texts:
        said = next((n for n in tools if "_" in n and re.search(rf"\b{n}\b", text)), None)
        said = said or next((k for k in sorted(keys) if has_token(text, k) and folded(k) not in facts), None)
        if said is None and (place == ("caller", "reason") or place in starts):
            said = next((n for n in sorted(written) if _names_tool(text, n)), None)
        if said is not None:
            told = f"the caller speaks of {said!r} as one who knows the system"
            yield document.finding(
                place, "DK437", told, "say what they noticed, and let the agent find what to do"
            )


def _names_tool(text: str, tool: str) -> bool:
    """Whether all words of a tool's name come in its order, close together: "lock my card" for lock_card."""
    parts = tool.split("_")
    if len(parts) < 2:
        return False
    gap = rf"\W+(?:\w+\W+){{0,{_NEAR}}}?"
    return bool(re.search(rf"\b{gap.join(map(re.escape, parts))}\b", text.casefold()))


def _enum_words(document: Document, call: CallScenario) -> Iterator[Finding]:
    """An argument of a few words where the caller's own word for it is another of them."""
    for step in call.steps:
        tool = call.runtime.tools[step.action.tool]
        facts = [f for f in call.scenario.caller.facts if step.action.id in f.used_by and not f.distractor]
        for name, value in step.arguments.items():
            options = [v for v in tool.parameters[name].enum or () if isinstance(v, str)]
            if value not in options:
                continue
            for fact in facts:
                text = f"{fact.value} {fact.say or ''}"
                named = [o for o in options if has_token(text, o) or has_token(text, o.replace("_", " "))]
                if named and value not in named:
                    place: Path_ = (*step.place, "arguments", name)
                    said = f"the caller's fact {fact.id!r} names {', '.join(named)}, and gold takes {value!r}"
                    yield document.finding(place, "DK427", said, "let the caller say which one is meant")
