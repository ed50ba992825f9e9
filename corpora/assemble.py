"""One item from its clips: placement, stems, mix, files, the item's record and the proof of what was made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..schemas.item import Item, ItemTurn
from ..tts.placement import Gaps, Int16, Span, build_stems, mix_stems, place
from .audio import RATE, encode_flac, peaks
from .canonical import sha256, write_atomic
from .plan import PREAMBLE, ClipRequest, ItemPlan, TurnPlan
from .proof import prove_item
from .windows import item_windows

GetClip = Callable[[ClipRequest], Int16]


@dataclass(frozen=True)
class Built:
    """A finished item: its record, its files by relative path as (SHA-256, bytes), and its proof."""

    id: str
    plan: str
    item: dict[str, Any]
    files: dict[str, tuple[str, int]]
    proof: dict[str, Any]


def item_paths(item_id: str, speakers: list[str]) -> tuple[str, dict[str, str], str]:
    """Relative POSIX paths of an item's mix, stems by speaker, and peaks."""
    stems = {speaker: f"stems/{item_id}/{speaker}.flac" for speaker in speakers}
    return f"audio/{item_id}.flac", stems, f"peaks/{item_id}.i8"


def build_item(plan: ItemPlan, gaps: Gaps, get_clip: GetClip, folder: Path) -> Built:
    """Write the files of one item below `folder` and give its record.

    Raises `PlacementError` where clips do not fit, and `ProofFailure` where what was made is not as proven.
    """
    clips = {t.clip.key: get_clip(t.clip) for t in _all_turns(plan)}
    item, spans = _record(plan, gaps, {key: len(clip) for key, clip in clips.items()})
    speakers = list(item.stems)
    parts = [(t.speaker, span, clips[t.clip.key]) for t, span in zip(_all_turns(plan), spans, strict=True)]
    stems = build_stems(parts, speakers, item.num_samples)
    mix = mix_stems(stems)
    proof = prove_item(item, stems, mix, gaps).require()
    files: dict[str, tuple[str, int]] = {}
    _write(folder, item.audio, encode_flac(mix), files)
    for speaker in speakers:
        _write(folder, item.stems[speaker], encode_flac(stems[speaker]), files)
    _write(folder, item.peaks, memoryview(peaks([stems[s] for s in speakers])), files)
    whole = item.model_copy(update={"file_bytes": {name: size for name, (_, size) in files.items()}})
    return Built(item.id, plan.digest, whole.model_dump(mode="json"), files, proof)


def _all_turns(plan: ItemPlan) -> tuple[TurnPlan, ...]:
    return (*((plan.preamble,) if plan.preamble else ()), *plan.turns)


def _record(plan: ItemPlan, gaps: Gaps, lengths: dict[str, int]) -> tuple[Item, list[Span]]:
    spans = place([(t.tag, lengths[t.clip.key]) for t in _all_turns(plan)], gaps)
    turns = tuple(
        ItemTurn.model_validate(
            {
                "id": t.id,
                "speaker": t.speaker,
                "tag": t.tag,
                "to": t.to,
                "text": t.text,
                "spoken_text": t.clip.spoken_text,
                "start": span.start,
                "end": span.end,
                "clip": t.clip.key,
            }
        )
        for t, span in zip(plan.turns, spans[1:] if plan.preamble else spans, strict=True)
    )
    windows = item_windows(turns, gaps.response_samples)
    end = max(turns[-1].end + gaps.ordinary_samples, *(w.end for w in windows))
    scene = plan.scene
    speakers = [*([PREAMBLE] if plan.preamble else []), *(s.id for s in scene.speakers)]
    audio, stems, peak_path = item_paths(plan.id, speakers)
    item = Item.model_validate(
        {
            "kind": "scene",
            "id": plan.id,
            "scene": scene.id,
            "pair": scene.id,
            "condition": plan.condition,
            "bucket": scene.bucket,
            "language": scene.language,
            "attributes": scene.attributes.model_dump(by_alias=True),
            "sample_rate": RATE,
            "num_samples": end,
            "audio": audio,
            "stems": stems,
            "peaks": peak_path,
            "gain": 1.0,
            "speakers": [{"id": s.id, "name": s.name, "voice": plan.voices[s.id]} for s in scene.speakers],
            "assistant": scene.assistant.model_dump(),
            "devices": [d.model_dump() for d in scene.devices],
            "preamble": _preamble(plan, spans[0]) if plan.preamble else None,
            "turns": [t.model_dump() for t in turns],
            "windows": [w.model_dump() for w in windows],
            "answer": scene.answer.model_dump(),
            "varied": [*([scene.pair.before.turn] if scene.pair.before else []), scene.pair.turn],
            "hold_point": next(t.end for t in turns if t.tag == "T"),
            "plan": plan.digest,
        }
    )
    return item, list(spans)


def _preamble(plan: ItemPlan, span: Span) -> dict[str, Any]:
    turn = plan.preamble
    if turn is None:
        raise ValueError("this item has no preamble")
    return {
        "text": turn.text,
        "spoken_text": turn.clip.spoken_text,
        "voice": turn.clip.voice,
        "start": span.start,
        "end": span.end,
        "clip": turn.clip.key,
    }


def _write(folder: Path, relative: str, data: memoryview, files: dict[str, tuple[str, int]]) -> None:
    write_atomic(folder / relative, data)
    files[relative] = (sha256(data), data.nbytes)
