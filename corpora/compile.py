"""Compiling: from a plan to a whole folder, in parallel, resumable, with the same bytes every time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ..tts.clips import ClipRecord
from ..tts.registry import fingerprint_digest
from ..tts.store import ClipStore
from .assemble import Built
from .folder import Journal, claim, finish, is_current, lock, reusable
from .plan import ClipRequest, Plan
from .workers import ClipOutcome, Crew, WorkerConfig, make_crew

BATCH = 6
"""Clips handed to a worker at a time: enough to hide the hand-over, few enough to share the last ones."""


class Watcher(Protocol):
    """Hears how far a compile is. All methods are called in the driver's process."""

    def phase(self, name: str, total: int) -> None:
        """A phase begins: `clips` or `items`, with so many of them to make."""
        ...

    def advance(self, count: int, audio_samples: int) -> None:
        """So many more are finished, with so many samples of audio at 24 kHz."""
        ...


class SilentWatcher:
    """A watcher that says nothing."""

    def phase(self, name: str, total: int) -> None:
        """As `Watcher.phase`."""

    def advance(self, count: int, audio_samples: int) -> None:
        """As `Watcher.advance`."""


class CompileError(Exception):
    """Clips that could not be made. `failures` names each turn with its reason."""

    def __init__(self, failures: list[str]) -> None:
        self.failures = failures
        super().__init__(f"{len(failures)} turns could not be spoken:\n" + "\n".join(failures))


@dataclass(frozen=True)
class CompileResult:
    """What a compile did. `manifest` is `corpus.json`."""

    folder: Path
    manifest: Mapping[str, Any]
    up_to_date: bool
    clips_made: int
    clips_reused: int
    items_made: int
    items_reused: int


@dataclass(frozen=True)
class Forecast:
    """What a compile would do, from the store and the texts alone."""

    items: int
    turns: int
    clips: int
    clips_in_store: int
    characters_to_speak: int
    estimated_hours: float
    up_to_date: bool


CHARACTERS_PER_SECOND = 15.0
"""Pace that the forecast assumes; a rule of thumb for English, marked as an estimate wherever it is shown."""


def forecast(plan: Plan, folder: Path, store: ClipStore) -> Forecast:
    """What compiling `plan` to `folder` would do. Reads, writes nothing."""
    missing = [c for c in plan.clips if store.record(c.key) is None]
    seconds = 0.0
    for item in plan.items:
        for turn in item.turns:
            gap = plan.gaps.after(turn.tag) / 24_000
            seconds += len(turn.clip.spoken_text) / CHARACTERS_PER_SECOND + gap
    return Forecast(
        items=len(plan.items),
        turns=sum(len(i.turns) for i in plan.items),
        clips=len(plan.clips),
        clips_in_store=len(plan.clips) - len(missing),
        characters_to_speak=sum(len(c.spoken_text) for c in missing),
        estimated_hours=round(seconds / 3_600, 3),
        up_to_date=is_current(folder, plan) is not None,
    )


def compile_corpus(
    plan: Plan,
    folder: Path,
    *,
    store: ClipStore,
    jobs: int,
    version: str,
    force: bool = False,
    watcher: Watcher | None = None,
) -> CompileResult:
    """Compile `plan` to `folder`, continuing what an earlier compile left there.

    `force` makes every clip and item anew. The result's bytes depend on the plan alone. Raises
    `CompileError` for turns that cannot be spoken, `FolderError`, `PlacementError`, `ProofFailure` and
    `WorkerDied`; whatever was finished by then is kept for the next call.
    """
    watcher = watcher or SilentWatcher()
    manifest = None if force else is_current(folder, plan)
    if manifest is not None:
        return CompileResult(folder, manifest, True, 0, len(plan.clips), 0, len(plan.items))
    claim(folder, plan.corpus.id, force=force)
    held = lock(folder, store.root.parent / "locks")
    try:
        reused = {} if force else reusable(folder, plan)
        missing = _missing_clips(plan, reused, store, force)
        journal = Journal(folder, reused.values())
        config = WorkerConfig(
            plan.engine, fingerprint_digest(dict(plan.fingerprint)), str(store.root), str(folder)
        )
        todo = len(plan.items) - len(reused)
        crew = make_crew(config, max(1, min(jobs, todo or 1)))
        try:
            _make_clips(plan, missing, crew, watcher)
            built = {**reused, **_make_items(plan, reused, crew, watcher, journal)}
        finally:
            crew.close()
            journal.close()
        ordered = [built[item.id] for item in plan.items]
        manifest = finish(folder, plan, ordered, version)
    finally:
        if held is not None:
            held.close()
    reused_clips = len(plan.clips) - len(missing)
    return CompileResult(folder, manifest, False, len(missing), reused_clips, todo, len(reused))


def _missing_clips(
    plan: Plan, reused: Mapping[str, Built], store: ClipStore, force: bool
) -> list[ClipRequest]:
    """The clips that items to be built need and the store lacks; all of them when forced."""
    needed: dict[str, ClipRequest] = {}
    for item in plan.items:
        if item.id not in reused:
            for turn in (*((item.preamble,) if item.preamble else ()), *item.turns):
                needed.setdefault(turn.clip.key, turn.clip)
    return [c for c in needed.values() if force or store.record(c.key) is None]


def _batches(requests: list[ClipRequest]) -> Iterator[list[ClipRequest]]:
    # Long texts first, so that no worker is left with the longest at the end.
    ranked = sorted(requests, key=lambda r: (-len(r.spoken_text), r.key))
    for start in range(0, len(ranked), BATCH):
        yield ranked[start : start + BATCH]


def _make_clips(plan: Plan, missing: list[ClipRequest], crew: Crew, watcher: Watcher) -> None:
    if not missing:
        return
    watcher.phase("clips", len(missing))
    done: list[ClipOutcome] = []
    for outcomes in crew.clips(_batches(missing)):
        done += outcomes
        records: list[ClipRecord] = [o.record for o in outcomes if o.record is not None]
        watcher.advance(len(outcomes), sum(r.num_samples for r in records))
    failed = {o.key: o.error for o in done if o.error is not None}
    failed |= _mixed_up(done, {c.key: c.spoken_text for c in missing})
    if failed:
        raise CompileError(_name_failures(plan, failed))


def _mixed_up(outcomes: list[ClipOutcome], texts: Mapping[str, str]) -> dict[str, str]:
    """Reasons by key for clips that sound exactly like a clip with other words: an engine's mix-up."""
    first: dict[str, str] = {}
    wrong: dict[str, str] = {}
    for outcome in sorted((o for o in outcomes if o.audio), key=lambda o: o.key):
        twin = first.setdefault(outcome.audio or "", outcome.key)
        if texts[twin] != texts[outcome.key]:
            for one, other in ((twin, outcome.key), (outcome.key, twin)):
                wrong[one] = f"the engine gave it the same audio as {texts[other]!r}"
    return wrong


def _name_failures(plan: Plan, errors: Mapping[str, str]) -> list[str]:
    """One line for each turn whose clip failed, in the order of the plan."""
    lines = []
    for item in plan.items:
        for turn in (*((item.preamble,) if item.preamble else ()), *item.turns):
            if turn.clip.key in errors:
                lines.append(f"{item.id}: turn {turn.id} ({turn.clip.voice}): {errors[turn.clip.key]}")
    return lines


def _make_items(
    plan: Plan, reused: Mapping[str, Built], crew: Crew, watcher: Watcher, journal: Journal
) -> dict[str, Built]:
    todo = [(item, plan.gaps) for item in plan.items if item.id not in reused]
    watcher.phase("items", len(todo))
    built: dict[str, Built] = {}
    for one in crew.items(todo):
        journal.add(one)
        built[one.id] = one
        watcher.advance(1, one.item["num_samples"])
    return built
