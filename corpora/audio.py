"""Reading and writing the audio of a corpus: 24 kHz mono 16-bit FLAC, and waveform peaks."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..tts.placement import Int16

RATE = 24_000
PEAKS_PER_SECOND = 100
PEAK_SAMPLES = RATE // PEAKS_PER_SECOND


class AudioFault(Exception):
    """An audio file that is not what a corpus holds. The message names the file and the difference."""


def encode_flac(samples: Int16) -> memoryview:
    """The samples as a FLAC file in memory; equal samples give equal bytes with one libsndfile."""
    import soundfile

    if samples.dtype != np.int16 or samples.ndim != 1:
        raise AudioFault(
            f"audio must be one row of int16 samples, got {samples.dtype} of shape {samples.shape}"
        )
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, RATE, format="FLAC", subtype="PCM_16")
    return buffer.getbuffer()


def encoder_version() -> str:
    """The library that encodes FLAC; part of what determines a corpus' bytes."""
    import soundfile

    return str(soundfile.__libsndfile_version__)


def decode_flac(path: Path) -> Int16:
    """All samples of a corpus' FLAC file, counted as decoded and not as its header says.

    Raises `AudioFault` when the file is missing, does not decode, or has another rate, width or channels.
    """
    import soundfile

    # As bytes, a name works under any locale; soundfile takes them, its annotations do not say so.
    name: Any = os.fsencode(path)
    try:
        with soundfile.SoundFile(name) as sound:
            found = (sound.samplerate, sound.channels, sound.subtype)
            if found != (RATE, 1, "PCM_16"):
                raise AudioFault(
                    f"{path}: {found[0]} Hz, {found[1]} channels, {found[2]}; expected 24000, 1, PCM_16"
                )
            promised = int(sound.frames)
            samples: Any = sound.read(dtype="int16")
    except FileNotFoundError:
        raise AudioFault(f"{path}: missing") from None
    except (RuntimeError, OSError) as error:
        raise AudioFault(f"{path}: does not decode ({error})") from None
    if len(samples) != promised:
        raise AudioFault(f"{path}: the header promises {promised} samples, {len(samples)} decode")
    return np.asarray(samples, np.int16)


def peaks(stems: list[Int16]) -> bytes:
    """Waveform peaks: for each stem in turn, for each 240 samples, the least and the greatest value.

    Values are signed bytes, the upper 8 bits of the samples, the greatest rounded up, so that any sound at
    all is seen. The last stretch may be shorter.
    """
    parts = []
    for stem in stems:
        count = -(-len(stem) // PEAK_SAMPLES)
        padded = np.zeros(count * PEAK_SAMPLES, np.int16)
        padded[: len(stem)] = stem
        rows = padded.reshape(count, PEAK_SAMPLES)
        low = rows.min(axis=1).astype(np.int32) >> 8
        high = -((-rows.max(axis=1).astype(np.int32)) >> 8)
        pairs = np.stack([low, np.minimum(high, 127)], axis=1)
        parts.append(pairs.astype(np.int8).tobytes())
    return b"".join(parts)
