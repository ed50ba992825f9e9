"""The three artefacts of an episode, written so that an episode is there whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from ..corpora.audio import AudioFault, decode_flac, encode_flac
from ..corpora.canonical import canonical, pretty
from ..schemas.episode import Episode, Tick
from .loop import Recording

TRANSCRIPT = "transcript.json"
TICKS = "ticks.jsonl"
AGENT_AUDIO = "agent.flac"
EPISODES = "episodes"


def episode_folder(run: Path, item_id: str) -> Path:
    """Where the artefacts of one item lie."""
    return run / EPISODES / item_id


def write_episode(run: Path, recording: Recording) -> None:
    """Write `transcript.json`, `ticks.jsonl` and `agent.flac` of one episode, all or none."""
    audio = bytes(encode_flac(recording.agent))
    ticks = "".join(tick_line(t) for t in recording.ticks).encode("utf-8")
    _replace(run, recording.episode, {AGENT_AUDIO: audio, TICKS: ticks})


def write_failed_episode(run: Path, episode: Episode) -> None:
    """Write the record of an episode that failed. It has no audio and no ticks that could be trusted."""
    _replace(run, episode, {})


def _replace(run: Path, episode: Episode, files: Mapping[str, bytes]) -> None:
    target = episode_folder(run, episode.item)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        for name, raw in files.items():
            (part / name).write_bytes(raw)
        (part / TRANSCRIPT).write_text(pretty(episode.model_dump(mode="json")), encoding="utf-8")
        shutil.rmtree(target, ignore_errors=True)
        os.replace(part, target)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def tick_line(tick: Tick) -> str:
    """One line of `ticks.jsonl`."""
    return canonical(tick.model_dump(mode="json")) + "\n"


def read_episode(run: Path, item_id: str) -> Episode | None:
    """The record of a finished episode, or None where there is none that can be read."""
    try:
        text = (episode_folder(run, item_id) / TRANSCRIPT).read_text(encoding="utf-8")
        return Episode.model_validate_json(text)
    except (OSError, ValueError):
        return None


def artefacts_stand(run: Path, episode: Episode) -> bool:
    """Whether the ticks and the audio of a finished episode are whole: every tick, every sample."""
    folder = episode_folder(run, episode.item)
    try:
        ticks = (folder / TICKS).read_bytes()
        samples = decode_flac(folder / AGENT_AUDIO)
        numbers = [Tick.model_validate_json(line).tick for line in ticks.splitlines()]
    except (OSError, ValueError, AudioFault):
        return False
    whole = ticks.endswith(b"\n") and numbers == list(range(episode.ticks))
    return whole and len(samples) == episode.num_samples
