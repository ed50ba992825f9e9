"""The Silero speech detector on isolated agent audio.

The network gives a probability for each 32 ms at 16 kHz; it answers a little late, more so at the end of
speech. An edge is therefore moved to where the energy rises or falls within 150 ms of it; where the energy
shows no edge, a fixed, measured delay is taken off.

A second or more of exact zeros sets the network back to its first state, and its frames are counted from the
first sample behind. So what is found in a stretch depends on that stretch alone: silence before or behind it
changes nothing, and zeros need not be run through the network.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...tts.onnx import onnx_runtime
from .speech import (
    MERGE_SAMPLES,
    MIN_SPEECH_SAMPLES,
    RATE,
    WINDOW_SAMPLES,
    AudioError,
    Detection,
    Int16,
    Int64,
    Segment,
    bursts,
    finish,
    join_runs,
    load_samples,
    runs,
    trim_zeros,
    window_energy,
)

MODEL_PATH = Path(__file__).parent / "data" / "silero_vad_16k_sequence.onnx"
MODEL_SHA256 = "9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85"
MODEL_VERSION = "silero-vad 6.2.3 16k sequence"

NET_RATE = 16_000
NET_FRAME = 512
NET_CONTEXT = 64
FRAME = 768
"""Samples at 24 kHz that one frame of the network covers: 32 ms."""

LEAD_FRAMES = 5
TAIL_FRAMES = 10
CHUNK_FRAMES = 1_024
"""Frames run at once, which bounds memory; the state is carried over."""

Float32 = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True)
class SileroSettings:
    """What decides where the detector hears speech. Lengths in samples at 24 kHz."""

    threshold: float = 0.5
    """Speech begins at a frame of this probability."""
    release: float = 0.35
    """Speech goes on while the probability stays at or above this."""
    min_pause_samples: int = 3 * FRAME
    """A dip shorter than 96 ms does not end speech."""
    min_speech_samples: int = MIN_SPEECH_SAMPLES
    merge_samples: int = MERGE_SAMPLES
    reach_samples: int = 3_600
    """How far an edge may move: 150 ms to each side."""
    edge_db: float = -44.0
    """Energy that counts as sound, in dB under the loudest 10 ms of the segment."""
    start_delay_samples: int = 170
    """Taken off a start that has no edge of energy: 7 ms."""
    end_delay_samples: int = 1_060
    """Taken off an end that has no edge of energy: 44 ms."""
    reset_zeros_samples: int | None = RATE
    """Zeros that set the network back to its first state: 1 s. None: never."""


class SileroDetector:
    """Speech by the Silero network, its edges moved to the energy."""

    name = "silero"

    def __init__(self, settings: SileroSettings | None = None) -> None:
        """Loads the network. Raises `AudioError` when its file is missing or is not the pinned one."""
        self._settings = settings or SileroSettings()
        self._session = _load(MODEL_PATH)

    def settings(self) -> dict[str, Any]:
        """The settings, and the network they are for."""
        return {"model": MODEL_VERSION, "model_sha256": MODEL_SHA256, **asdict(self._settings)}

    def detect(self, samples: Int16 | Path) -> Detection:
        """Speech in int16 mono samples at 24 kHz, or in a file of them. Raises `AudioError`."""
        audio = load_samples(samples)
        found: list[Segment] = []
        zeros = self._settings.reset_zeros_samples
        for start, end in bursts(audio, len(audio) + 1 if zeros is None else zeros):
            found += (Segment(start + s.start, start + s.end) for s in self._in_burst(audio[start:end]))
        return finish(found, self._settings.min_speech_samples, self._settings.merge_samples)

    def _in_burst(self, audio: Int16) -> list[Segment]:
        """Segments of one stretch, counted from its first sample."""
        lead = LEAD_FRAMES * FRAME
        padded = np.zeros(lead + len(audio) + TAIL_FRAMES * FRAME, np.int16)
        padded[lead : lead + len(audio)] = audio
        rough = self._hysteresis(self._probabilities(padded))
        segments = _refine(rough, padded, self._settings)
        trimmed = (trim_zeros(padded, s) for s in segments)
        return [Segment(s.start - lead, s.end - lead) for s in trimmed if s is not None]

    def _probabilities(self, audio: Int16) -> Float32:
        """The probability of speech of each 768 samples."""
        import soxr

        scaled = audio.astype(np.float32) / np.float32(32_768)
        frames = -(-len(audio) // FRAME)
        resampled = np.zeros(NET_CONTEXT + frames * NET_FRAME, np.float32)
        net = soxr.resample(scaled, RATE, NET_RATE)[: frames * NET_FRAME]
        resampled[NET_CONTEXT : NET_CONTEXT + len(net)] = net
        windows = np.lib.stride_tricks.sliding_window_view(resampled, NET_CONTEXT + NET_FRAME)[::NET_FRAME]
        h = c = np.zeros((1, 1, 128), np.float32)
        parts = []
        for first in range(0, frames, CHUNK_FRAMES):
            chunk = np.ascontiguousarray(windows[first : first + CHUNK_FRAMES])
            probabilities, h, c = self._session.run(None, {"input": chunk, "h": h, "c": c})
            parts.append(probabilities)
        return np.concatenate(parts)

    def _hysteresis(self, probabilities: Float32) -> list[tuple[int, int]]:
        """Rough stretches of speech in samples: begun at `threshold`, held down to `release`."""
        held = join_runs(
            runs(probabilities >= self._settings.release), -(-self._settings.min_pause_samples // FRAME)
        )
        found = []
        for start, end in held:
            loud = np.flatnonzero(probabilities[start:end] >= self._settings.threshold)
            if loud.size:
                found.append(((start + int(loud[0])) * FRAME, end * FRAME))
        return found


def _refine(rough: Sequence[tuple[int, int]], audio: Int16, settings: SileroSettings) -> list[Segment]:
    """Each rough stretch with its edges moved to the energy, never over the middle of a pause between two."""
    segments: list[Segment] = []
    for number, (start, end) in enumerate(rough):
        low = (rough[number - 1][1] + start) // 2 if number else 0
        high = (end + rough[number + 1][0]) // 2 if number + 1 < len(rough) else len(audio)
        first, last = _edges(audio, (start, end), (low, high), settings)
        if last > first:
            segments.append(Segment(first, last))
    return segments


def _edges(
    audio: Int16, rough: tuple[int, int], room: tuple[int, int], settings: SileroSettings
) -> tuple[int, int]:
    """The first sounding sample within reach of the start, and one behind the last within reach of the end.

    Where sound reaches beyond the reach, or into the room of a neighbour, there is no edge: a fixed delay is
    taken off instead.
    """
    (start, end), reach = rough, settings.reach_samples
    low, high = max(room[0], start - reach), min(room[1], end + reach)
    energy = _energy_between(audio, low, high)
    level = int(energy[start - low : end - low].max())
    sound = energy >= max(1.0, level * 10 ** (settings.edge_db / 10))
    rises = np.flatnonzero(sound[: start + reach - low])
    falls = np.flatnonzero(sound[max(0, end - reach - low) :]) + max(low, end - reach)
    first = max(low, start - settings.start_delay_samples)
    if rises.size and rises[0] > 0:
        first = low + int(rises[0])
    last = min(high, end - settings.end_delay_samples)
    if falls.size and falls[-1] + 1 < high:
        last = int(falls[-1]) + 1
    return first, last


def _energy_between(audio: Int16, start: int, end: int) -> Int64:
    """The energy of the 10 ms window centred on each sample of [start, end)."""
    margin = WINDOW_SAMPLES // 2
    left = max(0, start - margin)
    return window_energy(audio[left : end + margin])[start - left : end - left]


def _load(path: Path) -> Any:
    """The network, with one thread so that its sums are in one order."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AudioError(
            f"{path}: the speech network cannot be read ({error}); reinstall duplexkit"
        ) from error
    digest = hashlib.sha256(data).hexdigest()
    if digest != MODEL_SHA256:
        raise AudioError(f"{path}: not the pinned speech network (SHA-256 {digest}); reinstall duplexkit")
    onnxruntime = onnx_runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
