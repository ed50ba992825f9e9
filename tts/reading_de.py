"""German reading rules, the basics: money, clock times, decimal commas, dates, percent, units, abbreviations."""

from __future__ import annotations

import functools
import re

from .lexicon import ABBREVIATIONS_DE, CURRENCIES_DE, MONTHS_DE, UNITS_DE
from .reading import Rule, Words, closing_rules, code_rule, rule

_NUMBER = r"(\d{1,3}(?:\.\d{3})+(?!\d)|\d+)(?:,(\d+))?"


@functools.lru_cache(maxsize=4096)
def cardinal(value: int) -> str:
    """A whole number in words."""
    from num2words import num2words

    return str(num2words(value, lang="de"))


def _counting(value: int) -> str:
    """A whole number before a noun: ein, not eins."""
    words = cardinal(value)
    return words[:-1] if words.endswith("eins") else words


WORDS = Words(
    digits=("null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"),
    point="Komma",
    minus="minus",
    symbols={
        **{"%": "Prozent", "&": "und", "@": "at", "+": "plus", "=": "gleich", "°": "Grad", "§": "Paragraf"},
        **{"×": "mal", "$": "Dollar", "€": "Euro", "²": "Quadrat", "³": "hoch drei"},
    },
    fractions={"½": "ein halb", "¼": "ein Viertel", "¾": "drei Viertel"},
    cardinal=cardinal,
)


def rules() -> list[Rule]:
    """All German rules in the order in which they are tried."""
    units = "|".join(re.escape(u) for u in sorted(UNITS_DE, key=len, reverse=True))
    months = "|".join(MONTHS_DE)
    fixed = "|".join(re.escape(a) for a in sorted(ABBREVIATIONS_DE, key=len, reverse=True))
    return [
        rule(rf"(?<!\w)(?:{fixed})(?!\w)", lambda m: ABBREVIATIONS_DE[m.group()]),
        rule(rf"(?<![\w.,]){_NUMBER}\s?(€|\$|(?:EUR|USD)\b)", lambda m: _money(m[3], m[1], m[2])),
        rule(rf"(€|\$|\b(?:EUR|USD))\s?{_NUMBER}", lambda m: _money(m[1], m[2], m[3])),
        rule(r"(?<![\d:.])([01]?\d|2[0-4])[:.]([0-5]\d)\sUhr\b", _time),
        rule(r"(?<![\d:.])([01]?\d|2[0-4]):([0-5]\d)(?![\d:])", _time),
        rule(r"(?<![\w.,])(\d{1,2})\sUhr\b", lambda m: f"{_counting(int(m[1]))} Uhr"),
        rule(rf"(?<![\w.,])(\d{{1,2}})\.\s({months})\b", _date),
        rule(r"(?<![\w.])(\d{1,2})\.(\d{1,2})\.(\d{4})?(?!\d)", _numeric_date),
        rule(rf"(?<![\w.]){_NUMBER}\s?%", lambda m: f"{_number(m[1], m[2])} Prozent"),
        rule(rf"(?<![\w.]){_NUMBER}\s?({units})(?![\w/])", _unit),
        code_rule(WORDS),
        rule(r"(?<![\w.,-])(1[1-9]\d\d)(?![\w-])(?![.,]\d)", lambda m: _year(int(m[1]))),
        rule(r"(?<=\d)\s?[-–]\s?(?=\d)", lambda _: " bis "),
        rule(rf"(?<![\w.]){_NUMBER}(?![.,]\d)", lambda m: _number(m[1], m[2])),
        *closing_rules(WORDS),
    ]


def _number(whole: str, decimals: str | None) -> str:
    digits = whole.replace(".", "")
    if "." in whole and len(digits) <= 15:
        words = cardinal(int(digits))
        return f"{words} Komma {WORDS.digit_by_digit(decimals)}" if decimals else words
    return WORDS.number(digits, decimals)


def _money(unit: str, whole: str, decimals: str | None) -> str:
    major, minor = CURRENCIES_DE[unit]
    digits = whole.replace(".", "")
    if len(digits) > 15:
        return f"{WORDS.digit_by_digit(digits + (decimals or ''))} {major}"
    if decimals is None or len(decimals) != 2:
        words = _counting(int(digits)) if decimals is None else _number(whole, decimals)
        return f"{words} {major}"
    if int(digits) == 0 and int(decimals):
        return f"{_counting(int(decimals))} {minor}"
    cents = f" {cardinal(int(decimals))}" if int(decimals) else ""
    return f"{_counting(int(digits))} {major}{cents}"


def _time(match: re.Match[str]) -> str:
    hour, minute = int(match[1]), int(match[2])
    return f"{_counting(hour)} Uhr{' ' + cardinal(minute) if minute else ''}"


def _ordinal(value: int) -> str:
    from num2words import num2words

    return f"{num2words(value, lang='de', to='ordinal')}n"


def _date(match: re.Match[str]) -> str | None:
    return f"{_ordinal(int(match[1]))} {match[2]}" if 1 <= int(match[1]) <= 31 else None


def _numeric_date(match: re.Match[str]) -> str | None:
    day, month = int(match[1]), int(match[2])
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    year = f" {_year(int(match[3]))}" if match[3] else ""
    return f"{_ordinal(day)} {MONTHS_DE[month - 1]}{year}"


def _year(value: int) -> str:
    century, rest = divmod(value, 100)
    if 1100 <= value <= 1999:
        return f"{cardinal(century)}hundert{cardinal(rest) if rest else ''}"
    return cardinal(value)


def _unit(match: re.Match[str]) -> str:
    one, many = UNITS_DE[match[3]]
    if match[1] == "1" and match[2] is None:
        return f"{'eine' if one.endswith('e') else 'ein'} {one}"
    return f"{_number(match[1], match[2])} {many}"
