"""Speech bounds: weak edges are kept, clicks are not speech, and a trimmed clip measures as itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duplexkit.tts.bounds import Int16, speech_bounds

RATE = 24000
MS = RATE // 1000


def tone(duration_ms: int, peak: float = 0.5, hz: float = 180.0) -> Int16:
    times = np.arange(duration_ms * MS) / RATE
    return np.asarray(np.rint(peak * 32767 * np.sin(2 * np.pi * hz * times)), np.int16)


def noise(duration_ms: int, rms: float, seed: int = 0) -> Int16:
    return np.asarray(np.rint(np.random.default_rng(seed).normal(0, rms, duration_ms * MS)), np.int16)


def quiet(duration_ms: int) -> Int16:
    return np.zeros(duration_ms * MS, np.int16)


def near(bounds: tuple[int, int] | None, start_ms: float, end_ms: float) -> bool:
    assert bounds is not None
    return abs(bounds[0] - start_ms * MS) <= 6 * MS and abs(bounds[1] - end_ms * MS) <= 6 * MS


def test_speech_between_silences() -> None:
    assert near(speech_bounds(np.concatenate([quiet(300), tone(500), quiet(200)]), RATE), 300, 800)


def test_speech_that_fills_the_clip_has_the_clip_as_its_bounds() -> None:
    clip = tone(400)
    assert speech_bounds(clip, RATE) == (0, len(clip))


def test_weak_breathy_onset_and_tail_are_kept() -> None:
    # Noise 40 dB under the vowel, as an /h/ before it and an /s/ after it.
    rms = 0.5 * 32767 / np.sqrt(2) / 100
    clip = np.concatenate([quiet(100), noise(60, rms), tone(300), noise(120, rms, 1), quiet(100)])
    assert near(speech_bounds(clip, RATE), 100, 580)


def test_noise_below_the_floor_is_silence() -> None:
    assert speech_bounds(noise(500, 3.0), RATE) is None
    assert near(speech_bounds(np.concatenate([noise(300, 3.0), tone(300), noise(300, 3.0)]), RATE), 300, 600)


def test_a_leading_click_is_not_speech_but_a_final_stop_is() -> None:
    click = noise(4, 6000.0)
    assert near(speech_bounds(np.concatenate([click, quiet(400), tone(300), quiet(90)]), RATE), 404, 704)
    assert near(speech_bounds(np.concatenate([tone(300), quiet(90), click, quiet(50)]), RATE), 0, 394)


def test_a_pause_inside_stays_inside() -> None:
    assert near(speech_bounds(np.concatenate([quiet(50), tone(400), quiet(1300), tone(400)]), RATE), 50, 2150)


@pytest.mark.parametrize("samples", [quiet(0), quiet(200), np.zeros(3, np.int16)])
def test_silence_has_no_bounds(samples: Int16) -> None:
    assert speech_bounds(samples, RATE) is None


@pytest.mark.parametrize("bad", [np.zeros(9, np.float32), np.zeros((2, 9), np.int16)])
def test_only_mono_int16_is_measured(bad: Any) -> None:
    with pytest.raises(ValueError, match="int16"):
        speech_bounds(bad, RATE)


def test_full_scale_does_not_overflow() -> None:
    assert speech_bounds(np.full(RATE * 10, -32768, np.int16), RATE) == (0, RATE * 10)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.tuples(st.integers(0, 500), st.integers(1, 400), st.floats(0.0005, 1.0)), min_size=1, max_size=5
    ),
    st.integers(0, 2**32 - 1),
    st.sampled_from([8000, 16000, 22050, 24000]),
)
def test_a_clip_cut_at_its_bounds_measures_as_itself(
    parts: list[tuple[int, int, float]], seed: int, rate: int
) -> None:
    clip = np.concatenate([p for gap, length, peak in parts for p in (quiet(gap), tone(length, peak))])
    clip = np.asarray(clip + noise(len(clip) // MS, 1.5, seed)[: len(clip)], np.int16)
    bounds = speech_bounds(clip, rate)
    if bounds is None:
        return
    cut = clip[bounds[0] : bounds[1]]
    again = speech_bounds(cut, rate)
    assert again is not None
    assert again[0] <= rate // 100 and len(cut) - again[1] <= rate // 100
