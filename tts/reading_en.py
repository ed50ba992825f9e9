"""English reading rules: money, times, dates, years, phone numbers, ordinals, units, abbreviations and the rest."""

from __future__ import annotations

import functools
import re

from .lexicon import ABBREVIATIONS_EN, CURRENCIES_EN, CURRENCY_CODES, MONTHS_EN, UNITS_EN
from .reading import Rule, Words, closing_rules, code_rule, rule

_NUMBER = r"(\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.(\d+))?"
_SCALE = r"(?:\s?(thousand|million|billion|trillion|k|K|M|m|bn|B)\b)?"
_SCALES = {"k": "thousand", "K": "thousand", "M": "million", "m": "million", "bn": "billion", "B": "billion"}
_MONTH = "|".join([*MONTHS_EN, *(f"{m[:3]}\\.?" for m in MONTHS_EN if m != "May"), r"Sept\.?"])
_SENTENCE_END = re.compile(
    r"\s*$|\s+(?:The|It|It's|I|I'm|We|He|She|They|My|Your|Our|Is|Are|Was|What|Where|When|Who|How|Why|Can|Could|Please|"
    r"And|But|So|There|That|This|You|Then|Do|Does|Did|If|No|Yes|Okay)\b"
)
"""What follows an abbreviation whose period also ends its sentence: nothing, or a word that often begins one."""
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAY = "|".join([*_DAYS, "Tues", "Thurs", "Thur", *(day[:3] for day in _DAYS)])
_IDENTIFIER = re.compile(
    r"\b(?:order|account|acct|code|pin|card|ending|id|ref|reference|case|ticket|claim|number|booking|confirmation|"
    r"policy|invoice|extension|ext|passport|member|serial|tracking|flight|zip)\.?\s"
    r"(?:(?:number|no\.|in|is|code|id)\s){0,2}#?(?:[A-Z]{1,3}\s)?$",
    re.IGNORECASE,
)
"""The words before a number of four digits or more that make it an identifier."""
_FRACTIONS = {
    ("1", "2"): "one half",
    ("1", "3"): "one third",
    ("2", "3"): "two thirds",
    ("1", "4"): "one quarter",
    ("3", "4"): "three quarters",
    ("24", "7"): "twenty-four seven",
}


@functools.lru_cache(maxsize=4096)
def cardinal(value: int) -> str:
    """A whole number in words, without commas."""
    from num2words import num2words

    return str(num2words(value, lang="en")).replace(",", "")


@functools.lru_cache(maxsize=512)
def ordinal(value: int) -> str:
    """A rank in words, without commas."""
    from num2words import num2words

    return str(num2words(value, lang="en", to="ordinal")).replace(",", "")


def year(value: int) -> str:
    """A year of 1100 to 2099 as years are said."""
    century, rest = divmod(value, 100)
    if 2000 <= value <= 2009:
        return cardinal(value).replace(" and ", " ")
    if rest == 0:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


def clock(hour: int, minute: int, half: str = "") -> str:
    """A time of day in words; `half` is "A M", "P M" or nothing."""
    if minute == 0 and not half:
        if hour in (0, 24):
            return "midnight"
        return f"{cardinal(hour)} o'clock" if hour <= 12 else f"{cardinal(hour)} hundred"
    if hour == 0:
        hour, half = 12, half or "A M"
    minutes = "" if minute == 0 else f" oh {cardinal(minute)}" if minute < 10 else f" {cardinal(minute)}"
    return f"{cardinal(hour)}{minutes}{' ' + half if half else ''}"


WORDS = Words(
    digits=("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    point="point",
    minus="minus",
    symbols={
        **{"%": "percent", "&": "and", "@": "at", "+": "plus", "=": "equals", "°": "degrees", "§": "section"},
        **{"×": "times", "÷": "divided by", "$": "dollars", "€": "euros", "£": "pounds", "¥": "yen"},
        **{"²": "squared", "³": "cubed", "¢": "cents", "№": "number", "±": "plus or minus", "≈": "about"},
        **{"<": "less than", ">": "greater than", "≤": "at most", "≥": "at least", "≠": "not equal to"},
    },
    fractions={
        "½": "one half",
        "¼": "one quarter",
        "¾": "three quarters",
        "⅓": "one third",
        "⅔": "two thirds",
    },
    cardinal=cardinal,
)


def rules(*, day_first: bool) -> list[Rule]:
    """All English rules in the order in which they are tried; `day_first` says how 3/2/2026 is read."""
    return [
        *_address_rules(),
        *_money_rules(),
        *_time_rules(day_first),
        *_number_rules(),
        *closing_rules(WORDS),
    ]


def _address_rules() -> list[Rule]:
    """Mail addresses, phone numbers, grouped digits, abbreviations, mixed codes."""
    fixed = "|".join(re.escape(a) for a in sorted(ABBREVIATIONS_EN, key=len, reverse=True))
    phone = r"(?<![\w-])(?:\+\d{1,3}[ .-]?)?(?:\(\d{3}\)[ .-]?|\d{3}[ .-])?\d{3}[.-]\d{4}(?![\w-])"
    return [
        rule(r"(?<!\w)[\w.+-]+@[\w-]+(?:\.[\w-]+)+", _mail),
        rule(r"(?<!\w)[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*\.(?:com|org|net|io|edu|gov)(?!\w)", _mail),
        rule(phone, _groups),
        rule(r"(?<![\w-])\d{4}(?: \d{4}){2,3}(?![\w-])", _groups),
        rule(r"(?<![\w-])\+\d{1,3}(?: \d{2,4}){2,4}(?![\w-])", _groups),
        rule(r"(?<![\w-])0\d{2,4}(?: \d{3,4}){1,2}(?![\w-])", _groups),
        *_month_rules(),
        rule(r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)(?![\d-])", _iso_date),
        rule(r"(?<![\w-])\d+(?:-\d+){2,}(?![\w-])", _groups),
        rule(rf"(?<!\w)(?:{fixed})(?!\w)", _abbreviation),
        rule(r"(?<!\w)(?:St|Dr)\.", _street_or_title),
        rule(r"(?<!\w)(?:No|no|Nos)\.\s?(?=\d)", lambda _: "number "),
        rule(r"#\s?(?=\d)", lambda _: "number "),
    ]


def _month_rules() -> list[Rule]:
    """Dates with the month's name; before the abbreviations, which would take the month without its day."""
    return [
        rule(rf"\b({_MONTH})\s(\d{{1,2}})(?:st|nd|rd|th)?(?![\w:])(?:,?\s((?:19|20)\d\d)\b)?", _month_day),
        rule(rf"(?<![\w.,])(\d{{1,2}})(?:st|nd|rd|th)?\s({_MONTH})\b(?:,?\s((?:19|20)\d\d)\b)?", _day_month),
    ]


def _money_rules() -> list[Rule]:
    codes = "|".join(CURRENCY_CODES)
    return [
        rule(
            rf"(?:(?<!\w)(-))?(?:US)?([$€£¥])\s?{_NUMBER}{_SCALE}",
            lambda m: _money(m[1], m[2], m[3], m[4], m[5]),
        ),
        rule(
            rf"(?:(?<!\w)(-))?\b({codes})\s?{_NUMBER}{_SCALE}", lambda m: _money(m[1], m[2], m[3], m[4], m[5])
        ),
        rule(
            rf"(?<![\w.,])(-)?{_NUMBER}{_SCALE}\s?(€|£|(?:{codes})\b)",
            lambda m: _money(m[1], m[5], m[2], m[3], m[4]),
        ),
    ]


def _time_rules(day_first: bool) -> list[Rule]:
    half = r"\s*([ap])(?:\.\s?m\b\.?|\s?m\b)"
    return [
        rule(
            rf"(?<![\d:.])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:])(?:{half})?(?:\s*o'clock)?",
            _time,
            re.IGNORECASE,
        ),
        rule(rf"(?<![\d:.$,])(1[0-2]|0?[1-9])\.([0-5]\d)(){half}", _time, re.IGNORECASE),
        rule(
            rf"(?<![\w:.$,-])(1[0-2]|0?[1-9])\s?[-–]\s?(?=(?:1[0-2]|0?[1-9])(?::[0-5]\d)?{half})",
            lambda m: f"{cardinal(int(m[1]))} to ",
            re.IGNORECASE,
        ),
        rule(rf"(?<![\d:.$,])(1[0-2]|0?[1-9])()(){half}", _time, re.IGNORECASE),
        rule(r"(?<![\w./])(\d{1,2})/(\d{1,2})/(\d{4})(?![\w/])", lambda m: _slashed_date(m, day_first)),
        rule(r"(?<![\w.,])((?:1[1-9]|20)\d)0s\b", _decade),
        rule(r"(?<![\w.,$€£])'?([2-9]0)s\b", lambda m: cardinal(int(m[1]))[:-1] + "ies"),
        rule(r"(?<!\w)([ap])\.\s?m\.", lambda m: f"{m[1].upper()} M", re.IGNORECASE),
        rule(rf"\b({_DAY})\s?[-–]\s?({_DAY})\b", lambda m: f"{_day_name(m[1])} to {_day_name(m[2])}"),
    ]


def _number_rules() -> list[Rule]:
    units = "|".join(re.escape(u) for u in sorted(UNITS_EN, key=len, reverse=True))
    counted = rf"(?!\s?(?:{units}|dollars|euros|pounds|cents)(?!\w))"
    return [
        rule(r"(?<![\w.,])(\d[\d,]*)(?:st|nd|rd|th)\b", _ordinal),
        rule(rf"(?<![\w.]){_NUMBER}\s?%", lambda m: f"{_plain_number(m[1], m[2])} percent"),
        rule(rf"(?<![\w.]){_NUMBER}\s?({units})(?![\w/])", _unit),
        rule(r"(?<![\w./,])(\d+)\s?([½¼¾⅓⅔])", lambda m: _mixed(m[1], WORDS.fractions[m[2]])),
        rule(r"(?<![\w./,])(\d+)\s([123])/([234])(?![\w/])", _mixed_written),
        rule(r"(?<![\w./])(\d{1,2})/(\d{1,2})(?![\w/])", _fraction),
        rule(r"(?<=\d)\s?\*\s?(?=\d)", lambda _: " times "),
        rule(r"(?<![\w.])(\d+)x\b", lambda m: f"{WORDS.number(m[1])} times"),
        code_rule(WORDS),
        rule(r"(?<!\w)[B-DF-HJ-NP-TV-XZ]{2,5}(?![\w'])", lambda m: WORDS.spell(m.group())),
        rule(r"(?<![\w.,-])\d{4,}(?![\w-])(?![.,]\d)", _identifier),
        rule(rf"(?<![\w.,])((?:19|20)\d\d)(?!\w)(?!-[A-Za-z])(?![.,]\d){counted}", lambda m: year(int(m[1]))),
        rule(r"(?<=\d)/(?=[a-z])", lambda _: " per "),
        rule(r"(?:(?<=[\d%])|(?<=[ap]\.m\.)|(?<=\d[ap]m))\s?[-–]\s?(?=[$€£]?\d)", lambda _: " to "),
        rule(rf"(?<![\w.]){_NUMBER}(?!\.\d)", lambda m: _plain_number(m[1], m[2])),
    ]


def _plain_number(whole: str, decimals: str | None) -> str:
    # A number with its thousands marked is a quantity, however long; one without may be a code.
    marked = "," in whole
    digits = whole.replace(",", "")
    if marked and len(digits) <= 15:
        words = cardinal(int(digits))
        return f"{words} point {WORDS.digit_by_digit(decimals)}" if decimals else words
    return WORDS.number(digits, decimals)


def _quantity(whole: str, decimals: str | None) -> str:
    digits = whole.replace(",", "")
    words = cardinal(int(digits)) if len(digits) <= 15 else WORDS.digit_by_digit(digits)
    return f"{words} point {WORDS.digit_by_digit(decimals)}" if decimals else words


def _money(minus: str | None, unit: str, whole: str, decimals: str | None, scale: str | None) -> str:
    one, many, cent, cents = CURRENCIES_EN[CURRENCY_CODES.get(unit, unit)]
    sign = "minus " if minus else ""
    digits = whole.replace(",", "")
    if scale:
        return f"{sign}{_quantity(whole, decimals)} {_SCALES.get(scale, scale)} {many}"
    if decimals is None or len(decimals) != 2:
        single = int(digits) == 1 and decimals is None
        return f"{sign}{_quantity(whole, decimals)} {one if single else many}"
    minor = int(decimals)
    major = f"{_quantity(whole, None)} {one if int(digits) == 1 else many}"
    minor_words = f"{cardinal(minor)} {cent if minor == 1 else cents}"
    if minor == 0:
        return sign + major
    return sign + (minor_words if int(digits) == 0 else f"{major} and {minor_words}")


def _time(match: re.Match[str]) -> str | None:
    hour, minute, seconds = int(match[1]), int(match[2] or 0), match[3]
    half = {"a": "A M", "p": "P M"}.get((match[4] or "").lower(), "")
    if hour == 24 and minute:
        return None
    # The period of "p.m." may also end the sentence, and the sentence's end must be heard.
    rest = match.string[match.end() :]
    stop = "." if match.group().endswith(".") and (not rest.strip() or re.match(r"\s+[A-Z]", rest)) else ""
    if seconds and int(seconds):
        return f"{clock(hour, minute, half)} and {cardinal(int(seconds))} seconds{stop}"
    return clock(hour, minute, half) + stop


def _day_name(written: str) -> str:
    return next(d for d in _DAYS if d[:3] == written[:3])


def _identifier(match: re.Match[str]) -> str | None:
    before = match.string[max(0, match.start() - 60) : match.start()]
    return WORDS.digit_by_digit(match.group()) if _IDENTIFIER.search(before) else None


def _month_name(written: str) -> str:
    return next(m for m in MONTHS_EN if m[:3] == written[:3])


def _date(month: str, day: int, in_year: str | None) -> str | None:
    if not 1 <= day <= 31:
        return None
    return f"{month} {ordinal(day)}{', ' + year(int(in_year)) if in_year else ''}"


def _month_day(match: re.Match[str]) -> str | None:
    return _date(_month_name(match[1]), int(match[2]), match[3])


def _day_month(match: re.Match[str]) -> str | None:
    return _date(_month_name(match[2]), int(match[1]), match[3])


def _slashed_date(match: re.Match[str], day_first: bool) -> str | None:
    """The date in the locale's order, or in the other one when only that is a date."""
    first, second = int(match[1]), int(match[2])
    day, month = (first, second) if day_first else (second, first)
    if month > 12:
        day, month = month, day
    in_range = 1 <= month <= 12 and "1900" <= match[3] <= "2099"
    return _date(MONTHS_EN[month - 1], day, match[3]) if in_range else None


def _iso_date(match: re.Match[str]) -> str | None:
    month = int(match[2])
    return _date(MONTHS_EN[month - 1], int(match[3]), match[1]) if 1 <= month <= 12 else None


def _decade(match: re.Match[str]) -> str:
    words = year(int(match[1] + "0"))
    return words[:-1] + "ies" if words.endswith("y") else words + "s"


def _ordinal(match: re.Match[str]) -> str | None:
    digits = match[1].replace(",", "")
    return ordinal(int(digits)) if len(digits) <= 12 else None


def _unit(match: re.Match[str]) -> str:
    one, many = UNITS_EN[match[3]]
    single = match[1] == "1" and match[2] is None
    return f"{_quantity(match[1], match[2])} {one if single else many}"


def _fraction(match: re.Match[str]) -> str:
    known = _FRACTIONS.get((match[1], match[2]))
    if match[1] == match[2]:
        return f"{WORDS.number(match[1])} {WORDS.number(match[2])}"
    return known or f"{WORDS.number(match[1])} over {WORDS.number(match[2])}"


def _mixed(whole: str, part: str) -> str:
    """`2½` as two and a half."""
    return f"{WORDS.number(whole)} and {'a ' + part[4:] if part.startswith('one ') else part}"


def _mixed_written(match: re.Match[str]) -> str | None:
    known = _FRACTIONS.get((match[2], match[3]))
    return _mixed(match[1], known) if known else None


def _groups(match: re.Match[str]) -> str:
    return ", ".join(WORDS.digit_by_digit(group) for group in re.findall(r"\d+", match.group()))


def _mail(match: re.Match[str]) -> str:
    names = {"@": "at", ".": "dot", "-": "dash", "_": "underscore", "+": "plus"}
    runs = re.findall(r"[^\W\d_]+|\d+|.", match.group())
    return " ".join(names.get(run) or (WORDS.digit_by_digit(run) if run.isdigit() else run) for run in runs)


def _abbreviation(match: re.Match[str]) -> str:
    words = ABBREVIATIONS_EN[match.group()]
    at_end = match.group().endswith(".") and _SENTENCE_END.match(match.string, match.end())
    return words + ("." if at_end else "")


def _street_or_title(match: re.Match[str]) -> str:
    """Saint and Doctor stand before a name, Street and Drive after one."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    named_before = re.search(r"(?:(?<![\w-])\d+\w*\s(?:[A-Z]\w*\s){0,2}|[A-Z]\w+\s)$", before)
    starts_sentence = re.search(r"(?:^|[.!?]\s+)[A-Z]\w*\s$", before)
    named_after = re.match(r"\s[A-Z]\w", after)
    is_title = (
        bool(named_after) and not _SENTENCE_END.match(after) and (not named_before or bool(starts_sentence))
    )
    title, road = {"St.": ("Saint", "Street"), "Dr.": ("Doctor", "Drive")}[match.group()]
    if is_title:
        return title
    return road + ("." if _SENTENCE_END.match(after) or (named_after and not named_before) else "")
