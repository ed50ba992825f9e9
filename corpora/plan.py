"""The plan of a compile: every item and every clip, and digests of all that determines their bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..schemas.corpus import Corpus
from ..schemas.scene import CONDITIONS, Condition, Scene
from ..tts.casting import CastingError, Part, cast
from ..tts.clips import clip_key, clip_seed
from ..tts.engine import Voice
from ..tts.placement import Gaps
from ..tts.spoken import spoken_form
from .canonical import digest

COMPILE_VERSION = 1
"""Raised when the same plan would give other bytes."""

SAMPLES_PER_MS = 24
PREAMBLE = "preamble"


class PlanError(ValueError):
    """Sources that cannot be compiled as they are. The message says where and what to change."""


@dataclass(frozen=True)
class ClipRequest:
    """One piece of speech to be made or taken from the store."""

    key: str
    voice: str
    spoken_text: str
    seed: int


@dataclass(frozen=True)
class TurnPlan:
    """One turn of an item before its length is known."""

    id: str
    speaker: str
    tag: str
    to: str | None
    text: str
    clip: ClipRequest


@dataclass(frozen=True)
class ItemPlan:
    """One scene under one condition; `digest` covers all that determines its bytes."""

    id: str
    scene: Scene
    condition: Condition
    voices: Mapping[str, str]
    preamble: TurnPlan | None
    turns: tuple[TurnPlan, ...]
    digest: str


@dataclass(frozen=True)
class Plan:
    """A whole compile. `clips` holds each distinct clip once, in the order of first use."""

    corpus: Corpus
    engine: str
    seed: int
    fingerprint: Mapping[str, str]
    gaps: Gaps
    items: tuple[ItemPlan, ...]
    clips: tuple[ClipRequest, ...]
    suppressed: Mapping[str, int]
    digest: str


def gaps_of(corpus: Corpus) -> Gaps:
    """The silences of a corpus in samples; whole milliseconds are whole samples at 24 kHz."""
    return Gaps(
        ordinary_samples=corpus.gap_ms * SAMPLES_PER_MS,
        resolution_samples=corpus.resolution_gap_ms * SAMPLES_PER_MS,
        response_samples=corpus.response_ms * SAMPLES_PER_MS,
    )


def make_plan(
    corpus: Corpus,
    scenes: Sequence[Scene],
    *,
    engine: str,
    voices: Sequence[Voice],
    fingerprint: Mapping[str, str],
    seed: int,
    encoder: str,
    suppressed: Mapping[str, int],
) -> Plan:
    """The plan of compiling `scenes` in the given order, each as its explicit and its implicit item.

    Raises `PlanError` for a speaker without a voice or text that cannot be spoken.
    """
    if not scenes:
        raise PlanError(f"corpus {corpus.id}: no scene to compile; check the patterns under `scenes:`")
    gaps = gaps_of(corpus)
    shared = {
        "compile": COMPILE_VERSION,
        "encoder": encoder,
        "engine": engine,
        "fingerprint": dict(fingerprint),
        "gaps": [gaps.ordinary_samples, gaps.resolution_samples, gaps.response_samples],
        "seed": seed,
    }
    keying = _Keying(digest({"engine": engine, "fingerprint": dict(fingerprint)}), seed)
    items = [
        _item_plan(corpus, scene, condition, voices, engine, keying, shared)
        for scene in scenes
        for condition in CONDITIONS
    ]
    requests: dict[str, ClipRequest] = {}
    for item in items:
        for turn in (*((item.preamble,) if item.preamble else ()), *item.turns):
            requests.setdefault(turn.clip.key, turn.clip)
    content = {
        "corpus": corpus.model_dump(),
        "items": [[i.id, i.digest] for i in items],
        "suppressed": dict(suppressed),
    }
    clips = tuple(requests.values())
    whole = digest({**content, **shared})
    return Plan(corpus, engine, seed, fingerprint, gaps, tuple(items), clips, suppressed, whole)


@dataclass
class _Keying:
    """Makes clip requests; spoken forms are computed once for both versions of a pair."""

    fingerprint: str
    seed: int

    def request(self, voice: str, spoken_text: str, occurrence: int) -> ClipRequest:
        seed = clip_seed(self.seed, voice, spoken_text, occurrence)
        return ClipRequest(clip_key(self.fingerprint, voice, spoken_text, seed), voice, spoken_text, seed)


def _item_plan(
    corpus: Corpus,
    scene: Scene,
    condition: Condition,
    voices: Sequence[Voice],
    engine: str,
    keying: _Keying,
    shared: Mapping[str, object],
) -> ItemPlan:
    parts = [Part(s.id, s.timbre, s.voices.get(engine)) for s in scene.speakers]
    if corpus.preamble is not None:
        parts.append(Part(PREAMBLE))
    try:
        chosen = cast(parts, voices, seed=keying.seed, scene=scene.id, engine=engine)
    except CastingError as error:
        raise PlanError(str(error)) from None
    turns = _turn_plans(scene, condition, chosen, keying)
    preamble = _preamble_plan(corpus, chosen, scene, keying)
    item_id = f"{scene.id}.{condition}"
    content = {
        "item": item_id,
        "scene": scene.model_dump(by_alias=True, exclude={"suppress"}),
        "condition": condition,
        "voices": chosen,
        "preamble": preamble.clip.key if preamble else None,
        "turns": [[t.id, t.text, t.clip.spoken_text, t.clip.key] for t in turns],
    }
    return ItemPlan(item_id, scene, condition, chosen, preamble, turns, digest({**content, **shared}))


def _turn_plans(
    scene: Scene, condition: Condition, voices: Mapping[str, str], keying: _Keying
) -> tuple[TurnPlan, ...]:
    varied = {scene.pair.turn, scene.pair.before.turn if scene.pair.before else None}
    seen: dict[tuple[str, str], int] = {}
    plans = []
    for turn in scene.turns:
        words = scene.words(turn, condition)
        if words is None:
            raise PlanError(f"scene {scene.id}: turn {turn.id} has no words; run `duplexkit check`")
        spoken = _spoken(scene, turn.id, words, turn.spell)
        voice = voices[turn.speaker]
        # A turn that differs between the versions never counts as an occurrence for the others,
        # so the shared turns keep their clips whatever the request says.
        occurrence = 0 if turn.id in varied else seen.get((voice, spoken), 0)
        if turn.id not in varied:
            seen[voice, spoken] = occurrence + 1
        clip = keying.request(voice, spoken, occurrence)
        plans.append(TurnPlan(turn.id, turn.speaker, turn.tag, turn.to, words, clip))
    return tuple(plans)


def _preamble_plan(
    corpus: Corpus, voices: Mapping[str, str], scene: Scene, keying: _Keying
) -> TurnPlan | None:
    if corpus.preamble is None:
        return None
    spoken = _spoken(scene, PREAMBLE, corpus.preamble, ())
    return TurnPlan(
        PREAMBLE, PREAMBLE, "N2", None, corpus.preamble, keying.request(voices[PREAMBLE], spoken, 0)
    )


def _spoken(scene: Scene, turn: str, text: str, spell: Sequence[str]) -> str:
    try:
        form = spoken_form(text, language=scene.language, spell=spell)
    except ValueError as error:
        raise PlanError(f"scene {scene.id}: turn {turn}: {error}") from None
    if form.unread:
        raise PlanError(f"scene {scene.id}: turn {turn}: no reading for {form.unread!r}; write it as words")
    return form.spoken
