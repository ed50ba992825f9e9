"""The functions of expressions that need no state: exact money, dates, wording."""

from __future__ import annotations

import datetime
import decimal
import unicodedata
from collections.abc import Sequence
from typing import Any

from ...schemas.values import is_date, is_date_time, is_decimal, is_money
from .cel import function

_CENT = decimal.Decimal("0.01")
_EXACT = decimal.Context(prec=60, rounding=decimal.ROUND_HALF_EVEN)


def _amount(text: str) -> decimal.Decimal:
    if not is_money(text):
        raise ValueError(f"{text!r} is no amount with two decimals")
    return decimal.Decimal(text)


def _money(value: decimal.Decimal) -> str:
    rounded = value.quantize(_CENT, context=_EXACT)
    return f"{rounded if rounded else abs(rounded):f}"


def money_add(a: str, b: str) -> str:
    """The sum of two amounts."""
    return _money(_EXACT.add(_amount(a), _amount(b)))


def money_sub(a: str, b: str) -> str:
    """The first amount without the second."""
    return _money(_EXACT.subtract(_amount(a), _amount(b)))


def money_times(a: str, count: int) -> str:
    """A whole number of times an amount."""
    return _money(_EXACT.multiply(_amount(a), decimal.Decimal(count)))


def money_percent(a: str, percent: str) -> str:
    """A share of an amount, rounded half to even."""
    if not is_decimal(percent):
        raise ValueError(f"{percent!r} is no decimal number")
    return _money(_EXACT.divide(_EXACT.multiply(_amount(a), decimal.Decimal(percent)), decimal.Decimal(100)))


def money_sum(amounts: Sequence[str]) -> str:
    """The sum of amounts; 0.00 of none."""
    total = decimal.Decimal("0.00")
    for amount in amounts:
        total = _EXACT.add(total, _amount(amount))
    return _money(total)


def money_less(a: str, b: str) -> bool:
    """Whether the first amount is smaller."""
    return _amount(a) < _amount(b)


def money_at_most(a: str, b: str) -> bool:
    """Whether the first amount is not larger."""
    return _amount(a) <= _amount(b)


def _day(text: str) -> datetime.date:
    if not is_date(text):
        raise ValueError(f"{text!r} is no date")
    return datetime.date.fromisoformat(text)


def _moment(text: str) -> datetime.datetime:
    if not is_date_time(text):
        raise ValueError(f"{text!r} is no date-time with its offset")
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def date_add(day: str, days: int) -> str:
    """The day so many days later."""
    return (_day(day) + datetime.timedelta(days=days)).isoformat()


def date_days(a: str, b: str) -> int:
    """Days from the first date to the second."""
    return (_day(b) - _day(a)).days


def time_minutes(a: str, b: str) -> int:
    """Whole minutes from the first moment to the second, cut off towards zero."""
    return int((_moment(b) - _moment(a)) / datetime.timedelta(minutes=1))


def same(a: str, b: str) -> bool:
    """Whether two texts have the same wording, whatever the case, spaces, accents and punctuation."""
    return folded(a) == folded(b)


def folded(text: str) -> str:
    """A text without case, accents, punctuation and surplus spaces."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(c if c.isalnum() else " " for c in apart if not unicodedata.combining(c))
    return " ".join(kept.split())


def digits(text: str) -> str:
    """The decimal digits of a text."""
    return "".join(str(unicodedata.decimal(c)) for c in text if c.isdecimal())


_TEXT, _WHOLE = "STRING", "INT"
_PURE: tuple[tuple[str, tuple[str, ...], str, Any], ...] = (
    ("money.add", (_TEXT, _TEXT), _TEXT, money_add),
    ("money.sub", (_TEXT, _TEXT), _TEXT, money_sub),
    ("money.times", (_TEXT, _WHOLE), _TEXT, money_times),
    ("money.percent", (_TEXT, _TEXT), _TEXT, money_percent),
    ("money.sum", ("LIST<STRING>",), _TEXT, money_sum),
    ("money.less", (_TEXT, _TEXT), "BOOL", money_less),
    ("money.at_most", (_TEXT, _TEXT), "BOOL", money_at_most),
    ("date.add", (_TEXT, _WHOLE), _TEXT, date_add),
    ("date.days", (_TEXT, _TEXT), _WHOLE, date_days),
    ("time.minutes", (_TEXT, _TEXT), _WHOLE, time_minutes),
    ("same", (_TEXT, _TEXT), "BOOL", same),
    ("digits", (_TEXT,), _TEXT, digits),
)
PURE_NAMES = tuple(name for name, *_ in _PURE)
BUILTIN_NAMES = frozenset(
    "size int uint double string bool bytes type dyn duration timestamp has matches all exists filter map".split()
)
"""Names that CEL itself uses; a table may not have one."""


def pure_functions() -> list[Any]:
    """The declarations, for an environment."""
    return [function(name, list(parameters), result, work) for name, parameters, result, work in _PURE]
