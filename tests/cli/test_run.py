"""`duplexkit run` and `score` as whole commands."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from .helpers import call_here as call
from .helpers import contents, duplexkit

METRICS = [
    "fresh_onset_rate",
    "answer_accuracy",
    "silence_preservation",
    "answering_window_yield",
    "response_presence",
    "window_response",
]
CONTRACT = {"name", "condition", "value", "numerator", "denominator", "excluded", "low", "high", "settings"}


@pytest.fixture
def copy(silent_run: Path, tmp_path: Path) -> Path:
    """A run of the silent agent that may be changed."""
    return shutil.copytree(silent_run, tmp_path / "copy")


def play(
    compiled: Path, out: Path, *more: object, expect: int = 0, agent: str = "silent"
) -> dict[str, object]:
    result = call("run", compiled, "--agent", agent, "-o", out, "--jobs", "1", "--json", *more, expect=expect)
    document = result.json()
    assert isinstance(document, dict)
    return document


def test_a_run_says_what_it_did(compiled: Path, tmp_path: Path) -> None:
    result = call("run", compiled, "--agent", "silent", "-o", tmp_path / "r", "--jobs", "1")
    assert "silent on small: 4 of 4 episodes" in result.out
    assert all(line.startswith("episodes: ") for line in result.err.splitlines())
    assert call("run", compiled, "--agent", "silent", "-o", tmp_path / "r", "-q").err == ""
    document = play(compiled, tmp_path / "r")
    assert (document["played"], document["reused"], document["run"]) == (0, 4, str(tmp_path / "r"))


@pytest.mark.parametrize(("limit", "episodes"), [("0", 0), ("1", 1), ("99", 4)])
def test_a_limit_counts_from_zero(compiled: Path, tmp_path: Path, limit: str, episodes: int) -> None:
    document = play(compiled, tmp_path / "r", "--limit", limit)
    manifest = json.loads((tmp_path / "r" / "run.json").read_text(encoding="utf-8"))
    assert document["manifest"] == manifest and document["played"] == episodes
    assert manifest["planned"] == manifest["completed"] == len(manifest["items"]) == episodes
    score = call("score", tmp_path / "r", "--jobs", "1", "--json").json()
    assert score["episodes"]["planned"] == score["episodes"]["scored"] == episodes
    assert all(m["value"] is None for m in score["metrics"]) == (episodes == 0)


def test_seed_zero_is_the_default_and_other_seeds_are_kept_apart(compiled: Path, copy: Path) -> None:
    assert play(compiled, copy, "--seed", "0")["reused"] == 4
    refused = call("run", compiled, "--agent", "silent", "-o", copy, "--seed", "1", expect=2)
    assert "another seed" in refused.err and refused.out == ""


def test_only_the_episode_that_is_missing_is_played(compiled: Path, silent_run: Path, copy: Path) -> None:
    (copy / "episodes" / "scene-0.implicit" / "transcript.json").unlink()
    kept = copy / "episodes" / "scene-1.explicit" / "agent.flac"
    before = kept.stat().st_mtime_ns
    document = play(compiled, copy)
    assert (document["played"], document["reused"]) == (1, 3)
    assert kept.stat().st_mtime_ns == before and contents(copy) == contents(silent_run)


@pytest.mark.parametrize("damage", ["torn", "empty", "other", "bytes"])
def test_a_damaged_transcript_is_played_again(
    compiled: Path, silent_run: Path, copy: Path, damage: str
) -> None:
    path = copy / "episodes" / "scene-1.explicit" / "transcript.json"
    raw = path.read_bytes()
    path.write_bytes({"torn": raw[:-40], "empty": b"", "other": b"[1, 2]", "bytes": b"\xff\0"}[damage])
    assert play(compiled, copy)["played"] == 1
    assert contents(copy) == contents(silent_run)


def test_another_agent_is_refused_and_nothing_is_lost(compiled: Path, silent_run: Path, copy: Path) -> None:
    result = call("run", compiled, "--agent", "chatterbox", "-o", copy, expect=2)
    assert result.out == "" and "another agent" in result.err and "--force" in result.err
    assert contents(copy) == contents(silent_run)


@pytest.mark.parametrize("case", ["no corpus", "files in the folder", "a file", "spoilt run.json"])
def test_what_cannot_be_played_is_two(case: str, compiled: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    corpus = tmp_path if case == "no corpus" else compiled
    if case == "files in the folder":
        out.mkdir()
        (out / "notes.txt").write_text("mine", encoding="utf-8")
    elif case == "a file":
        out.write_text("mine", encoding="utf-8")
    elif case == "spoilt run.json":
        out.mkdir()
        (out / "run.json").write_text('{"kind": "ru', encoding="utf-8")
    before = contents(tmp_path)
    for form in ([], ["--json"]):
        result = call("run", corpus, "--agent", "silent", "-o", out, *form, expect=2)
        assert result.out == "" and result.err.startswith("duplexkit: ") and result.err.count("\n") == 1
    assert contents(tmp_path) == before


def test_score_json_is_the_contract(silent_run: Path) -> None:
    result = call("score", silent_run, "--jobs", "1", "--detector", "energy", "--json")
    document = result.json()
    assert result.err == ""
    named = [(m["name"], m["condition"]) for m in document["metrics"]]
    assert named == [(n, c) for n in METRICS for c in ("explicit", "implicit")]
    for metric in document["metrics"]:
        assert set(metric) >= CONTRACT
        assert metric["denominator"] + sum(metric["excluded"].values()) == metric["events"]
        if metric["denominator"]:
            assert metric["value"] == metric["numerator"] / metric["denominator"]
            assert metric["low"] <= metric["value"] <= metric["high"]
        else:
            assert metric["value"] is metric["low"] is metric["high"] is None


def test_score_text_shows_counts_and_null(silent_run: Path) -> None:
    result = call("score", silent_run, "--jobs", "1", "--detector", "energy", "-q")
    rows = {tuple(line.split()[:2]): line.split()[2:4] for line in result.out.splitlines()}
    assert rows[("answer_accuracy", "explicit")] == ["null", "0/0"]
    assert rows[("fresh_onset_rate", "implicit")] == ["0.000", "0/2"]
    assert rows[("silence_preservation", "implicit")] == ["1.000", "10/10"]
    assert result.err == ""


def test_seed_and_resamples_of_the_bootstrap_are_those_given(silent_run: Path) -> None:
    arguments = ("score", silent_run, "--jobs", "1", "--detector", "energy", "--json")
    for option in ([], ["--seed", "0"], ["--seed", "7"]):
        document = call(*arguments, "--resamples", "1", *option).json()
        interval = document["metrics"][0]["settings"]["interval"]
        assert interval["resamples"] == 1 and interval["seed"] == int((option or ["", "0"])[1])


def test_a_run_that_stopped_is_scored_with_what_is_missing(copy: Path) -> None:
    shutil.rmtree(copy / "episodes" / "scene-0.explicit")
    document = call("score", copy, "--jobs", "1", "--detector", "energy", "--json").json()
    assert document["episodes"]["missing"] == ["scene-0.explicit"]
    text = call("score", copy, "--jobs", "1", "--detector", "energy", "-q")
    assert "missing: scene-0.explicit" in text.out


@pytest.mark.parametrize("case", ["nowhere", "empty", "corpus", "torn ticks"])
def test_what_cannot_be_scored_is_two(case: str, compiled: Path, copy: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    folder = {"corpus": compiled, "torn ticks": copy}.get(case, tmp_path / case)
    if case == "torn ticks":
        ticks = copy / "episodes" / "scene-0.explicit" / "ticks.jsonl"
        ticks.write_bytes(ticks.read_bytes()[:-5])
    for form in ([], ["--json"]):
        result = call("score", folder, "--jobs", "1", "--detector", "energy", "-q", *form, expect=2)
        assert result.out == "" and str(folder) in result.err


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_an_agent_prints_does_not_meet_the_document(compiled: Path, tmp_path: Path, jobs: int) -> None:
    (tmp_path / "chatty.py").write_text(
        "from duplexkit.harness.agents.base import Capabilities\n"
        "class Chatty:\n"
        "    def open(self, session): print('hello'); return Capabilities('chatty')\n"
        "    def step(self, samples, t): return []\n"
        "    def played(self, n): pass\n"
        "    def close(self): pass\n",
        encoding="utf-8",
    )
    args = ["run", compiled, "--agent", "python:chatty:Chatty", "-o", "out", "--jobs", jobs, "--json"]
    result = duplexkit(*args, cwd=tmp_path)
    assert result.code == 0 and result.json()["played"] > 0
    assert "hello" in result.err
