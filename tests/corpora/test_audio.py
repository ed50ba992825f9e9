"""Audio files: lossless, byte-equal on repeat, and refused where they are not what a corpus holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from duplexkit.corpora.audio import PEAK_SAMPLES, AudioFault, decode_flac, encode_flac, peaks


@pytest.mark.parametrize("count", [1, 2, 4_799, 48_001])
def test_flac_is_lossless_and_repeats(tmp_path: Path, count: int) -> None:
    samples = np.random.default_rng(count).integers(-32_768, 32_768, count).astype(np.int16)
    first = bytes(encode_flac(samples))
    assert first == bytes(encode_flac(samples))
    path = tmp_path / "☃ файл.flac"
    path.write_bytes(first)
    assert np.array_equal(decode_flac(path), samples)


@pytest.mark.parametrize("shape", [(2, 4_800), (4_800, 2), (1, 4_800)])
def test_another_axis_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(AudioFault, match="one row of int16"):
        encode_flac(np.zeros(shape, np.int16))


def test_floats_are_refused_rather_than_scaled() -> None:
    with pytest.raises(AudioFault, match="float64"):
        encode_flac(np.array([0.5, 1.2]))


@pytest.mark.parametrize(
    ("rate", "channels", "subtype"), [(16_000, 1, "PCM_16"), (24_000, 2, "PCM_16"), (24_000, 1, "PCM_24")]
)
def test_another_format_is_refused(tmp_path: Path, rate: int, channels: int, subtype: str) -> None:
    path = tmp_path / "a.flac"
    soundfile.write(str(path), np.zeros((100, channels)), rate, subtype=subtype)
    with pytest.raises(AudioFault, match="expected 24000, 1, PCM_16"):
        decode_flac(path)


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    data = bytes(encode_flac(np.random.default_rng(0).integers(-9000, 9000, 24_000).astype(np.int16)))
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(AudioFault):
        decode_flac(path)


def test_a_missing_file_and_one_that_is_no_audio(tmp_path: Path) -> None:
    with pytest.raises(AudioFault, match=r"missing|does not decode"):
        decode_flac(tmp_path / "none.flac")
    (tmp_path / "b.flac").write_bytes(b"not audio")
    with pytest.raises(AudioFault, match="does not decode"):
        decode_flac(tmp_path / "b.flac")


@given(st.lists(st.integers(-32_768, 32_767), min_size=1, max_size=3 * PEAK_SAMPLES))
def test_peaks_bound_the_samples(values: list[int]) -> None:
    stem = np.array(values, np.int16)
    pairs = np.frombuffer(peaks([stem]), np.int8).reshape(-1, 2)
    assert len(pairs) == -(-len(stem) // PEAK_SAMPLES)
    for n, (low, high) in enumerate(pairs.astype(int)):
        part = (
            np.append(stem[n * PEAK_SAMPLES : (n + 1) * PEAK_SAMPLES], 0)
            if len(values) % PEAK_SAMPLES
            else stem[n * PEAK_SAMPLES : (n + 1) * PEAK_SAMPLES]
        )
        assert low * 256 <= part.min() < (low + 1) * 256
        assert high * 256 >= part.max() or high == 127
