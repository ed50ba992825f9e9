"""Rendering: each check on stub engines that fail in a known way, trimming, resampling, gain, keys and seeds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duplexkit.tts.bounds import Int16, speech_bounds
from duplexkit.tts.clips import (
    CORPUS_RATE,
    ClipError,
    ClipRecord,
    clip_key,
    clip_seed,
    render_clip,
)
from duplexkit.tts.engine import EngineError, Samples
from duplexkit.tts.registry import load_engine

KEY = "0" * 64


class Stub:
    """An engine that returns what it is told to."""

    name = "stub"

    def __init__(self, make: Callable[[int], Samples], sample_rate: int = CORPUS_RATE) -> None:
        self.make = make
        self.sample_rate = sample_rate
        self.seeds: list[int] = []

    def synthesize(self, spoken_text: str, voice: str, seed: int) -> Samples:
        self.seeds.append(seed)
        return self.make(seed)


def speech(duration_s: float, peak: float = 0.5, rate: int = CORPUS_RATE) -> Samples:
    times = np.arange(round(duration_s * rate)) / rate
    return (peak * np.sin(2 * np.pi * 170 * times)).astype(np.float32)


def quiet(duration_s: float, rate: int = CORPUS_RATE) -> Samples:
    return np.zeros(round(duration_s * rate), np.float32)


def babble(duration_s: float, seed: int = 0) -> Samples:
    return np.random.default_rng(seed).uniform(-0.9, 0.9, round(duration_s * CORPUS_RATE)).astype(np.float32)


def render(raw: Samples, text: str, rate: int = CORPUS_RATE) -> tuple[Int16, ClipRecord]:
    return render_clip(Stub(lambda _: raw, rate), key=KEY, voice="v", spoken_text=text, seed=1)


def test_speech_then_silence_then_noise_is_refused() -> None:
    raw = np.concatenate([speech(1.2), quiet(2.5), babble(3.0)])
    with pytest.raises(ClipError, match=r"runaway: 2\.49 s of silence .* 'Okay, thanks\.'"):
        render(raw, "Okay, thanks.")


def test_babble_without_a_gap_is_refused_by_its_length() -> None:
    with pytest.raises(ClipError, match="duration"):
        render(babble(9.0), "Okay, thanks.")


def test_too_little_speech_for_the_text_is_refused() -> None:
    with pytest.raises(ClipError, match="duration"):
        render(speech(0.3), "Let me look for the last four digits of my card")


def test_a_pause_inside_survives_untouched() -> None:
    inner = np.concatenate([speech(1.0), quiet(1.3), speech(1.0)])
    samples, record = render(
        np.concatenate([quiet(0.4), inner, quiet(0.6)]), "Let me look... yes, it is blue."
    )
    assert abs(len(samples) - len(inner)) <= CORPUS_RATE // 100
    assert (
        record.trimmed_head_samples + len(samples) + record.trimmed_tail_samples == len(inner) + CORPUS_RATE
    )
    expected = np.rint(inner * 32768).astype(np.int16)
    offset = round(0.4 * CORPUS_RATE) - record.trimmed_head_samples
    assert (samples[1000 + offset : 70000 + offset] == expected[1000:70000]).all()


@pytest.mark.parametrize(
    ("raw", "check"),
    [
        (quiet(0.0), "empty"),
        (quiet(1.0), "silence"),
        (np.full(24000, np.nan, np.float32), "non-finite"),
        (np.concatenate([speech(0.5), np.array([np.inf], np.float32)]), "non-finite"),
        (np.clip(speech(0.6, 3.0), -1, 1), "clipping"),
        (np.clip(speech(0.6, 3.0) * 32767, -32768, 32767).astype(np.int16), "clipping"),
        (speech(0.6).astype(np.float64), "format"),
        (np.stack([speech(0.6), speech(0.6)]), "format"),
    ],
)
def test_bad_samples_are_named(raw: Samples, check: str) -> None:
    with pytest.raises(ClipError, match=check):
        render(raw, "Yes please")


def test_peaks_above_one_are_scaled_and_recorded_never_wrapped() -> None:
    raw = speech(0.6, 1.2)
    samples, record = render(raw, "Yes please")
    assert 0.83 < record.gain < 0.834 and 32000 < record.peak <= 32768
    middle = slice(2000, 10000)
    offset = -record.trimmed_head_samples
    scaled = raw[middle] * record.gain * 32768
    assert np.abs(samples[2000 + offset : 10000 + offset] - scaled).max() <= 1.0
    assert np.abs(np.diff(samples.astype(np.int64))).max() < 3000


def test_samples_that_fit_are_not_scaled() -> None:
    raw = (speech(0.6) * 32767).astype(np.int16)
    samples, record = render(raw, "Yes please")
    assert record.gain == 1.0
    head = record.trimmed_head_samples
    assert (samples[100:-100] == raw[head + 100 : head + len(samples) - 100]).all()


def test_edges_are_faded_within_the_clip() -> None:
    raw = np.concatenate([quiet(0.42), np.full(14000, 0.6, np.float32), quiet(0.6)])
    raw[24000:] *= -1
    samples, _ = render(raw, "Yes please")
    assert abs(int(samples[0])) < 400 and abs(int(samples[-1])) < 400


def test_another_rate_is_resampled_once_to_the_expected_length() -> None:
    raw = speech(1.0, rate=22050)
    samples, record = render(raw, "Yes please", rate=22050)
    total = record.trimmed_head_samples + len(samples) + record.trimmed_tail_samples
    assert total == CORPUS_RATE and record.sample_rate == CORPUS_RATE


def test_a_failed_clip_is_made_again_with_another_seed() -> None:
    stub = Stub(lambda seed: babble(9.0) if seed == 5 else speech(0.6))
    _, record = render_clip(stub, key=KEY, voice="v", spoken_text="Yes please", seed=5)
    assert record.attempts == 2 and record.seed == 5
    again = Stub(stub.make)
    render_clip(again, key=KEY, voice="v", spoken_text="Yes please", seed=5)
    assert stub.seeds == again.seeds and len(set(stub.seeds)) == 2


def test_attempts_are_bounded_and_a_seed_that_changes_nothing_ends_them() -> None:
    varying = Stub(lambda seed: babble(9.0, seed))
    with pytest.raises(ClipError, match="after 4 attempts"):
        render_clip(varying, key=KEY, voice="v", spoken_text="Yes", seed=1, max_attempts=4)
    assert len(varying.seeds) == 4
    fixed = Stub(lambda _: babble(9.0))
    with pytest.raises(ClipError, match="another seed gives the same samples"):
        render_clip(fixed, key=KEY, voice="v", spoken_text="Yes", seed=1, max_attempts=9)
    assert len(fixed.seeds) == 2


def test_the_engines_own_error_reaches_the_author() -> None:
    def fail(_: int) -> Samples:
        raise EngineError("no sounds for the word '%$'")

    with pytest.raises(EngineError, match="no sounds"):
        render_clip(Stub(fail), key=KEY, voice="v", spoken_text="x", seed=1)


def test_results_in_the_wrong_order_are_caught_by_their_length() -> None:
    short, long = speech(0.4), speech(6.0)
    for raw, text in ((long, "Blue bag"), (short, "I lost my card on the train to the airport this morning")):
        with pytest.raises(ClipError, match="duration"):
            render(raw, text)


def test_records_survive_json_and_refuse_what_is_not_one() -> None:
    _, record = render(speech(0.6), "Yes please")
    data: dict[str, Any] = json.loads(json.dumps(record.to_json()))
    assert ClipRecord.from_json(data) == record
    for bad in ({**data, "extra": 1}, {k: v for k, v in data.items() if k != "gain"}, {**data, "peak": "9"}):
        with pytest.raises(ValueError):
            ClipRecord.from_json(bad)


def test_keys_and_seeds_depend_on_every_part() -> None:
    keys = {clip_key(*parts) for parts in (("f", "v", "t", 1), ("g", "v", "t", 1), ("f", "w", "t", 1),
                                           ("f", "v", "u", 1), ("f", "v", "t", 2), ("f", "vt", "", 1))}  # fmt: skip
    assert len(keys) == 6 and all(len(k) == 64 for k in keys)
    seeds = {clip_seed(*parts) for parts in ((1, "v", "t", 0), (2, "v", "t", 0), (1, "w", "t", 0), (1, "v", "u", 0),
                                             (1, "v", "t", 1))}  # fmt: skip
    assert len(seeds) == 5 and all(0 <= s < 2**63 for s in seeds)


def test_keys_and_seeds_are_the_same_in_every_process() -> None:
    assert clip_key("f", "v", "t", 1) == "bdec335d73f4bdd16c12f58b6856df9db5c3c8d67fd8c198e928e19c6805e28c"
    assert clip_seed(1, "v", "t", 0) == 448941842777575830


@settings(deadline=None, max_examples=40)
@given(st.lists(st.sampled_from(["yes", "the", "yellow", "bag,", "is", "mine."]), min_size=1, max_size=8),
       st.sampled_from(["low-1", "medium-2", "high-3"]))  # fmt: skip
def test_a_rendered_clip_measures_as_itself(words: list[str], voice: str) -> None:
    samples, record = render_clip(
        load_engine("tone"), key=KEY, voice=voice, spoken_text=" ".join(words), seed=0
    )
    bounds = speech_bounds(samples, CORPUS_RATE)
    assert bounds is not None and record.num_samples == len(samples)
    assert bounds[0] <= 240 and len(samples) - bounds[1] <= 240
