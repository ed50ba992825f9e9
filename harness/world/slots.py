"""Typed slots of what is said: the ways in which a value of a kind may be spoken, and whether a text has one.

The offline rule. It knows English; it cannot hear a negation ("not twelve dollars" says twelve dollars).
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from ...schemas.scenario import Slot
from ...schemas.values import is_date, is_decimal, is_money
from ...tts.codes import spells
from ...tts.compare import contains_answer

_MONTHS = "January February March April May June July August September October November December".split()
_CURRENCIES = ("$", "€", "£")


def ways(slot: Slot) -> tuple[str, ...]:
    """The spellings of a slot's value that are looked for."""
    value = slot.value
    if slot.kind == "money" and is_money(value):
        return (*(f"{c}{value}" for c in _CURRENCIES), value)
    if slot.kind == "date" and is_date(value):
        day = datetime.date.fromisoformat(value)
        month = _MONTHS[day.month - 1]
        plain = f"{month} {day.day}"
        return (
            plain,
            f"{plain}, {day.year}",
            f"the {_ordinal(day.day)} of {month}",
            f"{_ordinal(day.day)} of {month}",
            value,
        )
    return (value,)


def fault(slot: Slot) -> str | None:
    """Why a value is none of its kind, or None."""
    value = slot.value
    good = {
        "money": is_money(value),
        "date": is_date(value),
        "number": is_decimal(value.replace(",", "")),
        "time": len(value) == 5
        and value[2] == ":"
        and value.replace(":", "").isdecimal()
        and value < "24:00",
    }.get(slot.kind, any(c.isalnum() for c in value))
    shapes = {"money": '"12.50"', "date": "2026-03-02", "number": '"12"', "time": '"09:15"'}
    return None if good else f"{value!r} is no {slot.kind}; write it as {shapes.get(slot.kind, 'text')}"


def is_said(slot: Slot, texts: Sequence[str]) -> bool:
    """Whether one of the texts says the slot's value."""
    if any(contains_answer(text, ways(slot)) for text in texts):
        return True
    return slot.kind == "code" and any(spells(text, slot.value) for text in texts)


def _ordinal(day: int) -> str:
    ending = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"
