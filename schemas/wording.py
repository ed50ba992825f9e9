"""What the author of a file is told of an error that pydantic found: what is wrong there, and what to write."""

from __future__ import annotations

from typing import Any

_SHAPES = {
    "string_type": ("it should be a text", "write one text, in quotes"),
    "tuple_type": ("it should be a list", "write a list: [..., ...] or lines that begin with -"),
    "list_type": ("it should be a list", "write a list: [..., ...] or lines that begin with -"),
    "model_type": ("it should be a mapping", "write a mapping of keys to values"),
    "model_attributes_type": ("it should be a mapping", "write a mapping of keys to values"),
    "dict_type": ("it should be a mapping", "write a mapping of keys to values"),
    "int_type": ("it should be a whole number", "write the number without quotes"),
    "bool_type": ("it should be true or false", "write true or false, without quotes"),
}
"""Errors of type by pydantic's name: what it should be, and how to write it."""

_PATTERNS = {
    "^[a-z0-9]+": "lower-case letters, digits, and single -, _ or . between them",
    "^[A-Za-z0-9]+": "letters, digits, and single - or _ between them",
    "^[A-Z][A-Z0-9]*": "capital letters and digits, with - between them: CARD-11",
    "^/": "a pointer begins with /: /TABLE/{args.KEY}/COLUMN",
    "^[0-9]{4}-": 'date, time and offset: "2026-03-02T10:05:00-05:00"',
    "^n_": "a junction by row and column: n_1_1",
    "^seg_": "a segment by its two junctions: seg_n_1_1__n_1_2",
    "^[a-z][a-z0-9_]*$": "lower-case letters, digits and _, beginning with a letter",
    "^DK": "a code of three digits: DK261",
}
"""What fits a pattern, by how the pattern begins; the longest beginning that fits counts."""

_RULES = {
    "not_identifier": "lower-case letters, digits and _, beginning with a letter",
    "reserved_word": "take another name, such as {input}_id",
    "type_union": 'write one type, or two of which one is "null"',
    "lacks_partner": "add it",
    "no_partner": "remove it",
    "say": "add `say:` with the words",
    "twice": "leave the second out",
}
"""What to do, for the errors that the models raise themselves."""


def is_type_error(kind: str) -> bool:
    """Whether the error is about the type of a value, not about which value it is."""
    return kind.endswith("_type") or kind in ("not_integer", "type_union")


def worded(error: Any, got: str) -> tuple[str, str]:
    """What is wrong at a place, and what to write instead (empty where that is plain). `got` names what is there."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in _SHAPES:
        should, hint = _SHAPES[kind]
        return f"{got}; {should}", hint
    if kind in _RULES:
        hint = _RULES[kind].format(input=str(error["input"]).strip("_"))
        return str(error["msg"]), hint
    if kind == "exactly_one":
        given = [f"`{n.rstrip('_')}`" for n in context["given"]]
        there = f"; there are {', '.join(given)}" if len(given) > 1 else ""
        return str(error["msg"]) + there, "keep one of them" if len(given) > 1 else "add one of them"
    if kind in ("too_short", "too_long"):
        return _length(context, kind, "entry", "entries"), ""
    if kind in ("string_too_short", "string_too_long"):
        if not error["input"]:
            return "the text is empty", "write a text that is not empty"
        return _length(context, kind, "character", "characters"), ""
    return f"{got}; {str(error['msg']).replace('Input should be', 'it should be')}", ""


def _length(context: Any, kind: str, one: str, many: str) -> str:
    bound = context["min_length"] if kind.endswith("short") else context["max_length"]
    word = "at least" if kind.endswith("short") else "at most"
    return f"it takes {word} {bound} {one if bound == 1 else many}"


def pattern_hint(pattern: str, value: Any) -> str:
    """What may stand where a text does not fit its pattern."""
    if isinstance(value, str) and value.rstrip("\n") != value:
        return "it ends in a line break: write it in quotes, or with |- instead of |"
    begins = max((b for b in _PATTERNS if pattern.startswith(b)), key=len, default=None)
    return _PATTERNS[begins] if begins is not None else f"it has to fit {pattern}"
