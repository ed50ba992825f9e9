"""The third of a scene in which the request stands.

Duplex-MPE names three buckets and does not give their edges. The choice here: the inner turns 2 to n-1 are
cut into equal thirds; what does not divide goes to the middle.
"""

from __future__ import annotations

from ..schemas.scene import Bucket


def bucket_of(index: int, count: int) -> Bucket | None:
    """The bucket of turn `index` (from 0) among `count` turns; None for the first and the last turn.

    With fewer than three inner turns every inner turn is in the middle.
    """
    if not 0 < index < count - 1:
        return None
    inner = count - 2
    third = inner // 3
    if index <= third:
        return "early-middle"
    return "late-middle" if index > inner - third else "middle"
