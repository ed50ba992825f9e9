"""What a speech engine is: voices, one method that turns spoken text into samples, and how it fails."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

Samples = np.ndarray[Any, np.dtype[Any]]
"""One mono channel, 1-D: float32 in -1..1, or int16."""

Timbre = Literal["low", "medium", "high"]


@dataclass(frozen=True)
class Voice:
    """One voice of an engine. `timbre` is the band of its pitch, not a statement about a person."""

    name: str
    timbre: Timbre
    language: str = "en-US"
    description: str = ""


class Engine(Protocol):
    """Turns (spoken text, voice, seed) into samples. Equal arguments give equal samples on one machine."""

    name: str
    sample_rate: int
    """Samples a second of what `synthesize` returns."""

    def synthesize(self, spoken_text: str, voice: str, seed: int) -> Samples:
        """Mono samples (float32 or int16, 1-D) at `sample_rate`; raises `EngineError`."""
        ...


class EngineError(Exception):
    """One turn could not be spoken. The message is for the author of the text."""


class EngineUnavailable(EngineError):
    """The engine's package is not installed or its files are not what they should be."""


class UnknownVoice(EngineError):
    """A voice name that the engine does not have; names are matched exactly."""


def require_voice(engine: str, voice: str, voices: Iterable[Voice]) -> Voice:
    """The voice of that exact name. Raises `UnknownVoice`, listing the names there are.

    There is no fallback: a voice chosen in silence would make two people sound alike.
    """
    known = list(voices)
    for candidate in known:
        if candidate.name == voice:
            return candidate
    names = ", ".join(v.name for v in known)
    raise UnknownVoice(f"engine {engine} has no voice {voice!r}; its voices are {names}")


def require_latin_words(engine: str, spoken_text: str) -> tuple[str, ...]:
    """The words of a text, without the marks around them, for an engine that reads Latin script.

    Raises `EngineError` when there is no word, and naming a word in another script, which such an engine
    would leave out or read as names of letters.
    """
    bare = (word.strip(".,;:!?…—–-\"'“”‘’()") for word in spoken_text.split())
    words = tuple(word for word in bare if any(c.isalnum() for c in word))
    if not words:
        raise EngineError(f"nothing in {spoken_text!r} can be spoken")
    for word in words:
        if not all(unicodedata.name(c, "").startswith("LATIN") for c in word if c.isalpha()):
            raise EngineError(f"{engine} has no sounds for the word {word!r}; write it as it should be said")
    return words
