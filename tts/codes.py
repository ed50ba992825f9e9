"""Whether an utterance spells out a code: characters one by one, in groups, or with the words of the radio alphabet."""

from __future__ import annotations

from decimal import Decimal

from .compare import spoken_tokens
from .numbers import Token

_SILENT = frozenset({"dash", "hyphen", "minus", "slash", "dot", "point", "space", "underscore"})
_TIMES = {"double": 2, "triple": 3}
_RADIO = {
    word: word[0]
    for word in """alfa alpha bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike
    november oscar papa quebec romeo sierra tango uniform victor whiskey whisky x-ray yankee zulu""".split()
}
"""The words of the spelling alphabet of ICAO and ITU with the letter that each stands for."""


def spells(utterance: str, code: str) -> bool:
    """Whether the English utterance has the letters and digits of `code` in a row, in any grouping.

    "oh" is a nought between digits, "double eight" is 88, "L as in Lima" is L, and words such as "dash" are not heard.
    A group that is said as one number counts whole: "one thousand seven hundred three" does not spell 703.
    Raises `ValueError` for a code without a letter or digit.
    """
    goal = _characters(code)
    if not goal:
        raise ValueError(f"the code {code!r} has no letter or digit")
    groups = _groups(spoken_tokens(utterance))
    for start in range(len(groups)):
        said = ""
        for group in groups[start:]:
            if group is None or len(said) >= len(goal):
                break
            said += group
        if said == goal:
            return True
    return False


def _characters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _groups(tokens: tuple[Token, ...]) -> list[str | None]:
    """What each token adds to a code; None for a word that is no part of one."""
    groups: list[str | None] = []
    repeat, at = 1, 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token in _TIMES:
            repeat = _TIMES[str(token)]
            continue
        if token in _SILENT:
            continue
        if token == "x" and tokens[at : at + 1] == ("ray",):
            at += 1
        elif tokens[at : at + 2] == ("as", "in") and isinstance(token, str) and len(token) == 1:
            at += 3
        elif tokens[at : at + 1] == ("for",) and isinstance(token, str) and len(token) == 1:
            at += 2
        group = _group(token)
        groups.append(group * repeat if group is not None else None)
        repeat = 1
    return groups


def _group(token: Token) -> str | None:
    if isinstance(token, Decimal):
        return f"{token.normalize():f}" if token >= 0 and token == token.to_integral_value() else None
    if token in ("oh", "o"):
        return "0"
    if len(token) == 1 or any(c.isdecimal() for c in token):
        return token
    return _RADIO.get(token)
