"""How a text is read aloud: a list of rules, tried in order at each place, and the scanner that applies them.

A rule is a pattern and a reader; a reader returns the words to say, or None to leave the place to later rules.
The rules of a language end with those of this module, which between them take every character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Reader = Callable[[re.Match[str]], str | None]

DROP = ""
SPACE = " "
_WORD = r"[^\W\d_]+(?:'[^\W\d_]+)*"
_LIST_LINE_LETTERS = 40
"""A line up to this long that ends without a mark is one of a list, and a pause follows it."""


@dataclass(frozen=True)
class Rule:
    """A compiled pattern and what it is read as."""

    pattern: re.Pattern[str]
    read: Reader


@dataclass(frozen=True)
class Piece:
    """A stretch `start:end` of the text and what is said for it: words, a mark, a space or nothing."""

    start: int
    end: int
    spoken: str
    copied: bool
    """Whether `spoken` is the text's own characters, which join to their neighbours as they stand."""


@dataclass(frozen=True)
class Words:
    """The words of one language that rules of several languages need."""

    digits: tuple[str, ...]
    point: str
    minus: str
    symbols: Mapping[str, str]
    fractions: Mapping[str, str]
    cardinal: Callable[[int], str]

    def digit_by_digit(self, text: str) -> str:
        """Each digit of the text as a word of its own."""
        return " ".join(self.digits[int(c)] for c in text if c.isdecimal())

    def number(self, whole: str, decimals: str | None = None) -> str:
        """Plain digits as a number; codes, with a leading zero or more than 9 digits, digit by digit."""
        is_code = (len(whole) > 1 and whole[0] == "0") or len(whole) > 9
        words = self.digit_by_digit(whole) if is_code else self.cardinal(int(whole))
        return f"{words} {self.point} {self.digit_by_digit(decimals)}" if decimals else words

    def spell(self, text: str) -> str:
        """Letters by name (upper case, apart) and digits as words; anything else is a break between them."""
        return " ".join(self._name(c) for c in text if c.isalnum())

    def _name(self, character: str) -> str:
        if character.isdecimal():
            return self.digits[int(character)]
        return _numeral(character, self) if unicodedata.category(character)[0] == "N" else character.upper()


def rule(pattern: str, read: Reader, flags: int = 0) -> Rule:
    """A rule of this pattern."""
    return Rule(re.compile(pattern, flags), read)


def plain(text: str) -> str:
    """The text with variants of digits, apostrophes, hyphens and spaces replaced, each by one character."""
    return "".join(_plain_character(c) for c in text)


def _plain_character(character: str) -> str:
    if character.isascii():
        return character
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if character in "’ʼ‘":
        return "'"
    if character in "−‐‑":
        return "-"
    return " " if unicodedata.category(character) == "Zs" else character


def scan(text: str, rules: Sequence[Rule], spelled: Sequence[str], words: Words) -> Iterator[Piece]:
    """Pieces that cover the (plain) text from its start to its end. Spans in `spelled` are spelled out."""
    place = 0
    for start, end in _spelled_spans(text, spelled):
        yield from _scan_part(text, place, start, rules)
        yield Piece(start, end, words.spell(text[start:end]), copied=False)
        place = end
    yield from _scan_part(text, place, len(text), rules)


def _spelled_spans(text: str, spelled: Sequence[str]) -> Iterator[tuple[int, int]]:
    longest_first = sorted({plain(s) for s in spelled if s}, key=lambda s: (-len(s), s))
    if longest_first:
        choices = "|".join(re.escape(s) for s in longest_first)
        for match in re.finditer(rf"(?<!\w)(?:{choices})(?!\w)", text):
            yield match.span()


def _scan_part(text: str, start: int, end: int, rules: Sequence[Rule]) -> Iterator[Piece]:
    place = start
    while place < end:
        for candidate in rules:
            match = candidate.pattern.match(text, place, end)
            spoken = candidate.read(match) if match is not None and match.end() > place else None
            if match is not None and spoken is not None:
                yield Piece(place, match.end(), spoken, spoken == match.group())
                place = match.end()
                break
        else:
            raise AssertionError(f"no rule takes {text[place]!r}")


def code_rule(words: Words) -> Rule:
    """Tokens of letters and digits: spelled, but for parts that are words of their own (24-hour, COVID-19)."""

    def read(match: re.Match[str]) -> str | None:
        token = match.group()
        if not (any(c.isdecimal() for c in token) and any(c.isalpha() for c in token)) or _has_numeral(token):
            return None
        return " ".join(_code_run(run, token, words) for run in re.findall(r"\d+|[^\W\d_]+", token))

    return rule(r"(?<![\w])[^\W_]+(?:[-_][^\W_]+)*", read)


def _code_run(run: str, token: str, words: Words) -> str:
    natural = any(map(_is_word, re.findall(r"[^\W\d_]+", token)))
    if run.isdecimal():
        return words.number(run) if natural and len(run) <= 2 else words.digit_by_digit(run)
    return run if _is_word(run) else words.spell(run)


def _is_word(run: str) -> bool:
    vowels = sum(c in "aeiouyäöü" for c in run.lower())
    return vowels > 0 and (len(run) > 4 or (len(run) > 2 and run[1:].islower()))


def closing_rules(words: Words) -> list[Rule]:
    """Rules for what no rule of the language took: numbers, words, lines, marks and every other character."""
    return [
        rule(r"(?<![\w.])\.(\d+)", lambda m: f"{words.point} {words.digit_by_digit(m[1])}"),
        rule(r"(?<=\d)\.(?=\d)", lambda _: f" {words.point} "),
        rule(r"(?<![\w)])-(?=\d)", lambda _: f"{words.minus} "),
        rule(r"(?<=\d)[:,/](?=\d)", lambda _: SPACE),
        rule(r"\d+", lambda m: words.number(m.group())),
        rule(_WORD, _word),
        rule(r"\s*\n\s*(?:[-*•–+]\s+)?", _line_break),
        rule(r"[-*•–+]\s+(?=\S)", lambda m: DROP if m.start() == 0 else None),
        rule(r"\s+", lambda _: SPACE),
        rule(r"\.{2,}|…", lambda _: "..."),
        rule(r"[.,;:!?]", lambda m: m.group()),
        rule(r"(?<=\w)-(?=\w)", lambda m: "-"),
        rule(r"[-–—]+|[()\[\]]", lambda m: ", "),
        rule(r"(?s:.)", lambda m: _character(m.group(), words)),
    ]


def _word(match: re.Match[str]) -> str | None:
    return None if _has_numeral(match.group()) else match.group()


def _has_numeral(token: str) -> bool:
    """Whether a raised digit, a fraction or a numeral is among the characters: these are read one by one."""
    return any(unicodedata.category(c) in ("Nl", "No") for c in token)


def _line_break(match: re.Match[str]) -> str:
    if match.end() == len(match.string):
        return SPACE
    before = match.string[: match.start()].rpartition("\n")[2].strip()
    breaks = match.group()
    is_list = breaks.count("\n") > 1 or bool(breaks.strip()) or len(before) <= _LIST_LINE_LETTERS
    return ", " if is_list else SPACE


def _character(character: str, words: Words) -> str:
    """One character that is no ASCII letter, digit, space or mark."""
    if character in words.symbols:
        return f" {words.symbols[character]} "
    category = unicodedata.category(character)
    if category[0] == "N":
        return f" {_numeral(character, words)} "
    if category[0] == "L" or (category[0] == "M" and not "\ufe00" <= character <= "\ufe0f"):
        return character
    # Zero-width and control characters stand inside words; a symbol or an emoji stands between them.
    return DROP if category[0] in "CM" else SPACE


def _numeral(character: str, words: Words) -> str:
    if character in words.fractions:
        return words.fractions[character]
    value = unicodedata.numeric(character, 0.0)
    if value == int(value):
        return words.number(str(int(value)))
    whole, _, decimals = f"{abs(value):.3f}".rstrip("0").partition(".")
    return words.number(whole, decimals)
