"""Errors of shape in worlds and scenarios: one sentence of what is wrong at the place, and what to write instead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .calls_helpers import Bare, check_call, example, read, write

TOOL = ("tools", 2)
GUARD, EFFECT = (*TOOL, "guards", 3), (*TOOL, "effects", 1)
EVENT = {"id": "aside", "when": {"asked": "until"}, "kind": "distractor", "say": "One moment, please."}
GONE = object()

WORLD = [
    ((*TOOL, "name"), "Extend-Rental", "DK107", "'Extend-Rental' is no name", "lower-case letters, digits and _"),
    ((*TOOL, "name"), "for", "DK107", "'for' is a reserved word", "another name, such as for_id"),
    ((*TOOL, "effect"), "writes", "DK106", "unknown value 'writes'", "did you mean write?"),
    (
        (*TOOL, "parameters", "note", "type"),
        ["string", "integer"],
        "DK104",
        "one type, or one type and null",
        'one is "null"',
    ),
    (
        GUARD,
        {"when": "true", "unless": "false", "error": "bad_date", "because": "That day has passed."},
        "DK107",
        "exactly one of `unless`, `when`; there are `unless`, `when`",
        "keep one of them",
    ),
    (GUARD, {"when": "args.until < today", "error": "bad_date"}, "DK107", "exactly one of `policy`, `because`", "add one"),
    (EFFECT, {"set": "/rentals/{args.rental_id}/note"}, "DK107", "`set` needs `to`", "add it"),
    (EFFECT, {"to": "args.note"}, "DK107", "exactly one of `set`, `insert`", "add one of them"),
    ((*TOOL, "returns", "due"), ["x"], "DK104", "got a list; it should be a text", "one text, in quotes"),
    ((*TOOL, "returns", "due"), Bare("3"), "DK105", "unquoted 3 is read as a number", 'quote it: "3"'),
    (
        (*TOOL, "returns", "due"),
        {"for_each": "rentals_by_rider(session.rider)", "as": "x"},
        "DK103",
        "returns.due lacks the key 'give'",
        "add `give:`",
    ),
    (("now",), "2026-03-02", "DK107", "'2026-03-02' is not allowed here", "date, time and offset"),
    (("state", "rentals", "row", "properties", "due"), "string", "DK104", "it should be a mapping", "a mapping of keys"),
    (("state", "riders", "row", "required"), ["name", "name"], "DK107", "'name' stands twice", "leave the second out"),
    (("policies", 0, "id"), "rent 1", "DK107", "'rent 1' is not allowed here", "capital letters and digits"),
    (("policies", 0, "text"), "", "DK107", "the text is empty", "a text that is not empty"),
    (("seed", "riders"), Bare("null"), "DK302", "riders is a mapping of keys to rows", "write KEY: {...}"),
]  # fmt: skip

CALL = [
    (("caller", "script", 1, "when"), {"start": Bare("true"), "asked": "phone"}, "DK107", "there are `start`, `asked`", "keep"),
    (("caller", "script", 1, "when"), {}, "DK107", "give exactly one of", "add one of them"),
    (("caller", "script", 1, "when"), {"after": "x"}, "DK102", "unknown key 'after'", "did you mean after_tool?"),
    (("caller", "script", 1, "say"), GONE, "DK103", "lacks the key 'say'", "add `say:`"),
    (("caller", "script", 3, "hangs_up"), Bare("maybe"), "DK104", "should be true or false", "without quotes"),
    (("caller", "script", 3, "speaks"), "find", "DK104", "it should be a list", "write a list"),
    (("caller", "facts", 0, "id"), "Phone No", "DK107", "'Phone No' is no name", "lower-case letters, digits and _"),
    (("caller", "facts", 0, "reveal"), "first", "DK106", "unknown value 'first'", "opening, asked, offered"),
    (("caller", "events"), [{**EVENT, "kind": "suspension"}], "DK107", "a suspension needs `away_s`", "add it"),
    (
        ("caller", "events"),
        [{**EVENT, "away_s": Bare("10")}],
        "DK107",
        "`away_s` belongs to a suspension, not to an event of kind distractor",
        "remove it",
    ),
    (
        ("caller", "events"),
        [{**EVENT, "kind": "backchannel", "holds": ["find"]}],
        "DK107",
        "`holds` belongs to a suspension, not to an event of kind backchannel",
        "remove it",
    ),
    (
        ("caller", "events"),
        [{k: v for k, v in EVENT.items() if k != "say"}],
        "DK107",
        "an event of kind distractor needs `say`",
        "add `say:`",
    ),
    (("gold", "state"), Bare("null"), "DK104", "got null; it should be a mapping", "a mapping of keys"),
    (("gold", "actions", 2, "required"), Bare("yes"), "DK104", "got 'yes'", "true or false"),
    (("gold", "actions", 2, "arguments"), ["B-31"], "DK104", "got a list; it should be a mapping", "a mapping of keys"),
    (("gold", "any_order"), ["find"], "DK104", "got 'find'; it should be a list", "write a list"),
    (("gold", "any_order"), [["find", "find"], ["list"]], "DK107", "'find' stands twice", "leave the second out"),
    (("gold", "expects"), "nothing", "DK106", "unknown value 'nothing'", "did you mean no_change?"),
    (("reward",), [], "DK107", "it takes at least 1 entry", ""),
    (("reward", 0), "stat", "DK106", "unknown value 'stat'", "did you mean state?"),
    (("type",), "single", "DK106", "unknown value 'single'", "did you mean single_intent?"),
]  # fmt: skip


def changed(page: str, place: tuple[str | int, ...], value: Any) -> str:
    document = inner = read(example(page))
    for step in place[:-1]:
        inner = inner[step]
    if value is GONE:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return write(document)


def title(value: Any) -> str:
    return ".".join(map(str, value)) if isinstance(value, tuple) else ""


@pytest.mark.parametrize(("place", "value", "code", "message", "hint"), WORLD, ids=title)
def test_a_world(
    place: tuple[str | int, ...], value: Any, code: str, message: str, hint: str, tmp_path: Path
) -> None:
    found = check_call(tmp_path, world=changed("world-format.md", place, value), scenario="").findings
    assert_said(found, code, message, hint)


@pytest.mark.parametrize(("place", "value", "code", "message", "hint"), CALL, ids=title)
def test_a_scenario(
    place: tuple[str | int, ...], value: Any, code: str, message: str, hint: str, tmp_path: Path
) -> None:
    found = check_call(tmp_path, scenario=changed("scenario-format.md", place, value)).findings
    assert_said(found, code, message, hint)


def assert_said(found: Any, code: str, message: str, hint: str) -> None:
    """The finding is there, and is said once. Findings that follow from it have other codes."""
    said = [f for f in found if f.code == code and message in f.message]
    assert len(said) == 1, [f.text() for f in found]
    assert hint in (said[0].hint or "")
    assert bool(said[0].hint) == bool(hint)


def test_no_message_speaks_of_types_of_the_program(tmp_path: Path) -> None:
    """Names of Python or pydantic, as in `constrained-str` or `tuple`, mean nothing to an author."""
    cases = [("world-format.md", case) for case in WORLD] + [("scenario-format.md", case) for case in CALL]
    for page, (place, value, *_) in cases:
        text = changed(page, place, value)
        world = page == "world-format.md"
        found = check_call(tmp_path, world=text if world else None, scenario="" if world else text)
        for finding in found.findings:
            for word in ("constrained", "tuple", "dict", "ReturnList", "pydantic", "NoneType", "Input "):
                assert word not in finding.message
