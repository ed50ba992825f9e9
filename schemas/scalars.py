"""Scalars of source files that a YAML reader might turn into something other than text."""

from __future__ import annotations

import re
from dataclasses import dataclass

_AMBIGUOUS = re.compile(
    r"""(?:
      | ~ | null | Null | NULL
      | true | True | TRUE | false | False | FALSE
      | [-+]? (?: [0-9][0-9_]* (?:\.[0-9_]*)? | \.[0-9][0-9_]* ) (?: [eE][-+]?[0-9]+ )?
      | [-+]? 0 [xX] [0-9a-fA-F_]+ | [-+]? 0 [oO] [0-7_]+ | [-+]? 0 [bB] [01_]+
      | [-+]? \. (?:inf|Inf|INF) | \. (?:nan|NaN|NAN)
    )\Z""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Plain:
    """An unquoted scalar that a YAML reader may take for a number, a truth value or nothing.

    The schema decides what it is: an integer field reads its digits, a flag reads `true` or `false`,
    and a text field refuses it, because `00731` or `1e5` would not survive the next reader.
    """

    text: str


def is_ambiguous(text: str) -> bool:
    """Whether the unquoted `text` is read as a number, a truth value or nothing by some YAML reader."""
    return _AMBIGUOUS.match(text) is not None
