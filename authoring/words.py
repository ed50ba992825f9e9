"""Words of spoken text as the checks compare them: folded case, no punctuation, whole words only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?\Z")


def words(text: str) -> list[str]:
    """The words of `text`, case folded; a possessive ending is dropped, apostrophes are alike."""
    folded = unicodedata.normalize("NFC", text).casefold().replace("’", "'")
    return [_POSSESSIVE.sub("", w.group()) for w in _WORD.finditer(folded)]


def find_run(haystack: Sequence[str], needle: Sequence[str]) -> int | None:
    """The index at which the words `needle` stand in `haystack` in a row, or None."""
    if not needle:
        return None
    for start in range(len(haystack) - len(needle) + 1):
        if list(haystack[start : start + len(needle)]) == list(needle):
            return start
    return None


def mentioned(text: str, names: Iterable[str]) -> str | None:
    """The first of `names` that stands in `text` as whole words, or None."""
    spoken = [part for word in words(text) for part in word.split("-")]
    for name in names:
        parts = [part for word in words(name) for part in word.split("-")]
        if find_run(spoken, parts) is not None:
            return name
    return None
