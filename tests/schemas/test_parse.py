"""From documents to models: every mistake of shape once, at its place, with what to write instead."""

from __future__ import annotations

import pytest

from duplexkit.schemas.corpus import Corpus
from duplexkit.schemas.diagnostics import Finding
from duplexkit.schemas.parse import parse
from duplexkit.schemas.source import load_text

CORPUS = "kind: corpus\nid: a\ntitle: T\nscenes: [x.yaml]\n"


def shape(text: str) -> list[Finding]:
    (document,), _ = load_text(text, "a.yaml")
    return parse(document)[1]


def seen(text: str) -> list[tuple[str, int, int]]:
    return [(f.code, f.line, f.column) for f in shape(text)]


@pytest.mark.parametrize("value", ["0", "10", "600000"])
def test_whole_numbers(value: str) -> None:
    (document,), _ = load_text(f"{CORPUS}gap_ms: {value}\n", "a.yaml")
    model, findings = parse(document)
    assert findings == []
    assert isinstance(model, Corpus)
    assert model.gap_ms == int(value)


@pytest.mark.parametrize(
    "value", ['"010"', "010", "true", "1_000", "250.0", "+7", "0x1F", "1e3", '" 5 "', "five", "[1]"]
)
def test_lax_numbers_are_refused(value: str) -> None:
    assert seen(f"{CORPUS}gap_ms: {value}\n") == [("DK104", 5, 9)]


@pytest.mark.parametrize("line", ["gap_ms: -5", "gap_ms: 600001", "seed: -1"])
def test_numbers_out_of_bounds(line: str) -> None:
    assert [c for c, _, _ in seen(f"{CORPUS}{line}\n")] == ["DK107"]


@pytest.mark.parametrize("value", ["02142", "00731", "1e5", "0x1F", "true", "null", "~", "12"])
def test_unquoted_values_in_text_fields_say_how_to_quote(value: str) -> None:
    (finding,) = shape(CORPUS.replace("title: T", f"title: {value}"))
    assert (finding.code, finding.line, finding.column) == ("DK105", 3, 8)
    assert finding.hint == f'quote it: "{value}"'


def test_a_key_without_a_value() -> None:
    (finding,) = shape(CORPUS.replace("title: T", "title:"))
    assert (finding.code, finding.line) == ("DK105", 3)


def test_misspelt_keys_name_the_nearest() -> None:
    text = """
kind: scene
id: trav-04
speekers: []
turns:
  - {id: t1, speaker: A, tags: T, text: hi}
pair: {turn: t1, explicit: a, implicit: b, que: {}, cue: {turn: t1, words: a}}
"""
    hints = {f.message.split("'")[1]: f.hint for f in shape(text) if f.code == "DK102"}
    assert hints["speekers"] == "did you mean speakers?"
    assert hints["tags"] == "did you mean tag?"
    assert hints["que"] == "did you mean cue?"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("kind: scenes\n", "did you mean scene?"),
        ("kinde: scene\n", "write `kind:` instead of `kinde:`"),
        ("id: a\n", "add `kind:` with one of: corpus, persona, scenario, scene, types, world"),
        ("kind: 7\n", "one of: corpus, persona, scenario, scene, types, world"),
        ("kind: [scene]\n", "did you mean scene?"),
        ("kind:\n", "one of: corpus, persona, scenario, scene, types, world"),
    ],
)
def test_kinds(text: str, hint: str) -> None:
    (finding,) = shape(text)
    assert (finding.code, finding.line, finding.hint) == ("DK101", 1, hint)


def test_a_document_that_is_no_mapping() -> None:
    assert seen("- a\n- b\n") == [("DK003", 1, 1)]


def test_missing_keys_stand_at_their_owner() -> None:
    text = "kind: corpus\nid: a\nscenes: [x.yaml]\n"
    (finding,) = shape(text)
    assert (finding.code, finding.line) == ("DK103", 1)
    assert "'title'" in finding.message


def test_what_a_merge_key_hides_is_not_missing() -> None:
    base = CORPUS.replace("title: T", "<<: {title: T}")
    documents, findings = load_text(base, "a.yaml")
    assert [f.code for f in findings] == ["DK008"]
    assert parse(documents[0])[1] == []


@pytest.mark.parametrize("value", ["|\n  hut\n", "Hut Morning", "-a", "a--b", "a/b", "ä", "''"])
def test_ids(value: str) -> None:
    (finding,) = shape(CORPUS.replace("id: a", f"id: {value}"))
    assert (finding.code, finding.line) == ("DK107", 2)
    assert finding.hint


def test_an_id_that_ends_in_a_line_break_says_so() -> None:
    (finding,) = shape(CORPUS.replace("id: a", "id: |\n  inc0048271\n"))
    assert "line break" in finding.hint


def test_lists_and_texts_are_not_exchanged() -> None:
    assert [c for c, _, _ in seen(CORPUS.replace("[x.yaml]", "x.yaml"))] == ["DK104"]
    assert [c for c, _, _ in seen(CORPUS.replace("title: T", "title: [T]"))] == ["DK104"]
    assert [c for c, _, _ in seen(CORPUS.replace("[x.yaml]", "[]"))] == ["DK107"]


def test_all_mistakes_in_one_run_in_order() -> None:
    text = "kind: corpus\nid: Hut\ntitle: 7\nscenes: x\nseed: 010\nextra: 1\n"
    assert [(c, line) for c, line, _ in seen(text)] == [
        ("DK107", 2),
        ("DK105", 3),
        ("DK104", 4),
        ("DK104", 5),
        ("DK102", 6),
    ]
