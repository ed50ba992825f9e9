"""The fragments of the codes of worlds and scenarios: the bad one gives its code and no other, the good one nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from duplexkit.authoring.check import check_text
from duplexkit.schemas.codes import CODES

from .calls_helpers import ROOT, check_call, codes, merged, read, scenario_with, world_with, write

WALKED = "DK317"
WORLD = [c for c in sorted(CODES) if c.startswith("DK3") and c != WALKED]
BESIDE = {
    "DK411": {"DK410"},
    "DK412": {"DK409", "DK417", "DK419", "DK421", "DK426", "DK429"},
    "DK414": {"DK410", "DK413"},
    "DK415": {"DK407", "DK417"},
}
"""What a fragment brings with it, because one change of the example makes other parts of it wrong too."""
SCENARIO = [c for c in sorted(CODES) if c.startswith("DK4")]


def test_the_example_is_clean(tmp_path: Path) -> None:
    assert check_call(tmp_path).findings == ()


@pytest.mark.parametrize("code", WORLD)
def test_bad_world(code: str, tmp_path: Path) -> None:
    found = check_call(tmp_path, world=world_with(CODES[code].bad), scenario="")
    assert set(codes(found)) == {code}, [f.text() for f in found.findings]


@pytest.mark.parametrize("code", WORLD)
def test_good_world(code: str, tmp_path: Path) -> None:
    found = check_call(tmp_path, world=world_with(CODES[code].good), scenario="")
    assert [f.text() for f in found.findings] == []


@pytest.mark.parametrize("code", SCENARIO)
def test_bad_scenario(code: str, tmp_path: Path) -> None:
    found = check_call(tmp_path, scenario=scenario_with(CODES[code].bad))
    assert set(codes(found)) - BESIDE.get(code, set()) == {code}, [f.text() for f in found.findings]


@pytest.mark.parametrize("code", SCENARIO)
def test_good_scenario(code: str, tmp_path: Path) -> None:
    found = check_call(tmp_path, scenario=scenario_with(CODES[code].good))
    assert [f.text() for f in found.findings] == []


def test_what_a_city_does_not_have(tmp_path: Path) -> None:
    """Its fragments are changes of the walker's world."""
    text = (ROOT / "corpora" / "worlds" / "streets" / "world.yaml").read_text(encoding="utf-8")
    city = text.split("streets:\n", 1)[1]
    for fragment, expected in ((CODES[WALKED].bad, [WALKED]), (CODES[WALKED].good, [])):
        streets = merged(read("streets:\n" + city), read(fragment))
        world = text.split("streets:\n", 1)[0] + write(streets)
        found = check_text(world, "world.yaml")
        assert codes(found) == expected, [f.text() for f in found.findings]
