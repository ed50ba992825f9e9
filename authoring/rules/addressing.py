"""Rules on whom a turn is for: the addressee and the names that its tag asks for or forbids."""

from __future__ import annotations

from collections.abc import Iterator

from ...schemas.diagnostics import Finding
from ...schemas.scene import ASSISTANT, Scene, Turn
from ...schemas.source import Document
from .common import Rule, device_ids, named, shown, speakable, speaker_ids

_WANTED = {
    "T": ("is for the assistant", f"write to: {ASSISTANT}"),
    "N1": ("is for a human or for nobody", "talk about the assistant to somebody else"),
    "N2": (
        "is for another human or another device",
        "write to: with a speaker's or a device's id, or tag it N3",
    ),
    "N3": ("is for nobody", "remove to:, or tag it N2"),
    "N4_Q": ("is for the assistant", f"write to: {ASSISTANT}"),
    "N4_R": ("is for a human or for nobody", "write to: with a speaker's id, or remove it"),
}


def addressee_fits_tag(document: Document, scene: Scene) -> Iterator[Finding]:
    """`to:` is what the tag says, and nobody talks to themselves by id."""
    known = {*speaker_ids(scene), *device_ids(scene), ASSISTANT}
    for index, turn in enumerate(scene.turns):
        place = ("turns", index, "to")
        if turn.to is not None and turn.to not in known:
            continue
        if turn.to is not None and turn.to == turn.speaker:
            message = f"{shown(scene, index)} is addressed to its own speaker"
            hint = "name whom it is for; self-talk is N3 without to:"
            yield document.finding(place, "DK221", message, hint)
        elif not _fits(scene, turn):
            got = f"to: {turn.to}" if turn.to is not None else "no to:"
            wanted, hint = _WANTED[turn.tag]
            message = f"{shown(scene, index)} has {got}, but {turn.tag} {wanted}"
            yield document.finding(place, "DK220", message, hint)


def _fits(scene: Scene, turn: Turn) -> bool:
    if turn.tag in ("T", "N4_Q"):
        return turn.to == ASSISTANT
    if turn.tag == "N3":
        return turn.to is None
    if turn.tag == "N2":
        return turn.to in speaker_ids(scene) | device_ids(scene)
    return turn.to is None or turn.to in speaker_ids(scene)


def mention_fits_tag(document: Document, scene: Scene) -> Iterator[Finding]:
    """N1 names the assistant; N2 and N3 do not; in both forms of a turn that has two."""
    for spoken in speakable(scene):
        name = named(scene, spoken.text)
        tag = spoken.turn.tag
        if tag == "N1" and name is None:
            message = f"{shown(scene, spoken.index)} is tagged N1 but does not name the assistant"
            hint = f"let it mention {scene.assistant.name}, or tag it N2 or N3"
            yield document.finding(spoken.place, "DK222", message, hint)
        elif tag in ("N2", "N3") and name is not None:
            message = f"{shown(scene, spoken.index)} is tagged {tag} but names the assistant ({name})"
            yield document.finding(spoken.place, "DK223", message, "tag it N1, or leave the name out")


RULES: tuple[Rule, ...] = (addressee_fits_tag, mention_fits_tag)
