"""End to end on real speech: the shipped quickstart, the three shipped agents, and their scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .helpers import call

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CONDITIONS = ("explicit", "implicit")
SCORED = ("fresh_onset_rate", "answer_accuracy", "silence_preservation", "answering_window_yield")


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped quickstart corpus, compiled with its own engine and proven."""
    folder = tmp_path_factory.mktemp("quickstart") / "corpus"
    document = call("compile", ROOT / "corpora" / "scenes" / "quickstart", "-o", folder, "--json").json()
    assert document["manifest"]["engine"] == "hibari"
    assert (document["manifest"]["items"], document["manifest"]["pairs"]) == (24, 12)
    assert call("verify", folder, "--json").json()["passed"] is True
    return folder


Rates = dict[tuple[str, str], Any]


@pytest.fixture(scope="module")
def scores(quickstart: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rates]:
    """The metrics of each shipped agent, by name and condition."""
    found = {}
    for agent in ("oracle", "silent", "chatterbox"):
        out = tmp_path_factory.mktemp(agent) / "run"
        run = call("run", quickstart, "--agent", agent, "-o", out, "--json").json()
        assert run["manifest"]["completed"] == run["manifest"]["planned"] == 24
        document = call("score", out, "--json").json()
        assert document["detector"]["name"] == "silero"
        found[agent] = {(m["name"], m["condition"]): m for m in document["metrics"]}
    return found


def test_the_oracle_is_right_in_every_event(scores: dict[str, Rates]) -> None:
    for condition in CONDITIONS:
        for name in SCORED:
            metric = scores["oracle"][name, condition]
            assert metric["value"] == 1.0 and metric["denominator"] == metric["events"] > 0
        assert scores["oracle"]["answering_window_yield", condition]["denominator"] == 10


def test_the_silent_agent_keeps_every_silence_and_nothing_else(scores: dict[str, Rates]) -> None:
    for condition in CONDITIONS:
        found = {name: scores["silent"][name, condition] for name in SCORED}
        assert found["silence_preservation"]["value"] == 1.0
        assert found["fresh_onset_rate"]["value"] == 0
        for name in ("answer_accuracy", "answering_window_yield"):
            metric = found[name]
            assert (metric["value"], metric["numerator"], metric["denominator"]) == (None, 0, 0)


def test_the_chatterbox_keeps_no_silence(scores: dict[str, Rates]) -> None:
    for condition in CONDITIONS:
        metric = scores["chatterbox"]["silence_preservation", condition]
        assert metric["denominator"] > 100 and metric["value"] <= 0.05


def test_the_table_of_baselines_is_what_they_score(scores: dict[str, Rates]) -> None:
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    _, heading, rest = page.partition("| metric | `oracle` | `silent` | `chatterbox` |\n")
    assert heading
    rows = rest.split("\n\n")[0].splitlines()[1:]
    table = {(cells := [c.strip(" `") for c in row.strip("|").split("|")])[0]: cells[1:] for row in rows}
    assert set(table) == {name for name, _ in scores["oracle"]}
    for condition in CONDITIONS:
        for name, cells in table.items():
            metrics = [scores[agent][name, condition] for agent in ("oracle", "silent", "chatterbox")]
            assert [shown(m) for m in metrics] == cells, name


def shown(metric: dict[str, Any]) -> str:
    counts = f"{metric['numerator']}/{metric['denominator']}"
    return counts if metric["denominator"] else f"null ({counts})"
