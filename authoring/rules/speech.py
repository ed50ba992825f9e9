"""Rules on what an engine is given: texts with words in them, pieces to spell, known voices and languages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.scene import Scene
from ...schemas.source import Document, Path_
from ...tts.spoken import is_speakable, spoken_form
from .common import Rule, said
from .markup import markup, speaker_label

_TAIL = re.compile(r"[ \t]+#")


def spoken_places(scene: Scene) -> Iterator[tuple[Path_, str]]:
    """All texts that are spoken or matched against speech, with their places."""
    for index, turn in enumerate(scene.turns):
        if turn.text is not None:
            yield ("turns", index, "text"), turn.text
    yield ("pair", "explicit"), scene.pair.explicit
    yield ("pair", "implicit"), scene.pair.implicit
    if scene.pair.before is not None:
        yield ("pair", "before", "explicit"), scene.pair.before.explicit
        yield ("pair", "before", "implicit"), scene.pair.before.implicit
    yield ("pair", "cue", "words"), scene.pair.cue.words
    yield ("answer", "text"), scene.answer.text
    for index, form in enumerate(scene.answer.accept):
        yield ("answer", "accept", index), form


def _name_places(scene: Scene) -> Iterator[tuple[Path_, str]]:
    yield ("assistant", "name"), scene.assistant.name
    for index, alias in enumerate(scene.assistant.aliases):
        yield ("assistant", "aliases", index), alias
    for index, device in enumerate(scene.devices):
        yield ("devices", index, "name"), device.name
    for index, speaker in enumerate(scene.speakers):
        yield ("speakers", index, "name"), speaker.name


def has_words(document: Document, scene: Scene) -> Iterator[Finding]:
    """Every spoken text and every name has a letter or a digit."""
    for place, text in (*_name_places(scene), *spoken_places(scene)):
        if not is_speakable(text):
            yield unspeakable(document, place, text)


def unspeakable(document: Document, place: Path_, text: str) -> Finding:
    """The finding for a text with nothing to say."""
    message = f"nothing in {text!r} can be spoken" if text else "the text is empty"
    return document.finding(place, "DK260", message, "write words; for silence leave the turn out")


def has_readings(document: Document, scene: Scene) -> Iterator[Finding]:
    """Every sign that means something has a reading, so that nothing is left out of what is said."""
    for place, text in spoken_places(scene):
        if (
            place[0] == "answer"
            or place == ("pair", "cue", "words")
            or markup(text)
            or not is_speakable(text)
        ):
            continue
        try:
            unread = spoken_form(text, language=scene.language).unread
        except ValueError:
            continue
        if unread:
            message = f"no reading for {unread!r}; it would be left out of what is said"
            yield document.finding(place, "DK267", message, "write it as words")


def no_markup(document: Document, scene: Scene) -> Iterator[Finding]:
    """No spoken text holds markup, stage directions, addresses or a speaker's label."""
    people = {s.id for s in scene.speakers} | {s.name for s in scene.speakers}
    # The cue is a piece of the implicit form, which is looked at itself.
    for place, text in spoken_places(scene):
        found = None if place == ("pair", "cue", "words") else markup(text) or speaker_label(text, people)
        if found is not None:
            yield document.finding(place, "DK261", found, "write only what is said, as it is said")


def no_comment_in_speech(document: Document, scene: Scene) -> Iterator[Finding]:
    """No ` #` cuts off an unquoted spoken text."""
    for place, _ in spoken_places(scene):
        found = cut_by_comment(document, place)
        if found is not None:
            yield found


def cut_by_comment(document: Document, place: Path_) -> Finding | None:
    """The finding for an unquoted text whose rest became a comment, at the `#`, or None."""
    node = document.node(place)
    if node.kind != "scalar" or not node.plain:
        return None
    text, at = document.text, node.end.index
    while at > node.start.index and text[at - 1 : at].isspace():
        at -= 1
    tail = _TAIL.match(text, at)
    if tail is None:
        return None
    hash_at = tail.end() - 1
    line = text.count("\n", 0, hash_at) + 1
    column = hash_at - text.rfind("\n", 0, hash_at)
    rest = text[hash_at:].split("\n", 1)[0].strip()
    message = f"the text is not quoted, so {rest!r} is a comment and is not spoken"
    return Finding(document.name, line, column, "DK262", message, "put the whole text in double quotes")


def spelled_pieces_stand(document: Document, scene: Scene) -> Iterator[Finding]:
    """Every piece to be spelled stands in the words of its turn, in both forms of a pair."""
    from ...tts.spoken import UnsupportedLanguage, spoken_form

    reported: set[tuple[int, int]] = set()
    for spoken in said(scene):
        for number, piece in enumerate(spoken.turn.spell):
            if (spoken.index, number) in reported or not is_speakable(spoken.text):
                continue
            try:
                spoken_form(spoken.text, language=scene.language, spell=[piece])
            except UnsupportedLanguage:
                return
            except ValueError:
                reported.add((spoken.index, number))
                form = f"the {spoken.condition} form" if spoken.condition else "the text"
                message = f"{piece!r} is to be spelled but does not stand in {form}"
                place = ("turns", spoken.index, "spell", number)
                yield document.finding(place, "DK263", message, "copy the piece from the text")


def known_voices(document: Document, scene: Scene) -> Iterator[Finding]:
    """Fixed voices name an engine and a voice that it has, and no two speakers share one."""
    taken: dict[tuple[str, str], str] = {}
    for index, speaker in enumerate(scene.speakers):
        for engine, voice in speaker.voices.items():
            place = ("speakers", index, "voices", engine)
            found = unknown_engine(document, place, engine, key=True) or _unknown_voice(
                document, place, engine, voice
            )
            other = taken.setdefault((engine, voice), speaker.id)
            if found is not None:
                yield found
            elif other != speaker.id:
                message = f"{other} has the voice {voice!r} already"
                yield document.finding(place, "DK266", message, "give each speaker a voice of their own")


def _unknown_voice(document: Document, place: Path_, engine: str, voice: str) -> Finding | None:
    from ...tts.registry import known_voices as voices_of

    names = [v.name for v in voices_of(engine)]
    if voice in names:
        return None
    near = did_you_mean(voice, names)
    hint = f"did you mean {near}?" if near else f"one of: {', '.join(names)}"
    return document.finding(place, "DK264", f"the engine {engine} has no voice {voice!r}", hint)


def unknown_engine(document: Document, place: Path_, name: str, *, key: bool = False) -> Finding | None:
    """The finding for an engine that does not exist, or None."""
    from ...tts.registry import engine_names

    known = engine_names()
    if name in known:
        return None
    near = did_you_mean(name, known)
    hint = f"did you mean {near}?" if near else f"one of: {', '.join(known)}"
    return document.finding(place, "DK264", f"unknown engine {name!r}", hint, key=key)


def supported_language(document: Document, scene: Scene) -> Iterator[Finding]:
    """The language of the scene has rules for reading numbers and signs aloud."""
    from ...tts.spoken import UnsupportedLanguage, spoken_form

    try:
        spoken_form("a", language=scene.language)
    except UnsupportedLanguage as error:
        yield document.finding(("language",), "DK265", str(error), "write a tag such as en-US or de-DE")


RULES: tuple[Rule, ...] = (
    has_words,
    has_readings,
    no_markup,
    no_comment_in_speech,
    spelled_pieces_stand,
    known_voices,
    supported_language,
)
