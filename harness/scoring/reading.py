"""Reading a run folder for scoring: the manifest, and each episode's record, ticks and audio.

Whatever cannot be read, or contradicts another file, is an error that names the file; nothing is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from ...schemas.base import Spec
from ...schemas.episode import Episode, RunManifest, Tick
from .speech import AudioError, Int16, load_samples

Record = TypeVar("Record", bound=Spec)


class ScoreError(Exception):
    """A run that cannot be scored: where, what is wrong, and what to do."""


@dataclass(frozen=True)
class RunFolder:
    """What a run folder holds, by item id."""

    path: Path
    manifest: RunManifest
    found: tuple[str, ...]
    """Items with a record of what happened, sorted."""
    missing: tuple[str, ...]
    """Planned items that have neither a record nor a reason, as far as their ids are known."""
    unnamed_missing: int
    """Planned items that are missing and whose ids are not known."""
    failed: dict[str, str] = field(default_factory=dict)
    """Reason, for the items that left no record."""


def read_run(path: Path, planned: Sequence[str] | None = None) -> RunFolder:
    """The run in the folder `path`.

    `planned` are the ids of the items that the run was to play. Without them the manifest's count tells how
    many are missing, not which. Raises `ScoreError` when `run.json` cannot be read, when `planned` and the
    manifest disagree, or when there are more episodes than were planned.
    """
    manifest = _record(path / "run.json", RunManifest, "name the folder that `duplexkit run` wrote")
    if planned is not None and len(set(planned)) != manifest.planned:
        raise ScoreError(
            f"{path / 'run.json'}: planned says {manifest.planned} items and {len(set(planned))} were asked for; "
            "score the run with the items of its own corpus"
        )
    episodes = path / "episodes"
    folders = sorted(p for p in episodes.iterdir() if p.is_dir()) if episodes.is_dir() else []
    found = tuple(p.name for p in folders if (p / "transcript.json").is_file())
    unfinished = {p.name for p in folders} - set(found) - set(manifest.failed)
    known = set(found) | set(manifest.failed) | unfinished
    extra = sorted(known - set(planned)) if planned is not None else []
    if extra or len(known) > manifest.planned:
        named = f": {', '.join(extra[:5])}" if extra else ""
        raise ScoreError(
            f"{episodes}: {len(known)} items though {manifest.planned} were planned{named}; "
            "the folder mixes two runs, so run again into an empty one"
        )
    absent = set(planned) - known if planned is not None else set()
    return RunFolder(
        path=path,
        manifest=manifest,
        found=found,
        missing=tuple(sorted(absent | unfinished)),
        unnamed_missing=0 if planned is not None else manifest.planned - len(known),
        failed={item: reason for item, reason in sorted(manifest.failed.items()) if item not in found},
    )


def read_episode(run: RunFolder, item: str) -> Episode:
    """`transcript.json` of one item, checked against the run. Raises `ScoreError`."""
    path = run.path / "episodes" / item / "transcript.json"
    episode = _record(path, Episode, "run the item again")
    if episode.item != item:
        raise ScoreError(f"{path}: the record is of item {episode.item}; run item {item} again")
    if episode.agent != run.manifest.agent:
        raise ScoreError(
            f"{path}: the record is of agent {episode.agent}, the run of {run.manifest.agent}; run the item again"
        )
    return episode


def read_audio(run: RunFolder, episode: Episode) -> Int16:
    """`agent.flac` of an episode; its length must be the episode's. Raises `ScoreError`."""
    path = run.path / "episodes" / episode.item / "agent.flac"
    if not path.is_file():
        raise ScoreError(f"{path}: missing; run the item again")
    try:
        samples = load_samples(path)
    except AudioError as error:
        raise ScoreError(f"{error}; run item {episode.item} again") from error
    if len(samples) != episode.num_samples:
        raise ScoreError(
            f"{path}: {len(samples)} samples, and transcript.json says {episode.num_samples}; run the item again"
        )
    return samples


def check_ticks(run: RunFolder, episode: Episode) -> None:
    """Reads `ticks.jsonl` of an episode: each line a tick, in order, none missing. Raises `ScoreError`."""
    path = run.path / "episodes" / episode.item / "ticks.jsonl"
    lines = _bytes(path, "run the item again").splitlines()
    for number, line in enumerate(lines):
        try:
            tick = Tick.model_validate_json(line)
        except ValidationError as error:
            raise ScoreError(
                f"{path}:{number + 1}: not a tick ({_first(error)}); run the item again"
            ) from error
        if tick.tick != number or tick.start != number * run.manifest.tick_samples:
            raise ScoreError(
                f"{path}:{number + 1}: tick {tick.tick} at sample {tick.start} where tick {number} is due; "
                "run the item again"
            )
    if len(lines) != episode.ticks:
        raise ScoreError(
            f"{path}: {len(lines)} ticks, and transcript.json says {episode.ticks}; run the item again"
        )


def _record(path: Path, model: type[Record], advice: str) -> Record:
    try:
        return model.model_validate_json(_bytes(path, advice))
    except ValidationError as error:
        raise ScoreError(f"{path}: {_first(error)}; {advice}") from error


def _bytes(path: Path, advice: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ScoreError(f"{path}: cannot be read ({error.strerror or error}); {advice}") from error


def _first(error: ValidationError) -> str:
    """The first finding of a validation, with its place in the record."""
    finding = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in finding["loc"])
    return f"{place}: {finding['msg']}" if place else str(finding["msg"])
