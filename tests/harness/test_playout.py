"""Playout: no sample is lost or played twice, stops cut where they say, words are those that were heard."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from duplexkit.harness.playout import Playout
from duplexkit.tts.placement import Int16

TICK = 4_800


def ramp(count: int, start: int = 1) -> Int16:
    return (np.arange(start, start + count) % 30_000 + 1).astype(np.int16)


def drain(playout: Playout, t: int) -> tuple[Int16, int]:
    parts = []
    while playout.queued:
        parts.append(playout.take(t, TICK)[0])
        t += TICK
    return (np.concatenate(parts) if parts else np.zeros(0, np.int16)), t


def test_a_burst_of_five_and_a_half_ticks_is_heard_whole() -> None:
    playout = Playout()
    burst = ramp(5 * TICK + TICK // 2)
    playout.say(burst, "a b c", 10 * TICK)
    heard, end = drain(playout, 10 * TICK)
    assert np.array_equal(heard[: len(burst)], burst)
    assert not heard[len(burst) :].any()
    assert end == 16 * TICK
    assert playout.played == playout.received == len(burst)


def test_an_onset_inside_a_tick_is_kept_to_the_sample() -> None:
    playout = Playout()
    playout.say(ramp(100), "hi", 1_234)
    out, heard = playout.take(0, TICK)
    assert heard == 100
    assert np.flatnonzero(out)[0] == 1_234


def test_a_stop_cuts_audio_and_words() -> None:
    playout = Playout()
    playout.say(ramp(6 * 24_000), "one two three four five six", 0)
    for n in range(10):
        playout.take(n * TICK, TICK)
    assert playout.stop(3 * 24_000) == 3 * 24_000
    drain(playout, 10 * TICK)
    (heard,) = playout.utterances()
    assert (heard.text, heard.end, heard.interrupted) == ("one two three", 3 * 24_000, True)


def test_without_a_stop_the_audio_goes_on() -> None:
    playout = Playout()
    playout.say(ramp(6 * 24_000), "one two three", 0)
    drain(playout, 0)
    (heard,) = playout.utterances()
    assert (heard.text, heard.interrupted) == ("one two three", False)


def test_speech_dropped_before_it_began_is_not_in_the_transcript() -> None:
    playout = Playout()
    playout.say(ramp(100), "never heard", 500)
    playout.stop(500)
    assert playout.utterances() == ()


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(1, 3 * TICK), st.integers(0, 2 * TICK)),
        st.tuples(st.just("stop"), st.integers(0, TICK), st.just(0)),
        st.tuples(st.just("tick"), st.just(0), st.just(0)),
    ),
    max_size=30,
)


@given(ACTIONS)
def test_received_is_played_dropped_or_queued(actions: list[tuple[str, int, int]]) -> None:
    playout, t, audio = Playout(), 0, []
    for name, size, late in actions:
        if name == "say":
            playout.say(ramp(size), "w", t + late)
        elif name == "stop":
            playout.stop(t + size)
        else:
            audio.append(playout.take(t, TICK)[0])
            t += TICK
        assert playout.received == playout.played + playout.dropped + playout.queued
        assert playout.queued >= 0
    audio.append(drain(playout, t)[0])
    heard = np.concatenate(audio) if audio else np.zeros(0, np.int16)
    assert np.count_nonzero(heard) == playout.played
    spans = [(u.start, u.end) for u in playout.utterances()]
    assert sum(e - s for s, e in spans) == playout.played
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
