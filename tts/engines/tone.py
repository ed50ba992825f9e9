"""A test signal in the shape of speech: one pitch a voice, one syllable a letter. Integer arithmetic throughout.

Being integers, the samples are the same on every machine. Different texts give different samples.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine import EngineError, Samples, Voice, require_voice

ADAPTER_VERSION = "1"
_RATE = 24000
_TABLE_SIZE = 1024
_LETTER_SAMPLES = 1560  # 65 ms
_WORD_GAP_SAMPLES = 720
_PAUSE_SAMPLES = 5760
_EDGE_SAMPLES = 1920
_RAMP_SAMPLES = 240
_PAUSE_MARKS = frozenset(",;:.!?…—–")
_PITCH_HZ = {
    "low-1": 98,
    "low-2": 110,
    "low-3": 124,
    "low-4": 139,
    "medium-1": 160,
    "medium-2": 175,
    "medium-3": 190,
    "high-1": 215,
    "high-2": 240,
    "high-3": 262,
}
VOICES = tuple(
    Voice(
        name,
        "low" if name[0] == "l" else "medium" if name[0] == "m" else "high",
        "en-US",
        f"a tone of {hz} Hz",
    )
    for name, hz in _PITCH_HZ.items()
)

_Ints = np.ndarray[Any, np.dtype[np.int64]]


class ToneEngine:
    """Speaks in tones. The seed is accepted and changes nothing: a repeat is always the same."""

    name = "tone"
    sample_rate = _RATE

    def __init__(self) -> None:
        """Make the wave table."""
        steps = [math.sin(2 * math.pi * i / _TABLE_SIZE) for i in range(_TABLE_SIZE)]
        self._table: _Ints = np.array([round(2047 * s) for s in steps], np.int64)

    def synthesize(self, spoken_text: str, voice: str, seed: int) -> Samples:
        """Int16 mono samples at 24 kHz. Raises `UnknownVoice`, and `EngineError` for text without a letter."""
        require_voice(self.name, voice, VOICES)
        pitch_hz = _PITCH_HZ[voice]
        if not any(c.isalnum() for c in spoken_text):
            raise EngineError(f"nothing in {spoken_text!r} can be spoken")
        pieces = [np.zeros(_EDGE_SAMPLES, np.int64)]
        for word in spoken_text.split():
            for character in word:
                if character.isalnum():
                    pieces.append(self._letter(ord(character.lower()), pitch_hz))
            pieces.append(
                np.zeros(_PAUSE_SAMPLES if word[-1] in _PAUSE_MARKS else _WORD_GAP_SAMPLES, np.int64)
            )
        pieces.append(np.zeros(_EDGE_SAMPLES, np.int64))
        return np.concatenate(pieces).astype(np.int16)

    def _letter(self, code: int, pitch_hz: int) -> _Ints:
        """One syllable: the fundamental and two harmonics that the letter chooses, under a ramp at each end."""
        index = np.arange(_LETTER_SAMPLES, dtype=np.int64)
        phase = index * pitch_hz * _TABLE_SIZE // _RATE
        second, third = 2 + code % 4, 6 + code // 4 % 8
        wave = 4 * self._table[phase % _TABLE_SIZE] + 2 * self._table[phase * second % _TABLE_SIZE]
        wave += self._table[phase * third % _TABLE_SIZE] * (1 + code // 32 % 5) // 2
        ramp = np.minimum(np.minimum(index + 1, _LETTER_SAMPLES - index), _RAMP_SAMPLES)
        return wave * ramp // (2 * _RAMP_SAMPLES)


def fingerprint() -> dict[str, str]:
    """All that decides the samples."""
    return {"adapter": ADAPTER_VERSION}
