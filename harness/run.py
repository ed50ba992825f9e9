"""Running an agent over a compiled corpus: parallel, resumable, one folder of artefacts an episode."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path

from ..corpora.canonical import pretty, write_atomic
from ..corpora.pool import ordered_map
from ..corpora.read import CompiledCorpus, open_corpus
from ..schemas.episode import TICK_SAMPLES, Episode, RunManifest
from ..schemas.item import Item
from ..tts.engine import EngineError
from ..tts.store import ClipStore
from .agents.base import Agent
from .agents.registry import agent_factory
from .feed import ActivityMeter, HoldRule
from .loop import AgentFault, failed_episode, play_item, raised
from .recorder import EPISODES, artefacts_stand, read_episode, write_episode, write_failed_episode
from .seeds import episode_seed

RUN = "run.json"


class RunError(Exception):
    """A run that cannot begin. The message says why and what to do."""


@dataclass(frozen=True)
class RunResult:
    """What a run did. `failed` gives a reason by item id."""

    folder: Path
    manifest: RunManifest
    played: int
    reused: int
    audio_samples: int


@dataclass(frozen=True)
class _Job:
    corpus: str
    run: str
    agent: str
    store: str
    seed: int
    rule: HoldRule


def run_corpus(
    corpus_folder: Path,
    agent: str,
    out: Path,
    *,
    store: ClipStore,
    version: str,
    seed: int = 0,
    jobs: int = 1,
    limit: int | None = None,
    force: bool = False,
    progress: Callable[[int, int, int], None] | None = None,
) -> RunResult:
    """Play every item of a compiled corpus (or the first `limit`) to a fresh agent and write the run to `out`.

    Episodes that an earlier, equal run finished are kept. An agent that breaks gives a failed episode with
    its reason, never a missing one. `progress` hears (finished, planned, samples of audio so far). Raises
    `RunError`, `CorpusError`, `UnknownAgent`.
    """
    corpus = open_corpus(corpus_folder)
    agent_factory(agent, store)
    _set_up.cache_clear()
    items = list(corpus.items())
    items = items if limit is None else items[:limit]
    rule = HoldRule()
    manifest = _manifest(corpus, agent, seed, rule, version, items)
    _claim(out, manifest, force)
    kept = {} if force else _finished(out, items, seed)
    write_atomic(out / RUN, pretty(manifest.model_dump(mode="json")))
    job = _Job(str(corpus_folder), str(out), agent, str(store.root), seed, rule)
    samples = sum(e.num_samples for e in kept.values())
    failed: dict[str, str] = {}
    done = len(kept)
    todo = [item for item in items if item.id not in kept]
    if progress is not None:
        progress(done, len(items), samples)
    for item_id, count, reason in ordered_map(partial(_play_one, job), todo, jobs):
        done, samples = done + 1, samples + count
        if reason is not None:
            failed[item_id] = reason
        if progress is not None:
            progress(done, len(items), samples)
    final = manifest.model_copy(
        update={"completed": len(items) - len(failed), "failed": dict(sorted(failed.items()))}
    )
    write_atomic(out / RUN, pretty(final.model_dump(mode="json")))
    return RunResult(out, final, len(todo), len(kept), samples)


def _manifest(
    corpus: CompiledCorpus, agent: str, seed: int, rule: HoldRule, version: str, items: list[Item]
) -> RunManifest:
    meter = {"frame_samples": ActivityMeter.frame_samples, "rms_threshold": ActivityMeter.threshold}
    return RunManifest(
        format=1,
        kind="run",
        agent=agent,
        corpus=corpus.manifest.id,
        corpus_plan=corpus.manifest.plan,
        duplexkit=version,
        tick_samples=TICK_SAMPLES,
        seed=seed,
        settings={"hold": asdict(rule), "hold_activity": meter, "clock": "lockstep"},
        items=tuple(i.id for i in items),
        planned=len(items),
        completed=0,
    )


def _claim(out: Path, manifest: RunManifest, force: bool) -> None:
    if out.exists() and not out.is_dir():
        raise RunError(f"{out}: is a file; give a folder with -o")
    path = out / RUN
    if path.is_file():
        try:
            known = RunManifest.model_validate_json(path.read_text(encoding="utf-8"))
        except ValueError:
            raise RunError(f"{path}: not a run manifest; give another folder with -o") from None
        same = ("agent", "corpus_plan", "seed", "settings", "duplexkit")
        names = {"corpus_plan": "corpus", "duplexkit": "version of duplexkit"}
        other = [names.get(n, n) for n in same if getattr(known, n) != getattr(manifest, n)]
        if other and not force:
            raise RunError(f"{out}: holds a run with another {', '.join(other)}; give another -o, or --force")
    elif out.is_dir() and any(out.iterdir()):
        raise RunError(f"{out}: holds other files; give an empty or a new folder with -o")
    if force:
        shutil.rmtree(out / EPISODES, ignore_errors=True)
    (out / EPISODES).mkdir(parents=True, exist_ok=True)
    for left in (out / EPISODES).glob(".*.part"):
        shutil.rmtree(left, ignore_errors=True)


def _finished(out: Path, items: list[Item], seed: int) -> dict[str, Episode]:
    found = {}
    for item in items:
        episode = read_episode(out, item.id)
        if episode is None or episode.outcome != "completed":
            continue
        same = (episode.plan, episode.seed) == (item.plan, episode_seed(seed, item.id))
        if same and artefacts_stand(out, episode):
            found[item.id] = episode
    return found


def _play_one(job: _Job, item: Item) -> tuple[str, int, str | None]:
    """Play and write one episode: its id, its samples, and why it failed."""
    corpus, make = _set_up(job)
    mix = corpus.mix(item)
    seed = episode_seed(job.seed, item.id)
    try:
        agent = _made(make)
        recording = play_item(item, mix, agent, agent_name=job.agent, seed=seed, rule=job.rule)
    except AgentFault as fault:
        write_failed_episode(Path(job.run), failed_episode(item, job.agent, seed, str(fault)))
        return item.id, 0, str(fault)
    write_episode(Path(job.run), recording)
    return item.id, recording.episode.num_samples, None


@lru_cache(maxsize=1)
def _set_up(job: _Job) -> tuple[CompiledCorpus, Callable[[], Agent]]:
    """What all episodes of a run share, made once in each process."""
    return open_corpus(Path(job.corpus)), agent_factory(job.agent, ClipStore(Path(job.store)))


def _made(make: Callable[[], Agent]) -> Agent:
    try:
        return make()
    except EngineError:
        raise
    except (Exception, SystemExit) as error:
        raise AgentFault(f"when it was made, {raised(error)}") from error
