"""Speech: everything spoken can be spoken, holds no markup, and names voices that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.source import Path_
from ...tts.registry import engine_names, known_voices
from ...tts.spoken import is_speakable, spoken_form
from .base import Rule, Spoken, Subject

_MARKUP = (
    (re.compile(r"</?[A-Za-z][^<>]*>"), "a tag"),
    (re.compile(r"\[[^\[\]]*\]"), "brackets"),
    (re.compile(r"\{[^{}]*\}"), "braces"),
    (re.compile(r"\*[^*\s][^*]*\*"), "asterisks"),
    (re.compile(r"(?<!\w)_[^_\s][^_]*_(?!\w)"), "underscores"),
    (re.compile(r"\((?:[a-z]+(?:s|ing|ed)|[a-z]+ly)(?: [a-z ]+)?\)"), "a stage direction"),
    (re.compile(r"(?:https?://|www\.)\S+"), "a web address"),
    (re.compile(r"(?<!\w)#\w+"), "a hash tag"),
    (re.compile(r"`[^`]*`|~~|\|"), "a formatting mark"),
)


def _all_spoken(subject: Subject) -> Iterator[tuple[str, Spoken, Path_]]:
    """(turn id, words, place of the turn) for every spoken text; both forms of the pair, whatever the turns say."""
    for n, turn in enumerate(subject.scene.turns):
        for spoken in subject.spoken(n):
            yield turn.id, spoken, ("turns", n)


def speakable(subject: Subject) -> Iterator[Finding]:
    """DK240: every spoken text has something to say."""
    for turn_id, spoken, _ in _all_spoken(subject):
        if not is_speakable(spoken.text):
            message = f"turn {turn_id} has nothing that can be spoken: {spoken.text!r}"
            yield subject.finding(spoken.place, "DK240", message, "write words, or remove the turn")
    answer = subject.scene.answer
    for place, text in (
        (("answer", "text"), answer.text),
        *((("answer", "accept", n), a) for n, a in enumerate(answer.accept)),
    ):
        if not is_speakable(text):
            message = f"the answer {text!r} has nothing that can be spoken"
            yield subject.finding(place, "DK240", message, "write it as words")


def no_markup(subject: Subject) -> Iterator[Finding]:
    """DK241: spoken text holds words, not markup, stage directions or a speaker's name with a colon."""
    names = {s.name for s in subject.scene.speakers} | {s.id for s in subject.scene.speakers}
    prefix = re.compile(r"\s*(?:" + "|".join(map(re.escape, sorted(names))) + r")\s*:")
    for turn_id, spoken, _ in _all_spoken(subject):
        for pattern, what in _MARKUP:
            found = pattern.search(spoken.text)
            if found is not None:
                message = f"turn {turn_id} holds {what}: {found.group()!r}"
                yield subject.finding(spoken.place, "DK241", message, "write only what is spoken")
                break
        else:
            if prefix.match(spoken.text):
                message = f"turn {turn_id} begins with a speaker's name and a colon"
                yield subject.finding(spoken.place, "DK241", message, "the speaker stands in `speaker:`")


def no_comment_tail(subject: Subject) -> Iterator[Finding]:
    """DK242: an unquoted spoken text is not cut by ` #`, which begins a comment."""
    document = subject.document
    if document.name.endswith((".json", ".jsonl")):
        return
    for turn_id, spoken, _ in _all_spoken(subject):
        node = document.node(spoken.place)
        if node.kind != "scalar" or not node.plain:
            continue
        rest = document.text[node.end.index :].split("\n", 1)[0]
        tail = re.match(r"[ \t]+#", rest)
        if tail is not None:
            message = f"the words of turn {turn_id} end where a comment begins: {rest.strip()!r}"
            column = node.end.column + tail.end() - 1
            hint = "put the whole text in double quotes"
            yield Finding(document.name, node.end.line, column, "DK242", message, hint)


def spelled_pieces(subject: Subject) -> Iterator[Finding]:
    """DK243: pieces to be spelled stand in the text."""
    for n, turn in enumerate(subject.scene.turns):
        texts = [s.text for s in subject.spoken(n)]
        for k, piece in enumerate(turn.spell):
            if texts and not any(piece in text for text in texts):
                message = f"{piece!r} does not stand in turn {turn.id}"
                yield subject.finding(
                    ("turns", n, "spell", k), "DK243", message, "copy it as it is written there"
                )


def known_engines_and_voices(subject: Subject) -> Iterator[Finding]:
    """DK244: fixed voices name engines and voices that exist, one voice for one speaker."""
    used: dict[tuple[str, str], str] = {}
    for n, speaker in enumerate(subject.scene.speakers):
        for engine, voice in speaker.voices.items():
            place = ("speakers", n, "voices", engine)
            if engine not in engine_names():
                near = did_you_mean(engine, engine_names())
                hint = f"did you mean {near}?" if near else f"one of: {', '.join(engine_names())}"
                yield subject.finding(place, "DK244", f"unknown engine {engine!r}", hint, key=True)
                continue
            voices = [v.name for v in known_voices(engine)]
            if voice not in voices:
                message = f"engine {engine} has no voice {voice!r}"
                yield subject.finding(place, "DK244", message, f"one of: {', '.join(voices)}")
            elif (engine, voice) in used:
                message = f"{used[engine, voice]} has the voice {voice!r} already"
                yield subject.finding(place, "DK244", message, "give each speaker a voice of their own")
            used.setdefault((engine, voice), speaker.id)


def known_language(subject: Subject) -> Iterator[Finding]:
    """DK245: there are rules for speaking the scene's language."""
    try:
        spoken_form("one", language=subject.scene.language)
    except ValueError as error:
        yield subject.finding(("language",), "DK245", str(error), "write en-US, en-GB or de-DE")


RULES: tuple[Rule, ...] = (
    speakable,
    no_markup,
    no_comment_tail,
    spelled_pieces,
    known_engines_and_voices,
    known_language,
)
