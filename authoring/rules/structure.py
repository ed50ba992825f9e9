"""Structure: ids, the one request and its place, and questions with their resolutions."""

from __future__ import annotations

from collections.abc import Iterator

from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.scene import ASSISTANT
from ..buckets import bucket_of
from .base import Rule, Subject

RESERVED = (ASSISTANT, "preamble")


def unique_ids(subject: Subject) -> Iterator[Finding]:
    """DK201: an id stands once among turns, and once among speakers and devices together."""
    scene = subject.scene
    groups = [
        [(("turns", n, "id"), t.id) for n, t in enumerate(scene.turns)],
        [
            *((("speakers", n, "id"), s.id) for n, s in enumerate(scene.speakers)),
            *((("devices", n, "id"), d.id) for n, d in enumerate(scene.devices)),
        ],
    ]
    for group in groups:
        seen: set[str] = set()
        for place, name in group:
            if name in seen:
                yield subject.finding(place, "DK201", f"the id {name!r} stands twice", "give each its own id")
            seen.add(name)
    for place, name in groups[1]:
        if name in RESERVED:
            hint = f"choose another id; {name!r} has a meaning of its own"
            yield subject.finding(place, "DK201", f"the id {name!r} is reserved", hint)


def known_speakers(subject: Subject) -> Iterator[Finding]:
    """DK202: turns are spoken by people of the scene, and everybody speaks."""
    for n, turn in enumerate(subject.scene.turns):
        if turn.speaker in subject.humans:
            continue
        place = ("turns", n, "speaker")
        if turn.speaker in subject.devices or turn.speaker == ASSISTANT:
            message = f"turn {turn.id} is spoken by {turn.speaker!r}, which is no human"
            yield subject.finding(place, "DK202", message, "only people speak in a scene")
            continue
        near = did_you_mean(turn.speaker, subject.humans)
        hint = f"did you mean {near}?" if near else f"one of: {', '.join(sorted(subject.humans))}"
        yield subject.finding(place, "DK202", f"unknown speaker {turn.speaker!r}", hint)
    speaking = {t.speaker for t in subject.scene.turns}
    for n, speaker in enumerate(subject.scene.speakers):
        if speaker.id not in speaking:
            message = f"speaker {speaker.id} ({speaker.name}) never speaks"
            yield subject.finding(("speakers", n), "DK203", message, "give them a turn, or take them out")


def one_request(subject: Subject) -> Iterator[Finding]:
    """DK204: exactly one turn is tagged T. DK205: it is neither first nor last."""
    turns = subject.scene.turns
    found = [n for n, t in enumerate(turns) if t.tag == "T"]
    if not found:
        yield subject.finding(("turns",), "DK204", "no turn is tagged T", "tag the one request T", key=True)
    for n in found[1:]:
        message = f"turn {turns[n].id} is a second T; the first is {turns[found[0]].id}"
        yield subject.finding(
            ("turns", n, "tag"), "DK204", message, "keep one request; tag the other N1, N2 or N4_Q"
        )
    for n in found[:1]:
        place = ("turns", n, "tag")
        if n == 0:
            yield subject.finding(
                place, "DK205", "the request is the first turn", "let people talk before it"
            )
        elif n == len(turns) - 1:
            yield subject.finding(
                place, "DK205", "the request is the last turn", "let people talk on after it"
            )


def in_its_bucket(subject: Subject) -> Iterator[Finding]:
    """DK206: the request stands in the declared third of the inner turns."""
    if subject.request is None:
        return
    count = len(subject.scene.turns)
    found = bucket_of(subject.request, count)
    if found is not None and found != subject.scene.bucket:
        where = f"turn {subject.request + 1} of {count}"
        message = f"the request is {where}, which is {found}, not {subject.scene.bucket}"
        yield subject.finding(("bucket",), "DK206", message, f"write {found}, or move the request")


def questions_are_settled(subject: Subject) -> Iterator[Finding]:
    """DK207: each N4_Q is directly followed by its N4_R. DK208: no N4_R stands without one."""
    turns = subject.scene.turns
    for n, turn in enumerate(turns):
        following = turns[n + 1].tag if n + 1 < len(turns) else None
        if turn.tag == "N4_Q" and following != "N4_R":
            message = f"the question {turn.id} is not directly followed by its N4_R"
            yield subject.finding(
                ("turns", n, "tag"), "DK207", message, "let a human settle it in the next turn"
            )
        if turn.tag == "N4_R" and (n == 0 or turns[n - 1].tag != "N4_Q"):
            message = f"the resolution {turn.id} has no N4_Q directly before it"
            yield subject.finding(
                ("turns", n, "tag"), "DK208", message, "put the question before it, or tag it N2"
            )


RULES: tuple[Rule, ...] = (unique_ids, known_speakers, one_request, in_its_bucket, questions_are_settled)
