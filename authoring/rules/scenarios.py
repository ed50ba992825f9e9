"""All rules on a scenario, in the order of what they need: its shape, its world, the replay of its gold."""

from __future__ import annotations

from collections.abc import Iterator

from ...harness.world.calls import load_call, replay
from ...schemas.diagnostics import Finding
from ...schemas.scenario import Scenario
from ...schemas.source import Document
from ...schemas.world import World
from ..library import Library
from .calls import shape_findings, world_findings_of_call
from .expressions import call_expression_findings
from .gold import gold_findings
from .knowable import knowable_findings
from .literals import literal_findings
from .records import record_findings
from .types import type_findings
from .words import word_findings
from .worlds import evaluator_words, seed_texts


def scenario_findings(document: Document, scenario: Scenario, library: Library) -> Iterator[Finding]:
    """Everything that the rules say of one scenario."""
    yield from shape_findings(document, scenario)
    persona = library.persona(document, scenario.persona)
    if persona is None:
        said = f"there is no persona {scenario.persona!r}"
        yield document.finding(("persona",), "DK402", said, library.persona_hint(scenario.persona))
    loaded = library.world(document, scenario.world)
    if loaded is None:
        said = f"there is no world {scenario.world!r}"
        yield document.finding(("world",), "DK401", said, library.world_hint(scenario.world))
        return
    if loaded.runtime is None or loaded.findings:
        first = loaded.findings[0]
        said = f"the world {loaded.world.id!r} has findings, the first at {first.path}:{first.line}"
        yield document.finding(("world",), "DK401", said, "mend the world first")
        return
    yield from _leaks(document, scenario, loaded.world)
    call, problems = load_call(document, scenario, loaded.runtime)
    yield from problems
    if call is None:
        return
    yield from world_findings_of_call(document, call)
    if problems:
        return
    done = replay(call)
    gold = list(gold_findings(document, call, done))
    yield from gold
    if done.failures():
        return
    yield from knowable_findings(document, call, done)
    yield from literal_findings(document, call, done, persona)
    yield from record_findings(document, call, done)
    yield from word_findings(document, call, done)
    yield from call_expression_findings(document, call)
    types = library.types()
    if types is not None:
        yield from type_findings(document, call, done, types)


def _leaks(document: Document, scenario: Scenario, world: World) -> Iterator[Finding]:
    for place, text in seed_texts(scenario.seed, ("seed",), world):
        said = evaluator_words(text, record=True)
        if said is not None:
            hint = "say what a record of that kind would say, and let the rules decide"
            yield document.finding(place, "DK434", f"{said!r} gives the answer away", hint)
