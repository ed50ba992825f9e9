"""Each rule of the six metrics and its edges, on episodes built by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from duplexkit.harness.scoring.duplex_mpe import (
    METRICS,
    EpisodeSpeech,
    EventResult,
    Settings,
    score_episode,
    validate,
)
from duplexkit.harness.scoring.rules import Judges
from duplexkit.harness.scoring.speech import Detection, Segment

RATE = 24_000
E = 7 * RATE // 2
"""End of T in N1 T N1: 1 s, a turn, 0.5 s, a turn."""
Q0, Q1 = RATE, 2 * RATE
R0, R1 = 5 * RATE, 7 * RATE
"""Bounds of the question and its resolution in N4_Q N4_R N2 T."""

SCENE = ("N1", "T", "N1")
ASKED = ("N4_Q", "N4_R", "N2", "T")
Build = Callable[..., EpisodeSpeech]


def events(
    speech: EpisodeSpeech, judges: Judges, metric: str, settings: Settings | None = None
) -> list[EventResult]:
    return [e for e in score_episode(speech, judges, settings or Settings()) if e.metric == metric]


def verdict(
    speech: EpisodeSpeech, judges: Judges, metric: str, settings: Settings | None = None
) -> tuple[bool | None, str | None]:
    (event,) = events(speech, judges, metric, settings)
    return event.value, event.reason


@pytest.mark.parametrize(
    ("start", "end", "fresh", "present"),
    [
        (E - 9_600, E + 9_600, False, True),
        (E, E + 9_600, False, True),
        (E + 1, E + 9_600, True, True),
        (E - 9_600, E, False, False),
        (E + 5 * RATE, E + 6 * RATE, True, True),
        (E + 5 * RATE + 1, E + 6 * RATE, False, False),
        (E - 9_600, E + 1, False, True),
    ],
)
def test_response_at_its_edges(
    speech_of: Build, judges: Judges, start: int, end: int, fresh: bool, present: bool
) -> None:
    speech = speech_of(SCENE, [(start, end, "Nine dollars.")])
    assert verdict(speech, judges, "fresh_onset_rate")[0] is fresh
    assert verdict(speech, judges, "response_presence")[0] is present


def test_already_speaking_is_not_fresh_even_with_a_later_onset(speech_of: Build, judges: Judges) -> None:
    speech = speech_of(SCENE, [(E - RATE, E + 100, "well"), (E + 2 * RATE, E + 3 * RATE, "Nine dollars.")])
    assert verdict(speech, judges, "fresh_onset_rate") == (
        False,
        "already speaking at the end of the request",
    )


def test_silent_agent_misses(speech_of: Build, judges: Judges) -> None:
    speech = speech_of(SCENE)
    assert verdict(speech, judges, "fresh_onset_rate") == (False, "no onset before the deadline")
    assert verdict(speech, judges, "answer_accuracy") == (None, "no response")
    assert [e.value for e in events(speech, judges, "silence_preservation")] == [True, True]


def test_boundary_before_or_after_pauses_are_joined(speech_of: Build, judges: Judges) -> None:
    """Speech on both sides of e with a pause of 700 ms over it: one merged segment, two raw ones."""
    speech = speech_of(SCENE, [(E - 9_600, E - 2_400, "so"), (E + 14_400, E + 40_000, "nine dollars")])
    assert verdict(speech, judges, "fresh_onset_rate")[0] is False
    assert verdict(speech, judges, "fresh_onset_rate", Settings(boundary="raw"))[0] is True
    for settings in (Settings(), Settings(boundary="raw")):
        assert verdict(speech, judges, "response_presence", settings)[0] is True


def test_answer_is_judged_on_the_words_in_the_window(speech_of: Build, judges: Judges) -> None:
    right = speech_of(SCENE, [(E + 100, E + RATE, "It is"), (E + 2 * RATE, E + 3 * RATE, "nine dollars.")])
    wrong = speech_of(SCENE, [(E + 100, E + RATE, "Ten dollars.")])
    early = speech_of(SCENE, [(0, 9_600, "Nine dollars."), (E + 100, E + RATE, "As I said.")])
    assert verdict(right, judges, "answer_accuracy") == (True, None)
    assert verdict(wrong, judges, "answer_accuracy") == (False, "the answer is not in the words")
    assert verdict(early, judges, "answer_accuracy")[0] is False


def test_answer_may_come_while_the_run_waits(speech_of: Build, judges: Judges) -> None:
    """The hold lengthens the response window; the deadline of the onset stays where it is."""
    late = [(E + 4 * RATE, E + 6 * RATE, "Let me see."), (E + 8 * RATE, E + 9 * RATE, "Nine dollars.")]
    held = speech_of(SCENE, late, hold=10 * RATE)
    assert verdict(held, judges, "answer_accuracy")[0] is True
    only_late = speech_of(SCENE, late[1:], hold=10 * RATE)
    assert verdict(only_late, judges, "response_presence")[0] is False


def test_speech_without_words_is_wrong_and_no_acknowledgement(speech_of: Build, judges: Judges) -> None:
    for said in ([], [(E + 100, E + RATE, "  ")]):
        speech = speech_of(SCENE, said, raw=[(E + 100, E + RATE)])
        assert verdict(speech, judges, "answer_accuracy") == (False, "speech without words")
    quiet = speech_of(("N2", "T"), [], raw=[(RATE, RATE + 7_200)])
    assert verdict(quiet, judges, "silence_preservation") == (False, "speech without words")


@pytest.mark.parametrize(
    ("words", "value"),
    [("Mm.", True), ("Mm-hm.", True), ("Mm, the yellow one.", False), ("Nine dollars.", False)],
)
def test_labels_come_from_words_not_from_length(
    speech_of: Build, judges: Judges, words: str, value: bool
) -> None:
    for length in (2_880, 7_200, 20_000):
        speech = speech_of(("N2", "T"), [(RATE + 100, RATE + 100 + length, words)])
        assert verdict(speech, judges, "silence_preservation")[0] is value


@pytest.mark.parametrize(
    ("start", "end", "value"),
    [
        (RATE - 9_600, RATE, True),
        (RATE - 9_600, RATE + 1, False),
        (2 * RATE + 11_999, 3 * RATE, False),
        (2 * RATE + 12_000, 3 * RATE, True),
    ],
)
def test_silence_window_is_the_turn_and_half_a_second(
    speech_of: Build, judges: Judges, start: int, end: int, value: bool
) -> None:
    speech = speech_of(("N2", "T"), [(start, end, "The yellow one.")])
    assert verdict(speech, judges, "silence_preservation")[0] is value


def test_speech_that_spills_over_counts_in_every_window_it_reaches(speech_of: Build, judges: Judges) -> None:
    speech = speech_of(("T", "N1", "N2", "N3"), [(3 * RATE, 10 * RATE, "Nine dollars, and more.")])
    assert [e.value for e in events(speech, judges, "silence_preservation")] == [False, False, True]


def test_words_of_speech_that_reaches_in_by_a_little_are_found(speech_of: Build, judges: Judges) -> None:
    speech = speech_of(("N2", "T"), [(RATE - 9_600, RATE - 100, "Mm-hm.")], raw=[(RATE - 9_500, RATE + 200)])
    assert verdict(speech, judges, "silence_preservation") == (True, None)


def test_a_verdict_that_cannot_be_read_is_neither_right_nor_wrong(speech_of: Build) -> None:
    unreadable = Judges("none", lambda _: None, lambda *_: None)
    speech = speech_of(("N2", "T"), [(RATE, 2 * RATE, "Mm."), (4 * RATE, 5 * RATE, "Nine dollars.")])
    for metric in ("answer_accuracy", "silence_preservation"):
        assert verdict(speech, unreadable, metric) == (None, "verdict unreadable")


@pytest.mark.parametrize(
    ("spans", "value", "reason"),
    [
        ([(Q1 + 1, R0 + RATE)], True, None),
        ([(Q1 + 1, R0 + 2 * RATE)], True, None),
        ([(Q1 + 1, R0 + 2 * RATE + 1)], False, "still speaking at the deadline"),
        ([(Q1 + 1, R1 - 1)], True, None),
        ([(R0, R0 + RATE)], True, None),
        ([(R0 + 1, R0 + RATE)], None, "never started in the gap"),
        ([(Q1 + 1, R0)], None, "finished before the resolution"),
        ([(Q1 + 1, R0 + 1)], True, None),
        ([(Q1, R0 + RATE)], None, "spoke during the question"),
        ([(Q0 - 9_600, Q0), (Q1 + 1, R0 + RATE)], True, None),
        ([(Q0 - 9_600, Q0 + 1), (Q1 + 9_600, R0 + RATE)], None, "spoke during the question"),
        ([(Q1 + 1, R0 + RATE), (R1 + 12_000, R1 + RATE)], False, "resumed after it"),
        ([(Q1 + 1, R0 + RATE), (R1 + 12_001, R1 + RATE)], True, None),
        ([], None, "never started in the gap"),
    ],
)
def test_yield_at_its_edges(
    speech_of: Build, judges: Judges, spans: list[tuple[int, int]], value: bool | None, reason: str | None
) -> None:
    speech = speech_of(ASKED, [(a, b, "Blue.") for a, b in spans])
    assert verdict(speech, judges, "answering_window_yield") == (value, reason)


def test_a_short_resolution_does_not_shorten_the_deadline(speech_of: Build, judges: Judges) -> None:
    short = {"t2": RATE // 2}
    inside = speech_of(ASKED, [(Q1 + 1, R0 + 2 * RATE, "Blue.")], lengths=short)
    assert verdict(inside, judges, "answering_window_yield") == (True, None)
    over = speech_of(ASKED, [(Q1 + 1, R0 + 2 * RATE + 1, "Blue.")], lengths=short)
    assert verdict(over, judges, "answering_window_yield")[0] is False
    resumed = speech_of(
        ASKED, [(Q1 + 1, R0 + RATE, "Blue."), (R0 + 2 * RATE + 1, R0 + 3 * RATE, "So.")], lengths=short
    )
    assert verdict(resumed, judges, "answering_window_yield") == (True, None)


def test_a_request_that_ends_before_the_deadline_leaves_the_yield_out(
    speech_of: Build, judges: Judges
) -> None:
    """The agent is wanted to speak from the end of T on, so its speech there is no failure to yield."""
    tags = ("N4_Q", "N4_R", "T", "N2")
    speech = speech_of(
        tags, [(2 * RATE + 1, 5 * RATE + 100, "Blue.")], lengths={"t1": RATE, "t2": 9_600, "t3": 9_600}
    )
    turns = {t.tag: t for t in speech.episode.turns}
    assert turns["T"].end < turns["N4_R"].start + 2 * RATE
    found = verdict(speech, judges, "answering_window_yield")
    assert found == (None, "the request ended before the deadline")
    later = speech_of(
        tags, [(2 * RATE + 1, 5 * RATE + 100, "Blue.")], lengths={"t1": RATE, "t2": 9_600, "t3": 3 * RATE}
    )
    assert verdict(later, judges, "answering_window_yield") == (True, None)


@pytest.mark.parametrize(
    ("start", "end", "value"),
    [(Q0 - 9_600, Q0, False), (Q0 - 9_600, Q0 + 1, True), (R0, R1, True), (R0 + 1, R1, False)],
)
def test_window_response_at_its_edges(
    speech_of: Build, judges: Judges, start: int, end: int, value: bool
) -> None:
    speech = speech_of(ASKED, [(start, end, "Blue.")])
    assert verdict(speech, judges, "window_response")[0] is value


def test_the_times_are_settings(speech_of: Build, judges: Judges) -> None:
    speech = speech_of(SCENE, [(E + 3 * RATE, E + 4 * RATE, "Nine dollars.")])
    assert verdict(speech, judges, "fresh_onset_rate", Settings(onset_samples=2 * RATE))[0] is False
    asked = speech_of(ASKED, [(Q1 + 1, R0 + RATE, "Blue.")])
    strict = replace(Settings(), deadline_samples=RATE // 2)
    assert verdict(asked, judges, "answering_window_yield", strict)[0] is False


def test_an_episode_that_was_not_completed_is_left_out_and_counted(speech_of: Build, judges: Judges) -> None:
    said = [(E + 100, E + RATE, "Nine dollars.")]
    speech = speech_of(SCENE, said, outcome="agent-error", reason="socket closed")
    results = score_episode(speech, judges, Settings())
    assert len(results) == len(score_episode(speech_of(SCENE, said), judges, Settings()))
    assert {(e.value, e.reason) for e in results} == {(None, "episode not completed")}


def test_a_question_without_its_resolution_is_left_out(speech_of: Build, judges: Judges) -> None:
    speech = speech_of(ASKED, [(Q1 + 1, R0 + RATE, "Blue.")])
    turns = tuple(t for t in speech.episode.turns if t.tag != "N4_R")
    cut = replace(speech, episode=speech.episode.model_copy(update={"turns": turns}))
    assert verdict(cut, judges, "answering_window_yield") == (None, "no resolution turn behind the question")


def test_a_turn_without_its_window_is_left_out_and_named(speech_of: Build, judges: Judges) -> None:
    speech = speech_of(SCENE, [(E + 100, E + RATE, "Nine dollars.")])
    cut = replace(speech, episode=speech.episode.model_copy(update={"windows": ()}))
    assert validate(speech) == ()
    assert validate(cut)[0] == "turn t1 (N1) has no silence window"
    assert verdict(cut, judges, "answer_accuracy") == (None, "no window in the record")
    assert {e.value for e in events(cut, judges, "silence_preservation")} == {None}


def test_perfect_agent_is_eligible_everywhere(speech_of: Build, judges: Judges) -> None:
    tags: Any = ("N2", "N4_Q", "N4_R", "N1", "T", "N3")
    turn = {t.tag: t for t in speech_of(tags).episode.turns}
    said = [
        (turn["N4_Q"].end + 4_800, turn["N4_R"].start + RATE, "Blue."),
        (turn["T"].end + 4_800, turn["T"].end + 2 * RATE, "Nine dollars."),
    ]
    results = score_episode(speech_of(tags, said), judges, Settings())
    assert {e.metric for e in results} == set(METRICS)
    assert all(e.value is True for e in results)


def test_any_accepted_answer_is_right(speech_of: Build, judges: Judges) -> None:
    speech = speech_of(SCENE, [(E + 100, E + RATE, "That is 9 dollars.")])
    assert verdict(speech, judges, "answer_accuracy") == (True, None)


def test_answer_words_may_come_until_the_deadline_of_the_onset(speech_of: Build, judges: Judges) -> None:
    speech = speech_of(SCENE, [(E + 4 * RATE, E + 5 * RATE, "Nine dollars.")])
    windows = tuple(w.model_copy(update={"end": w.start + RATE}) for w in speech.episode.windows)
    short = replace(speech, episode=speech.episode.model_copy(update={"windows": windows}))
    assert verdict(short, judges, "answer_accuracy") == (True, None)


def test_words_beside_the_window_are_not_words_in_it(speech_of: Build, judges: Judges) -> None:
    """Utterances that end where the window begins, or begin where it ends, do not overlap it."""
    window = (RATE, 2 * RATE + 12_000)
    said = [
        (window[0] - 9_600, window[0], "The yellow one."),
        (window[0] + 9_600, window[0] + 19_200, "Mm."),
        (window[1], window[1] + 9_600, "The yellow one."),
    ]
    speech = speech_of(("N2", "T"), said)
    assert verdict(speech, judges, "silence_preservation") == (True, None)


def test_words_of_the_nearest_speech_are_taken(speech_of: Build, judges: Judges) -> None:
    """Without an utterance in the window: the speech that reaches in, not what a short pause joins to it."""
    said = [(0, 9_600, "The yellow one."), (14_400, RATE - 100, "Mm.")]
    speech = speech_of(("N2", "T"), said, raw=[(0, 9_600), (14_400, RATE + 100)])
    assert verdict(speech, judges, "silence_preservation") == (True, None)
    pause = speech_of(("N2", "T"), [(0, RATE, "Mm.")], lengths={"t1": 480})
    joined = replace(pause, detection=replace(pause.detection, merged=(Segment(0, 3 * RATE),)))
    assert verdict(joined, judges, "silence_preservation") == (True, None)


def test_records_out_of_order_are_named(speech_of: Build) -> None:
    speech = speech_of(SCENE)
    turns = tuple(t.model_copy(update={"end": t.start}) for t in speech.episode.turns[:1])
    empty = replace(speech, episode=speech.episode.model_copy(update={"turns": turns}))
    assert validate(empty) == ("turn t1 ends at sample 24000, not behind its start 24000",)
    crossing = (Segment(0, 9_600), Segment(9_599, 20_000))
    assert validate(replace(speech, detection=Detection(crossing, ()))) == (
        "raw segments are not in order of time",
    )
