"""Corpus files: patterns, engine, preamble, and the scenes that they bring."""

from __future__ import annotations

from pathlib import Path

import pytest

from duplexkit.authoring.check import check_paths, check_text
from duplexkit.authoring.sources import corpus_sources, shipped_corpus


def corpus(tmp_path: Path, example_yaml: str, rest: str) -> Path:
    folder = tmp_path / "set"
    (folder / "scenes").mkdir(parents=True)
    (folder / "scenes" / "hut.yaml").write_text(example_yaml, encoding="utf-8")
    file = folder / "corpus.yaml"
    file.write_text(f"kind: corpus\nid: set\ntitle: A set\n{rest}\n", encoding="utf-8")
    return file


GOOD = 'scenes: ["scenes/*.yaml"]'


@pytest.mark.parametrize(
    ("rest", "code"),
    [
        ('scenes: ["scene/*.yaml"]', "DK270"),
        ('scenes: ["scenes/*.yaml", "hut.yaml"]', "DK270"),
        ('scenes: ["corpus.yaml"]', "DK270"),
        ("scenes: ['scenes\\hut.yaml']", "DK271"),
        ('scenes: ["/scenes/*.yaml"]', "DK271"),
        ('scenes: ["~/scenes/*.yaml"]', "DK271"),
        ('scenes: ["C:/scenes/*.yaml"]', "DK271"),
        ('scenes: ["file:///tmp/a%20b.yaml"]', "DK271"),
        ('scenes: [""]', "DK271"),
        ('scenes: ["a**b"]', "DK271"),
        (f"{GOOD}\nengine: hibarri", "DK264"),
        (f'{GOOD}\npreamble: "..."', "DK260"),
        (f'{GOOD}\npreamble: "[calm] You are Aria."', "DK261"),
        (f"{GOOD}\npreamble: You are Aria # and calm", "DK262"),
    ],
)
def test_hits(rest: str, code: str, tmp_path: Path, example_yaml: str) -> None:
    found = check_paths([corpus(tmp_path, example_yaml, rest)]).findings
    assert [f.code for f in found] == [code], [f.text() for f in found]
    assert found[0].line in (4, 5)
    assert found[0].hint


@pytest.mark.parametrize(
    "rest",
    [
        GOOD,
        'scenes: ["scenes/hut.yaml"]',
        'scenes: ["./scenes/../scenes/**/*.yaml"]',
        'scenes: ["**/*.yaml"]',
        f"{GOOD}\nengine: tone",
        f'{GOOD}\npreamble: "You are Aria. Speak when you are asked."',
    ],
)
def test_near_misses(rest: str, tmp_path: Path, example_yaml: str) -> None:
    file = corpus(tmp_path, example_yaml, rest)
    assert [f.text() for f in check_paths([file]).findings] == []
    sources = corpus_sources(file)
    assert [s.id for s in sources.scenes] == ["market-morning"]


def test_patterns_do_not_depend_on_the_working_directory(
    tmp_path: Path, example_yaml: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = corpus(tmp_path, example_yaml, GOOD)
    link = tmp_path / "link"
    link.symlink_to(file.parent)
    monkeypatch.chdir(tmp_path)
    assert check_paths([Path("set/corpus.yaml")]).findings == ()
    assert check_paths([Path("link/corpus.yaml")]).findings == ()
    assert len(corpus_sources(Path("link")).scenes) == 1


def test_text_without_a_place_has_no_patterns() -> None:
    result = check_text(f"kind: corpus\nid: set\ntitle: A set\n{GOOD}\n", "stdin.yaml")
    assert [f.code for f in result.findings] == ["DK271"]
    assert "path" in result.findings[0].hint


def test_sources_of_a_corpus_with_a_wrong_pattern_have_its_finding(tmp_path: Path, example_yaml: str) -> None:
    sources = corpus_sources(corpus(tmp_path, example_yaml, 'scenes: ["/scenes/*.yaml", "scenes/*.yaml"]'))
    assert [f.code for f in sources.findings] == ["DK271"]
    assert len(sources.scenes) == 1


def test_the_shipped_corpus_is_found_and_clean() -> None:
    sources = corpus_sources(shipped_corpus())
    assert sources.findings == ()
    assert len(sources.scenes) == 12
