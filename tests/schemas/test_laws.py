"""Laws of reading: JSON and YAML of the same data agree, and no text brings down the reader."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from duplexkit.schemas.corpus import Corpus
from duplexkit.schemas.parse import parse
from duplexkit.schemas.source import load_text

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12)
KEYS = TEXTS.filter(lambda k: k != "<<")
DATA = st.recursive(
    TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
PIECES = st.sampled_from(
    [
        *("kind: scene\n", "kind: corpus\n", "turns:\n", "  - ", "- ", ": ", " #", "{", "}", "[", "]", ",", '"', "'"),
        *("|\n", ">-\n", "&a ", "*a", "<<: *a\n", "!!str ", "!x ", "---\n", "...\n", "%YAML 1.1\n", "\t", "\r", "\n"),
        *("\0", "\x07", "\x85", "\u2028", "\ud800", "\ufeff", "007", "1e5", "true", "~", "? ", "@", "\\u0000", "é", "e\u0301"),
    ]
)  # fmt: skip
NAMES = st.sampled_from(["a.yaml", "a.json", "a.jsonl"])


def loaded(text: str, name: str) -> Any:
    (document,), findings = load_text(text, name)
    return document.data, [f.code for f in findings]


@given(st.dictionaries(KEYS, DATA, min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_json_and_yaml_of_the_same_data_agree(value: dict[str, Any]) -> None:
    from_json = loaded(json.dumps(value), "a.json")
    assert from_json == loaded(json.dumps(value, ensure_ascii=False), "a.json")
    assert from_json == loaded(json.dumps(value) + "\n", "a.jsonl")
    assert from_json == loaded(yaml.safe_dump(value, allow_unicode=True, default_style='"'), "a.yaml")


@given(TEXTS, st.lists(TEXTS.filter(bool), min_size=1, max_size=3), st.integers(0, 10**9))
@settings(max_examples=100, deadline=None)
def test_json_and_yaml_give_equal_models(title: str, scenes: list[str], seed: int) -> None:
    corpus = {"kind": "corpus", "id": "a", "title": title or "T", "scenes": scenes, "seed": seed}
    models = []
    for text, name in (
        (json.dumps(corpus), "a.json"),
        (yaml.safe_dump(corpus, allow_unicode=True), "a.yaml"),
    ):
        (document,), findings = load_text(text, name)
        assert findings == []
        model, shape = parse(document)
        assert [f.text() for f in shape] == []
        assert isinstance(model, Corpus)
        models.append(model)
    assert models[0] == models[1]
    assert models[0].seed == seed


@given(st.lists(PIECES | st.text(max_size=4), max_size=14).map("".join), NAMES)
@settings(max_examples=500, deadline=None)
def test_reading_is_total_and_never_silent(text: str, name: str) -> None:
    documents, findings = load_text(text, name)
    for document in documents:
        model, shape = parse(document)
        assert model is not None or shape or findings
        findings = [*findings, *shape]
    assert documents or findings
    for finding in findings:
        assert finding.line >= 1 and finding.column >= 1
        finding.text().encode()
        finding.github().encode()
        assert "\n" not in finding.text()


@given(DATA)
@settings(max_examples=100, deadline=None)
def test_every_place_has_its_own_position(value: Any) -> None:
    text = json.dumps({"root": value}, indent=1, ensure_ascii=False)
    (document,), findings = load_text(text, "a.json")
    if findings:
        return
    lines = text.split("\n")

    def walk(place: tuple[str | int, ...], inner: Any) -> None:
        mark = document.mark(place)
        start = json.dumps(inner, ensure_ascii=False)[:1]
        assert lines[mark.line - 1][mark.column - 1] == start
        items = (
            inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        )
        for step, child in items:
            walk((*place, step), child)

    walk(("root",), document.data["root"])
