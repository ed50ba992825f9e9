"""Placement: exact gaps, stems that are zero outside their turns, and a mix that is their exact sum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duplexkit.tts.placement import Gaps, PlacementError, Span, build_stems, mix_stems, place

GAPS = Gaps(ordinary_samples=12_000, resolution_samples=72_000, response_samples=120_000)
TAGS = st.sampled_from(["T", "N1", "N2", "N3", "N4_Q", "N4_R"])


@given(st.lists(st.tuples(TAGS, st.integers(1, 100_000)), min_size=1), st.integers(0, 10_000))
def test_gaps_are_exact(turns: list[tuple[str, int]], start: int) -> None:
    spans = place(turns, GAPS, start)
    assert spans[0].start == start
    assert [s.end - s.start for s in spans] == [length for _, length in turns]
    for (tag, _), one, two in zip(turns, spans, spans[1:], strict=False):
        assert two.start - one.end == GAPS.after(tag)


def test_resolution_gap_is_three_seconds_at_24_khz() -> None:
    one, two = place([("N4_Q", 100), ("N4_R", 100)], GAPS)
    assert two.start - one.end == 3 * 24_000


def test_a_turn_without_samples_is_refused() -> None:
    with pytest.raises(PlacementError, match="turn 2 has 0 samples"):
        place([("N2", 5), ("N2", 0)], GAPS)


@given(st.integers(0, 2**32 - 1), st.lists(st.tuples(st.sampled_from("AB"), st.integers(1, 50)), min_size=1))
def test_mix_is_the_sum_and_stems_are_zero_elsewhere(seed: int, turns: list[tuple[str, int]]) -> None:
    rng = np.random.default_rng(seed)
    spans = place([("N2", n) for _, n in turns], Gaps(7, 7, 7))
    clips = [rng.integers(-16_000, 16_000, n).astype(np.int16) for _, n in turns]
    parts = [(speaker, span, clip) for (speaker, _), span, clip in zip(turns, spans, clips, strict=True)]
    total = spans[-1].end + 3
    stems = build_stems(parts, ["A", "B"], total)
    mix = mix_stems(stems)
    assert np.array_equal(stems["A"].astype(int) + stems["B"].astype(int), mix)
    covered = np.zeros(total, bool)
    for _, span, clip in parts:
        assert np.array_equal(mix[span.start : span.end], clip)
        covered[span.start : span.end] = True
    assert not mix[~covered].any()


def test_overflow_is_an_error_and_never_clipped() -> None:
    loud = np.full(3, 20_000, np.int16)
    with pytest.raises(PlacementError, match="leaves the 16-bit range at sample 0"):
        mix_stems({"A": loud, "B": loud})


def test_a_clip_outside_the_item_is_refused() -> None:
    with pytest.raises(PlacementError, match="does not fit"):
        build_stems([("A", Span(8, 12), np.ones(4, np.int16))], ["A"], 10)


def test_two_turns_of_one_speaker_may_not_overlap() -> None:
    clip = np.ones(4, np.int16)
    with pytest.raises(PlacementError, match="overlap at sample 2"):
        build_stems([("A", Span(0, 4), clip), ("A", Span(2, 6), clip)], ["A"], 10)
