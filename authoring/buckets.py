"""In which third of a scene its request stands.

Duplex-MPE names three buckets and does not give their edges. The choice here: the first and the last turn can
hold no request, the turns between them are cut into equal thirds, and what does not divide goes to the middle.
"""

from __future__ import annotations

from ..schemas.scene import Bucket


def bucket_of(index: int, n: int) -> Bucket | None:
    """The bucket of the turn at `index` (from 0) among `n` turns; None for the first and the last turn."""
    if not 0 < index < n - 1:
        return None
    third = (n - 2) // 3
    if index <= third:
        return "early-middle"
    return "late-middle" if index >= n - 1 - third else "middle"


def bucket_turns(bucket: Bucket, n: int) -> range:
    """The turn numbers (from 1) of a bucket in a scene of `n` turns; empty where the scene is too short."""
    inside = [i + 1 for i in range(1, n - 1) if bucket_of(i, n) == bucket]
    return range(inside[0], inside[-1] + 1) if inside else range(0)
