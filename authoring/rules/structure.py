"""Rules on the frame of a scene: ids, who speaks, the one request and its place, and settled questions."""

from __future__ import annotations

from collections.abc import Iterator

from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.scene import ASSISTANT, Scene
from ...schemas.source import Document, Path_
from ..buckets import bucket_of, bucket_turns
from .common import RESERVED, Rule, assistant_names, device_ids, has_phrase, requests, shown, speaker_ids


def unique_ids(document: Document, scene: Scene) -> Iterator[Finding]:
    """Ids of turns are unique, ids of speakers and devices are unique together, and none is reserved."""
    turns: list[tuple[Path_, str]] = [(("turns", i, "id"), t.id) for i, t in enumerate(scene.turns)]
    people: list[tuple[Path_, str]] = [(("speakers", i, "id"), s.id) for i, s in enumerate(scene.speakers)]
    people += [(("devices", i, "id"), d.id) for i, d in enumerate(scene.devices)]
    for group in (turns, people):
        first: dict[str, Path_] = {}
        for place, name in group:
            if name in RESERVED:
                yield document.finding(place, "DK203", f"the id {name!r} is reserved", "choose another id")
            elif name in first:
                line = document.mark(first[name]).line
                hint = f"choose another id; the first is in line {line}"
                yield document.finding(place, "DK203", f"the id {name!r} stands twice", hint)
            else:
                first[name] = place


def known_speakers(document: Document, scene: Scene) -> Iterator[Finding]:
    """Every turn is spoken by a declared human."""
    humans, devices = speaker_ids(scene), device_ids(scene)
    for index, turn in enumerate(scene.turns):
        place = ("turns", index, "speaker")
        if turn.speaker in humans:
            continue
        if turn.speaker in devices or turn.speaker == ASSISTANT:
            message = f"{shown(scene, index)} is spoken by {turn.speaker!r}, which is no human"
            yield document.finding(place, "DK204", message, f"only humans speak: {_ids(humans)}")
        else:
            hint = _near(turn.speaker, humans)
            yield document.finding(place, "DK201", f"unknown speaker {turn.speaker!r}", hint)


def known_addressees(document: Document, scene: Scene) -> Iterator[Finding]:
    """Every `to:` is a declared human, a declared device, or `assistant`."""
    known = {*speaker_ids(scene), *device_ids(scene), ASSISTANT}
    for index, turn in enumerate(scene.turns):
        if turn.to is not None and turn.to not in known:
            hint = _near(turn.to, known)
            if any(has_phrase(name, turn.to) for name in assistant_names(scene)):
                hint = f"the assistant is `{ASSISTANT}` here, whatever its name"
            yield document.finding(("turns", index, "to"), "DK202", f"unknown addressee {turn.to!r}", hint)


def speakers_speak(document: Document, scene: Scene) -> Iterator[Finding]:
    """Every declared human has a turn."""
    speaking = {turn.speaker for turn in scene.turns}
    # A turn of an unknown speaker, which has its own finding, may be the one that is missing here.
    if speaking - speaker_ids(scene):
        return
    for index, speaker in enumerate(scene.speakers):
        if speaker.id not in speaking and speaker.id not in RESERVED:
            message = f"the speaker {speaker.id} ({speaker.name}) never speaks"
            hint = "give them a turn, or remove them"
            yield document.finding(("speakers", index), "DK205", message, hint)


def names_apart(document: Document, scene: Scene) -> Iterator[Finding]:
    """No human and no other device shares a name with the assistant, not even in part."""
    others: list[tuple[Path_, str]] = [
        *((("speakers", i, "name"), s.name) for i, s in enumerate(scene.speakers)),
        *((("devices", i, "name"), d.name) for i, d in enumerate(scene.devices)),
    ]
    for place, other in others:
        for name in assistant_names(scene):
            if has_phrase(other, name) or has_phrase(name, other):
                message = f"the name {other!r} and the assistant's name {name!r} cannot be told apart"
                yield document.finding(place, "DK206", message, "rename one of them")
                break


def one_request(document: Document, scene: Scene) -> Iterator[Finding]:
    """Exactly one turn is tagged T; it is neither first nor last, and it stands in its bucket."""
    found = requests(scene)
    if not found:
        hint = "tag the request to the assistant T"
        yield document.finding(("turns",), "DK210", "no turn is tagged T", hint, key=True)
    for index in found[1:]:
        message = f"{shown(scene, index)} is a second request; the first is {scene.turns[found[0]].id}"
        hint = "one T a scene; tag a question that a human settles N4_Q"
        yield document.finding(("turns", index, "tag"), "DK211", message, hint)
    for index in found[:1]:
        yield from _request_place(document, scene, index, alone=len(found) == 1)


def _request_place(document: Document, scene: Scene, index: int, *, alone: bool) -> Iterator[Finding]:
    n = len(scene.turns)
    place = ("turns", index, "tag")
    actual = bucket_of(index, n)
    if index == 0:
        yield document.finding(
            place, "DK212", "the request is the first turn", "let the people talk before it"
        )
    elif actual is None:
        yield document.finding(
            place, "DK213", "the request is the last turn", "let the people talk on after it"
        )
    elif alone and actual != scene.bucket:
        within = bucket_turns(scene.bucket, n)
        where = f"turns {within[0]} to {within[-1]}" if within else "no turn of a scene this short"
        message = f"the request is {shown(scene, index)}, but {scene.bucket} is {where}"
        yield document.finding(("bucket",), "DK214", message, f"write {actual}, or move the request")


def settled_questions(document: Document, scene: Scene) -> Iterator[Finding]:
    """Each N4_Q is directly followed by its N4_R, and there is no other N4_R."""
    tags = [turn.tag for turn in scene.turns]
    used: set[int] = set()
    for index, tag in enumerate(tags):
        if tag != "N4_Q":
            continue
        later = next((j for j in range(index + 1, len(tags)) if tags[j] in ("N4_Q", "N4_R")), None)
        place = ("turns", index, "tag")
        if later is None or tags[later] == "N4_Q":
            message = f"the question in {shown(scene, index)} is never settled"
            yield document.finding(place, "DK215", message, "let a human settle it in the next turn, N4_R")
            continue
        used.add(later)
        if later != index + 1:
            settled = scene.turns[later].id
            message = f"the question in {shown(scene, index)} is settled in {settled}, not at once"
            hint = "move the N4_R directly behind its N4_Q"
            yield document.finding(("turns", later, "tag"), "DK217", message, hint)
    for index, tag in enumerate(tags):
        if tag == "N4_R" and index not in used:
            message = f"{shown(scene, index)} settles no question"
            hint = "put its N4_Q directly before it, or tag it N2"
            yield document.finding(("turns", index, "tag"), "DK216", message, hint)


def _near(word: str, known: set[str]) -> str:
    near = did_you_mean(word, known)
    return f"did you mean {near}?" if near else f"one of: {_ids(known)}"


def _ids(known: set[str]) -> str:
    return ", ".join(sorted(known))


RULES: tuple[Rule, ...] = (
    unique_ids,
    known_speakers,
    known_addressees,
    speakers_speak,
    names_apart,
    one_request,
    settled_questions,
)
