"""Detectors against speech at known samples, and what may not change what they find."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duplexkit.harness.scoring import silero
from duplexkit.harness.scoring.detect import (
    AudioError,
    Detection,
    Detector,
    EnergyDetector,
    Segment,
    SileroDetector,
    SileroSettings,
    make_detector,
)
from duplexkit.harness.scoring.speech import Int16, bursts, finish, runs

RATE = 24_000
NAMES = ("silero", "energy")
SENTENCES = (
    "The museum opens at nine on Sundays.",
    "Okay, sure.",
    "I think the yellow one was cheaper.",
    "Stop.",
    "Nine dollars.",
    "The train to Leeds leaves from platform four.",
)


@pytest.fixture(scope="module")
def clips() -> list[Int16]:
    """Spoken sentences, cut where they are 45 dB under their peak."""
    from hibari import Hibari

    speak = Hibari()
    cut = []
    for seed, sentence in enumerate(SENTENCES):
        wave = (np.clip(speak(sentence, seed=seed), -1, 1) * 32_767).astype(np.int16)
        level = np.abs(wave.astype(np.int32))
        loud = np.flatnonzero(level > level.max() * 10 ** (-45 / 20))
        cut.append(wave[loud[0] : loud[-1] + 1])
    return cut


@pytest.fixture(scope="module")
def scene(clips: list[Int16]) -> tuple[Int16, list[Segment]]:
    """All clips with 1.1 s to 2.4 s of zeros between them, and where they stand."""
    gaps = np.random.default_rng(5).integers(26_400, 57_600, len(clips) + 1)
    parts: list[Int16] = [np.zeros(gaps[0], np.int16)]
    truth = []
    cursor = int(gaps[0])
    for clip, gap in zip(clips, gaps[1:], strict=True):
        truth.append(Segment(cursor, cursor + len(clip)))
        parts += [clip, np.zeros(gap, np.int16)]
        cursor += len(clip) + int(gap)
    return np.concatenate(parts), truth


@pytest.fixture(scope="module", params=NAMES)
def detector(request: pytest.FixtureRequest) -> Detector:
    return make_detector(request.param)


def shifted(found: Detection, by: int) -> Detection:
    def move(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
        return tuple(Segment(s.start + by, s.end + by) for s in segments)

    return Detection(move(found.raw), move(found.merged))


def noise(seconds: float, level: int = 4_000) -> Int16:
    return np.random.default_rng(3).integers(-level, level, int(seconds * RATE)).astype(np.int16)


def test_bounds_of_known_speech(detector: Detector, scene: tuple[Int16, list[Segment]]) -> None:
    audio, truth = scene
    found = detector.detect(audio).merged
    assert len(found) == len(truth)
    starts = [abs(f.start - t.start) for f, t in zip(found, truth, strict=True)]
    ends = [abs(f.end - t.end) for f, t in zip(found, truth, strict=True)]
    assert np.median(starts) <= 0.020 * RATE
    assert np.median(ends) <= 0.040 * RATE
    assert max(starts + ends) <= 0.100 * RATE


def test_bounds_hold_over_faint_noise(scene: tuple[Int16, list[Segment]]) -> None:
    audio, truth = scene
    noisy = (audio + np.random.default_rng(2).normal(0, 10, len(audio))).astype(np.int16)
    found = SileroDetector().detect(noisy).merged
    assert len(found) == len(truth)
    assert np.median([abs(f.start - t.start) for f, t in zip(found, truth, strict=True)]) <= 0.020 * RATE
    assert np.median([abs(f.end - t.end) for f, t in zip(found, truth, strict=True)]) <= 0.040 * RATE


def test_bounds_without_an_edge_of_energy_have_the_delay_taken_off(clips: list[Int16]) -> None:
    """Over loud noise the energy shows no edge; without the fixed delays the ends would be 30 ms later."""
    clip = clips[0]
    quiet = np.zeros(2 * RATE, np.int16)
    hum = np.random.default_rng(2).normal(0, 120, 4 * RATE + len(clip))
    audio = (np.concatenate((quiet, clip, quiet)) + hum).astype(np.int16)
    late = SileroSettings(start_delay_samples=0, end_delay_samples=0)
    (plain,), (corrected,) = SileroDetector(late).detect(audio).merged, SileroDetector().detect(audio).merged
    defaults = SileroSettings()
    assert plain.start - corrected.start == defaults.start_delay_samples
    assert plain.end - corrected.end == defaults.end_delay_samples


def test_silence_around_a_clip_changes_nothing(
    detector: Detector, clips: list[Int16], tmp_path: Path
) -> None:
    import soundfile

    clip = np.concatenate((np.zeros(1_234, np.int16), clips[0], np.zeros(24_500, np.int16)))
    expected = detector.detect(clip)
    assert expected.raw
    behind = np.concatenate((clip, np.zeros(36_000, np.int16)))
    before = np.concatenate((np.zeros(12_001, np.int16), clip))
    assert detector.detect(behind) == expected
    assert detector.detect(before) == shifted(expected, 12_001)
    twice = detector.detect(np.concatenate((clip, clip)))
    assert twice.merged == expected.merged + shifted(expected, len(clip)).merged
    for name, data in (("a.flac", clip), ("a.wav", clip), ("b.wav", np.stack((clip, clip), axis=1))):
        soundfile.write(tmp_path / name, data, RATE, subtype="PCM_16")
        assert detector.detect(tmp_path / name) == expected


@settings(max_examples=12, deadline=None)
@given(before=st.integers(0, 40_000), behind=st.integers(0, 40_000))
def test_any_padding_changes_nothing(before: int, behind: int) -> None:
    clip = np.concatenate((noise(0.4), np.zeros(3_000, np.int16), noise(0.2, 900)))
    padded = np.concatenate((np.zeros(before, np.int16), clip, np.zeros(behind, np.int16)))
    energy = EnergyDetector()
    assert energy.detect(padded) == shifted(energy.detect(clip), before)


def test_silence_between_may_be_skipped(scene: tuple[Int16, list[Segment]]) -> None:
    """Skipping long zeros finds the speech that the network finds when it is run through all of them."""
    audio, _ = scene
    skipping = SileroDetector().detect(audio)
    whole = SileroDetector(SileroSettings(reset_zeros_samples=None)).detect(audio)
    assert len(skipping.raw) == len(whole.raw)
    assert len(skipping.merged) == len(whole.merged)
    for a, b in zip(skipping.raw, whole.raw, strict=True):
        assert abs(a.start - b.start) <= 0.010 * RATE
        assert abs(a.end - b.end) <= 0.010 * RATE


def test_a_stretch_is_found_as_if_it_were_alone(scene: tuple[Int16, list[Segment]]) -> None:
    """What stands behind a second of zeros depends on nothing before them."""
    audio, truth = scene
    found = SileroDetector().detect(audio)
    for known in truth:
        alone = SileroDetector().detect(audio[known.start : known.end])
        there = tuple(s for s in found.raw if s.overlaps(known.start, known.end))
        assert shifted(alone, known.start).raw == there


def test_short_speech_does_not_count_and_short_pauses_are_joined() -> None:
    energy = EnergyDetector()
    assert energy.detect(noise(0.100)) == Detection((), ())
    assert len(energy.detect(noise(0.130)).raw) == 1
    apart = np.concatenate((noise(0.4), np.zeros(19_000, np.int16), noise(0.4)))
    found = energy.detect(apart)
    assert (len(found.raw), len(found.merged)) == (2, 1)
    spans = (Segment(0, 2_880), Segment(22_080, 30_000), Segment(49_199, 60_000), Segment(70_000, 72_879))
    assert finish(spans, 2_880, 19_200) == Detection(spans[:3], (spans[0], Segment(22_080, 60_000)))
    further = np.concatenate((noise(0.4), np.zeros(19_700, np.int16), noise(0.4)))
    assert len(energy.detect(further).merged) == 2


@pytest.mark.parametrize("length", [0, 1, 743, 5_000])
def test_short_and_silent_audio_has_no_speech(detector: Detector, length: int) -> None:
    assert detector.detect(np.zeros(length, np.int16)) == Detection((), ())
    assert len(detector.detect(noise(length / RATE)).merged) <= 1


def test_noise_is_no_speech_to_the_network() -> None:
    hiss = noise(5.0)
    assert SileroDetector().detect(hiss).merged == ()
    assert len(EnergyDetector().detect(hiss).merged) == 1


def test_long_audio_is_run_in_pieces(clips: list[Int16], monkeypatch: pytest.MonkeyPatch) -> None:
    audio = np.concatenate(clips)
    at_once = SileroDetector().detect(audio)
    monkeypatch.setattr(silero, "CHUNK_FRAMES", 17)
    assert SileroDetector().detect(audio) == at_once


def test_wrong_audio_is_refused(detector: Detector, tmp_path: Path) -> None:
    import soundfile

    with pytest.raises(AudioError, match="int16"):
        detector.detect(np.zeros(10, np.float32))  # pyright: ignore[reportArgumentType]
    with pytest.raises(AudioError, match="one channel"):
        detector.detect(np.arange(20, dtype=np.int16).reshape(10, 2))
    with pytest.raises(AudioError, match="cannot be read as audio"):
        detector.detect(tmp_path / "none.flac")
    soundfile.write(tmp_path / "slow.wav", np.zeros(10, np.int16), 8_000)
    with pytest.raises(AudioError, match="8000 Hz"):
        detector.detect(tmp_path / "slow.wav")


def test_another_network_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "net.onnx"
    changed.write_bytes(silero.MODEL_PATH.read_bytes() + b"\0")
    monkeypatch.setattr(silero, "MODEL_PATH", changed)
    with pytest.raises(AudioError, match="not the pinned speech network"):
        SileroDetector()
    monkeypatch.setattr(silero, "MODEL_PATH", tmp_path / "none.onnx")
    with pytest.raises(AudioError, match="cannot be read"):
        SileroDetector()


def test_detectors_are_made_by_name() -> None:
    for name in NAMES:
        made = make_detector(name)
        assert made.name == name
        assert made.settings()["merge_samples"] == 19_200
    with pytest.raises(ValueError, match="choose silero or energy"):
        make_detector("best")


@pytest.mark.slow
def test_detection_is_fast(clips: list[Int16]) -> None:
    audio = np.concatenate(clips * 8)
    detector: Detector = SileroDetector()
    detector.detect(audio)
    began = time.perf_counter()
    detector.detect(audio)
    assert len(audio) / RATE / (time.perf_counter() - began) > 100


@given(st.lists(st.booleans(), max_size=40))
def test_runs_cover_exactly_the_true_values(flags: list[bool]) -> None:
    array = np.array(flags, dtype=np.bool_)
    rebuilt = np.zeros(len(flags), np.bool_)
    for start, end in runs(array):
        assert start < end
        rebuilt[start:end] = True
    assert (rebuilt == array).all()


@given(st.lists(st.integers(0, 1), max_size=60), st.integers(1, 5))
def test_bursts_keep_every_sound(values: list[int], zeros: int) -> None:
    samples = np.array(values, dtype=np.int16)
    kept = np.zeros(len(values), np.bool_)
    found = bursts(samples, zeros)
    for start, end in found:
        assert samples[start] and samples[end - 1]
        kept[start:end] = True
    assert not samples[~kept].any()
    assert all(b[0] - a[1] >= zeros for a, b in pairwise(found))
