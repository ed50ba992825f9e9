"""The folder of planted mistakes: each file gives a finding at the line of its mistake, and none elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from duplexkit.authoring.check import check_paths

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "planted"
ROWS = [line.split("\t") for line in (FOLDER / "expected.tsv").read_text(encoding="utf-8").splitlines()]


def test_the_base_is_clean() -> None:
    assert [f.text() for f in check_paths([FOLDER / "base"]).findings] == []


def test_every_file_is_listed_and_every_kind_once() -> None:
    names = [row[0] for row in ROWS]
    assert sorted(names) == sorted(p.name for p in FOLDER.glob("[0-9]*.yaml"))
    assert len({name[4:] for name in names}) == len(names) >= 60


@pytest.mark.parametrize(("name", "lines", "mistake"), ROWS, ids=[row[0] for row in ROWS])
def test_the_mistake_is_found_at_its_line_and_nothing_elsewhere(name: str, lines: str, mistake: str) -> None:
    found = check_paths([FOLDER / name]).findings
    told = [f.text() for f in found]
    right = {int(n) for n in lines.split("|")}
    assert found, f"not found: {mistake}"
    assert {f.line for f in found} <= right and all(f.path.endswith(name) for f in found), told
