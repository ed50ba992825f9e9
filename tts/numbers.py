"""English number words to numbers: "one thousand two hundred and four point five" is one token of value 1204.5."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

Token = str | Decimal

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_UNITS = {word: value for value, word in enumerate(_ONES)} | {"nil": 0}
_TENS = {
    **{"twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50},
    **{"sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90},
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def number_tokens(words: list[str]) -> tuple[Token, ...]:
    """The lower-case words (hyphens apart) with each longest well-formed number replaced by its value.

    Numbers side by side stay apart: "five fifteen" is 5 and 15, "one two three" is 1, 2 and 3.
    """
    tokens: list[Token] = []
    at = 0
    while at < len(words):
        value, end = _number(words, at)
        if end == at:
            tokens.append(words[at])
            at += 1
        else:
            tokens.append(value)
            at = end
    return tuple(tokens)


def _number(words: list[str], at: int) -> tuple[Decimal, int]:
    """The number that starts at `at` and the place after it; that place is `at` when there is none."""
    minus = words[at] == "minus"
    start = at + 1 if minus else at
    whole, end = _whole(words, start)
    if end == start and not (start < len(words) and words[start] == "point"):
        return Decimal(0), at
    value, end = _decimals(words, Decimal(whole), end)
    if end == start:
        return Decimal(0), at
    if end < len(words) and words[end] in _SCALES and value != value.to_integral_value():
        value, end = value * _SCALES[words[end]], end + 1
    return (-value if minus else value), end


def _whole(words: list[str], at: int) -> tuple[int, int]:
    """Groups below a thousand with falling scales, as in "two million three hundred thousand and five"."""
    total, place, last_scale = 0, at, 10**15
    while True:
        start = place + 1 if _is_and(words, place) and place > at else place
        group, end = _group(words, start)
        if end == start:
            return total, place
        scale = _SCALES.get(words[end], 1) if end < len(words) else 1
        # A group after a whole number (without a scale between them) begins a number of its own.
        if scale >= last_scale:
            return total, place
        total += group * scale
        place = end + 1 if scale > 1 else end
        last_scale = scale
        if scale == 1:
            return total, place


def _group(words: list[str], at: int) -> tuple[int, int]:
    """A number below a thousand, or a count of hundreds such as "seventeen hundred"."""
    if words[at : at + 1] == ["a"] and len(words) > at + 1 and words[at + 1] in ("hundred", *_SCALES):
        words = [*words[:at], "one", *words[at + 1 :]]
    value, end = _below_hundred(words, at)
    if end == at or end >= len(words) or words[end] != "hundred" or value == 0:
        return value, end
    value, end = value * 100, end + 1
    start = end + 1 if _is_and(words, end) else end
    rest, after = _below_hundred(words, start)
    return (value + rest, after) if after > start else (value, end)


def _below_hundred(words: Sequence[str], at: int) -> tuple[int, int]:
    word = words[at] if at < len(words) else ""
    if word in _TENS:
        following = words[at + 1] if at + 1 < len(words) else ""
        unit = _UNITS.get(following, 0)
        return (_TENS[word] + unit, at + 2) if 1 <= unit <= 9 else (_TENS[word], at + 1)
    if word in _UNITS:
        return _UNITS[word], at + 1
    return 0, at


def _is_and(words: Sequence[str], at: int) -> bool:
    return at + 1 < len(words) and words[at] == "and"


def _decimals(words: Sequence[str], whole: Decimal, at: int) -> tuple[Decimal, int]:
    if at >= len(words) or words[at] != "point":
        return whole, at
    digits = ""
    place = at + 1
    while place < len(words) and (words[place] == "oh" or _UNITS.get(words[place], 10) < 10):
        digits += str(_UNITS.get(words[place], 0))
        place += 1
    return (whole + Decimal(f"0.{digits}"), place) if digits else (whole, at)
