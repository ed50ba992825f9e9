"""Addressing: whom a turn is for, and whether it names the assistant, as its tag demands."""

from __future__ import annotations

from collections.abc import Iterator

from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.scene import ASSISTANT, Turn
from ..words import mentioned
from .base import Rule, Subject


def known_addressees(subject: Subject) -> Iterator[Finding]:
    """DK210: `to` is a speaker, a device or the assistant, and never the one who speaks."""
    known = {*subject.humans, *subject.devices, ASSISTANT}
    for n, turn in enumerate(subject.scene.turns):
        place = ("turns", n, "to")
        if turn.to is not None and turn.to not in known:
            near = did_you_mean(turn.to, known)
            hint = f"did you mean {near}?" if near else f"one of: {', '.join(sorted(known))}"
            yield subject.finding(place, "DK210", f"unknown addressee {turn.to!r}", hint)
        elif turn.to == turn.speaker:
            hint = "leave `to` out and tag it N3 when it is for nobody"
            yield subject.finding(place, "DK210", f"turn {turn.id} is for the one who speaks it", hint)


def addressee_fits_tag(subject: Subject) -> Iterator[Finding]:
    """DK211: T and N4_Q are for the assistant, N2 for another human or a device, N3 for nobody."""
    for n, turn in enumerate(subject.scene.turns):
        wanted = _wrong_addressee(subject, turn)
        if wanted is not None:
            place = ("turns", n, "to") if turn.to is not None else ("turns", n)
            has = f"is for {turn.to!r}" if turn.to is not None else "has no `to`"
            yield subject.finding(place, "DK211", f"turn {turn.id} is tagged {turn.tag} and {has}", wanted)


def _wrong_addressee(subject: Subject, turn: Turn) -> str | None:
    """What to write instead, or None where the addressee fits; unknown ones are left to DK210."""
    to, human_or_nobody = turn.to, turn.to is None or turn.to in subject.humans
    if to is not None and to not in {*subject.humans, *subject.devices, ASSISTANT}:
        return None
    if turn.tag in ("T", "N4_Q"):
        return None if to == ASSISTANT else "write `to: assistant`"
    if turn.tag == "N2":
        fits = to in subject.humans or to in subject.devices
        return (
            None
            if fits
            else "an N2 is for another human or a device: name it, or tag it N3 when it is for nobody"
        )
    if turn.tag == "N3":
        return None if to is None else "an N3 is for nobody: leave `to` out, or tag it N2"
    return None if human_or_nobody else f"an {turn.tag} is for a human or nobody"


def mention_fits_tag(subject: Subject) -> Iterator[Finding]:
    """DK212: an N1 names the assistant. DK213: an N2 or N3 does not. In both forms of a turn."""
    name = subject.scene.assistant.name
    for n, turn in enumerate(subject.scene.turns):
        for spoken in subject.spoken(n):
            found = mentioned(spoken.text, subject.names)
            if turn.tag == "N1" and found is None:
                hint = f"let it name {name}, or tag it N2 or N3"
                yield subject.finding(
                    spoken.place, "DK212", f"turn {turn.id} is tagged N1 and names nobody", hint
                )
            elif turn.tag in ("N2", "N3") and found is not None:
                message = f"turn {turn.id} is tagged {turn.tag} and names the assistant ({found})"
                yield subject.finding(spoken.place, "DK213", message, "tag it N1, or take the name out")


def names_are_apart(subject: Subject) -> Iterator[Finding]:
    """DK214: no human and no device answers to a name of the assistant."""
    scene = subject.scene
    others = [
        *((("speakers", n, "name"), s.name) for n, s in enumerate(scene.speakers)),
        *((("devices", n, "name"), d.name) for n, d in enumerate(scene.devices)),
    ]
    for place, other in others:
        clash = mentioned(other, subject.names) or next(
            (x for x in subject.names if mentioned(x, [other])), None
        )
        if clash is not None:
            message = f"the name {other!r} is also the assistant's ({clash})"
            yield subject.finding(place, "DK214", message, "a listener could not tell them apart; rename one")


RULES: tuple[Rule, ...] = (known_addressees, addressee_fits_tag, mention_fits_tag, names_are_apart)
