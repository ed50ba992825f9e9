"""The rule of agreement: dates, amounts, ids and names mean the same in the story, the facts, gold and the world."""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ...harness.world.calls import CallScenario, Replay
from ...harness.world.state import thaw
from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.persona import Persona
from ...schemas.source import Document, Path_
from ...schemas.values import is_date, is_money
from ...tts.compare import amounts_in, spoken_tokens
from ...tts.lexicon import MONTHS_EN
from .calls import spoken_line, words_of
from .common import folded

_MONTHS = {m.lower(): n for n, m in enumerate(MONTHS_EN, start=1)}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_DAYS = {
    name: day
    for day, name in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        start=1,
    )
} | {"thirtieth": 30}
_FACT = re.compile(r"\{facts\.[a-z][a-z0-9_]*\}")
_CENTS = re.compile(r"(?<![\d.,])\d+\.\d{2}(?![\d.])")
_ISO = re.compile(r"(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])")
_SAID_NAME = re.compile(r"\b(?i:my name is|my name's|this is|name's|i'm called)\s+((?:[A-Z][\w'’-]+\s?)+)")
_CALLED = re.compile(r"\b((?:has_)?[a-z][a-z0-9_]*)\((?:'([^']*)'|\"([^\"]*)\")\)")
_DIGIT_WORDS = {
    w: str(n) for n, w in enumerate("zero one two three four five six seven eight nine".split())
} | {"oh": "0", "o": "0"}


@dataclass(frozen=True)
class _Known:
    """What the call is about: days (with their year), amounts, and the keys of all rows before and after."""

    days: frozenset[datetime.date]
    amounts: frozenset[Decimal]
    keys: frozenset[str]
    shapes: tuple[re.Pattern[str], ...]
    """How keys look, by the keys that there are."""


def literal_findings(
    document: Document, call: CallScenario, done: Replay, persona: Persona | None
) -> Iterator[Finding]:
    """Dates, amounts, ids and names in words that nothing in the call knows, and facts said as something else."""
    known = _known(call, done)
    for place, text in story(call):
        yield from _in_text(document, place, text, known)
    if persona is not None:
        for said in _strangers(persona.manner, known):
            told = f"the persona {persona.id!r} speaks of {said}, of which this call knows nothing"
            yield document.finding(("persona",), "DK426", told, "keep facts of a call out of personas")
    yield from _expressions(document, call, done)
    yield from _facts(document, call)
    yield from _names(document, call)
    yield from _slots(document, call, done, known)


def story(call: CallScenario) -> Iterator[tuple[Path_, str]]:
    """Every text of a scenario that people read or hear, with its place; how facts are said is looked at apart."""
    scenario = call.scenario
    if scenario.title:
        yield ("title",), scenario.title
    yield ("purpose",), scenario.purpose
    yield ("caller", "reason"), scenario.caller.reason
    yield ("caller", "goal"), scenario.caller.goal
    for place, text in words_of(scenario):
        if "facts" not in place:
            yield place, _FACT.sub(" ", text)
    for i, condition in enumerate(scenario.gold.assert_):
        yield ("gold", "assert", i, "because"), condition.because
    for i, entry in enumerate(scenario.gold.forbid):
        yield ("gold", "forbid", i, "because"), entry.because
    for i, other in enumerate(scenario.gold.any_of):
        yield ("gold", "any_of", i, "because"), other.because
    for i, claim in enumerate(scenario.gold.claims):
        yield ("gold", "claims", i), claim
    for key in ("say", "never_say"):
        for i, slot in enumerate(getattr(scenario.gold, key)):
            if slot.about:
                yield ("gold", key, i, "about"), slot.about


def _known(call: CallScenario, done: Replay) -> _Known:
    scenario, runtime = call.scenario, call.runtime
    texts: list[str] = [f.value for f in scenario.caller.facts]
    texts += [f.say for f in scenario.caller.facts if f.say and not is_date(f.value)]
    texts += [s.value for s in scenario.gold.never_say]
    texts += [runtime.world.now, runtime.world.brief, *(p.text for p in runtime.world.policies)]
    texts += _scalars([s.arguments for s in call.steps])
    texts += _scalars([c.result for c in done.calls])
    texts += _scalars([dict(f) for f in call.forbidden])
    for view in (done.start, done.end):
        touched = [
            row for _, _, before, after in view.touched() for row in (before, after) if row is not None
        ]
        texts += _scalars([thaw(row) for row in touched])
    texts += _scalars(_rows_named(call, done, texts))
    keys = {key for view in (done.start, done.end) for table in runtime.tables for key in view.keys(table)}
    days = {d for t in texts for d in _days(t, None)}
    amounts = {Decimal(t) for t in texts if is_money(t)} | {m.amount for t in texts for m in amounts_in(t)}
    return _Known(frozenset(days), frozenset(amounts), frozenset(keys), _shapes(keys))


def _rows_named(call: CallScenario, done: Replay, texts: Iterable[str]) -> list[Any]:
    """The rows whose keys the call names."""
    wanted = set(texts)
    rows = []
    for table in call.runtime.tables:
        for key in wanted & set(done.start.keys(table)):
            rows.append(thaw(done.start.row(table, key) or {}))
    return rows


def _scalars(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [t for v in value.values() for t in _scalars(v)]
    if isinstance(value, list | tuple):
        return [t for v in value for t in _scalars(v)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


def _shapes(keys: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """For keys such as CRD-7731: letters, a hyphen, digits or letters."""
    prefixes = {found[0] for k in keys if (found := re.match(r"[A-Z]{1,6}-", k))}
    return tuple(
        re.compile(rf"(?<![A-Za-z0-9-]){re.escape(p)}[A-Z0-9]+(?:-[A-Z0-9]+)*(?![A-Za-z0-9])")
        for p in sorted(prefixes)
    )


def _days(text: str, year: int | None) -> Iterator[datetime.date]:
    """The days that a text names with a month. Without a year: that of `year`, or none."""
    for found in _ISO.findall(text):
        if is_date(found):
            yield datetime.date.fromisoformat(found)
    for found in re.findall(r"\d{4}-\d{2}-\d{2}(?=T)", text):
        if is_date(found):
            yield datetime.date.fromisoformat(found)
    for month, day, said in _month_days(text):
        use = said or year
        if use is not None:
            try:
                yield datetime.date(use, month, day)
            except ValueError:
                continue


def _month_days(text: str) -> Iterator[tuple[int, int, int | None]]:
    """Month, day and year as far as said, of each spoken date in a text."""
    if not any(m in text.casefold() for m in _MONTHS):
        return
    tokens = spoken_tokens(text)
    for at, token in enumerate(tokens):
        month = _MONTHS.get(token) if isinstance(token, str) else None
        if month is None:
            continue
        day, end = _day_at(tokens, at + 1)
        if day is None:
            continue
        following = tokens[end : end + 2]
        year = None
        if following and isinstance(following[0], Decimal) and 1900 <= following[0] <= 2100:
            year = int(following[0])
        elif len(following) == 2 and all(isinstance(t, Decimal) and 10 <= t <= 99 for t in following):
            year = int(f"{following[0]}{following[1]}")
        yield month, day, year


def _day_at(tokens: tuple[Any, ...], at: int) -> tuple[int | None, int]:
    if at < len(tokens) and tokens[at] == "the":
        at += 1
    if at >= len(tokens):
        return None, at
    token = tokens[at]
    if isinstance(token, Decimal):
        tail = _DAYS.get(str(tokens[at + 1])) if at + 1 < len(tokens) else None
        if token in (20, 30) and tail is not None and tail < 10:
            return int(token) + tail, at + 2
        return (int(token), at + 1) if 1 <= token <= 31 and token == int(token) else (None, at)
    return (_DAYS[token], at + 1) if token in _DAYS else (None, at)


def _strangers(text: str, known: _Known) -> Iterator[str]:
    """Days, amounts and ids of a text that are not known."""
    in_words = {(m, d) for m, d, year in _month_days(text) if year is None}
    for month, day in sorted(in_words - {(k.month, k.day) for k in known.days}):
        yield f"{MONTHS_EN[month - 1]} {day}"
    for whole in sorted(set(_days(text, None)) - known.days):
        yield whole.isoformat()
    amounts = [m.amount for m in amounts_in(text)] + [Decimal(t) for t in _CENTS.findall(text)]
    for amount in sorted(set(amounts) - known.amounts):
        yield f"the amount {amount}"
    for shape in known.shapes:
        for found in shape.findall(text):
            if found not in known.keys:
                yield f"the id {found}"


def _in_text(document: Document, place: Path_, text: str, known: _Known) -> Iterator[Finding]:
    for said in _strangers(text, known):
        told = f"this speaks of {said}, of which no fact, gold argument or record of the call knows"
        yield document.finding(place, "DK426", told, "write the one that the call is about, or add a fact")


def _expressions(document: Document, call: CallScenario, done: Replay) -> Iterator[Finding]:
    texts: list[tuple[Path_, str]] = [
        (("caller", "wants", i), t) for i, t in enumerate(call.scenario.caller.wants)
    ]
    texts += [(("gold", "assert", i, "that"), c.that) for i, c in enumerate(call.scenario.gold.assert_)]
    for place, text in texts:
        for name, one, other in _CALLED.findall(text):
            table, key = name.removeprefix("has_"), one or other
            if table not in call.runtime.tables:
                continue
            keys = {*done.start.keys(table), *done.end.keys(table)}
            if key not in keys:
                near = did_you_mean(key, keys)
                hint = f"did you mean {near}?" if near else "name a row of the world, the patch or gold"
                yield document.finding(place, "DK426", f"{table} has no {key!r}, before or after gold", hint)


def _facts(document: Document, call: CallScenario) -> Iterator[Finding]:
    """Facts that are said as another day, another amount or other digits than they are."""
    for index, fact in enumerate(call.scenario.caller.facts):
        said = fact.say
        if said is None:
            continue
        wrong = None
        if is_date(fact.value):
            wrong = _other_day(said, datetime.date.fromisoformat(fact.value))
        elif is_money(fact.value):
            wrong = _other_amount(said, Decimal(fact.value))
        elif re.fullmatch(r"[0-9]{3,}", fact.value):
            wrong = _other_digits(said, fact.value)
        if wrong is not None:
            told = f"{fact.id!r} is {fact.value} and is said as {wrong}"
            yield document.finding(("caller", "facts", index, "say"), "DK426", told, "say the value")


def _other_day(said: str, day: datetime.date) -> str | None:
    lower = said.casefold()
    for number, name in enumerate(_WEEKDAYS):
        if re.search(rf"\b{name}\b", lower) and number != day.weekday():
            return f"a {name.capitalize()}; it is a {_WEEKDAYS[day.weekday()].capitalize()}"
    for month, number, year in _month_days(said):
        if (month, number) != (day.month, day.day) or year not in (None, day.year):
            return f"{MONTHS_EN[month - 1]} {number}" + (f", {year}" if year else "")
    if not any(m in lower for m in _MONTHS):
        tokens = spoken_tokens(said)
        for at, token in enumerate(tokens):
            if isinstance(token, str) and token in _DAYS:
                before = tokens[at - 1] if at else None
                value = _DAYS[token] + (
                    int(before) if before in (Decimal(20), Decimal(30)) and _DAYS[token] < 10 else 0
                )
                return None if value == day.day else f"the {value}."
    return None


def _other_amount(said: str, amount: Decimal) -> str | None:
    named = amounts_in(said)
    if not named or any(m.amount == amount for m in named):
        return None
    return str(named[0].amount)


def _other_digits(said: str, digits: str) -> str | None:
    """The digits that are said one by one, where they are others."""
    words = re.findall(r"[a-z]+|[0-9]", said.casefold())
    spoken, doubled = "", 1
    for word in words:
        if word in ("double", "triple"):
            doubled = 2 if word == "double" else 3
            continue
        digit = word if word.isdigit() else _DIGIT_WORDS.get(word)
        if digit is None:
            return None
        spoken += digit * doubled
        doubled = 1
    return None if spoken == digits else spoken


def _slots(document: Document, call: CallScenario, done: Replay, known: _Known) -> Iterator[Finding]:
    """Amounts and days that the agent is to say and that nothing in the call gives, not even by one sum."""
    told = [Decimal(t) for c in done.calls for t in _scalars(c.result) if is_money(t)]
    sums = {a + b for a, b in itertools.combinations(told, 2)}
    sums |= {abs(a - b) for a, b in itertools.combinations(told, 2)}
    for index, slot in enumerate(call.scenario.gold.say):
        place = ("gold", "say", index, "value")
        if slot.kind == "money" and is_money(slot.value) and Decimal(slot.value) not in known.amounts | sums:
            said = f"no result of gold, no fact and no clause gives the amount {slot.value}"
            yield document.finding(place, "DK426", said, "say what the call gives")
        day = datetime.date.fromisoformat(slot.value) if slot.kind == "date" and is_date(slot.value) else None
        if day is not None and day not in known.days:
            said = f"no result of gold, no fact and no clause gives the day {slot.value}"
            yield document.finding(place, "DK426", said, "say what the call gives")


def _names(document: Document, call: CallScenario) -> Iterator[Finding]:
    """A caller who introduces themselves under another name."""
    scenario = call.scenario
    known = set(re.findall(r"[\w'’-]+", folded(scenario.caller.name)))
    known |= {
        w
        for f in scenario.caller.facts
        for t in (f.value, f.say or "")
        for w in re.findall(r"[\w'’-]+", folded(t))
    }
    for place, text in words_of(scenario):
        for found in _SAID_NAME.findall(spoken_line(scenario, text)):
            strange = [w for w in re.findall(r"[\w'’-]+", found) if folded(w) not in known]
            if strange and len(strange) == len(found.split()):
                told = f"the caller says the name {found.strip()!r}, and is called {scenario.caller.name!r}"
                yield document.finding(place, "DK426", told, "use one name")
