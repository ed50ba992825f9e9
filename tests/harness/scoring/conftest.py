"""Episodes built by hand, a stand-in for the judges, and run folders for the tests of scoring."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duplexkit.corpora.windows import held_turns, held_windows, item_windows
from duplexkit.harness.scoring.duplex_mpe import EpisodeSpeech
from duplexkit.harness.scoring.rules import Judges
from duplexkit.harness.scoring.speech import RATE, Int16, Segment, finish
from duplexkit.harness.seeds import episode_seed
from duplexkit.schemas.episode import AgentUtterance, Episode
from duplexkit.schemas.item import ItemTurn

Said = tuple[int, int, str]
"""Start, end and words of what the agent says, in samples."""

LENGTHS = {"N4_R": 2 * RATE}
"""Turns last 1 s, resolutions 2 s."""

GAPS = {"T": 5 * RATE, "N4_Q": 3 * RATE}
"""0.5 s behind the other turns."""


def make_turns(tags: Sequence[str], lengths: dict[str, int] | None = None) -> tuple[ItemTurn, ...]:
    """Turns t1, t2, ... from sample 24,000 on, spaced as a compiled scene spaces them."""
    turns = []
    cursor = RATE
    for number, tag in enumerate(tags, start=1):
        length = (lengths or {}).get(f"t{number}", LENGTHS.get(tag, RATE))
        turns.append(
            ItemTurn.model_validate(
                {
                    "id": f"t{number}",
                    "speaker": "AB"[number % 2],
                    "tag": tag,
                    "to": None,
                    "text": "words",
                    "spoken_text": "words",
                    "start": cursor,
                    "end": cursor + length,
                    "clip": "0" * 64,
                }
            )
        )
        cursor += length + GAPS.get(tag, RATE // 2)
    return tuple(turns)


def make_speech(
    tags: Sequence[str],
    said: Sequence[Said] = (),
    *,
    lengths: dict[str, int] | None = None,
    hold: int = 0,
    raw: Sequence[tuple[int, int]] | None = None,
    **fields: Any,
) -> EpisodeSpeech:
    """An episode with these turns in which the agent says these words at these samples.

    Speech is found where something is said, or at `raw` where given; `hold` is a wait at the end of T.
    """
    turns = make_turns(tags, lengths)
    windows = item_windows(turns, 5 * RATE)
    point = next((t.end for t in turns if t.tag == "T"), 0)
    num_samples = turns[-1].end + hold + 6 * RATE
    record: dict[str, Any] = {
        "format": 1,
        "kind": "episode",
        "item": "s1.explicit",
        "scene": "s1",
        "pair": "s1",
        "condition": "explicit",
        "bucket": "middle",
        "language": "en-US",
        "plan": "0" * 64,
        "seed": episode_seed(0, str(fields.get("item", "s1.explicit"))),
        "agent": "oracle",
        "outcome": "completed",
        "sample_rate": RATE,
        "num_samples": num_samples,
        "ticks": -(-num_samples // 4_800),
        "hold_point": point,
        "hold_samples": hold,
        "assistant": {"name": "Aria"},
        "turns": [t.model_dump() for t in held_turns(turns, point, hold)],
        "windows": [w.model_dump() for w in held_windows(windows, turns, point, hold)],
        "answer": {"text": "nine dollars", "accept": ["9 dollars"], "support": ["t1"]},
        "utterances": [
            AgentUtterance(text=text, start=start, end=end).model_dump() for start, end, text in said
        ],
    }
    segments = [Segment(a, b) for a, b in (raw if raw is not None else [(a, b) for a, b, _ in said])]
    return EpisodeSpeech(Episode.model_validate(record | fields), finish(sorted(segments), 2_880, 19_200))


def contains(utterance: str, accepted: Sequence[str]) -> bool:
    """Whether the words hold an accepted answer, case ignored."""
    return any(a.lower() in utterance.lower() for a in accepted)


def write_run(folder: Path, speeches: Sequence[EpisodeSpeech], **fields: Any) -> Path:
    """A run folder in which the agent's audio is a 200 Hz tone wherever speech is said to be."""
    manifest: dict[str, Any] = {
        "format": 1,
        "kind": "run",
        "agent": "oracle",
        "corpus": "test",
        "corpus_plan": "0" * 64,
        "duplexkit": "0.1.0",
        "tick_samples": 4_800,
        "seed": 0,
        "settings": {},
        "items": [s.episode.item for s in speeches],
        "planned": len(speeches),
        "completed": len(speeches),
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps(manifest | fields), encoding="utf-8")
    for speech in speeches:
        write_episode(folder / "episodes" / speech.episode.item, speech)
    return folder


def write_episode(folder: Path, speech: EpisodeSpeech) -> None:
    """The three artefacts of one episode."""
    import soundfile

    folder.mkdir(parents=True)
    episode = speech.episode
    (folder / "transcript.json").write_text(episode.model_dump_json(), encoding="utf-8")
    ticks = (
        {"tick": n, "start": n * 4_800, "source": "item", "heard_samples": 0, "turns": [], "events": []}
        for n in range(episode.ticks)
    )
    (folder / "ticks.jsonl").write_text("".join(json.dumps(t) + "\n" for t in ticks), encoding="utf-8")
    samples: Int16 = np.zeros(episode.num_samples, np.int16)
    for s in speech.detection.raw:
        wave = 8_000 * np.sin(2 * np.pi * 200 / RATE * np.arange(s.end - s.start) + 0.5)
        samples[s.start : s.end] = wave.astype(np.int16)
    soundfile.write(folder / "agent.flac", samples, RATE, subtype="PCM_16")


@pytest.fixture
def speech_of() -> Callable[..., EpisodeSpeech]:
    return make_speech


@pytest.fixture
def judges() -> Judges:
    return Judges("stand-in", lambda words: words.lower().strip(".") in ("mm", "mm-hm", "okay"), contains)


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[..., Path]:
    return lambda speeches, name="run", **fields: write_run(tmp_path / name, speeches, **fields)
