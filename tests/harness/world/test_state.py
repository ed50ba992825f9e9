"""States: the hash tree against its description, views that leave the seed alone, undo."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duplexkit.harness.world.state import SeedTable, StateError, TableSpec, View

ROOT = Path(__file__).resolve().parents[3]
ROWS = {"CRD-1": {"owner": "C-1", "status": "active"}}


def sha(raw: bytes) -> bytes:
    return hashlib.sha256(raw).digest()


def described(tables: dict[str, dict[str, dict[str, Any]]]) -> bytes:
    """The hash as docs/world-runtime.md describes it, from its words alone."""
    whole = b""
    for name in sorted(tables):
        digests = []
        for number in range(256):
            bucket = b""
            for key in sorted((k for k in tables[name] if sha(k.encode())[0] == number), key=str.encode):
                text = json.dumps(
                    tables[name][key], sort_keys=True, separators=(",", ":"), ensure_ascii=False
                )
                bucket += len(key.encode()).to_bytes(4, "big") + key.encode() + sha(text.encode())
            digests.append(sha(bucket))
        whole += len(name.encode()).to_bytes(4, "big") + name.encode() + sha(b"".join(digests))
    return sha(whole)


def view(rows: dict[str, dict[str, Any]] = ROWS, **spec: Any) -> View:
    return View({"cards": SeedTable(TableSpec("cards", **spec), rows)})


def test_the_vectors_of_the_page() -> None:
    page = (ROOT / "docs" / "world-runtime.md").read_text(encoding="utf-8")
    vectors = re.findall(
        r"^\| (?:row|bucket of .*|empty bucket|table|state) \|.*`([0-9a-f]{64})` \|$", page, re.MULTILINE
    )
    assert len(vectors) == 5
    table = view().seed["cards"]
    assert vectors[-1] == view().digest().hex() == described({"cards": ROWS}).hex()
    assert vectors[-2] == table.digest().hex()
    assert vectors[1] == table.buckets()[1][sha(b"CRD-1")[0]].hex() and vectors[2] == sha(b"").hex()
    assert vectors[0] == sha(b'{"owner":"C-1","status":"active"}').hex()


KEYS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
VALUES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=5),
    st.integers(-9, 9),
    st.booleans(),
)
TABLES = st.dictionaries(KEYS, st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=3), max_size=8)


@given(TABLES, TABLES)
def test_the_hash_is_the_described_one_however_the_rows_came_about(
    seed: dict[str, Any], end: dict[str, Any]
) -> None:
    made = view(seed)
    for key in seed:
        if key not in end:
            made.remove("cards", key)
    for key, row in end.items():
        if key in seed:
            made.update("cards", key, {**dict.fromkeys(seed[key]), **row})
        else:
            made.insert("cards", key, row)
    assert made.digest() == described({"cards": end}) == view(end).digest()
    assert view(seed).digest() == described({"cards": seed})


@given(TABLES, st.data())
def test_undo_takes_back_every_write(seed: dict[str, Any], data: st.DataObject) -> None:
    made = view(seed)
    before, mark = made.digest(), made.mark()
    for key in data.draw(st.lists(KEYS, max_size=6)):
        if made.row("cards", key) is None:
            made.insert("cards", key, {"a": 1})
        elif data.draw(st.booleans()):
            made.remove("cards", key)
        else:
            made.update("cards", key, {"a": 2, "b": None})
    made.undo(mark)
    assert made.digest() == before and made.keys("cards") == sorted(seed)


def test_a_view_leaves_the_seed_and_other_views_alone() -> None:
    seed = {"cards": SeedTable(TableSpec("cards"), ROWS)}
    one, other = View(seed), View(seed)
    one.update("cards", "CRD-1", {"status": "locked"})
    one.insert("cards", "CRD-2", {"owner": "C-1"})
    assert other.row("cards", "CRD-1") == ROWS["CRD-1"] and other.keys("cards") == ["CRD-1"]
    assert one.where("cards", "owner", "C-1") == [
        ("CRD-1", one.row("cards", "CRD-1")),
        ("CRD-2", {"owner": "C-1"}),
    ]
    assert View(seed).digest() == other.digest() != one.digest()


def test_types_are_told_apart() -> None:
    digests = {view({"k": {"a": value}}).digest() for value in (1, True, "1", "true", ["1"], [1])}
    assert len(digests) == 6


def test_empty_and_left_out_are_one_and_free_text_is_not_hashed() -> None:
    assert view({"k": {"a": None, "b": "x"}}).digest() == view({"k": {"b": "x"}}).digest()
    spec = {"ungraded": frozenset({"note"})}
    assert view({"k": {"note": "x"}}, **spec).digest() == view({"k": {"note": "y"}}, **spec).digest()


def test_write_once_and_taken_keys() -> None:
    made = view({"k": {"a": "x"}}, write_once=frozenset({"a"}))
    with pytest.raises(StateError) as changed:
        made.update("cards", "k", {"a": "y"})
    with pytest.raises(StateError) as removed:
        made.remove("cards", "k")
    assert (changed.value.code, removed.value.code) == ("write_once", "write_once")
    made.update("cards", "k", {"a": "x", "b": 1})
    with pytest.raises(StateError) as taken:
        made.insert("cards", "k", {})
    assert taken.value.code == "already_exists"


def test_the_hash_is_the_same_in_another_process() -> None:
    code = (
        "from duplexkit.harness.world.state import *;"
        "print(View({'cards': SeedTable(TableSpec('cards'), {'CRD-1': {'status': 'active', 'owner': 'C-1'}})}).digest().hex())"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True
        )
        assert done.stdout.strip() == view().digest().hex(), done.stderr
