"""What a diagnostic code says of itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """What one code means, why it matters, and the bad form beside the good one (both YAML fragments).

    `suppressible` says whether a scene may accept the finding with a reason.
    """

    code: str
    title: str
    why: str
    bad: str
    good: str
    suppressible: bool = False
