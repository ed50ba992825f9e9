"""Which voice speaks for which person: fixed voices first, then a seeded draw that keeps voices apart."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from .engine import Voice

_NEAREST = {
    "low": ("low", "medium", "high"),
    "medium": ("medium", "low", "high"),
    "high": ("high", "medium", "low"),
    None: ("low", "medium", "high"),
}


@dataclass(frozen=True)
class Part:
    """One person to be voiced: a fixed voice, or a timbre to draw from, or neither."""

    id: str
    timbre: str | None = None
    voice: str | None = None


class CastingError(ValueError):
    """People who cannot all have a voice of their own. The message says what to change."""


def cast(
    parts: Sequence[Part], voices: Sequence[Voice], *, seed: int, scene: str, engine: str
) -> dict[str, str]:
    """A voice for each part, no two alike, by part id.

    The draw depends on `seed`, `scene` and the ids alone (SHA-256), so a person keeps one voice in both
    versions of a pair. A timbre is met while voices of it are left, then its neighbour's are taken.
    Raises `CastingError` for an unknown or doubly used voice, or when voices run out.
    """
    names = {v.name for v in voices}
    chosen: dict[str, str] = {}
    for part in parts:
        if part.voice is None:
            continue
        if part.voice not in names:
            raise CastingError(
                f"{scene}: speaker {part.id}: engine {engine} has no voice {part.voice!r}; it has: "
                + ", ".join(sorted(names))
            )
        if part.voice in chosen.values():
            raise CastingError(f"{scene}: two speakers use the voice {part.voice!r}; give each their own")
        chosen[part.id] = part.voice
    timbre_first = sorted((p for p in parts if p.voice is None), key=lambda p: p.timbre is None)
    for part in timbre_first:
        chosen[part.id] = _draw(part, voices, set(chosen.values()), f"{seed}\n{scene}\n{part.id}", engine)
    return {part.id: chosen[part.id] for part in parts}


def _draw(part: Part, voices: Sequence[Voice], used: set[str], salt: str, engine: str) -> str:
    free = [v for v in voices if v.name not in used]
    if not free:
        raise CastingError(f"engine {engine} has {len(voices)} voices, too few for the speakers of one scene")
    if part.timbre is not None:
        for timbre in _NEAREST[part.timbre]:
            fitting = [v for v in free if v.timbre == timbre]
            if fitting:
                free = fitting
                break
    ranked = sorted(free, key=lambda v: hashlib.sha256(f"{salt}\n{v.name}".encode()).digest())
    return ranked[0].name
