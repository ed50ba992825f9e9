"""Rules on the shape of a call: names inside it, what the caller says and tells, the factors of the reward."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...harness.world.calls import CallScenario
from ...harness.world.slots import fault
from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.scenario import FACTORS, Factor, Gold, Line, Scenario, When
from ...schemas.source import Document, Path_
from ...tts.compare import contains_answer
from ...tts.spoken import is_speakable
from .common import folded
from .markup import emoji, markup
from .speech import cut_by_comment, unspeakable

_FACT = re.compile(r"\{facts\.([a-z][a-z0-9_]*)\}")


def shape_findings(document: Document, scenario: Scenario) -> Iterator[Finding]:
    """What can be said of a scenario without its world."""
    yield from _doubles(document, scenario)
    yield from _names(document, scenario)
    yield from _openings(document, scenario)
    yield from _spoken(document, scenario)
    yield from _told(document, scenario)
    yield from _factors(document, scenario)
    yield from _slots(document, scenario)


def world_findings_of_call(document: Document, call: CallScenario) -> Iterator[Finding]:
    """What the names of a scenario mean in its world."""
    scenario, runtime = call.scenario, call.runtime
    yield from _speakers(document, scenario)
    known = [p.id for p in runtime.world.policies]
    for index, policy in enumerate(scenario.tests):
        if policy not in known:
            yield _unknown(document, ("tests", index), "DK430", "policy", policy, known)
    lines: list[tuple[Path_, When]] = [
        (("caller", "script", i), line.when) for i, line in enumerate(scenario.caller.script)
    ]
    lines += [(("caller", "events", i), event.when) for i, event in enumerate(scenario.caller.events)]
    place: Path_
    for place, when in lines:
        if when.after_tool is not None and when.after_tool not in runtime.tools:
            yield _unknown(
                document, (*place, "when", "after_tool"), "DK419", "tool", when.after_tool, runtime.tools
            )
    for index, line in enumerate(scenario.caller.script):
        if line.does is None:
            continue
        place = ("caller", "script", index, "does")
        tool = runtime.tools.get(line.does.tool)
        if tool is None or tool.spec.side != "caller":
            own = [n for n, t in runtime.tools.items() if t.spec.side == "caller"]
            said = f"the caller has no tool {line.does.tool!r}"
            hint = f"tools of the caller's side: {', '.join(own) or 'none'}"
            yield document.finding((*place, "tool"), "DK419", said, hint)
        else:
            lacking = sorted(tool.required - set(line.does.arguments))
            extra = sorted(set(line.does.arguments) - set(tool.parameters))
            if lacking or extra:
                said = f"{line.does.tool}: " + ", ".join(
                    [*(f"lacks {n!r}" for n in lacking), *(f"takes no {n!r}" for n in extra)]
                )
                yield document.finding(
                    place, "DK404", said, f"parameters: {', '.join(tool.parameters) or 'none'}"
                )


def _doubles(document: Document, scenario: Scenario) -> Iterator[Finding]:
    caller, gold = scenario.caller, scenario.gold
    groups: list[list[tuple[Path_, str]]] = [
        [(("caller", "facts", i, "id"), f.id) for i, f in enumerate(caller.facts)],
        [
            *((("caller", "script", i, "id"), x.id) for i, x in enumerate(caller.script)),
            *((("caller", "events", i, "id"), e.id) for i, e in enumerate(caller.events)),
        ],
        [(("gold", "actions", i, "id"), a.id) for i, a in enumerate(gold.actions)],
        [(("reward", i), f) for i, f in enumerate(scenario.reward)],
    ]
    for group in groups:
        first: dict[str, Path_] = {}
        for place, name in group:
            if name in first:
                line = document.mark(first[name]).line
                said = f"{name!r} stands twice; the first is in line {line}"
                hint = "leave the second out" if place[0] == "reward" else "give each its own name"
                yield document.finding(place, "DK432", said, hint)
            first.setdefault(name, place)


def _names(document: Document, scenario: Scenario) -> Iterator[Finding]:
    caller, gold = scenario.caller, scenario.gold
    facts, actions = [f.id for f in caller.facts], [a.id for a in gold.actions]
    moments = [*(x.id for x in caller.script), *(e.id for e in caller.events)]
    uses: list[tuple[Path_, str, str, list[str]]] = []
    for i, fact in enumerate(caller.facts):
        at: Path_ = ("caller", "facts", i)
        if fact.supersedes is not None:
            others = [f for f in facts if f != fact.id]
            uses.append(((*at, "supersedes"), "fact", fact.supersedes, others))
        uses += [((*at, "used_by", j), "action", a, actions) for j, a in enumerate(fact.used_by)]
    for i, line in enumerate(caller.script):
        at = ("caller", "script", i)
        uses += [((*at, "tells", j), "fact", f, facts) for j, f in enumerate(line.tells)]
        uses += [((*at, "speaks", j), "action", a, actions) for j, a in enumerate(line.speaks)]
        uses += list(_when(line.when, at, facts, moments))
    for i, event in enumerate(caller.events):
        at = ("caller", "events", i)
        uses += [((*at, "tells", j), "fact", f, facts) for j, f in enumerate(event.tells)]
        uses += [((*at, "holds", j), "action", a, actions) for j, a in enumerate(event.holds)]
        uses += list(_when(event.when, at, facts, moments))
    for i, group in enumerate(gold.any_order):
        uses += [(("gold", "any_order", i, j), "action", a, actions) for j, a in enumerate(group)]
    for i, action in enumerate(gold.actions):
        given = list(action.arguments)
        uses += [
            (("gold", "actions", i, "compare", j), "argument", n, given)
            for j, n in enumerate(action.compare or ())
        ]
    for place, what, name, known in uses:
        if name not in known:
            yield _unknown(document, place, "DK419", what, name, known)


def _when(
    when: When, at: Path_, facts: list[str], moments: list[str]
) -> Iterator[tuple[Path_, str, str, list[str]]]:
    if when.asked is not None:
        yield (*at, "when", "asked"), "fact", when.asked, facts
    if when.after_line is not None:
        yield (*at, "when", "after_line"), "line", when.after_line, moments


def _speakers(document: Document, scenario: Scenario) -> Iterator[Finding]:
    sides = {a.id: a.side for a in scenario.gold.actions}
    for i, line in enumerate(scenario.caller.script):
        for j, name in enumerate(line.speaks):
            if sides.get(name) == "agent":
                said = f"{name!r} is an action of the agent's side, whose result the caller does not see"
                yield document.finding(
                    ("caller", "script", i, "speaks", j), "DK419", said, "name a caller's action"
                )


def _unknown(
    document: Document, place: Path_, code: str, what: str, name: str, known: Iterable[str]
) -> Finding:
    options = list(known)
    near = did_you_mean(name, options)
    hint = f"did you mean {near}?" if near else f"known: {', '.join(options) or 'none'}"
    return document.finding(place, code, f"there is no {what} {name!r}", hint)


def _openings(document: Document, scenario: Scenario) -> Iterator[Finding]:
    script = scenario.caller.script
    starts = [i for i, line in enumerate(script) if line.when.start]
    if not starts:
        yield document.finding(
            ("caller", "script"), "DK431", "nobody begins: no line has `start: true`", "", key=True
        )
    for index in starts[1:]:
        said = f"two lines begin the call; the first is {script[starts[0]].id!r}"
        yield document.finding(("caller", "script", index, "when"), "DK431", said, "give it another moment")
    agent_acts = any(a.side == "agent" for a in scenario.gold.actions)
    for index, line in enumerate(script):
        if line.hangs_up and agent_acts and not _has_room(line, {x.id: x for x in script}, set()):
            said = "the caller may hang up before the agent has done anything"
            hint = "let it come `after_tool` of the last write, or when `agent_says` that it is done"
            yield document.finding(("caller", "script", index, "hangs_up"), "DK431", said, hint, key=True)


def _has_room(line: Line, lines: dict[str, Line], seen: set[str]) -> bool:
    """Whether something of the agent's comes before a line: a tool that succeeded, or words of the agent."""
    when = line.when
    if when.after_tool is not None or when.agent_says is not None:
        return True
    if when.after_line is not None and line.id not in seen:
        # A line that is not there has a finding of its own.
        before = lines.get(when.after_line)
        return before is None or _has_room(before, lines, {*seen, line.id})
    return False


def words_of(scenario: Scenario) -> Iterator[tuple[Path_, str]]:
    """Everything that the caller may say, with its place."""
    for i, fact in enumerate(scenario.caller.facts):
        if fact.say is not None:
            yield ("caller", "facts", i, "say"), fact.say
    for i, line in enumerate(scenario.caller.script):
        yield ("caller", "script", i, "say"), line.say
        for j, other in enumerate(line.alternatives):
            yield ("caller", "script", i, "alternatives", j), other
    for i, event in enumerate(scenario.caller.events):
        if event.say is not None:
            yield ("caller", "events", i, "say"), event.say


def _spoken(document: Document, scenario: Scenario) -> Iterator[Finding]:
    facts = {f.id for f in scenario.caller.facts}
    for place, text in words_of(scenario):
        bare = _FACT.sub("something", text)
        if not is_speakable(bare):
            yield unspeakable(document, place, text)
            continue
        if (piece := markup(bare) or emoji(bare)) is not None:
            yield document.finding(place, "DK261", piece, "write only what is said, as it is said")
        if (cut := cut_by_comment(document, place)) is not None:
            yield cut
        for name in _FACT.findall(text):
            if name not in facts:
                yield _unknown(document, place, "DK419", "fact", name, sorted(facts))


def spoken_line(scenario: Scenario, text: str) -> str:
    """A line with its facts as they are said."""
    facts = {f.id: f.say or f.value for f in scenario.caller.facts}
    return _FACT.sub(lambda m: facts.get(m[1], m[0]), text)


def _told(document: Document, scenario: Scenario) -> Iterator[Finding]:
    caller = scenario.caller
    lines = [
        (("caller", "script", i), x.tells, (x.say, *x.alternatives)) for i, x in enumerate(caller.script)
    ]
    events = [(("caller", "events", i), e.tells, (e.say or "",)) for i, e in enumerate(caller.events)]
    told = {name for _, tells, _ in (*lines, *events) for name in tells}
    opening = {n for x in caller.script if x.when.start for n in x.tells}
    begins = any(x.when.start for x in caller.script)
    facts = {f.id: f for f in caller.facts}
    place: Path_
    for index, fact in enumerate(caller.facts):
        place = ("caller", "facts", index, "id")
        if fact.id not in told:
            said = f"no line and no event tells the fact {fact.id!r}"
            yield document.finding(place, "DK416", said, f"write `tells: [{fact.id}]` where it is said")
        elif fact.reveal == "opening" and begins and fact.id not in opening:
            said = f"{fact.id!r} is revealed in the opening, and the first line does not tell it"
            yield document.finding(
                ("caller", "facts", index, "reveal"), "DK416", said, "tell it there, or `reveal: asked`"
            )
    for place, tells, texts in (*lines, *events):
        for j, name in enumerate(tells):
            entry = facts.get(name)
            if entry is not None and not _says(entry.value, entry.say, f"{{facts.{name}}}", texts[0]):
                said = f"the words do not say {name!r} ({entry.say or entry.value})"
                hint = f"say it as `say:` of the fact does, or write {{facts.{name}}}"
                yield document.finding((*place, "tells", j), "DK435", said, hint)


def _says(value: str, say: str | None, hole: str, text: str) -> bool:
    if hole in text:
        return True
    if say is not None and folded(say) in folded(text):
        return True
    return contains_answer(text, (value, *((say,) if say is not None else ())))


_PARTS: tuple[tuple[Factor, str], ...] = (
    ("say", "say"),
    ("never_say", "never_say"),
    ("assert", "assert"),
    ("forbid", "forbid"),
    ("claims", "claims"),
)


def _given(gold: Gold) -> dict[Factor, Path_ | None]:
    """Which factors have something to check, and where it stands."""
    given: dict[Factor, Path_ | None] = {}
    for factor, key in _PARTS:
        entries = getattr(gold, f"{key}_" if key == "assert" else key)
        given[factor] = ("gold", key) if entries else None
    required = next((i for i, a in enumerate(gold.actions) if a.required), None)
    given["actions"] = None if required is None else ("gold", "actions", required, "required")
    frozen = ("gold", "state") if gold.state is not None else ("gold", "any_of") if gold.any_of else None
    given["state"] = frozen or (("gold", "expects") if gold.expects else None)
    return given


def _factors(document: Document, scenario: Scenario) -> Iterator[Finding]:
    given, gold = _given(scenario.gold), scenario.gold
    for index, factor in enumerate(scenario.reward):
        if given[factor] is None and factor != "state":
            key = "actions with `required: true`" if factor == "actions" else f"`gold.{factor}`"
            said = f"the reward names {factor!r}, and there is nothing to check"
            yield document.finding(("reward", index), "DK409", said, f"add {key}, or remove the factor")
    for factor in FACTORS:
        place = given[factor]
        if place is not None and factor not in scenario.reward:
            said = f"`{'.'.join(str(p) for p in place if isinstance(p, str))}` is never evaluated: the reward lacks {factor!r}"
            yield document.finding(place, "DK410", said, f"add {factor} to `reward:`", key=True)
    beside = set(scenario.reward) - {"state"}
    if beside == {"claims"}:
        said = "only a judge would decide beside the state"
        place = ("reward", scenario.reward.index("claims"))
        yield document.finding(
            place, "DK411", said, "add a factor that is computed: say, assert, forbid or actions"
        )
    if gold.expects == "no_change" and not beside - {"claims"}:
        said = "the right end is the seed, so the state alone is met by doing nothing"
        yield document.finding(
            ("reward",), "DK414", said, "add say, never_say, assert, forbid or actions", key=True
        )


def _slots(document: Document, scenario: Scenario) -> Iterator[Finding]:
    wanted = [(s.kind, folded(s.value)) for s in scenario.gold.say]
    for index, slot in enumerate(scenario.gold.never_say):
        if (slot.kind, folded(slot.value)) in wanted:
            line = document.mark(("gold", "say", wanted.index((slot.kind, folded(slot.value))))).line
            told = f"{slot.value!r} is to be said (line {line}) and never to be said"
            yield document.finding(
                ("gold", "never_say", index, "value"), "DK436", told, "remove one of the two"
            )
    for key in ("say", "never_say"):
        for index, slot in enumerate(getattr(scenario.gold, key)):
            said = fault(slot)
            if said is not None:
                yield document.finding(("gold", key, index, "value"), "DK425", said, "")
