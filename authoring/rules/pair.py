"""The pair: where its words stand, the name in the explicit form, the cue in the implicit one."""

from __future__ import annotations

from collections.abc import Iterator

from ...schemas.diagnostics import Finding
from ..words import find_run, mentioned, words
from .base import Rule, Subject


def pair_turns(subject: Subject) -> Iterator[Finding]:
    """DK220: `pair.turn` is the T; `pair.before` is the turn directly before it; the cue is in one of them."""
    scene, pair = subject.scene, subject.scene.pair
    tagged = {t.id: t.tag for t in scene.turns}
    if pair.turn not in tagged:
        yield subject.finding(
            ("pair", "turn"), "DK220", f"no turn has the id {pair.turn!r}", "name the T turn"
        )
    elif tagged[pair.turn] != "T":
        message = f"turn {pair.turn} is tagged {tagged[pair.turn]}, not T"
        yield subject.finding(("pair", "turn"), "DK220", message, "name the T turn")
    if pair.before is not None and pair.turn in subject.positions:
        at = subject.positions[pair.turn] - 1
        before = scene.turns[at].id if at >= 0 else None
        if pair.before.turn != before:
            message = f"{pair.before.turn!r} is not the turn directly before {pair.turn}"
            hint = f"only that turn may carry the cue: {before}" if before else "there is no turn before it"
            yield subject.finding(("pair", "before", "turn"), "DK220", message, hint)
    carriers = [pair.turn, *([pair.before.turn] if pair.before else [])]
    if pair.cue.turn not in carriers:
        message = f"the cue's turn {pair.cue.turn!r} has no two forms"
        hint = f"one of: {', '.join(carriers)}; a cue in the turn before needs `pair.before`"
        yield subject.finding(("pair", "cue", "turn"), "DK220", message, hint)
    elif pair.before is not None and pair.cue.turn == pair.turn:
        hint = "put the cue's turn there, or give that turn its text back"
        yield subject.finding(
            ("pair", "before"), "DK220", "the turn before differs but carries no cue", hint, key=True
        )


def words_stand_once(subject: Subject) -> Iterator[Finding]:
    """DK221: the turns of the pair have no `text`; every other turn has one."""
    pair = subject.scene.pair
    carriers = {pair.turn, *([pair.before.turn] if pair.before else [])}
    for n, turn in enumerate(subject.scene.turns):
        if turn.id in carriers and turn.text is not None:
            message = f"the words of turn {turn.id} stand in `pair`"
            yield subject.finding(("turns", n, "text"), "DK221", message, "remove `text` here", key=True)
        elif turn.id not in carriers and turn.text is None:
            hint = "add `text:`" if turn.tag != "T" else "add `text:`, or make it the turn of the pair"
            yield subject.finding(("turns", n), "DK221", f"turn {turn.id} has no words", hint)


def name_makes_explicit(subject: Subject) -> Iterator[Finding]:
    """DK222: the explicit request names the assistant. DK223: the implicit one does not."""
    pair, name = subject.scene.pair, subject.scene.assistant.name
    if mentioned(pair.explicit, subject.names) is None:
        message = f"the explicit request does not name the assistant ({', '.join(subject.names)})"
        yield subject.finding(("pair", "explicit"), "DK222", message, f"address {name} by name")
    found = mentioned(pair.implicit, subject.names)
    if found is not None:
        message = f"the implicit request names the assistant ({found})"
        yield subject.finding(
            ("pair", "implicit"), "DK223", message, "point at it by what or where it is instead"
        )


def cue_points(subject: Subject) -> Iterator[Finding]:
    """DK224: the cue's words stand in the implicit form of its turn and not in the explicit form."""
    pair = subject.scene.pair
    carrier = pair if pair.cue.turn == pair.turn else pair.before
    if carrier is None or carrier.turn != pair.cue.turn:
        return
    cue = words(pair.cue.words)
    place = ("pair", "cue", "words")
    if not cue:
        yield subject.finding(
            place, "DK224", "the cue has no words", "write the words that point at the assistant"
        )
    elif find_run(words(carrier.implicit), cue) is None:
        message = f"the cue {pair.cue.words!r} does not stand in the implicit form of {carrier.turn}"
        yield subject.finding(place, "DK224", message, "copy the words as they are spoken there")
    elif find_run(words(carrier.explicit), cue) is not None:
        message = f"the cue {pair.cue.words!r} stands in the explicit form of {carrier.turn} too"
        yield subject.finding(
            place, "DK224", message, "a cue makes the difference: take it out of the explicit form"
        )
    if mentioned(pair.cue.words, subject.names):
        yield subject.finding(place, "DK224", "the cue names the assistant", "a cue points without the name")


def not_a_bare_deletion(subject: Subject) -> Iterator[Finding]:
    """DK225: an implicit request that only lacks the name needs its cue in the turn before."""
    pair = subject.scene.pair
    if words(pair.explicit) == words(pair.implicit):
        message = "both forms of the request have the same words"
        yield subject.finding(("pair", "implicit"), "DK225", message, "leave the name out and add a cue")
        return
    if pair.cue.turn != pair.turn:
        return
    if _without(words(pair.explicit), [words(n) for n in subject.names]) == words(pair.implicit):
        message = "the implicit request is the explicit one without the name; it could be for a human"
        hint = "add words that point at the assistant, or put the cue in the turn before"
        yield subject.finding(("pair", "implicit"), "DK225", message, hint)


def before_differs(subject: Subject) -> Iterator[Finding]:
    """DK226: a cue turn before the request has two different forms."""
    before = subject.scene.pair.before
    if before is not None and words(before.explicit) == words(before.implicit):
        message = f"both forms of turn {before.turn} have the same words"
        yield subject.finding(
            ("pair", "before", "implicit"), "DK226", message, "add the cue, or drop `pair.before`"
        )


def _without(spoken: list[str], names: list[list[str]]) -> list[str]:
    rest = list(spoken)
    for name in sorted(names, key=len, reverse=True):
        while (at := find_run(rest, name)) is not None:
            del rest[at : at + len(name)]
    return rest


RULES: tuple[Rule, ...] = (
    pair_turns,
    words_stand_once,
    name_makes_explicit,
    cue_points,
    not_a_bare_deletion,
    before_differs,
)
