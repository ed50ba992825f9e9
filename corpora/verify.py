"""Verifying a compiled folder from its files alone: the audio is decoded, the manifest is not believed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..schemas.item import Item, Manifest
from ..tts.placement import Gaps, Int16
from .assemble import item_paths
from .audio import AudioFault, decode_flac, peaks
from .canonical import pretty, sha256, write_atomic
from .folder import FAILED_PROOF, ITEMS, MANIFEST, PROOF, SUMS, proof_document, read_lines, read_sums
from .pool import ordered_map
from .proof import Fault, prove_item


class NotACorpus(Exception):
    """A folder that is no compiled corpus at all. The message says what is missing and what to do."""


@dataclass(frozen=True)
class Verdict:
    """All faults of a folder; `proof` is the audio proof when there are none."""

    folder: Path
    items: int
    hours: float
    files: int
    faults: tuple[Fault, ...]
    proof: Mapping[str, Any] | None

    def to_json(self) -> dict[str, Any]:
        """The verdict as the `--json` document."""
        return {
            "corpus": str(self.folder),
            "passed": not self.faults,
            "items": self.items,
            "hours": self.hours,
            "files": self.files,
            "faults": [f.to_json() for f in self.faults],
            "proof": self.proof,
        }


@dataclass(frozen=True)
class _ItemResult:
    faults: tuple[Fault, ...]
    facts: Mapping[str, Any]
    clips: Mapping[str, str]
    """SHA-256 of the samples of each turn, by turn id."""


def verify_corpus(
    folder: Path, *, jobs: int = 1, progress: Callable[[int, int], None] | None = None
) -> Verdict:
    """Check a compiled folder and write its audio proof.

    When everything holds, `audio-proof.json` is (re)written with the same bytes; else the faults go to
    `audio-proof.failed.json` and the rest of the folder is left as it is. Raises `NotACorpus`.
    """
    manifest, items, faults = _read(folder)
    faults += _checksum_faults(folder, manifest)
    faults += _count_faults(manifest, items)
    gaps = Gaps(manifest.gap_samples, manifest.resolution_gap_samples, manifest.response_samples)
    results = _check_items(folder, items, gaps, jobs, progress)
    for result in results.values():
        faults += result.faults
    faults += _clip_faults(items, results)
    faults += _pair_faults(items, results)
    faults += _record_faults(items)
    faults = list(dict.fromkeys(faults))
    proof = None if faults else proof_document([dict(results[i.id].facts) for i in items])
    if proof is not None and (folder / PROOF).read_text(encoding="utf-8") != pretty(proof):
        faults.append(Fault("corpus", "proof", PROOF, "does not say what the files give"))
        proof = None
    _write_proof(folder, proof, faults)
    return Verdict(folder, len(items), manifest.hours, manifest.files, tuple(faults), proof)


def _write_proof(folder: Path, proof: Mapping[str, Any] | None, faults: list[Fault]) -> None:
    failed = folder / FAILED_PROOF
    if proof is not None:
        write_atomic(folder / PROOF, pretty(proof))
        failed.unlink(missing_ok=True)
    else:
        report = {"kind": "audio-proof", "passed": False, "faults": [f.to_json() for f in faults]}
        write_atomic(failed, pretty(report))


def _read(folder: Path) -> tuple[Manifest, list[Item], list[Fault]]:
    if not (folder / MANIFEST).is_file():
        raise NotACorpus(
            f"{folder}: no {MANIFEST}; give the folder that `duplexkit compile` wrote to its end"
        )
    try:
        manifest = Manifest.model_validate_json((folder / MANIFEST).read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise NotACorpus(f"{folder / MANIFEST}: {_first(error)}; compile the corpus again") from None
    faults: list[Fault] = []
    items: list[Item] = []
    try:
        lines = read_lines(folder / ITEMS)
    except (OSError, UnicodeDecodeError) as error:
        raise NotACorpus(f"{folder / ITEMS}: {error}; compile the corpus again") from None
    for number, line in enumerate(lines, start=1):
        try:
            items.append(Item.model_validate_json(line))
        except ValidationError as error:
            faults.append(Fault("corpus", "item record", f"{ITEMS}:{number}", _first(error)))
    return manifest, items, faults


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        one = error.errors(include_url=False)[0]
        return f"{'.'.join(str(s) for s in one['loc'])}: {one['msg']}"
    return str(error)


def _checksum_faults(folder: Path, manifest: Manifest) -> list[Fault]:
    try:
        sums = read_sums(folder)
    except (OSError, ValueError) as error:
        return [Fault("corpus", "checksums", SUMS, str(error))]
    faults = []
    total = 0
    for name, wanted in sums.items():
        path = folder / name
        if not path.is_file():
            faults.append(Fault("corpus", "missing file", name, "listed in SHA256SUMS, not there"))
            continue
        raw = path.read_bytes()
        total += len(raw)
        if sha256(raw) != wanted:
            faults.append(Fault("corpus", "checksum", name, "its bytes are not those that were written"))
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name not in sums and name not in (MANIFEST, SUMS, FAILED_PROOF):
            faults.append(Fault("corpus", "extra file", name, "not listed in SHA256SUMS"))
    if len(sums) != manifest.files:
        message = f"SHA256SUMS lists {len(sums)} files, the manifest says {manifest.files}"
        faults.append(Fault("corpus", "counts", MANIFEST, message))
    if not faults and total != manifest.bytes:
        faults.append(
            Fault("corpus", "counts", MANIFEST, f"{total} bytes, the manifest says {manifest.bytes}")
        )
    return faults


def _count_faults(manifest: Manifest, items: list[Item]) -> list[Fault]:
    found = {
        "items": len(items),
        "pairs": len({i.pair for i in items}),
        "turns": sum(len(i.turns) for i in items),
        "num_samples": sum(i.num_samples for i in items),
        "hours": round(sum(i.num_samples for i in items) / 24_000 / 3_600, 6),
        "distinct_clips": len(
            {t.clip for i in items for t in i.turns} | {i.preamble.clip for i in items if i.preamble}
        ),
    }
    faults = [
        Fault("corpus", "counts", MANIFEST, f"{name} is {getattr(manifest, name)}, {ITEMS} gives {value}")
        for name, value in found.items()
        if getattr(manifest, name) != value
    ]
    if not items:
        faults.append(Fault("corpus", "counts", ITEMS, "holds no item; there is nothing to prove"))
    twice = [i.id for n, i in enumerate(items) if i.id in {j.id for j in items[:n]}]
    return faults + [Fault(i, "counts", ITEMS, "the item stands twice") for i in twice]


def _record_faults(items: list[Item]) -> list[Fault]:
    """Records must name themselves, their files and each other as a compile does."""
    faults = []
    for item in items:
        names = [s.id for s in item.speakers]
        parts = (["preamble"] if item.preamble else []) + names
        audio, stems, peak_path = item_paths(item.id, parts)
        known = {*names, *(d.id for d in item.devices), "assistant"}
        before = [t.id for t in item.turns[: next((n for n, t in enumerate(item.turns) if t.tag == "T"), 0)]]
        wrong = {
            "id": item.id != f"{item.scene}.{item.condition}" or item.pair != item.scene,
            "files": (item.audio, item.stems, item.peaks) != (audio, stems, peak_path),
            "speakers": len(set(names)) != len(names) or len({s.voice for s in item.speakers}) != len(names),
            "gain": item.gain != 1.0,
            "to": any(t.to not in known for t in item.turns if t.to is not None),
            "answer": not set(item.answer.support) <= set(before),
        }
        faults += [
            Fault(item.id, "item record", ITEMS, f"{name}: not as a compile writes it")
            for name, bad in wrong.items()
            if bad
        ]
    return faults


def _check_items(
    folder: Path, items: list[Item], gaps: Gaps, jobs: int, progress: Callable[[int, int], None] | None
) -> dict[str, _ItemResult]:
    check = partial(_check_item, folder, gaps)
    results: dict[str, _ItemResult] = {}

    for item, result in zip(items, ordered_map(check, items, jobs), strict=True):
        results[item.id] = result
        if progress is not None:
            progress(len(results), len(items))
    return results


def _check_item(folder: Path, gaps: Gaps, item: Item) -> _ItemResult:
    faults: list[Fault] = []
    arrays: dict[str, Int16] = {}
    for name, relative in (("", item.audio), *item.stems.items()):
        try:
            arrays[name] = decode_flac(folder / relative)
        except AudioFault as error:
            faults.append(Fault(item.id, "audio", relative, str(error)))
    names = {s.id for s in item.speakers} | ({"preamble"} if item.preamble else set())
    if set(item.stems) != names:
        faults.append(Fault(item.id, "stems", ITEMS, f"stems {sorted(item.stems)}, speakers {sorted(names)}"))
    unknown = {t.speaker for t in item.turns} - names
    if unknown:
        faults.append(Fault(item.id, "stems", ITEMS, f"turns of {sorted(unknown)} have no stem"))
    if faults:
        return _ItemResult(tuple(faults), {}, {})
    mix = arrays.pop("")
    proof = prove_item(item, arrays, mix, gaps)
    faults += proof.faults
    try:
        if (folder / item.peaks).read_bytes() != peaks([arrays[s] for s in item.stems]):
            faults.append(Fault(item.id, "peaks", item.peaks, "not those of the stems"))
    except OSError:
        faults.append(Fault(item.id, "peaks", item.peaks, "missing"))
    for name, size in item.file_bytes.items():
        found = (folder / name).stat().st_size if (folder / name).is_file() else None
        if found != size:
            faults.append(Fault(item.id, "file length", name, f"{found} bytes, the record says {size}"))
    clips = {t.id: sha256(arrays[t.speaker][t.start : t.end].tobytes()) for t in item.turns}
    if item.preamble is not None:
        clips["preamble"] = sha256(arrays["preamble"][item.preamble.start : item.preamble.end].tobytes())
    return _ItemResult(tuple(faults), proof.facts, clips)


def _clip_faults(items: list[Item], results: Mapping[str, _ItemResult]) -> list[Fault]:
    """Turns that name one clip must hold the same samples, wherever they stand; other clips, other samples."""
    first: dict[str, tuple[str, str, str]] = {}
    texts: dict[str, tuple[str, str, str]] = {}
    faults = []
    for item in items:
        for turn in item.turns:
            found = results[item.id].clips.get(turn.id)
            if found is None:
                continue
            known = first.setdefault(turn.clip, (found, item.id, turn.id))
            if known[0] != found:
                message = (
                    f"its samples differ from those of {known[1]} turn {known[2]}, which names the same clip"
                )
                faults.append(Fault(item.id, "equal clips", f"turn {turn.id}", message))
            spoken = texts.setdefault(found, (turn.spoken_text, item.id, turn.id))
            if spoken[0] != turn.spoken_text:
                message = f"its audio is that of {spoken[1]} turn {spoken[2]}, which says something else"
                faults.append(Fault(item.id, "distinct clips", f"turn {turn.id}", message))
    return faults


def _pair_faults(items: list[Item], results: Mapping[str, _ItemResult]) -> list[Fault]:
    """Both versions of a pair may differ at the request and at the turn before it, and nowhere else."""
    pairs: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        pairs[item.pair].append(item)
    faults: list[Fault] = []
    for pair, members in pairs.items():
        if sorted(m.condition for m in members) != ["explicit", "implicit"]:
            found = ", ".join(sorted(m.condition for m in members))
            faults.append(
                Fault(pair, "pair", ITEMS, f"has {found}; one explicit and one implicit item are needed")
            )
            continue
        one, two = sorted(members, key=lambda m: m.condition)
        faults += _compare_pair(one, two, results)
    return faults


_SHARED = (
    "preamble",
    "scene",
    "bucket",
    "language",
    "attributes",
    "speakers",
    "assistant",
    "devices",
    "answer",
    "gain",
)


def _compare_pair(one: Item, two: Item, results: Mapping[str, _ItemResult]) -> list[Fault]:
    faults = []
    for name in _SHARED:
        if getattr(one, name) != getattr(two, name):
            faults.append(Fault(two.id, "pair equality", name, f"differs from {one.id}"))
    if [t.id for t in one.turns] != [t.id for t in two.turns]:
        return [*faults, Fault(two.id, "pair equality", "turns", f"other turns than {one.id}")]
    faults += _varied_faults(one, two)
    free = set(one.varied)
    changed = []
    for n, (a, b) in enumerate(zip(one.turns, two.turns, strict=True)):
        same = (
            ("speaker", "tag", "to")
            if a.id in free
            else ("speaker", "tag", "to", "text", "spoken_text", "clip")
        )
        for name in same:
            if getattr(a, name) != getattr(b, name):
                faults.append(Fault(two.id, "pair equality", f"turn {a.id}", f"{name} differs from {one.id}"))
        if n and a.start - one.turns[n - 1].end != b.start - two.turns[n - 1].end:
            faults.append(
                Fault(two.id, "pair equality", f"turn {a.id}", f"the gap before it differs from {one.id}")
            )
        clips = (results[one.id].clips.get(a.id), results[two.id].clips.get(b.id))
        if a.id not in free and clips[0] != clips[1]:
            faults.append(Fault(two.id, "pair equality", f"turn {a.id}", f"its audio differs from {one.id}"))
        if a.clip != b.clip:
            changed.append(a.id)
    if results[one.id].clips.get("preamble") != results[two.id].clips.get("preamble"):
        faults.append(Fault(two.id, "pair equality", "preamble", f"its audio differs from {one.id}"))
    for turn in sorted(free - set(changed)):
        faults.append(Fault(two.id, "pair equality", f"turn {turn}", "is declared to differ and is the same"))
    return faults


def _varied_faults(one: Item, two: Item) -> list[Fault]:
    """The turns declared to differ are the request and at most the turn before it, the same in both."""
    ids = [t.id for t in one.turns]
    request = next((n for n, t in enumerate(one.turns) if t.tag == "T"), None)
    if request is None:
        return [Fault(one.id, "pair equality", "turns", "no turn is tagged T")]
    allowed = ([ids[request]], ids[max(request - 1, 0) : request + 1])
    if one.varied != two.varied or list(one.varied) not in allowed:
        found = f"{list(one.varied)} and {list(two.varied)}"
        return [Fault(two.id, "pair equality", "varied", f"{found}; expected {allowed[0]} or {allowed[1]}")]
    return []
