"""Whether an utterance says an answer: typed, on the spoken forms of both, so that spelling and case do not decide.

A clock time matches the same time however it is said, an amount of money the same amount in its currency, and
anything else a run of whole tokens; numbers are compared by value, and codes across the places where words break.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from .lexicon import MONTHS_EN
from .numbers import Token, number_tokens
from .spoken import UnspeakableText, spoken_form

_NOUGHT = re.compile(r"\bo'?\s?clock\b")
_WRITTEN_TIME = re.compile(r"(?<![\d:])\d{1,2}:(?!00)[0-5]\d(?![\d:])(?:\s*[ap]\.?m\b\.?)?", re.IGNORECASE)
_MONTHS = frozenset(m.lower() for m in MONTHS_EN)
_ORDINAL_ENDS = ("first", "second", "third", "th")
_ARTICLES = frozenset({"a", "an", "the"})
_HALVES = {"am": "am", "pm": "pm"}
_DAY_PARTS = {"morning": "am", "afternoon": "pm", "evening": "pm"}
_BEFORE_HOUR = frozenset(
    {"at", "by", "around", "about", "until", "till", "from", "before", "after", "to", "past"}
)
_MAJOR = {"dollar": "$", "dollars": "$", "buck": "$", "bucks": "$", "euro": "€", "euros": "€", "quid": "£"}
_MINOR = {"cent": "", "cents": "", "penny": "£", "pence": "£"}
_POUNDS = frozenset({"pound", "pounds"})
_ACKNOWLEDGEMENTS = frozenset(
    (
        *("okay", "ok", "understood", "got it", "sure", "right", "all right", "alright", "i see"),
        *(
            "mm hm",
            "mmhm",
            "mm hmm",
            "mhm",
            "mmm",
            "mm",
            "uh huh",
            "aha",
            "ah",
            "oh",
            "hm",
            "hmm",
            "yes",
            "yeah",
        ),
        *("yep", "yup", "noted", "thanks", "thank you", "great", "good", "fine", "cool"),
        *("perfect", "very well", "makes sense", "i understand", "exactly"),
        *(
            "copy that",
            "go on",
            "go ahead",
            "i hear you",
            "okay then",
            "sounds good",
            "good to know",
            "fair enough",
        ),
    )
)
_LONGEST_ACKNOWLEDGEMENT = max(len(a.split()) for a in _ACKNOWLEDGEMENTS)
_MOST_ACKNOWLEDGEMENTS = 3


@dataclass(frozen=True)
class ClockTime:
    """A time of day on a 12-hour face: hour 0-11, minute 0-59, half "am", "pm" or None when not said."""

    hour: int
    minute: int
    half: str | None

    def matches(self, other: ClockTime) -> bool:
        """Whether both are the same time; one without a half matches either half."""
        same_half = self.half is None or other.half is None or self.half == other.half
        return (self.hour, self.minute) == (other.hour, other.minute) and same_half


@dataclass(frozen=True)
class Money:
    """An amount in a currency's main unit. `currency` is None where only bare numbers were said."""

    amount: Decimal
    currency: str | None


def contains_answer(utterance: str, accepted: Sequence[str]) -> bool:
    """Whether the English utterance says at least one of the accepted answers.

    Raises `ValueError` when there is no accepted answer or one of them is empty of words.
    """
    if not accepted:
        raise ValueError("there is no accepted answer to look for")
    empty = [a for a in accepted if not spoken_tokens(a)]
    if empty:
        raise ValueError(f"the accepted answer {empty[0]!r} has no words")
    return any(_says(utterance, answer) for answer in accepted)


def amounts_in(text: str) -> tuple[Money, ...]:
    """The amounts of money that an English text names with their currency, in order."""
    return tuple(m for m, _, _ in _amounts(spoken_tokens(text)) if m.currency)


@functools.lru_cache(maxsize=1024)
def spoken_tokens(text: str) -> tuple[Token, ...]:
    """The text's spoken form as tokens: lower-case words without marks, and numbers by value. Empty if silent."""
    try:
        spoken = spoken_form(text).spoken
    except UnspeakableText:
        return ()
    folded = unicodedata.normalize("NFKD", spoken.casefold()).replace("-", " ")
    folded = "".join(c for c in folded if not unicodedata.combining(c))
    folded = _NOUGHT.sub("oclock", folded)
    words = re.findall(r"[^\W_]+", folded.replace("'", ""))
    return number_tokens(_month_first(_join_halves(words)))


def words_match(first: str, second: str) -> bool:
    """Whether both texts have the same tokens, articles aside."""
    left, right = (tuple(t for t in spoken_tokens(s) if t not in _ARTICLES) for s in (first, second))
    return left == right


def is_acknowledgement(utterance: str) -> bool:
    """Whether the utterance is one to three brief acknowledgements and nothing else. Empty is not one."""
    words = re.findall(r"[^\W_]+", utterance.casefold().replace("’", "'").replace("'", "").replace("-", " "))
    return bool(words) and _acknowledges(words, _MOST_ACKNOWLEDGEMENTS)


def _acknowledges(words: list[str], left: int) -> bool:
    if not words:
        return True
    lengths = range(1, min(len(words), _LONGEST_ACKNOWLEDGEMENT) + 1) if left else ()
    return any(
        " ".join(words[:n]) in _ACKNOWLEDGEMENTS and _acknowledges(words[n:], left - 1) for n in lengths
    )


def _join_halves(words: list[str]) -> list[str]:
    """The words with "a m" and "p m" as one."""
    joined: list[str] = []
    for word in words:
        if word == "m" and joined and joined[-1] in ("a", "p"):
            joined[-1] += "m"
        else:
            joined.append(word)
    return joined


def _month_first(words: list[str]) -> list[str]:
    """The words with "third of march" as "march third"."""
    for at in range(2, len(words)):
        if words[at] in _MONTHS and words[at - 1] == "of" and words[at - 2].endswith(_ORDINAL_ENDS):
            start = at - 3 if at > 2 and words[at - 3] in ("twenty", "thirty") else at - 2
            return _month_first([*words[:start], words[at], *words[start : at - 1], *words[at + 1 :]])
    return words


def _says(utterance: str, answer: str) -> bool:
    tokens, wanted = spoken_tokens(utterance), spoken_tokens(answer)
    times = [t for t, start, end in _times(wanted) if (start, end) == (0, len(wanted))]
    if times and (len(wanted) > 1 and _is_clock(answer, wanted)):
        return any(times[0].matches(said) for said, _, _ in _times(tokens))
    timeless = spoken_tokens(_WRITTEN_TIME.sub(" - ", utterance))
    amounts = [m for m, start, end in _amounts(wanted) if (start, end) == (0, len(wanted)) and m.currency]
    if amounts:
        return any(_same_money(amounts[0], said) for said, _, _ in _amounts(timeless))
    if len(wanted) == 1 and isinstance(wanted[0], Decimal):
        return _has_run(_without_compounds(timeless), wanted, joined=False)
    return _has_run(tokens, wanted, joined="-" in utterance or "-" in answer)


def _without_compounds(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens without those that are parts of an amount with cents or of a time with minutes."""
    taken: set[int] = set()
    for amount, start, end in _amounts(tokens):
        taken |= set(range(start, end)) if amount.currency and end - start > 2 else set()
    for time, start, end in _times(tokens):
        worded = any(isinstance(t, str) for t in tokens[start:end])
        taken |= set(range(start, end)) if time.minute and worded else set()
    return tuple("" if i in taken else t for i, t in enumerate(tokens))


def _is_clock(answer: str, wanted: tuple[Token, ...]) -> bool:
    """Whether an answer that can be read as a time is one: two bare numbers ("five fifteen") need not be."""
    return ":" in answer or any(isinstance(t, str) for t in wanted) or _bare_time(wanted)


def _bare_time(wanted: tuple[Token, ...]) -> bool:
    return len(wanted) == 2 and isinstance(wanted[0], Decimal) and 1 <= wanted[0] <= 12


def _number(tokens: tuple[Token, ...], at: int, low: int, high: int) -> int | None:
    """The whole number at `at` when there is one from `low` to `high`."""
    if not 0 <= at < len(tokens):
        return None
    token = tokens[at]
    whole = isinstance(token, Decimal) and token == token.to_integral_value() and low <= token <= high
    return int(token) if whole else None


def _times(tokens: tuple[Token, ...]) -> list[tuple[ClockTime, int, int]]:
    """Every reading of a part of the tokens as a time, with the part's start and end."""
    found: list[tuple[ClockTime, int, int]] = []
    for at in range(len(tokens)):
        if tokens[at] in ("noon", "midnight"):
            found.append((ClockTime(0, 0, "pm" if tokens[at] == "noon" else "am"), at, at + 1))
        face = _past_or_to(tokens, at) or _hour_first(tokens, at)
        if face is None:
            continue
        hour, minute, end = face
        half, end = _half(tokens, end)
        if half is None and (hour == 0 or hour > 12):
            half = "am" if hour % 24 == 0 else "pm"
        found.append((ClockTime(hour % 12, minute, half), at, end))
    return found


def _past_or_to(tokens: tuple[Token, ...], at: int) -> tuple[int, int, int] | None:
    """ "quarter past five", "twenty minutes to six": hour, minute and the end of the phrase."""
    place = at + 1 if tokens[at] == "a" else at
    named = {"quarter": 15, "half": 30}.get(str(tokens[place])) if place < len(tokens) else None
    minute = named if named is not None else _number(tokens, place, 1, 29)
    place += 1
    if minute is not None and place < len(tokens) and tokens[place] in ("minutes", "minute"):
        place += 1
    hour = _number(tokens, place + 1, 1, 12)
    if minute is None or hour is None or tokens[place] not in ("past", "after", "to", "till", "of", "before"):
        return None
    if tokens[place] in ("past", "after"):
        return hour, minute, place + 2
    return (hour - 1 or 12, 60 - minute, place + 2) if minute != 30 else None


def _hour_first(tokens: tuple[Token, ...], at: int) -> tuple[int, int, int] | None:
    """ "five fifteen", "six oh five", "eight o'clock", "8 pm", "at eight": hour, minute and the end."""
    hundreds = _number(tokens, at, 1300, 2400)
    if hundreds is not None and hundreds % 100 == 0:
        return hundreds // 100, 0, at + 1
    hour = _number(tokens, at, 0, 24)
    if hour is None:
        return None
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if following == "oclock":
        return hour, 0, at + 2
    if following == "oh" and (minute := _number(tokens, at + 2, 1, 9)) is not None:
        return hour, minute, at + 3
    if (minute := _number(tokens, at + 1, 10, 59)) is not None:
        # Three numbers in a row are a code or a list, not a time.
        return None if _number(tokens, at + 2, 0, 10**9) is not None else (hour, minute, at + 2)
    if (
        isinstance(following, str)
        and (following in _HALVES or following in ("in",))
        and _half(tokens, at + 1)[0]
    ):
        return hour, 0, at + 1
    before = tokens[at - 1] if at else None
    counted = isinstance(following, Decimal) or following in _COUNTED
    return (hour, 0, at + 1) if before in _BEFORE_HOUR and not counted and hour >= 1 else None


_COUNTED = frozenset(
    {*_MAJOR, *_MINOR, *_POUNDS, "percent", "degrees", "minutes", "hours", "days", "point", "oh"}
)


def _half(tokens: tuple[Token, ...], at: int) -> tuple[str | None, int]:
    """The half of the day said at `at`, and the place after it."""
    if at < len(tokens) and tokens[at] in _HALVES:
        return str(tokens[at]), at + 1
    words = tokens[at : at + 3]
    if len(words) == 3 and words[:2] == ("in", "the") and words[2] in _DAY_PARTS:
        return _DAY_PARTS[str(words[2])], at + 3
    return ("pm", at + 2) if words[:2] == ("at", "night") else (None, at)


def _amounts(tokens: tuple[Token, ...]) -> list[tuple[Money, int, int]]:
    """Every reading of a part of the tokens as money, with the part's start and end."""
    found: list[tuple[Money, int, int]] = []
    for at, token in enumerate(tokens):
        if not isinstance(token, Decimal):
            continue
        unit = str(tokens[at + 1]) if at + 1 < len(tokens) else ""
        minor = _number(tokens, at + 1, 1, 99)
        if unit in _MINOR:
            found.append((Money(token / 100, _MINOR[unit] or "cents"), at, at + 2))
        elif unit in _MAJOR or unit in _POUNDS:
            currency = _MAJOR.get(unit, "£")
            cents, end = _cents(tokens, at + 2)
            found.append((Money(token + cents, currency), at, end))
        elif minor is not None and token == token.to_integral_value():
            followed = tokens[at + 2] if at + 2 < len(tokens) else None
            if followed not in _HALVES and not isinstance(followed, Decimal):
                found.append((Money(token + Decimal(minor) / 100, None), at, at + 2))
    return found


def _cents(tokens: tuple[Token, ...], at: int) -> tuple[Decimal, int]:
    """The cents that follow an amount ("and ninety-five cents", "ninety-five"), and the place after them."""
    place = at + 1 if at < len(tokens) and tokens[at] == "and" else at
    minor = _number(tokens, place, 1, 99)
    named = place + 1 < len(tokens) and tokens[place + 1] in _MINOR
    if minor is None or (place > at and not named):
        return Decimal(0), at
    return Decimal(minor) / 100, place + (2 if named else 1)


def _same_money(wanted: Money, said: Money) -> bool:
    same_unit = said.currency in (None, wanted.currency) or "cents" in (said.currency, wanted.currency)
    return wanted.amount == said.amount and same_unit


def _has_run(tokens: tuple[Token, ...], wanted: tuple[Token, ...], *, joined: bool) -> bool:
    """Whether the wanted tokens stand in a row; numbers and letters, and with `joined` words, may break anywhere."""
    if len(wanted) > 1 and wanted[0] in _ARTICLES:
        wanted = wanted[1:]
    goal = _flat(wanted, joined)
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            said = _flat(tokens[start:end], joined)
            if said == goal:
                return True
            if len(said) > len(goal):
                break
    return False


def _flat(tokens: Sequence[Token], joined: bool) -> str:
    """The tokens as one string with a space only between two words: digits and single letters run together."""
    text = ""
    after_word = False
    for i, token in enumerate(tokens):
        is_word = isinstance(token, str) and len(token) > 1
        between_digits = 0 < i < len(tokens) - 1 and isinstance(tokens[i - 1], Decimal)
        if token == "oh" and between_digits and isinstance(tokens[i + 1], Decimal):
            token, is_word = "0", False
        text += " " if after_word and is_word and not joined else ""
        text += token if isinstance(token, str) else f"{token.normalize():f}"
        after_word = is_word
    return text
