"""The catalogue of codes: its fragments behave as it says, its page is in step, and every code can come up."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from duplexkit.authoring.check import CheckResult, check_paths, check_text
from duplexkit.authoring.docs import diagnostics_markdown
from duplexkit.schemas.codes import CODES
from duplexkit.schemas.source import load

Check = Callable[[str], CheckResult]
ROOT = Path(__file__).resolve().parents[2]

NOT_PLACED = {
    "DK001": "bytes, not text",
    "DK002": "a piece of a line",
    "DK003": "a whole file",
    "DK004": "a tab, which the other reader of the fragments refuses",
    "DK005": "a piece of text",
    "DK006": "a piece of text",
    "DK007": "a piece of text",
    "DK008": "a piece of text",
    "DK101": "a whole file",
    "DK102": "its good form is prose",
    "DK103": "merging fragments cannot remove a key",
    "DK104": "a key of a corpus",
    "DK105": "depends on quotes",
    "DK106": "a key of a turn",
    "DK207": "two files",
    "DK212": "tags in order, not a fragment",
    "DK213": "tags in order, not a fragment",
    "DK217": "its good form is the example",
    "DK262": "depends on quotes",
    "DK270": "a key of a corpus",
    "DK271": "a key of a corpus",
}
"""Codes whose fragments are no change of the example, each with the reason."""

WHOLE: dict[str, tuple[str, str]] = {
    "DK002": ("a.yaml", "kind: scene\ntext: Note: I am not talking to you\n"),
    "DK003": ("a.yaml", "# only a comment\n"),
    "DK004": ("a.yaml", "kind: scene\nturns:\n\t- id: t1\n"),
    "DK005": ("a.yaml", "kind: corpus\nid: !!str hut\ntitle: T\nscenes: [a.yaml]\n"),
    "DK006": ("a.yaml", "kind: corpus\nid: hut\nid: hut\ntitle: T\nscenes: [a.yaml]\n"),
    "DK007": ("a.yaml", "kind: corpus\n1: a\nid: hut\ntitle: T\nscenes: [a.yaml]\n"),
    "DK008": ("a.yaml", "kind: corpus\n<<: {id: hut}\nid: hut\ntitle: T\nscenes: [a.yaml]\n"),
    "DK101": ("a.yaml", "kind: scenes\n"),
    "DK102": ("a.yaml", "kind: corpus\nid: hut\ntitle: T\nscenes: [a.yaml]\npersonna: mara\n"),
    "DK103": ("a.yaml", "kind: corpus\nid: hut\nscenes: [a.yaml]\n"),
    "DK104": ("a.yaml", "kind: corpus\nid: hut\ntitle: T\nscenes: [a.yaml]\nseed: 010\n"),
    "DK105": ("a.yaml", "kind: corpus\nid: hut\ntitle: 007\nscenes: [a.yaml]\n"),
    "DK271": ("a.yaml", "kind: corpus\nid: hut\ntitle: T\nscenes: ['scenes\\*.yaml']\n"),
}
"""A whole text for codes that no fragment of the example can show."""


OF_CALLS = ("DK11", "DK3", "DK4")
"""Codes of composition, worlds and scenarios, whose fragments change other examples: see test_call_catalogue.py."""


def placed() -> list[str]:
    return [code for code in of_scenes() if code not in NOT_PLACED]


def of_scenes() -> list[str]:
    return [code for code in sorted(CODES) if not code.startswith(OF_CALLS)]


@pytest.mark.parametrize("code", placed())
def test_bad_fragment_gives_its_code(code: str, check_changed: Check) -> None:
    found = [f.code for f in check_changed(CODES[code].bad).findings]
    assert found == [code]


@pytest.mark.parametrize("code", placed())
def test_good_fragment_is_clean(code: str, check_changed: Check) -> None:
    assert [f.text() for f in check_changed(CODES[code].good).findings] == []


def emitted(
    check_changed: Check, check_tags: Check, tmp_path: Path, example: dict[str, Any], text: str
) -> set[str]:
    got = {f.code for code in placed() for f in check_changed(CODES[code].bad).findings}
    got |= {f.code for name, body in WHOLE.values() for f in check_text(body, name).findings}
    got |= {f.code for tags in ("T N2 N2", "N2 T", "N2 T N4_Q N2 N4_R") for f in check_tags(tags).findings}
    turns = [{**example["turns"][0], "tag": "n1"}, *example["turns"][1:]]
    got |= {f.code for f in check_text(json.dumps({**example, "turns": turns}), "a.json").findings}
    got |= {f.code for f in check_text(f"{text}---\n{text}", "a.yaml").findings}
    corpus = tmp_path / "corpus.yaml"
    corpus.write_text('kind: corpus\nid: a\ntitle: T\nscenes: ["none/*.yaml"]\n', encoding="utf-8")
    got |= {f.code for f in check_paths([corpus]).findings}
    (tmp_path / "latin.yaml").write_bytes(b"kind: sc\xe9ne\n")
    return got | {f.code for f in load(tmp_path / "latin.yaml")[1]}


def test_every_code_comes_up_and_all_that_comes_up_is_in_the_catalogue(
    check_changed: Check, check_tags: Check, tmp_path: Path, example: dict[str, Any], example_yaml: str
) -> None:
    spoken = "answer:\n  text: Quarter past six # or so\n  support: [t2, t5, t6]\n"
    text = example_yaml[: example_yaml.index("answer:")] + spoken
    got = emitted(check_changed, check_tags, tmp_path, example, text)
    assert got == set(of_scenes())


def test_no_code_outside_the_catalogue_is_written_in_the_sources() -> None:
    written: set[str] = set()
    for folder in ("authoring", "schemas", "harness/world"):
        for path in (ROOT / folder).rglob("*.py"):
            written |= set(re.findall(r'"(DK\d{3})"', path.read_text(encoding="utf-8")))
    assert written == set(CODES)


def test_entries_are_whole() -> None:
    for name, code in CODES.items():
        assert name == code.code
        assert re.fullmatch(r"DK[0-9]{3}", name)
        assert all((code.title, code.why, code.bad, code.good))
        assert code.bad != code.good
        assert code.why.endswith(".") and not code.title.endswith(".")


def test_page_of_diagnostics_is_in_step() -> None:
    page = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")
    assert page == diagnostics_markdown()
    assert {f"### {code}" for code in CODES} == set(re.findall(r"^### DK\d{3}", page, re.MULTILINE))


def test_scenes_on_the_page_are_clean() -> None:
    page = (ROOT / "docs" / "scene-format.md").read_text(encoding="utf-8")
    blocks = [b for b in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if b.startswith("kind: scene\n")]
    assert blocks
    for block in blocks:
        assert [f.text() for f in check_text(block, "page.yaml").findings] == []


def test_page_of_the_format_names_every_field() -> None:
    from duplexkit.schemas.export import json_schema

    pages = {
        "scene": "scene",
        "corpus": "scene",
        "world": "world",
        "scenario": "scenario",
        "persona": "scenario",
    }
    for kind, name in pages.items():
        page = (ROOT / "docs" / f"{name}-format.md").read_text(encoding="utf-8")
        if kind == "world":
            page += (ROOT / "docs" / "streets.md").read_text(encoding="utf-8")
        schema = json_schema(kind)
        for part in (schema, *schema.get("$defs", {}).values()):
            for name in part.get("properties", {}):
                assert re.search(rf"\b{re.escape(name)}\b", page), f"{kind}: {name} is not described"
