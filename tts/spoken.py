"""The spoken form of a text: what an engine is given, with its alignment to what was written."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from . import reading_de, reading_en
from .reading import Piece, Rule, Words, plain, scan

_MARKS = ",;:.!?"
_SIGNS = "#*^\\"
"""Signs besides those of currency and mathematics that change what is meant: C#, 5*6, 10^6."""


class UnspeakableText(ValueError):
    """A text in which there is nothing to say: empty, marks only, emoji only, or invisible characters."""


class UnsupportedLanguage(ValueError):
    """A language for which there are no reading rules. It is never read by another language's."""


@dataclass(frozen=True)
class SpokenText:
    """A text, what is said for it, and which part of the one is said by which part of the other.

    `alignment` holds (text_start, text_end, spoken_start, spoken_end), in characters, ends exclusive, in order.
    """

    text: str
    spoken: str
    alignment: tuple[tuple[int, int, int, int], ...]
    unread: str = ""
    """Signs of the text that mean something and have no reading; they are left out of `spoken`."""


def spoken_form(text: str, *, language: str = "en-US", spell: Sequence[str] = ()) -> SpokenText:
    """The words to say for `text`: numbers, times, money, codes and abbreviations written out, on one line.

    `spell` lists spans to be spelled character by character; each must stand in the text (`ValueError`).
    Raises `UnspeakableText` and `UnsupportedLanguage` (languages are tags such as en-US or de-DE).
    """
    rules, words = _language(language)
    if not is_speakable(text):
        raise UnspeakableText(f"nothing in {text!r} can be spoken")
    simple = plain(text)
    for span in spell:
        if not is_speakable(span) or plain(span) not in simple:
            raise ValueError(f"{span!r} is to be spelled but does not stand in {text!r}")
    pieces = list(scan(simple, rules, spell, words))
    spoken, alignment = _joined(pieces)
    if not is_speakable(spoken):
        raise UnspeakableText(f"nothing in {text!r} can be spoken")
    unread = "".join(
        dict.fromkeys(simple[p.start] for p in pieces if not p.spoken.strip() and _means(simple, p))
    )
    return SpokenText(text, spoken, alignment, unread)


def _means(text: str, piece: Piece) -> bool:
    """Whether a piece that is not spoken is a sign with a meaning: emoji, quotes and spaces are not."""
    character = text[piece.start]
    if piece.end - piece.start != 1:
        return False
    return character in _SIGNS or unicodedata.category(character) in ("Sc", "Sm")


def is_speakable(text: str) -> bool:
    """Whether there is at least one letter or number in the text."""
    return any(unicodedata.category(c)[0] in "LN" for c in text)


@functools.cache
def _language(language: str) -> tuple[tuple[Rule, ...], Words]:
    primary = re.split(r"[-_]", language)[0].lower()
    if primary == "en":
        # Of the English locales, that of the United States puts the month first.
        region = re.split(r"[-_]", language)[-1].upper()
        return tuple(reading_en.rules(day_first=region not in ("EN", "US"))), reading_en.WORDS
    if primary == "de":
        return tuple(reading_de.rules()), reading_de.WORDS
    raise UnsupportedLanguage(
        f"there are no reading rules for language {language!r}; there are rules for en and de"
    )


def _joined(pieces: list[Piece]) -> tuple[str, tuple[tuple[int, int, int, int], ...]]:
    """The spoken text and its alignment: single spaces, no space before a mark, no two marks in a row."""
    out = ""
    alignment: list[tuple[int, int, int, int]] = []
    pending_space = False
    previous_copied = True
    for piece in pieces:
        core = " ".join(piece.spoken.split())
        if not core:
            pending_space = pending_space or bool(piece.spoken)
            continue
        is_mark = core[0] in _MARKS
        if is_mark and (not out or out[-1] in _MARKS):
            core = _stronger(out, core)
            if not core:
                pending_space = True
                continue
            out = out[:-1]
            if alignment and alignment[-1][3] > len(out):
                alignment.pop()
        seam = pending_space or piece.spoken[0].isspace()
        written_apart = not (piece.copied and previous_copied) and out[-1:].isalnum() and core[0].isalnum()
        if out and not is_mark and (seam or written_apart or (out[-1] in _MARKS and not piece.copied)):
            out += " "
        if not (is_mark and piece.spoken != core):
            alignment.append((piece.start, piece.end, len(out), len(out) + len(core)))
        out += core
        pending_space = piece.spoken[-1].isspace() or is_mark
        previous_copied = piece.copied
    return out, tuple(alignment)


def _stronger(out: str, mark: str) -> str:
    """The mark that replaces the last one of `out`, or nothing when the last one stays."""
    return mark if out and out[-1] in ",;:" and mark[0] in ".!?" else ""
