"""End to end on real speech: the shipped quickstart, the three shipped agents, and their scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .helpers import call

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
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


def rates(quickstart: Path, agent: str, out: Path) -> dict[tuple[str, str], Any]:
    run = call("run", quickstart, "--agent", agent, "-o", out, "--json").json()
    assert run["manifest"]["completed"] == run["manifest"]["planned"] == 24
    document = call("score", out, "--json").json()
    assert document["detector"]["name"] == "silero"
    return {(m["name"], m["condition"]): m for m in document["metrics"]}


@pytest.mark.parametrize("condition", ["explicit", "implicit"])
def test_the_oracle_is_right_in_every_event(quickstart: Path, tmp_path: Path, condition: str) -> None:
    found = rates(quickstart, "oracle", tmp_path / "run")
    for name in SCORED:
        metric = found[name, condition]
        assert metric["value"] == 1.0 and metric["denominator"] == metric["events"] > 0
    assert found["answering_window_yield", condition]["events"] == 10
    assert found["fresh_onset_rate", condition]["events"] == 12


def test_the_silent_agent_keeps_every_silence_and_nothing_else(quickstart: Path, tmp_path: Path) -> None:
    found = rates(quickstart, "silent", tmp_path / "run")
    for condition in ("explicit", "implicit"):
        assert found["silence_preservation", condition]["value"] == 1.0
        assert found["fresh_onset_rate", condition]["value"] == 0
        for name in ("answer_accuracy", "answering_window_yield"):
            metric = found[name, condition]
            assert (metric["value"], metric["numerator"], metric["denominator"]) == (None, 0, 0)


def test_the_chatterbox_keeps_no_silence(quickstart: Path, tmp_path: Path) -> None:
    found = rates(quickstart, "chatterbox", tmp_path / "run")
    for condition in ("explicit", "implicit"):
        metric = found["silence_preservation", condition]
        assert metric["denominator"] > 100 and metric["value"] <= 0.05
