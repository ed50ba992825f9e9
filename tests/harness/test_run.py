"""Runs: whole episodes or none, resumed without playing twice, and the baselines' bounds on a small corpus."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from duplexkit.corpora.read import CorpusError
from duplexkit.harness import run as run_module
from duplexkit.harness.agents.base import AgentEvent
from duplexkit.harness.agents.registry import UnknownAgent
from duplexkit.harness.run import RunError, RunResult, run_corpus
from duplexkit.harness.scoring.report import ScoreError, ScoreReport, score_run
from duplexkit.harness.seeds import episode_seed
from duplexkit.tts.placement import Int16
from duplexkit.tts.store import ClipStore

from ..conftest import write_corpus
from ..corpora.helpers import compile_to, plan_of, tree
from .helpers import ScriptedAgent


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("run-store")


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory, store: Path) -> Path:
    root = tmp_path_factory.mktemp("run")
    compile_to(plan_of(write_corpus(root / "src", 2)), root / "out", store)
    return root / "out"


def run(corpus: Path, agent: str, out: Path, store: Path, **options: object) -> RunResult:
    return run_corpus(corpus, agent, out, store=ClipStore(store), version="test", **options)  # type: ignore[arg-type]


def rates(report: ScoreReport) -> dict[tuple[str, str], tuple[float | None, int, int, int]]:
    return {(m.name, m.condition): (m.value, m.numerator, m.denominator, m.events) for m in report.metrics}


def test_a_second_run_plays_nothing_and_jobs_change_nothing(
    corpus: Path, tmp_path: Path, store: Path
) -> None:
    first = run(corpus, "chatterbox", tmp_path / "a", store)
    assert (first.played, first.reused, first.manifest.completed) == (4, 0, 4)
    before = tree(tmp_path / "a")
    assert set(json.loads(before["run.json"])["items"]) == {
        f"scene-{n}.{c}" for n in range(2) for c in ("explicit", "implicit")
    }
    second = run(corpus, "chatterbox", tmp_path / "a", store)
    assert (second.played, second.reused) == (0, 4)
    assert tree(tmp_path / "a") == before
    run(corpus, "chatterbox", tmp_path / "b", store, jobs=2)
    assert tree(tmp_path / "b") == before


@pytest.mark.parametrize("damage", ["", "{", '{"kind": "episode"}'])
def test_a_damaged_episode_is_played_again(corpus: Path, tmp_path: Path, store: Path, damage: str) -> None:
    run(corpus, "chatterbox", tmp_path / "a", store)
    before = tree(tmp_path / "a")
    (tmp_path / "a/episodes/scene-1.implicit/transcript.json").write_text(damage, encoding="utf-8")
    assert run(corpus, "chatterbox", tmp_path / "a", store).played == 1
    assert tree(tmp_path / "a") == before


def test_a_lost_artefact_is_made_again(corpus: Path, tmp_path: Path, store: Path) -> None:
    run(corpus, "silent", tmp_path / "a", store)
    before = tree(tmp_path / "a")
    (tmp_path / "a/episodes/scene-0.explicit/agent.flac").unlink()
    ticks = tmp_path / "a/episodes/scene-1.explicit/ticks.jsonl"
    ticks.write_bytes(b"".join(ticks.read_bytes().splitlines(keepends=True)[:-1]))
    audio = tmp_path / "a/episodes/scene-0.implicit/agent.flac"
    audio.write_bytes(audio.read_bytes()[:100])
    assert run(corpus, "silent", tmp_path / "a", store).played == 3
    assert tree(tmp_path / "a") == before


def test_a_leftover_of_a_killed_run_is_swept_up(corpus: Path, tmp_path: Path, store: Path) -> None:
    (tmp_path / "a/episodes/.scene-0.explicit.77.part").mkdir(parents=True)
    with pytest.raises(RunError, match="holds other files"):
        run(corpus, "silent", tmp_path / "a", store)
    shutil.rmtree(tmp_path / "a")
    run(corpus, "silent", tmp_path / "a", store)
    (tmp_path / "a/episodes/.scene-0.explicit.77.part").mkdir()
    run(corpus, "silent", tmp_path / "a", store)
    assert not list((tmp_path / "a/episodes").glob(".*"))


def test_another_agent_or_seed_is_refused_and_forced(corpus: Path, tmp_path: Path, store: Path) -> None:
    run(corpus, "silent", tmp_path / "a", store)
    with pytest.raises(RunError, match="another agent"):
        run(corpus, "chatterbox", tmp_path / "a", store)
    with pytest.raises(RunError, match="another seed"):
        run(corpus, "silent", tmp_path / "a", store, seed=1)
    run(corpus, "chatterbox", tmp_path / "a", store, force=True)
    run(corpus, "chatterbox", tmp_path / "b", store)
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_an_episode_of_a_run_with_another_seed_is_found(corpus: Path, tmp_path: Path, store: Path) -> None:
    for name, seed in (("a", 7), ("b", 8)):
        run(corpus, "silent", tmp_path / name, store, seed=seed)
    shutil.rmtree(tmp_path / "a/episodes/scene-0.explicit")
    shutil.copytree(tmp_path / "b/episodes/scene-0.explicit", tmp_path / "a/episodes/scene-0.explicit")
    with pytest.raises(ScoreError, match="another seed"):
        score_run(tmp_path / "a", detector="energy")
    assert run(corpus, "silent", tmp_path / "a", store, seed=7).played == 1
    score_run(tmp_path / "a", detector="energy")


def test_a_limit_of_zero_is_no_episode(corpus: Path, tmp_path: Path, store: Path) -> None:
    result = run(corpus, "silent", tmp_path / "a", store, limit=0)
    assert (result.manifest.planned, result.played) == (0, 0)


def test_what_is_no_corpus_and_no_agent_is_refused(corpus: Path, tmp_path: Path, store: Path) -> None:
    with pytest.raises(CorpusError, match=r"no corpus\.json"):
        run(tmp_path, "silent", tmp_path / "a", store)
    with pytest.raises(UnknownAgent, match="one of: silent, oracle, chatterbox"):
        run(corpus, "orcale", tmp_path / "a", store)


def test_an_agent_that_breaks_is_a_failed_episode_with_counted_events(
    corpus: Path, tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(samples: Int16, t: int) -> list[AgentEvent]:
        if t > 480_000:
            raise RuntimeError("socket closed")
        return []

    monkeypatch.setattr(run_module, "agent_factory", lambda spec, store: lambda: ScriptedAgent(script))
    result = run(corpus, "silent", tmp_path / "a", store)
    assert result.manifest.completed == 0
    assert "socket closed" in result.manifest.failed["scene-0.explicit"]
    report = score_run(tmp_path / "a", detector="energy")
    silence = report.metric("silence_preservation", "explicit")
    assert (silence.value, silence.denominator) == (None, 0)
    assert silence.events == sum(silence.excluded.values()) == 10
    monkeypatch.undo()
    again = run(corpus, "silent", tmp_path / "a", store)
    assert (again.played, again.manifest.completed) == (4, 4)


def test_seeds_of_episodes_differ_and_fit_63_bits() -> None:
    seeds = {episode_seed(seed, item) for seed in range(5) for item in ("a", "b", "c")}
    assert len(seeds) == 15
    assert all(0 <= s < 2**63 for s in seeds)


def test_the_oracle_is_right_everywhere_and_every_question_is_eligible(
    corpus: Path, tmp_path: Path, store: Path
) -> None:
    run(corpus, "oracle", tmp_path / "a", store)
    report = score_run(tmp_path / "a")
    for condition in ("explicit", "implicit"):
        found = rates(report)
        assert found["fresh_onset_rate", condition] == (1.0, 2, 2, 2)
        assert found["answer_accuracy", condition] == (1.0, 2, 2, 2)
        assert found["silence_preservation", condition] == (1.0, 10, 10, 10)
        assert found["answering_window_yield", condition] == (1.0, 2, 2, 2)
    for path in (tmp_path / "a/episodes").iterdir():
        episode = json.loads((path / "transcript.json").read_text(encoding="utf-8"))
        resolution = next(t for t in episode["turns"] if t["tag"] == "N4_R")
        (cut,) = [u for u in episode["utterances"] if u["interrupted"]]
        assert resolution["start"] <= cut["end"] <= resolution["start"] + 12_000


def test_the_silent_agent_keeps_silence_and_has_no_other_rate(
    corpus: Path, tmp_path: Path, store: Path
) -> None:
    run(corpus, "silent", tmp_path / "a", store)
    found = rates(score_run(tmp_path / "a"))
    for condition in ("explicit", "implicit"):
        assert found["silence_preservation", condition][0] == 1.0
        assert found["fresh_onset_rate", condition][:3] == (0.0, 0, 2)
        assert found["answer_accuracy", condition][:3] == (None, 0, 0)
        assert found["answering_window_yield", condition][0] is None


def test_the_chatterbox_keeps_no_silence(corpus: Path, tmp_path: Path, store: Path) -> None:
    run(corpus, "chatterbox", tmp_path / "a", store)
    found = rates(score_run(tmp_path / "a"))
    for condition in ("explicit", "implicit"):
        value = found["silence_preservation", condition][0]
        assert value is not None and value <= 0.1
        assert found["response_presence", condition][0] == 1.0


def test_scores_of_other_corpora_waits_or_items_have_other_signatures(
    corpus: Path, tmp_path: Path, store: Path
) -> None:
    other = tmp_path / "other"
    compile_to(plan_of(write_corpus(tmp_path / "src", 2, gap_ms=600)), other, store)
    run(corpus, "silent", tmp_path / "a", store)
    run(other, "silent", tmp_path / "b", store)
    run(corpus, "silent", tmp_path / "c", store, limit=2)
    run(corpus, "silent", tmp_path / "d", store)
    names = {n: score_run(tmp_path / n, detector="energy").signature for n in "abcd"}
    assert len(set(names.values())) == 3
    assert names["a"] == names["d"]


AGENT = """
from duplexkit.harness.agents.base import Capabilities

class Quiet:
    def open(self, session): return Capabilities("quiet")
    def step(self, samples, t): return []
    def played(self, num_samples): pass
    def close(self): pass

class Half:
    def open(self, session): pass

class Stillborn(Quiet):
    def __init__(self): raise SystemExit(5)
"""


def test_an_agent_of_ones_own_is_run_by_its_class(
    corpus: Path, tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "agent_of_mine.py").write_text(AGENT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(__import__("sys").path))
    result = run(corpus, "python:agent_of_mine:Quiet", tmp_path / "a", store)
    assert (result.manifest.agent, result.manifest.completed) == ("python:agent_of_mine:Quiet", 4)
    assert rates(score_run(tmp_path / "a", detector="energy"))["silence_preservation", "explicit"][0] == 1.0
    born = run(corpus, "python:agent_of_mine:Stillborn", tmp_path / "c", store)
    assert len(born.manifest.failed) == 4
    assert "when it was made, the agent raised SystemExit" in born.manifest.failed["scene-0.explicit"]
    for spec, message in (
        ("python:agent_of_mine", "is not of the form"),
        ("python:agent_of_mine:Loud", "has no Loud"),
        ("python:agent_of_mine:Half", "lacks step, played, close"),
        ("python:no_such_module:X", "importing no_such_module failed"),
    ):
        with pytest.raises(UnknownAgent, match=message):
            run(corpus, spec, tmp_path / "b", store)
