"""A self-test of an engine: whether a repeat gives the same samples and whether the seed reaches the synthesis."""

from __future__ import annotations

from dataclasses import dataclass

from .engine import Engine

_TEXT = "My policy number is on the letter."
_OTHER_TEXT = "Thank you, the blue one."


@dataclass(frozen=True)
class SeedReport:
    """What an engine does with its seed, measured on one voice in this process."""

    repeats: bool
    """Equal text, voice and seed gave equal samples, also after another text was spoken in between."""
    varies: bool
    """Another seed gave other samples. False means that the seed changes nothing."""


def seed_report(engine: Engine, voice: str) -> SeedReport:
    """Speak four short turns and compare them. Raises `EngineError` like `synthesize`."""
    first = engine.synthesize(_TEXT, voice, 42).tobytes()
    engine.synthesize(_OTHER_TEXT, voice, 7)
    again = engine.synthesize(_TEXT, voice, 42).tobytes()
    other = engine.synthesize(_TEXT, voice, 43).tobytes()
    return SeedReport(repeats=first == again, varies=first != other)
