"""Reading a run folder for scoring: the manifest, and each episode's record, ticks and audio.

Whatever cannot be read, or contradicts another file, is an error that names the file; nothing is skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from ...schemas.base import Spec
from ...schemas.episode import Episode, RunManifest, Tick
from ..seeds import episode_seed
from .speech import AudioError, Int16, load_samples

Record = TypeVar("Record", bound=Spec)


class ScoreError(Exception):
    """A run that cannot be scored: where, what is wrong, and what to do."""


@dataclass(frozen=True)
class RunFolder:
    """What a run folder holds, by item id. Each planned item is found, missing or failed."""

    path: Path
    manifest: RunManifest
    found: tuple[str, ...]
    """Planned items with a record of what happened, sorted."""
    missing: tuple[str, ...]
    """Planned items that have neither a record nor a reason, sorted."""
    failed: dict[str, str]
    """Reason, for the planned items that left no record."""
    unplanned: tuple[str, ...]
    """Items with a folder that the run was not to play: never scored."""

    @property
    def finished(self) -> bool:
        """Whether the run came to its end: the manifest knows what became of every item."""
        return self.manifest.completed + len(self.manifest.failed) == self.manifest.planned


def read_run(path: Path) -> RunFolder:
    """The run in the folder `path`. Folders whose name begins with a dot are unfinished writes.

    Raises `ScoreError` when `run.json` cannot be read or does not name each planned item once.
    """
    manifest = _record(path / "run.json", RunManifest, "name the folder that `duplexkit run` wrote")
    planned = set(manifest.items)
    if len(planned) != len(manifest.items) or len(planned) != manifest.planned:
        raise ScoreError(
            f"{path / 'run.json'}: names {len(planned)} different items and plans {manifest.planned}; "
            "a missing item could not be told, so run again"
        )
    episodes = path / "episodes"
    folders = [p for p in episodes.iterdir() if p.is_dir()] if episodes.is_dir() else []
    names = {p.name for p in folders if not p.name.startswith(".")}
    found = {p.name for p in folders if (p / "transcript.json").is_file()} & planned
    failed = {i: reason for i, reason in sorted(manifest.failed.items()) if i in planned - found}
    return RunFolder(
        path=path,
        manifest=manifest,
        found=tuple(sorted(found)),
        missing=tuple(sorted(planned - found - set(failed))),
        failed=failed,
        unplanned=tuple(sorted(names - planned)),
    )


def read_episode(run: RunFolder, item: str) -> Episode:
    """`transcript.json` of one item, checked against the run. Raises `ScoreError`.

    Where the run says that the item failed, so does the episode: its record may be an earlier run's.
    """
    path = run.path / "episodes" / item / "transcript.json"
    episode = _record(path, Episode, "run the item again")
    if episode.item != item:
        raise ScoreError(f"{path}: the record is of item {episode.item}; run item {item} again")
    if episode.agent != run.manifest.agent:
        raise ScoreError(
            f"{path}: the record is of agent {episode.agent}, the run of {run.manifest.agent}; run the item again"
        )
    if episode.seed != episode_seed(run.manifest.seed, item):
        raise ScoreError(f"{path}: the record is of a run with another seed; run the item again")
    failed = run.manifest.failed.get(item)
    if failed is not None and episode.outcome == "completed":
        return episode.model_copy(update={"outcome": "agent-error", "reason": failed})
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
