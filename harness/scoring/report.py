"""The score of a run: every metric by condition, with its counts, its interval and what was left out."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

from ...corpora.pool import ordered_map
from ...schemas.scene import CONDITIONS, Condition
from .detect import Detector, make_detector
from .duplex_mpe import (
    DIAGNOSTICS,
    METRICS,
    EpisodeSpeech,
    EventResult,
    MetricName,
    Settings,
    score_episode,
    validate,
)
from .reading import RunFolder, ScoreError, check_ticks, read_audio, read_episode, read_run
from .rules import Judges, rule_judges
from .speech import AudioError, Detection
from .stats import bootstrap_ratio, mcnemar_exact

__all__ = ("EpisodeCounts", "Metric", "PairTest", "ScoreError", "ScoreReport", "score_run", "score_speech")

RULES_VERSION = 1
"""Raised when a rule changes what a metric says of the same speech."""

FEW = 30
"""Eligible events under which Duplex-MPE shows no rate (section 4.3)."""

JUDGED: frozenset[MetricName] = frozenset(("answer_accuracy", "silence_preservation"))


@dataclass(frozen=True)
class Metric:
    """One rate under one condition. `value` is numerator / denominator, None when the denominator is 0."""

    name: MetricName
    kind: Literal["scored", "diagnostic"]
    condition: Condition
    value: float | None
    numerator: int
    denominator: int
    events: int
    """All events that the metric is about: the denominator and all that was left out."""
    excluded: dict[str, int]
    low: float | None
    high: float | None
    settings: dict[str, Any]
    note: str | None = None


@dataclass(frozen=True)
class PairTest:
    """McNemar's exact test of response presence, explicit against implicit, on pairs scored in both."""

    metric: MetricName
    pairs: int
    explicit_only: int
    implicit_only: int
    p: float | None
    unpaired: tuple[str, ...]
    """Pairs that lack a scored episode in one condition."""


@dataclass(frozen=True)
class EpisodeCounts:
    """What became of the planned items."""

    planned: int
    scored: int
    missing: tuple[str, ...] = ()
    failed: dict[str, str] = field(default_factory=dict)
    """Reason, by item: counted as events left out where a record tells which events the item has."""
    unplanned: tuple[str, ...] = ()
    """Items in the folder that the run was not to play: not scored."""
    finished: bool = True
    """Whether the run came to its end."""
    without_words: tuple[str, ...] = ()
    """Scored episodes with agent speech and no word of text for it."""


@dataclass(frozen=True)
class ScoreReport:
    """All metrics of a run, and the events and the speech that they were counted from."""

    metrics: tuple[Metric, ...]
    events: tuple[EventResult, ...]
    pairs: PairTest
    episodes: EpisodeCounts
    detector: dict[str, Any]
    signature: str
    """Equal signatures: scores that were counted in the same way."""
    speech: dict[str, Detection] = field(default_factory=dict)
    """What the detector found, by item."""

    def metric(self, name: MetricName, condition: Condition) -> Metric:
        """The metric of this name and condition."""
        return next(m for m in self.metrics if m.name == name and m.condition == condition)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON values: null where a figure does not exist, never NaN. Events are left out."""
        return {
            "metrics": [asdict(m) for m in self.metrics],
            "pairs": {**asdict(self.pairs), "unpaired": list(self.pairs.unpaired)},
            "episodes": {
                **asdict(self.episodes),
                "missing": list(self.episodes.missing),
                "unplanned": list(self.episodes.unplanned),
                "without_words": list(self.episodes.without_words),
            },
            "detector": self.detector,
            "signature": self.signature,
        }


def score_run(
    run_dir: Path,
    *,
    detector: str | Detector = "silero",
    seed: int = 0,
    resamples: int = 10_000,
    progress: Callable[[int, int], None] | None = None,
    jobs: int = 1,
    settings: Settings | None = None,
    judges: Judges | None = None,
) -> ScoreReport:
    """Score the run in `run_dir` from `run.json` and each episode's transcript, ticks and agent audio.

    `progress` is told (episodes done, episodes found). `jobs` processes detect speech where the detector is
    given by name; the result does not depend on it. Raises `ScoreError` for input that cannot be read,
    `ValueError` for an unknown detector.
    """
    finder = make_detector(detector) if isinstance(detector, str) else detector
    run = read_run(Path(run_dir))
    speeches = []
    for done, speech in enumerate(_read_all(run, finder, jobs if finder is not detector else 1), start=1):
        speeches.append(speech)
        if progress:
            progress(done, len(run.found))
    return score_speech(
        speeches,
        detector={"name": finder.name, "settings": finder.settings()},
        judges=judges or rule_judges(),
        settings=settings or Settings(),
        seed=seed,
        resamples=resamples,
        run=run,
    )


def score_speech(
    speeches: Sequence[EpisodeSpeech],
    *,
    detector: dict[str, Any],
    judges: Judges,
    settings: Settings,
    seed: int = 0,
    resamples: int = 10_000,
    run: RunFolder | None = None,
) -> ScoreReport:
    """Score episodes whose speech is known. Their order does not matter. Raises `ScoreError`: a pair twice."""
    speeches = sorted(speeches, key=lambda s: s.episode.item)
    events = tuple(e for s in speeches for e in score_episode(s, judges, settings))
    ways = {
        "rules": RULES_VERSION,
        "detector": detector,
        "settings": asdict(settings),
        "judge": judges.label,
        "bootstrap": {"unit": "scene", "resamples": resamples, "seed": seed},
        "played": None if run is None else _played(run),
        "scored": [s.episode.item for s in speeches if s.episode.outcome == "completed"],
    }
    metrics = tuple(
        _metric(name, condition, events, settings, judges, seed, resamples)
        for name in METRICS
        for condition in CONDITIONS
    )
    return ScoreReport(
        metrics=metrics,
        events=events,
        pairs=_pair_test(speeches, events),
        episodes=_counts(speeches, run),
        detector=detector,
        signature=_signature(ways, str(detector.get("name")), settings),
        speech={s.episode.item: s.detection for s in speeches},
    )


def _played(run: RunFolder) -> dict[str, Any]:
    """What was played and how: scores of another corpus, wait or seed are not comparable."""
    manifest = run.manifest
    return {
        "corpus_plan": manifest.corpus_plan,
        "settings": manifest.settings,
        "seed": manifest.seed,
        "tick_samples": manifest.tick_samples,
    }


def _read_all(run: RunFolder, detector: Detector, jobs: int) -> Iterator[EpisodeSpeech]:
    """Every episode with its speech, in the order of the items."""
    if jobs <= 1 or len(run.found) < 2:
        yield from (_read_speech(run, item, detector) for item in run.found)
        return
    yield from ordered_map(partial(_read_named, run, detector.name), list(run.found), jobs)


_made = lru_cache(make_detector)


def _read_named(run: RunFolder, detector: str, item: str) -> EpisodeSpeech:
    """`_read_speech` in a process of its own, which loads the detector once."""
    return _read_speech(run, item, _made(detector))


def _read_speech(run: RunFolder, item: str, detector: Detector) -> EpisodeSpeech:
    """One episode with its speech; an episode that was not completed has none, for it is never scored."""
    episode = read_episode(run, item)
    if episode.outcome != "completed":
        return EpisodeSpeech(episode, Detection((), ()))
    check_ticks(run, episode)
    try:
        detection = detector.detect(read_audio(run, episode))
    except AudioError as error:
        raise ScoreError(f"{run.path / 'episodes' / item / 'agent.flac'}: {error}") from error
    speech = EpisodeSpeech(episode, detection)
    problems = validate(speech)
    if problems:
        raise ScoreError(
            f"{run.path / 'episodes' / item / 'transcript.json'}: {problems[0]}; compile the corpus and run it again"
        )
    return speech


def _metric(
    name: MetricName,
    condition: Condition,
    events: Sequence[EventResult],
    settings: Settings,
    judges: Judges,
    seed: int,
    resamples: int,
) -> Metric:
    mine = [e for e in events if e.metric == name and e.condition == condition]
    scored = [e for e in mine if e.value is not None]
    right = sum(1 for e in scored if e.value)
    interval = bootstrap_ratio(
        _by_scene(mine).values(), resamples=resamples, seed=seed, purpose=f"{name}/{condition}"
    )
    shown: dict[str, Any] = asdict(settings)
    if name in JUDGED:
        shown["judge"] = judges.label
    shown["interval"] = {
        "method": "percentile bootstrap",
        "unit": "scene",
        "level": 0.95,
        "resamples": resamples,
        "undefined_resamples": interval.undefined,
        "seed": seed,
    }
    return Metric(
        name=name,
        kind="diagnostic" if name in DIAGNOSTICS else "scored",
        condition=condition,
        value=right / len(scored) if scored else None,
        numerator=right,
        denominator=len(scored),
        events=len(mine),
        excluded=dict(sorted(Counter(str(e.reason) for e in mine if e.value is None).items())),
        low=interval.low,
        high=interval.high,
        settings=shown,
        note=f"fewer than {FEW} events: too few to compare" if 0 < len(scored) < FEW else None,
    )


def _by_scene(events: Iterable[EventResult]) -> dict[str, tuple[int, int]]:
    """Numerator and denominator of each scene."""
    counts: dict[str, tuple[int, int]] = {}
    for event in events:
        right, scored = counts.get(event.scene, (0, 0))
        if event.value is not None:
            right, scored = right + int(event.value), scored + 1
        counts[event.scene] = (right, scored)
    return counts


def _pair_test(speeches: Sequence[EpisodeSpeech], events: Iterable[EventResult]) -> PairTest:
    metric: MetricName = "response_presence"
    present = {e.item: e.value for e in events if e.metric == metric}
    pairs: dict[str, dict[Condition, bool | None]] = {}
    for speech in speeches:
        episode = speech.episode
        sides = pairs.setdefault(episode.pair, {})
        if episode.condition in sides:
            raise ScoreError(
                f"{episode.item}: a second {episode.condition} episode of pair {episode.pair}; "
                "score each run by itself"
            )
        sides[episode.condition] = present.get(episode.item)
    both = {p: s for p, s in pairs.items() if all(s.get(c) is not None for c in CONDITIONS)}
    explicit_only = sum(1 for s in both.values() if s["explicit"] and not s["implicit"])
    implicit_only = sum(1 for s in both.values() if s["implicit"] and not s["explicit"])
    return PairTest(
        metric=metric,
        pairs=len(both),
        explicit_only=explicit_only,
        implicit_only=implicit_only,
        p=mcnemar_exact(explicit_only, implicit_only) if both else None,
        unpaired=tuple(sorted(set(pairs) - set(both))),
    )


def _counts(speeches: Sequence[EpisodeSpeech], run: RunFolder | None) -> EpisodeCounts:
    failed = dict(run.failed) if run else {}
    for speech in speeches:
        episode = speech.episode
        if episode.outcome != "completed":
            failed[episode.item] = f"{episode.outcome}: {episode.reason or 'no reason given'}"
    scored = [s for s in speeches if s.episode.outcome == "completed"]
    return EpisodeCounts(
        planned=run.manifest.planned if run else len(speeches),
        scored=len(scored),
        missing=run.missing if run else (),
        unplanned=run.unplanned if run else (),
        finished=run.finished if run else True,
        failed=dict(sorted(failed.items())),
        without_words=tuple(
            s.episode.item
            for s in scored
            if s.detection.merged and not any(u.text.strip() for u in s.episode.utterances)
        ),
    )


def _signature(ways: Mapping[str, Any], detector: str, settings: Settings) -> str:
    text = json.dumps(ways, sort_keys=True, separators=(",", ":"), allow_nan=False)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"duplex-mpe/{RULES_VERSION}|detector:{detector}|boundary:{settings.boundary}|{digest}"
