"""Clips: one turn's finished speech, its record, its key, and the rendering that makes it from an engine."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from .bounds import Int16, speech_bounds
from .checks import Failure, check_clip, check_raw
from .engine import Engine, EngineError, Samples

CORPUS_RATE = 24000
"""Samples a second of every clip."""
FADE_MS = 2
_FULL_SCALE = 32768.0
_CLIP_VERSION = "1"
"""Part of every key: raised when rendering gives other bytes for the same engine output."""


class ClipError(EngineError):
    """A clip failed its checks on every allowed attempt. The message names the check, its numbers and the text."""


@dataclass(frozen=True)
class ClipRecord:
    """What is known about one clip. Counts are samples at `sample_rate`; `peak` is an int16 magnitude."""

    key: str
    engine: str
    voice: str
    spoken_text: str
    seed: int
    sample_rate: int
    num_samples: int
    peak: int
    rms_dbfs: float
    trimmed_head_samples: int
    trimmed_tail_samples: int
    gain: float
    """1.0 unless the engine's peak exceeded full scale; then what the samples were multiplied by."""
    attempts: int

    def to_json(self) -> dict[str, Any]:
        """A dictionary of plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ClipRecord:
        """The record of `to_json`. Raises `ValueError` for missing or unknown fields or wrong types."""
        kinds = {"int": int, "str": str, "float": (int, float)}
        if not isinstance(data, dict) or set(data) != {f.name for f in fields(cls)}:
            raise ValueError("not the fields of a clip record")
        for field in fields(cls):
            value = data[field.name]
            if isinstance(value, bool) or not isinstance(value, kinds[str(field.type)]):  # type: ignore[arg-type]
                raise ValueError(f"{field.name} of a clip record is not {field.type}")
        return cls(**data)


def clip_key(fingerprint_digest: str, voice: str, spoken_text: str, seed: int) -> str:
    """The hex SHA-256 under which a clip is stored: of everything that decides its bytes."""
    return _digest(["clip", _CLIP_VERSION, CORPUS_RATE, fingerprint_digest, voice, spoken_text, seed])


def clip_seed(corpus_seed: int, voice: str, spoken_text: str, occurrence: int) -> int:
    """A 63-bit seed for one clip; `occurrence` counts earlier equal (voice, text) pairs of the item."""
    return _seed(["seed", corpus_seed, voice, spoken_text, occurrence])


def render_clip(
    engine: Engine, *, key: str, voice: str, spoken_text: str, seed: int, max_attempts: int = 3
) -> tuple[Int16, ClipRecord]:
    """Speak `spoken_text` and return int16 mono samples at `CORPUS_RATE` with their record.

    Silence is cut from the head and the tail only; what lies between first and last speech is untouched.
    A clip that fails a check is made again with a derived seed, at most `max_attempts` times in all, and not
    at all once a new seed changed nothing. Raises `ClipError` then, and `EngineError` from the engine itself.
    """
    if max_attempts < 1:
        raise ValueError(f"max_attempts must be at least 1, got {max_attempts}")
    previous: bytes | None = None
    failure = Failure("none", "")
    attempt = 0
    for attempt in range(1, max_attempts + 1):
        used_seed = seed if attempt == 1 else _seed(["retry", seed, attempt])
        raw = engine.synthesize(spoken_text, voice, used_seed)
        content = raw.tobytes()
        if content == previous:
            failure = Failure(failure.check, failure.detail + "; another seed gives the same samples")
            break
        previous = content
        outcome = _finish(raw, engine.sample_rate, spoken_text)
        if not isinstance(outcome, Failure):
            return outcome.samples, _record(outcome, engine.name, key, voice, spoken_text, seed, attempt)
        failure = outcome
    raise ClipError(
        f"{engine.name}, voice {voice}: {failure.check}: {failure.detail} after {attempt} "
        f"attempt{'s' if attempt > 1 else ''}, for the text {spoken_text!r}"
    )


@dataclass(frozen=True)
class _Finished:
    samples: Int16
    head_samples: int
    tail_samples: int
    gain: float


def _finish(raw: Samples, rate: int, text: str) -> _Finished | Failure:
    """Check, resample once, scale only if needed, round, trim and fade; or the first check that failed."""
    failure = check_raw(raw)
    if failure is not None:
        return failure
    signal, gain = _fit(_resample(_as_float(raw), rate))
    whole: Int16 = np.rint(signal * np.float32(_FULL_SCALE)).astype(np.int16)
    trimmed = _trim(whole)
    if trimmed is None:
        return Failure("silence", "the engine returned no speech")
    samples, head, tail = trimmed
    return check_clip(samples, CORPUS_RATE, text) or _Finished(samples, head, tail, gain)


def _as_float(raw: Samples) -> Samples:
    if raw.dtype == np.int16:
        return raw.astype(np.float32) / np.float32(_FULL_SCALE)
    return raw.astype(np.float32, copy=False)


def _resample(signal: Samples, rate: int) -> Samples:
    if rate == CORPUS_RATE:
        return signal
    import soxr

    resampled: Samples = soxr.resample(signal, rate, CORPUS_RATE, quality="HQ")
    return resampled


def _fit(signal: Samples) -> tuple[Samples, float]:
    """The signal and the gain that brings it into int16; 1.0, and the signal itself, when it fits already."""
    over = max(float(signal.max()) * _FULL_SCALE / (_FULL_SCALE - 1), -float(signal.min()))
    if over <= 1.0:
        return signal, 1.0
    gain = 1.0 / over
    limit = (_FULL_SCALE - 1) / _FULL_SCALE
    return np.clip(signal * np.float32(gain), -1.0, np.float32(limit)), gain


def _trim(whole: Int16) -> tuple[Int16, int, int] | None:
    """The clip from first to last speech, faded at its edges, with the samples cut from head and tail.

    A fade can take an edge below the threshold of speech; the cut is repeated until the bounds stay put.
    """
    fade_samples = CORPUS_RATE * FADE_MS // 1000
    bounds = speech_bounds(whole, CORPUS_RATE)
    start = 0
    part = whole
    for _ in range(8):
        if bounds is None:
            return None
        start, end = start + bounds[0], start + bounds[1]
        part = _faded(whole[start:end], fade_samples)
        bounds = speech_bounds(part, CORPUS_RATE)
        if bounds is not None and bounds[0] <= fade_samples and len(part) - bounds[1] <= fade_samples:
            break
    return part, start, len(whole) - start - len(part)


def _faded(samples: Int16, fade_samples: int) -> Int16:
    """A copy whose first and last samples rise from and fall to nothing, so that no edge can click."""
    count = min(fade_samples, len(samples) // 2)
    faded = samples.copy()
    if count:
        ramp = (np.arange(count, dtype=np.float64) + 0.5) / count
        faded[:count] = np.rint(samples[:count] * ramp).astype(np.int16)
        faded[-count:] = np.rint(samples[-count:] * ramp[::-1]).astype(np.int16)
    return faded


def _record(
    done: _Finished, engine: str, key: str, voice: str, text: str, seed: int, attempts: int
) -> ClipRecord:
    wide = done.samples.astype(np.int64)
    mean_square = float(np.dot(wide, wide)) / len(wide)
    return ClipRecord(
        key=key,
        engine=engine,
        voice=voice,
        spoken_text=text,
        seed=seed,
        sample_rate=CORPUS_RATE,
        num_samples=len(done.samples),
        peak=int(np.abs(wide).max()),
        rms_dbfs=round(10 * math.log10(mean_square / _FULL_SCALE**2), 3) if mean_square else -120.0,
        trimmed_head_samples=done.head_samples,
        trimmed_tail_samples=done.tail_samples,
        gain=done.gain,
        attempts=attempts,
    )


def _digest(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


def _seed(parts: list[Any]) -> int:
    return int(_digest(parts)[:16], 16) >> 1
