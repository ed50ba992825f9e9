"""Worker processes of a compile: each loads the engine once, makes clips, and builds items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..tts.clips import ClipError, ClipRecord, render_clip
from ..tts.engine import Engine, EngineError
from ..tts.placement import Gaps, Int16
from ..tts.store import ClipStore
from .assemble import Built, build_item
from .canonical import sha256
from .plan import ClipRequest, ItemPlan
from .pool import WorkerPool


@dataclass(frozen=True)
class WorkerConfig:
    """What a worker needs to know: the engine's name, the store, and the folder written to."""

    engine: str
    fingerprint: str
    store: str
    folder: str


@dataclass(frozen=True)
class ClipOutcome:
    """A clip that was made, or the reason why not."""

    key: str
    record: ClipRecord | None
    error: str | None
    audio: str | None
    """SHA-256 of its samples."""


class _Worker:
    """The state of one process. The engine is loaded at the first clip, since a resumed compile may need none."""

    def __init__(self, config: WorkerConfig) -> None:
        self.config = config
        self.store = ClipStore(Path(config.store))
        self._engine: Engine | None = None

    def engine(self) -> Engine:
        if self._engine is None:
            from ..tts.registry import engine_fingerprint, fingerprint_digest, load_engine

            found = fingerprint_digest(engine_fingerprint(self.config.engine))
            if found != self.config.fingerprint:
                raise EngineError("this worker's engine differs from the one the plan was made with")
            self._engine = load_engine(self.config.engine)
        return self._engine

    def render(self, request: ClipRequest) -> tuple[Int16, ClipRecord]:
        """Make a clip and put it in the store."""
        samples, record = render_clip(
            self.engine(),
            key=request.key,
            voice=request.voice,
            spoken_text=request.spoken_text,
            seed=request.seed,
        )
        self.store.put(request.key, samples, record)
        return samples, record

    def clips(self, requests: list[ClipRequest]) -> list[ClipOutcome]:
        outcomes = []
        for request in requests:
            try:
                samples, record = self.render(request)
            except (EngineError, ClipError) as error:
                outcomes.append(ClipOutcome(request.key, None, str(error), None))
                continue
            outcomes.append(ClipOutcome(request.key, record, None, sha256(samples.tobytes())))
        return outcomes

    def item(self, task: tuple[ItemPlan, Gaps]) -> Built:
        plan, gaps = task
        return build_item(plan, gaps, self.clip, Path(self.config.folder))

    def clip(self, request: ClipRequest) -> Int16:
        """The samples of a clip; made again where the store lost or spoilt it since the plan was made."""
        found = self.store.get(request.key)
        return self.render(request)[0] if found is None else found[0]


_current: _Worker | None = None


def _set_up(config: WorkerConfig) -> None:
    global _current
    _current = _Worker(config)


def _worker() -> _Worker:
    if _current is None:
        raise RuntimeError("worker was not set up")
    return _current


def _make_clips(requests: list[ClipRequest]) -> list[ClipOutcome]:
    return _worker().clips(requests)


def _make_item(task: tuple[ItemPlan, Gaps]) -> Built:
    return _worker().item(task)


class Crew(Protocol):
    """Something that makes clips and items; results come as they are finished."""

    def clips(self, batches: Iterable[list[ClipRequest]]) -> Iterator[list[ClipOutcome]]:
        """The outcomes of each batch, in any order."""
        ...

    def items(self, tasks: Iterable[tuple[ItemPlan, Gaps]]) -> Iterator[Built]:
        """The built items, in any order."""
        ...

    def close(self) -> None:
        """End the processes."""
        ...


class LocalCrew:
    """One process: this one."""

    def __init__(self, config: WorkerConfig) -> None:
        self.worker = _Worker(config)

    def clips(self, batches: Iterable[list[ClipRequest]]) -> Iterator[list[ClipOutcome]]:
        """As `Crew.clips`."""
        for batch in batches:
            yield self.worker.clips(batch)

    def items(self, tasks: Iterable[tuple[ItemPlan, Gaps]]) -> Iterator[Built]:
        """As `Crew.items`."""
        for task in tasks:
            yield self.worker.item(task)

    def close(self) -> None:
        """Nothing to end."""


class PoolCrew:
    """`jobs` processes on this machine."""

    def __init__(self, config: WorkerConfig, jobs: int) -> None:
        self.pool = WorkerPool(jobs, _set_up, (config,))

    def clips(self, batches: Iterable[list[ClipRequest]]) -> Iterator[list[ClipOutcome]]:
        """As `Crew.clips`."""
        return self.pool.unordered(_make_clips, batches)

    def items(self, tasks: Iterable[tuple[ItemPlan, Gaps]]) -> Iterator[Built]:
        """As `Crew.items`."""
        return self.pool.unordered(_make_item, tasks)

    def close(self) -> None:
        """End the processes."""
        self.pool.close()


def make_crew(config: WorkerConfig, jobs: int) -> Crew:
    """A crew of `jobs` processes; 1 works in this one."""
    return LocalCrew(config) if jobs == 1 else PoolCrew(config, jobs)
