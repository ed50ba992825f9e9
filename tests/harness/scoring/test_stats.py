"""Golden numbers of the exact test, and laws of the bootstrap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duplexkit.harness.scoring.stats import Interval, bootstrap_ratio, mcnemar_exact


@pytest.mark.parametrize(
    ("b", "c", "p"),
    [(90, 78, 0.39613334), (0, 0, 1.0), (5, 5, 1.0), (0, 1, 1.0), (0, 6, 0.03125), (1, 9, 0.021484375)],
)
def test_mcnemar_golden(b: int, c: int, p: float) -> None:
    assert mcnemar_exact(b, c) == pytest.approx(p, abs=1e-8)
    assert mcnemar_exact(c, b) == mcnemar_exact(b, c)


def test_mcnemar_far_out_is_small_and_no_error() -> None:
    assert mcnemar_exact(1_800, 20) < 1e-300


def test_mcnemar_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        mcnemar_exact(-1, 2)


def test_bootstrap_matches_the_normal_approximation() -> None:
    scenes = [(1, 1)] * 600 + [(0, 1)] * 400
    interval = bootstrap_ratio(scenes, resamples=10_000, seed=1, purpose="t")
    assert interval.low == pytest.approx(0.6 - 0.0304, abs=0.003)
    assert interval.high == pytest.approx(0.6 + 0.0304, abs=0.003)


def test_bootstrap_draws_scenes_not_events() -> None:
    whole = bootstrap_ratio([(10, 10)] * 20 + [(0, 10)] * 20, resamples=4_000, seed=1, purpose="t")
    single = bootstrap_ratio([(1, 1)] * 200 + [(0, 1)] * 200, resamples=4_000, seed=1, purpose="t")
    assert whole.low is not None and single.low is not None
    assert 0.5 - whole.low > 2.5 * (0.5 - single.low)


def test_bootstrap_without_a_denominator_is_null() -> None:
    assert bootstrap_ratio([], resamples=50, seed=0, purpose="t") == Interval(None, None, 50)
    assert bootstrap_ratio([(0, 0)] * 9, resamples=50, seed=0, purpose="t") == Interval(None, None, 50)


def test_bootstrap_counts_resamples_that_have_no_denominator() -> None:
    interval = bootstrap_ratio([(1, 1), (0, 0)], resamples=1_000, seed=0, purpose="t")
    assert (interval.low, interval.high) == (1.0, 1.0)
    assert 150 < interval.undefined < 350


def test_bootstrap_needs_a_resample() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        bootstrap_ratio([(1, 1)], resamples=0, seed=0, purpose="t")


counts = st.integers(0, 9).flatmap(lambda d: st.tuples(st.integers(0, d), st.just(d)))


@given(st.lists(counts, max_size=12), st.randoms(use_true_random=False), st.integers(0, 99))
def test_bootstrap_ignores_the_order_of_scenes(
    scenes: list[tuple[int, int]], random: object, seed: int
) -> None:
    shuffled = sorted(scenes, key=lambda _: random.random())  # type: ignore[attr-defined]
    a = bootstrap_ratio(scenes, resamples=200, seed=seed, purpose="t")
    assert a == bootstrap_ratio(shuffled, resamples=200, seed=seed, purpose="t")
    if a.low is not None and a.high is not None:
        assert 0.0 <= a.low <= a.high <= 1.0
