"""The audio proof of one item: what must hold of its stems and its mix, checked on the samples themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..schemas.item import Item
from ..tts.bounds import speech_bounds
from ..tts.placement import Gaps, Int16
from .audio import RATE
from .windows import item_windows

EDGE_SAMPLES = RATE // 100
"""Speech must begin and end within 10 ms of a turn's boundaries."""


@dataclass(frozen=True)
class Fault:
    """One thing that does not hold: which law, where, and both values."""

    item: str
    law: str
    where: str
    message: str

    def text(self) -> str:
        """`item: where: law: message`."""
        return f"{self.item}: {self.where}: {self.law}: {self.message}"

    def to_json(self) -> dict[str, str]:
        """The fault as plain data."""
        return {"item": self.item, "law": self.law, "where": self.where, "message": self.message}


class ProofFailure(Exception):
    """An item that was made is not what its record says; a defect of the toolkit, not of the source."""


@dataclass(frozen=True)
class ItemProof:
    """The faults of one item, and the facts that hold where there are none."""

    faults: tuple[Fault, ...]
    facts: dict[str, Any]

    def require(self) -> dict[str, Any]:
        """The facts. Raises `ProofFailure` where there is a fault."""
        if self.faults:
            raise ProofFailure("; ".join(f.text() for f in self.faults))
        return self.facts


def prove_item(item: Item, stems: Mapping[str, Int16], mix: Int16, gaps: Gaps) -> ItemProof:
    """Check one item's samples against its record.

    `stems` holds int16 arrays of `item.num_samples` by speaker; `mix` has the same length. The laws: lengths
    agree; the mix is the exact sum of the stems; each stem is exactly zero outside its turns; speech begins
    and ends within 10 ms of each boundary; gaps are exact; windows and hold point follow from the turns.
    """
    faults = _timeline_faults(item, gaps)
    arrays = {"mix": mix, **{f"stem {s}": a for s, a in stems.items()}}
    wrong = [
        Fault(item.id, "length", name, f"{len(a)} samples, the record says {item.num_samples}")
        for name, a in arrays.items()
        if len(a) != item.num_samples
    ]
    if wrong or any(f.law in ("order", "bounds") for f in faults):
        return ItemProof((*wrong, *faults), {})
    faults += _sum_faults(item, stems, mix)
    faults += _silence_faults(item, stems)
    edges, edge_faults = _edge_facts(item, stems)
    faults += edge_faults
    facts = {
        "item": item.id,
        "num_samples": item.num_samples,
        "turns": len(item.turns),
        "mix_equals_sum": True,
        "zero_outside_turns": True,
        "max_onset_error_samples": max(e[0] for e in edges) if edges else 0,
        "max_offset_error_samples": max(e[1] for e in edges) if edges else 0,
        "resolution_gaps_samples": _resolution_gaps(item),
    }
    return ItemProof(tuple(faults), {} if faults else facts)


def _spans(item: Item) -> list[tuple[str, str, int, int]]:
    """(turn, speaker, start, end) of all speech in the item, the preamble first."""
    spans = [(t.id, t.speaker, t.start, t.end) for t in item.turns]
    if item.preamble is not None:
        spans.insert(0, ("preamble", "preamble", item.preamble.start, item.preamble.end))
    return spans


def _timeline_faults(item: Item, gaps: Gaps) -> list[Fault]:
    faults: list[Fault] = []
    for turn, _, start, end in _spans(item):
        if not 0 <= start < end <= item.num_samples:
            faults.append(
                Fault(item.id, "bounds", f"turn {turn}", f"[{start}, {end}) is not inside the item")
            )
    before = (item.preamble.end, "N2", "preamble") if item.preamble else None
    expected_start = 0 if before is None else before[0] + gaps.after(before[1])
    if item.turns[0].start != expected_start:
        found = f"starts at {item.turns[0].start}, expected {expected_start}"
        faults.append(Fault(item.id, "gap", f"turn {item.turns[0].id}", found))
    for one, two in pairwise(item.turns):
        gap, wanted = two.start - one.end, gaps.after(one.tag)
        if gap < 0:
            faults.append(
                Fault(item.id, "order", f"turn {two.id}", f"starts {-gap} samples before {one.id} ends")
            )
        elif gap != wanted:
            where = f"turn {two.id}"
            faults.append(Fault(item.id, "gap", where, f"{gap} samples behind {one.id}, expected {wanted}"))
    windows = item_windows(item.turns, gaps.response_samples) if _paired(item) else None
    if windows is None:
        faults.append(Fault(item.id, "windows", "turns", "an N4_Q is not followed by its N4_R"))
    elif windows != item.windows:
        changed = next((w for w, v in zip(item.windows, windows, strict=False) if w != v), None)
        where = f"window {changed.kind} of {changed.turn}" if changed else "windows"
        faults.append(Fault(item.id, "windows", where, "does not follow from the turns"))
    else:
        end = max(item.turns[-1].end + gaps.ordinary_samples, *(w.end for w in windows))
        if end != item.num_samples:
            faults.append(Fault(item.id, "length", "item", f"{item.num_samples} samples, expected {end}"))
    request = [t.end for t in item.turns if t.tag == "T"]
    if request != [item.hold_point]:
        faults.append(Fault(item.id, "hold point", "item", f"{item.hold_point}, T ends at {request}"))
    return faults


def _paired(item: Item) -> bool:
    tags = [t.tag for t in item.turns]
    return all(tags[n + 1 : n + 2] == ["N4_R"] for n, tag in enumerate(tags) if tag == "N4_Q")


def _sum_faults(item: Item, stems: Mapping[str, Int16], mix: Int16) -> list[Fault]:
    total = np.zeros(item.num_samples, np.int32)
    for stem in stems.values():
        total += stem
    wrong = np.flatnonzero(total != mix)
    if not len(wrong):
        return []
    at = int(wrong[0])
    message = f"sample {at} is {int(mix[at])}, the stems give {int(total[at])} ({len(wrong)} samples differ)"
    return [Fault(item.id, "mix is the sum of stems", item.audio, message)]


def _silence_faults(item: Item, stems: Mapping[str, Int16]) -> list[Fault]:
    faults = []
    for speaker, stem in stems.items():
        cursor, stray = 0, []
        for _, who, start, end in _spans(item):
            if who == speaker:
                stray.append((cursor, start))
                cursor = end
        stray.append((cursor, item.num_samples))
        for start, end in stray:
            loud = np.flatnonzero(stem[start:end])
            if len(loud):
                at = start + int(loud[0])
                message = f"sample {at} is {int(stem[at])}, outside every turn of {speaker}"
                faults.append(Fault(item.id, "zero outside turns", item.stems[speaker], message))
                break
    return faults


def _edge_facts(item: Item, stems: Mapping[str, Int16]) -> tuple[list[tuple[int, int]], list[Fault]]:
    edges: list[tuple[int, int]] = []
    faults: list[Fault] = []
    for turn, speaker, start, end in _spans(item):
        bounds = speech_bounds(stems[speaker][start:end], RATE)
        if bounds is None:
            faults.append(
                Fault(item.id, "speech at the boundaries", f"turn {turn}", "no speech between them")
            )
            continue
        onset, offset = bounds[0], (end - start) - bounds[1]
        edges.append((onset, offset))
        for name, error in (("begins", onset), ("ends", offset)):
            if error > EDGE_SAMPLES:
                message = f"speech {name} {error} samples inside the turn, at most {EDGE_SAMPLES}"
                faults.append(Fault(item.id, "speech at the boundaries", f"turn {turn}", message))
    return edges, faults


def _resolution_gaps(item: Item) -> list[int]:
    return [two.start - one.end for one, two in pairwise(item.turns) if one.tag == "N4_Q"]
