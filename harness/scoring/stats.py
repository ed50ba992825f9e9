"""Intervals and tests: the percentile bootstrap over scenes, and McNemar's exact test on pairs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import comb

import numpy as np

CHUNK = 1_000
"""Resamples drawn at once, which bounds memory."""


@dataclass(frozen=True)
class Interval:
    """A 95 % interval of a ratio, and the resamples whose denominator was 0 (left out of it)."""

    low: float | None
    high: float | None
    undefined: int


def bootstrap_ratio(
    scenes: Iterable[tuple[int, int]], *, resamples: int, seed: int, purpose: str, level: float = 0.95
) -> Interval:
    """Percentile bootstrap of sum(numerators) / sum(denominators), drawing whole scenes with replacement.

    `scenes` holds one (numerator, denominator) for each scene; their order does not matter. `purpose` names
    the figure, so that two figures of one seed are drawn apart. Both ends are None when every denominator is
    0. With one scene the interval is that scene's ratio. Raises `ValueError` for fewer than one resample.

    Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 13.3. Scenes with equal counts are
    drawn together (a multinomial), which has the same distribution as drawing them one by one.
    """
    if resamples < 1:
        raise ValueError(f"resamples is {resamples}; an interval needs at least 1")
    kinds = sorted(Counter(scenes).items())
    total = sum(count for _, count in kinds)
    if not any(denominator for (_, denominator), _ in kinds):
        return Interval(None, None, resamples)
    pairs = np.array([pair for pair, _ in kinds], dtype=np.int64)
    shares = np.array([count for _, count in kinds], dtype=np.float64) / total
    generator = np.random.default_rng(_derived(seed, purpose))
    ratios = []
    for first in range(0, resamples, CHUNK):
        drawn = generator.multinomial(total, shares, size=min(CHUNK, resamples - first))
        sums = drawn @ pairs
        defined = sums[sums[:, 1] > 0]
        ratios.append(defined[:, 0] / defined[:, 1])
    values = np.concatenate(ratios)
    if not values.size:
        return Interval(None, None, resamples)
    low, high = np.percentile(values, [50 * (1 - level), 50 * (1 + level)])
    return Interval(float(low), float(high), resamples - int(values.size))


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided exact p of McNemar's test for `b` pairs that changed one way and `c` that changed the other.

    min(1, 2 P(X <= min(b, c))) for X ~ Binomial(b + c, 1/2); 1.0 when no pair changed. Raises `ValueError`
    for a negative count. McNemar (1947); Duplex-MPE, appendix A5.1.
    """
    if b < 0 or c < 0:
        raise ValueError(f"counts of pairs are {b} and {c}; they cannot be negative")
    n = b + c
    tail = sum(comb(n, i) for i in range(min(b, c) + 1))
    return min(1.0, float(2 * tail / (1 << n)))


def _derived(seed: int, purpose: str) -> int:
    digest = hashlib.sha256(f"{seed}\n{purpose}".encode()).digest()
    return int.from_bytes(digest[:16], "big")
