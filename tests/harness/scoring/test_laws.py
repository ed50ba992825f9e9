"""Laws of scoring: what may not change a result, and that there always is one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from duplexkit.harness.scoring.duplex_mpe import METRICS, EpisodeSpeech, Settings, score_episode, validate
from duplexkit.harness.scoring.report import ScoreReport, score_speech
from duplexkit.harness.scoring.rules import Judges
from duplexkit.harness.scoring.speech import Detection, Segment
from duplexkit.schemas.episode import Episode

RATE = 24_000
TAGS = ("T", "N1", "N2", "N3", "N4_Q", "N4_R")
WORDS = ("Mm.", "", "Nine dollars.", "Blue.")
JUDGES = Judges("stand-in", lambda words: words == "Mm.", lambda words, _: "Nine" in words)
DETECTOR = {"name": "given", "settings": {}}

positions = st.integers(0, 40 * RATE)
spans = st.tuples(positions, positions).map(lambda p: (min(p), max(p) + 1))


@st.composite
def records(draw: st.DrawFn, item: str = "s1.explicit") -> EpisodeSpeech:
    """Any well-typed record: tags in any order, windows for any turn, speech anywhere."""
    turns = []
    for number, tag in enumerate(draw(st.lists(st.sampled_from(TAGS), max_size=7)), start=1):
        start, end = draw(spans)
        turns.append(
            {
                "id": f"t{number}",
                "speaker": "A",
                "tag": tag,
                "to": None,
                "text": "w",
                "spoken_text": "w",
                "start": start,
                "end": end,
                "clip": "0" * 64,
            }
        )
    windows = []
    for kind in draw(st.lists(st.sampled_from(("response", "silence", "answering", "yield")), max_size=9)):
        start, end = draw(spans)
        windows.append(
            {
                "kind": kind,
                "turn": f"t{draw(st.integers(1, 7))}",
                "start": start,
                "end": end,
                "expect": "silent",
            }
        )
    said = [
        {"text": draw(st.sampled_from(WORDS)), "start": a, "end": b}
        for a, b in draw(st.lists(spans, max_size=4))
    ]
    scene, condition = item.split(".")
    episode: dict[str, Any] = {
        "format": 1,
        "kind": "episode",
        "item": item,
        "scene": scene,
        "pair": scene,
        "condition": condition,
        "bucket": "middle",
        "language": "en-US",
        "plan": "0" * 64,
        "seed": 0,
        "agent": "oracle",
        "outcome": draw(st.sampled_from(("completed", "completed", "agent-error"))),
        "sample_rate": RATE,
        "num_samples": 50 * RATE,
        "ticks": 250,
        "hold_point": 0,
        "hold_samples": 0,
        "assistant": {"name": "Aria"},
        "turns": turns,
        "windows": windows,
        "answer": {"text": "nine dollars", "support": []},
        "utterances": said,
    }
    bounds = sorted(draw(st.sets(positions, max_size=8)))
    segments = tuple(Segment(a, b) for a, b in zip(bounds[::2], bounds[1::2], strict=False))
    return EpisodeSpeech(Episode.model_validate(episode), Detection(segments, segments))


def moved(speech: EpisodeSpeech, by: int) -> EpisodeSpeech:
    """Everything `by` samples later."""
    record = speech.episode.model_dump()
    for part in ("turns", "windows", "utterances"):
        for entry in record[part]:
            entry["start"] += by
            entry["end"] += by
    segments = tuple(Segment(s.start + by, s.end + by) for s in speech.detection.raw)
    return EpisodeSpeech(Episode.model_validate(record), Detection(segments, segments))


def report(speeches: list[EpisodeSpeech]) -> ScoreReport:
    return score_speech(speeches, detector=DETECTOR, judges=JUDGES, settings=Settings(), resamples=50)


@given(records())
def test_every_well_typed_record_is_scored(speech: EpisodeSpeech) -> None:
    results = score_episode(speech, JUDGES, Settings())
    tags = [t.tag for t in speech.episode.turns]
    expected = 3 * tags.count("T") + 2 * tags.count("N4_Q") + sum(tags.count(n) for n in ("N1", "N2", "N3"))
    assert len(results) == expected
    assert all((e.value is True) == (e.reason is None) for e in results)
    validate(speech)


@given(records(), st.integers(1, 10 * RATE))
def test_moving_everything_changes_nothing(speech: EpisodeSpeech, by: int) -> None:
    assert score_episode(moved(speech, by), JUDGES, Settings()) == score_episode(speech, JUDGES, Settings())


@given(records(), st.integers(1, 10 * RATE))
def test_silence_behind_the_end_changes_nothing(speech: EpisodeSpeech, more: int) -> None:
    longer = speech.episode.model_copy(update={"num_samples": speech.episode.num_samples + more})
    assert score_episode(EpisodeSpeech(longer, speech.detection), JUDGES, Settings()) == score_episode(
        speech, JUDGES, Settings()
    )


@given(records())
def test_names_of_speakers_change_nothing(speech: EpisodeSpeech) -> None:
    turns = tuple(t.model_copy(update={"speaker": f"X{n}"}) for n, t in enumerate(speech.episode.turns))
    renamed = EpisodeSpeech(speech.episode.model_copy(update={"turns": turns}), speech.detection)
    assert score_episode(renamed, JUDGES, Settings()) == score_episode(speech, JUDGES, Settings())


@given(records())
def test_presence_less_fresh_onset_is_the_share_already_speaking(speech: EpisodeSpeech) -> None:
    results = score_episode(speech, JUDGES, Settings())
    present = sum(e.value is True for e in results if e.metric == "response_presence")
    fresh = [e for e in results if e.metric == "fresh_onset_rate"]
    already = sum(e.reason == "already speaking at the end of the request" for e in fresh)
    assert present - sum(e.value is True for e in fresh) == already


ITEMS = ("s1.explicit", "s1.implicit", "s2.explicit", "s4.implicit")
SETS = st.tuples(*(records(item) for item in ITEMS)).map(list)


@given(SETS, st.permutations(range(4)))
def test_the_order_of_episodes_changes_nothing(speeches: list[EpisodeSpeech], order: list[int]) -> None:
    assert report([speeches[i] for i in order]).to_json() == report(speeches).to_json()


@given(SETS)
def test_an_episode_scores_alone_as_it_does_in_a_set(speeches: list[EpisodeSpeech]) -> None:
    together = report(speeches)
    alone = report(speeches[3:])
    assert [e for e in together.events if e.scene == "s4"] == list(alone.events)


@given(SETS)
def test_counts_add_up_and_no_figure_is_not_a_number(speeches: list[EpisodeSpeech]) -> None:
    scores = report(speeches)
    assert len(scores.metrics) == 2 * len(METRICS)
    for metric in scores.metrics:
        assert metric.events == metric.denominator + sum(metric.excluded.values())
        if metric.denominator:
            assert metric.value == metric.numerator / metric.denominator
        else:
            assert metric.value is None and metric.low is None and metric.high is None
    presence = scores.metric("response_presence", "explicit")
    assert scores.metric("fresh_onset_rate", "explicit").denominator == presence.denominator
