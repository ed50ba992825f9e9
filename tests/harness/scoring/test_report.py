"""Scoring run folders: counts, missing and broken input, and the JSON that scripts read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duplexkit.harness.scoring.duplex_mpe import EpisodeSpeech
from duplexkit.harness.scoring.report import ScoreError, ScoreReport, score_run
from duplexkit.harness.scoring.rules import Judges

RATE = 24_000
TAGS = ("N2", "N4_Q", "N4_R", "N1", "T", "N3")
Build = Callable[..., EpisodeSpeech]
RunOf = Callable[..., Path]


def answer(build: Build, item: str, /, *, right: bool = True, **fields: Any) -> EpisodeSpeech:
    """An episode of an agent that answers the question and the request and stops in time."""
    turn = {t.tag: t for t in build(TAGS).episode.turns}
    said = [
        (turn["N4_Q"].end + 4_800, turn["N4_R"].start + RATE, "Blue."),
        (turn["T"].end + 4_800, turn["T"].end + 2 * RATE, "Nine dollars." if right else "Ten dollars."),
    ]
    scene, condition = item.split(".")
    record = {"item": item, "scene": scene, "pair": scene, "condition": condition}
    return build(TAGS, said, **(record | fields))


def score(run: Path, judges: Judges, **options: Any) -> ScoreReport:
    return score_run(run, detector="energy", judges=judges, resamples=200, **options)


def test_an_agent_that_does_all_right_scores_one_on_every_event(
    speech_of: Build, run_of: RunOf, judges: Judges
) -> None:
    items = [f"s{n}.{c}" for n in (1, 2, 3) for c in ("explicit", "implicit")]
    told: list[tuple[int, int]] = []
    report = score(
        run_of([answer(speech_of, i) for i in items]),
        judges,
        progress=lambda done, total: told.append((done, total)),
    )
    assert all(m.value == 1.0 and m.low == 1.0 and m.high == 1.0 for m in report.metrics)
    assert all(m.events == m.denominator and not m.excluded for m in report.metrics)
    assert report.metric("answering_window_yield", "explicit").events == 3
    assert report.metric("silence_preservation", "implicit").denominator == 9
    assert told == [(n, 6) for n in range(1, 7)]
    assert (report.pairs.pairs, report.pairs.p) == (3, 1.0)
    assert set(report.speech) == set(items)


def test_a_silent_agent_has_no_accuracy_and_no_yield(speech_of: Build, run_of: RunOf, judges: Judges) -> None:
    report = score(run_of([speech_of(TAGS)]), judges)
    accuracy = report.metric("answer_accuracy", "explicit")
    assert (accuracy.value, accuracy.numerator, accuracy.denominator) == (None, 0, 0)
    assert accuracy.excluded == {"no response": 1}
    assert report.metric("answering_window_yield", "explicit").excluded == {"never started in the gap": 1}
    assert report.metric("silence_preservation", "explicit").value == 1.0
    assert report.metric("fresh_onset_rate", "explicit").value == 0.0
    assert report.metric("fresh_onset_rate", "implicit").events == 0
    assert accuracy.note is None


def test_failed_episodes_are_left_out_and_both_rates_can_be_had(
    speech_of: Build, run_of: RunOf, judges: Judges
) -> None:
    """Eight runs, two right, four wrong, two errored: 2 of 6 scored, 2 of 8 of all."""
    speeches = [answer(speech_of, f"s{n}.explicit", right=n < 3) for n in range(1, 7)]
    speeches += [
        answer(speech_of, f"s{n}.explicit", outcome="agent-error", reason="socket closed") for n in (7, 8)
    ]
    report = score(run_of(speeches), judges)
    accuracy = report.metric("answer_accuracy", "explicit")
    assert (accuracy.numerator, accuracy.denominator, accuracy.events) == (2, 6, 8)
    assert accuracy.excluded == {"episode not completed": 2}
    assert accuracy.note == "fewer than 30 events: too few to compare"
    assert report.episodes.failed == dict.fromkeys(
        ("s7.explicit", "s8.explicit"), "agent-error: socket closed"
    )
    assert (report.episodes.planned, report.episodes.scored) == (8, 6)


def test_missing_and_wordless_items_are_named_and_others_score_as_alone(
    speech_of: Build, run_of: RunOf, judges: Judges
) -> None:
    planned = [f"s{n}.explicit" for n in (1, 2, 3, 4)]
    first, fourth = answer(speech_of, "s1.explicit"), answer(speech_of, "s4.explicit", right=False)
    third = answer(speech_of, "s3.explicit", utterances=[])
    run = run_of([fourth, third, first], items=planned, planned=4, completed=3)
    (run / "episodes" / "s2.explicit").mkdir()
    report = score(run, judges)
    assert report.episodes.missing == ("s2.explicit",)
    assert report.episodes.without_words == ("s3.explicit",)
    alone = score(run_of([fourth], "alone"), judges)
    assert [e for e in report.events if e.scene == "s4"] == list(alone.events)
    assert (report.episodes.finished, report.episodes.unplanned) == (False, ())


def test_items_that_failed_without_a_record_keep_their_reason(
    speech_of: Build, run_of: RunOf, judges: Judges
) -> None:
    items = ["s1.explicit", "s2.explicit"]
    run = run_of(
        [answer(speech_of, items[0])], items=items, planned=2, completed=1, failed={items[1]: "no connection"}
    )
    episodes = score(run, judges).episodes
    assert episodes.failed == {"s2.explicit": "no connection"}
    assert (episodes.missing, episodes.finished) == ((), True)


def test_a_record_that_an_earlier_run_left_is_not_scored(
    speech_of: Build, run_of: RunOf, judges: Judges
) -> None:
    """The run says that the item failed; the folder holds a completed episode all the same."""
    item = "s1.explicit"
    report = score(run_of([answer(speech_of, item)], completed=0, failed={item: "socket closed"}), judges)
    assert report.episodes.failed == {item: "agent-error: socket closed"}
    assert report.metric("fresh_onset_rate", "explicit").excluded == {"episode not completed": 1}


def test_folders_of_other_items_are_named_and_not_scored(
    speech_of: Build, run_of: RunOf, judges: Judges
) -> None:
    speeches = [answer(speech_of, "s1.explicit"), answer(speech_of, "s2.explicit", right=False)]
    run = run_of(speeches, items=["s1.explicit"], planned=1, completed=1)
    (run / "episodes" / ".s1.explicit.77.part").mkdir()
    report = score(run, judges)
    assert report.episodes.unplanned == ("s2.explicit",)
    assert report.metric("answer_accuracy", "explicit").events == 1


def test_pairs_are_tested_on_those_scored_in_both_conditions(
    speech_of: Build, run_of: RunOf, judges: Judges
) -> None:
    quiet = speech_of(TAGS, item="s1.implicit", condition="implicit")
    speeches = [answer(speech_of, "s1.explicit"), quiet, answer(speech_of, "s2.explicit")]
    pairs = score(run_of(speeches), judges).pairs
    assert (pairs.pairs, pairs.explicit_only, pairs.implicit_only, pairs.p) == (1, 1, 0, 1.0)
    assert pairs.unpaired == ("s2",)
    twice = [answer(speech_of, "s1.explicit"), answer(speech_of, "s1b.explicit", pair="s1")]
    with pytest.raises(ScoreError, match="a second explicit episode of pair s1"):
        score(run_of(twice, "twice"), judges)


def test_scenes_are_drawn_whole(speech_of: Build, run_of: RunOf, judges: Judges) -> None:
    """Two items of one scene are one unit of the bootstrap: with no other scene there is no spread."""
    speeches = [
        answer(speech_of, f"{n}.explicit", right=n == "s1a", scene="s1", pair=n) for n in ("s1a", "s1b")
    ]
    accuracy = score(run_of(speeches), judges).metric("answer_accuracy", "explicit")
    assert (accuracy.low, accuracy.value, accuracy.high) == (0.5, 0.5, 0.5)


def test_json_has_null_and_no_nan_and_is_the_same_twice(
    speech_of: Build, run_of: RunOf, judges: Judges
) -> None:
    run = run_of(
        [answer(speech_of, "s1.explicit"), speech_of(TAGS, item="s2.explicit", scene="s2", pair="s2")]
    )
    document = score(run, judges).to_json()
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == json.loads(json.dumps(score(run, judges).to_json()))
    assert set(document) == {"metrics", "pairs", "episodes", "detector", "signature"}
    for metric in document["metrics"]:
        assert {"name", "condition", "value", "numerator", "denominator", "excluded"} <= set(metric)
        assert {"low", "high", "settings", "kind", "events"} <= set(metric)
    assert {m["kind"] for m in document["metrics"]} == {"scored", "diagnostic"}
    assert document["metrics"][2]["settings"]["judge"] == "stand-in"


def test_signature_tells_ways_of_counting_apart(speech_of: Build, run_of: RunOf, judges: Judges) -> None:
    run = run_of([answer(speech_of, "s1.explicit")])
    assert score(run, judges).signature == score(run, judges).signature
    assert score(run, judges).signature != score(run, judges, seed=1).signature
    assert score(run, judges).signature.startswith("duplex-mpe/1|detector:energy|boundary:merged|")


def test_default_judges_say_that_they_go_by_rule(speech_of: Build, run_of: RunOf) -> None:
    report = score_run(run_of([answer(speech_of, "s1.explicit")]), detector="energy", resamples=20)
    accuracy = report.metric("answer_accuracy", "explicit")
    assert accuracy.value == 1.0
    assert accuracy.settings["judge"] == "answers judged by rule on the agent's own text (self-reported)"


def test_the_number_of_processes_changes_nothing(speech_of: Build, run_of: RunOf, judges: Judges) -> None:
    run = run_of([answer(speech_of, f"s{n}.explicit") for n in (1, 2, 3)])
    assert score(run, judges, jobs=2) == score(run, judges)
    _spoil(run / "episodes" / "s2.explicit" / "agent.flac", lambda _: b"")
    with pytest.raises(ScoreError, match=r"s2\.explicit.agent\.flac"):
        score(run, judges, jobs=2)


def _spoil(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("ticks.jsonl", lambda b: b[:-20], r"ticks\.jsonl:\d+: not a tick \(Invalid JSON"),
        ("ticks.jsonl", lambda b: b"".join(b.splitlines(True)[:-1]), r"\d+ ticks, and transcript.json says"),
        ("ticks.jsonl", lambda b: b"".join(b.splitlines(True)[1:]), r"ticks\.jsonl:1: tick 1 at sample 4800"),
        ("ticks.jsonl", lambda b: b.replace(b'"source"', b'"sauce"', 1), "not a tick"),
        ("transcript.json", lambda b: b[:-20], r"transcript\.json: Invalid JSON"),
        ("transcript.json", lambda b: b.replace(b'"oracle"', b'"other"'), "of agent other"),
        ("transcript.json", lambda b: b.replace(b"s1.explicit", b"s9.explicit"), "of item s9.explicit"),
        ("transcript.json", lambda b: b.replace(b'"kind":"yield"', b'"kind":"silence"'), "no yield window"),
        ("agent.flac", lambda b: b[:100], "cannot be read as audio"),
        ("agent.flac", lambda _: b"", "cannot be read as audio"),
    ],
)
def test_broken_input_is_an_error_that_says_where(
    speech_of: Build, run_of: RunOf, judges: Judges, name: str, change: Callable[[bytes], bytes], message: str
) -> None:
    run = run_of([answer(speech_of, "s1.explicit")])
    _spoil(run / "episodes" / "s1.explicit" / name, change)
    with pytest.raises(ScoreError, match=message):
        score(run, judges)


def test_audio_of_another_length_or_rate_is_an_error(speech_of: Build, run_of: RunOf, judges: Judges) -> None:
    import soundfile

    run = run_of([answer(speech_of, "s1.explicit")])
    path = run / "episodes" / "s1.explicit" / "agent.flac"
    soundfile.write(path, np.zeros(100, np.int16), RATE)
    with pytest.raises(ScoreError, match=r"100 samples, and transcript\.json says"):
        score(run, judges)
    soundfile.write(path, np.zeros(100, np.int16), 16_000)
    with pytest.raises(ScoreError, match="16000 Hz; agent audio is 24000 Hz"):
        score(run, judges)
    path.unlink()
    with pytest.raises(ScoreError, match=r"agent\.flac: missing"):
        score(run, judges)


def test_no_run_and_a_run_that_names_no_items_are_errors(
    speech_of: Build, run_of: RunOf, judges: Judges, tmp_path: Path
) -> None:
    with pytest.raises(ScoreError, match=r"run\.json: cannot be read"):
        score(tmp_path / "nowhere", judges)
    fine = run_of([answer(speech_of, "s1.explicit")])
    for name, items, planned in (("a", ["s1.explicit"], 2), ("b", [], 1), ("c", ["s1.explicit"] * 2, 2)):
        run = run_of([answer(speech_of, "s1.explicit")], name, items=items, planned=planned)
        with pytest.raises(ScoreError, match=r"run\.json: names \d different items and plans"):
            score(run, judges)
    with pytest.raises(ValueError, match="choose silero or energy"):
        score_run(fine, detector="loud", judges=judges)
