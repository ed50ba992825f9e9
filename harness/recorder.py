"""The three artefacts of an episode, written so that an episode is there whole or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ..corpora.audio import encode_flac
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
    target = episode_folder(run, recording.episode.item)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        (part / AGENT_AUDIO).write_bytes(encode_flac(recording.agent))
        (part / TICKS).write_text("".join(tick_line(t) for t in recording.ticks), encoding="utf-8")
        (part / TRANSCRIPT).write_text(pretty(recording.episode.model_dump(mode="json")), encoding="utf-8")
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
