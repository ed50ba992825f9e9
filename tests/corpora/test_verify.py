"""Verifying: each planted corruption is found and named, also where the checksums were made to fit again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from duplexkit.corpora.audio import decode_flac, encode_flac, peaks
from duplexkit.corpora.canonical import pretty
from duplexkit.corpora.folder import FAILED_PROOF
from duplexkit.corpora.verify import NotACorpus, verify_corpus

from ..conftest import write_corpus
from .helpers import compile_to, edit_items, plan_of, reseal, tree

ONE, TWO = "scene-0.explicit", "scene-0.implicit"
Corrupt = Callable[[Path], object]


@pytest.fixture(scope="session")
def master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("verify")
    source = write_corpus(root / "src", 2, preamble='"You are Aria. Speak when you are spoken to."')
    compile_to(plan_of(source), root / "out", root / "store")
    return root / "out"


@pytest.fixture
def corpus(master: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(master, tmp_path / "corpus"))


def item(folder: Path, item_id: str = ONE) -> dict[str, Any]:
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return next(i for i in map(json.loads, lines) if i["id"] == item_id)


def turn(record: dict[str, Any], turn_id: str) -> dict[str, Any]:
    return next(t for t in record["turns"] if t["id"] == turn_id)


def rewrite(folder: Path, relative: str, change: Callable[[Any], Any]) -> None:
    samples = decode_flac(folder / relative).copy()
    changed = change(samples)
    (folder / relative).write_bytes(encode_flac(samples if changed is None else changed))


def flip(at: int) -> Callable[[Any], None]:
    def change(samples: Any) -> None:
        samples[at] ^= 1

    return change


def edit_one(change: Callable[[dict[str, Any]], Any], item_id: str = ONE) -> Corrupt:
    def corrupt(folder: Path) -> None:
        edit_items(folder, lambda items: [change(i) for i in items if i["id"] == item_id])

    return corrupt


def test_a_sound_corpus_is_proven_and_the_proof_is_the_same(corpus: Path) -> None:
    before = tree(corpus)
    verdict = verify_corpus(corpus)
    assert verdict.faults == ()
    assert verdict.proof is not None
    assert pretty(verdict.proof) == before["audio-proof.json"].decode()
    assert tree(corpus) == before
    assert verify_corpus(corpus, jobs=2) == verdict


def _flip_mix(folder: Path) -> None:
    rewrite(folder, f"audio/{ONE}.flac", flip(turn(item(folder), "t2")["start"] + 777))


def _flip_stem(folder: Path) -> None:
    rewrite(folder, f"stems/{ONE}/B.flac", flip(turn(item(folder), "t2")["start"] + 777))


def _noise_outside(folder: Path) -> None:
    at = turn(item(folder), "t2")["end"] + 5
    for name in (f"stems/{ONE}/B.flac", f"audio/{ONE}.flac"):
        rewrite(folder, name, flip(at))


def _flip_clip_everywhere_in_one_item(folder: Path) -> None:
    at = turn(item(folder), "t2")["start"] + 777
    for name in (f"stems/{ONE}/B.flac", f"audio/{ONE}.flac"):
        rewrite(folder, name, flip(at))


def _move_boundary(record: dict[str, Any]) -> None:
    turn(record, "t2")["end"] += 1


def _move_both(record: dict[str, Any]) -> None:
    turn(record, "t2")["end"] += 400
    turn(record, "t3")["start"] += 400


def _swap_stems(folder: Path) -> None:
    a, b = folder / f"stems/{ONE}/A.flac", folder / f"stems/{ONE}/B.flac"
    a_bytes = a.read_bytes()
    a.write_bytes(b.read_bytes())
    b.write_bytes(a_bytes)


def _other_rate(folder: Path) -> None:
    path = folder / f"audio/{ONE}.flac"
    soundfile.write(str(path), decode_flac(path), 16_000, subtype="PCM_16")


def _shift_audio(folder: Path) -> None:
    for path in [folder / f"audio/{ONE}.flac", *(folder / f"stems/{ONE}").iterdir()]:
        rewrite(folder, path.relative_to(folder).as_posix(), lambda s: np.roll(s, 300))
    stems = [decode_flac(folder / p) for p in item(folder)["stems"].values()]
    (folder / item(folder)["peaks"]).write_bytes(peaks(stems))


def _shorten_mix(folder: Path) -> None:
    rewrite(folder, f"audio/{ONE}.flac", lambda s: s[:-1])


def _peak(folder: Path) -> None:
    path = folder / f"peaks/{ONE}.i8"
    raw = bytearray(path.read_bytes())
    raw[100] ^= 1
    path.write_bytes(bytes(raw))


def _drop_item(folder: Path) -> None:
    edit_items(folder, lambda items: items.pop(1))


def _count(folder: Path) -> None:
    manifest = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    (folder / "corpus.json").write_text(pretty({**manifest, "turns": 1}), encoding="utf-8")


def _window(record: dict[str, Any]) -> None:
    record["windows"][3]["end"] += 1


def _set(path: str, value: Any, item_id: str = TWO, turn_id: str | None = None) -> Corrupt:
    def change(record: dict[str, Any]) -> None:
        target = record if turn_id is None else turn(record, turn_id)
        target[path] = value

    return edit_one(change, item_id)


def _hours(folder: Path) -> None:
    manifest = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    (folder / "corpus.json").write_text(pretty({**manifest, "hours": 99.0}), encoding="utf-8")


def _empty(folder: Path) -> None:
    edit_items(folder, lambda items: items.clear())
    manifest = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    none = dict.fromkeys(("items", "pairs", "turns", "distinct_clips", "num_samples"), 0)
    (folder / "corpus.json").write_text(pretty({**manifest, **none, "hours": 0.0}), encoding="utf-8")


def _blank_proof(folder: Path) -> None:
    (folder / "audio-proof.json").write_text("{}", encoding="utf-8")


def _reverse_preamble(folder: Path) -> None:
    span = item(folder, TWO)["preamble"]

    def change(samples: Any) -> None:
        samples[span["start"] : span["end"]] = samples[span["start"] : span["end"]][::-1].copy()

    for name in (f"stems/{TWO}/preamble.flac", f"audio/{TWO}.flac"):
        rewrite(folder, name, change)


def _support(folder: Path) -> None:
    edit_items(folder, lambda items: items[1]["answer"].update(support=["t8"]))
    edit_items(folder, lambda items: items[0]["answer"].update(support=["t8"]))


CORRUPTIONS: list[tuple[str, Corrupt, str]] = [
    ("one sample of the mix", _flip_mix, rf"{ONE}: audio/{ONE}\.flac: mix is the sum of stems: sample \d+"),
    ("one sample of a stem", _flip_stem, rf"{ONE}: audio/{ONE}\.flac: mix is the sum of stems: sample \d+"),
    (
        "a sample outside every turn",
        _noise_outside,
        rf"{ONE}: stems/{ONE}/B\.flac: zero outside turns: sample \d+",
    ),
    (
        "a sample of a turn, in stem and mix",
        _flip_clip_everywhere_in_one_item,
        rf"{TWO}: turn t2: equal clips: its samples differ from those of {ONE} turn t2",
    ),
    ("a boundary moved by one", edit_one(_move_boundary), rf"{ONE}: turn t3: gap: 11999 samples behind t2"),
    ("a gap moved", edit_one(_move_both), rf"{ONE}: stems/{ONE}/C\.flac: zero outside turns"),
    ("stems swapped", _swap_stems, rf"{ONE}: stems/{ONE}/A\.flac: zero outside turns"),
    ("another sample rate", _other_rate, rf"{ONE}: audio/{ONE}\.flac: audio: .*16000 Hz"),
    ("all audio shifted by 300", _shift_audio, rf"{ONE}: stems/{ONE}/\w+\.flac: zero outside turns"),
    ("mix one sample short", _shorten_mix, rf"{ONE}: mix: length"),
    ("a peak", _peak, rf"{ONE}: peaks/{ONE}\.i8: peaks"),
    ("an item line gone", _drop_item, r"scene-0: items\.jsonl: pair: has explicit"),
    ("a count", _count, r"corpus: corpus\.json: counts: turns is 1, items\.jsonl gives 32"),
    ("a window", edit_one(_window), rf"{ONE}: window \w+ of t\d: windows"),
    ("the hold point", _set("hold_point", 5), rf"{TWO}: item: hold point"),
    (
        "a text in one version",
        _set("text", "Else.", turn_id="t2"),
        rf"{TWO}: turn t2: pair equality: text differs",
    ),
    ("a tag in one version", _set("tag", "N3", turn_id="t5"), rf"{TWO}: turn t5: pair equality: tag differs"),
    ("an addressee", _set("to", "C", turn_id="t2"), rf"{TWO}: turn t2: pair equality: to differs"),
    (
        "the answer",
        _set("answer", {"text": "x", "accept": [], "support": ["t1"]}),
        rf"{TWO}: answer: pair equality",
    ),
    (
        "a voice",
        _set("speakers", [{"id": s, "name": s, "voice": "v"} for s in "ABC"]),
        rf"{TWO}: speakers: pair eq",
    ),
    ("a clip key", _set("clip", "0" * 64, turn_id="t5"), rf"{TWO}: turn t5: pair equality: clip differs"),
    ("what may vary", _set("varied", ["t4", "t5"]), rf"{TWO}: varied: pair equality"),
    (
        "a record without a field",
        edit_one(lambda i: i.pop("turns")),
        r"corpus: items\.jsonl:1: item record: turns",
    ),
    ("a record of another kind", _set("kind", "call"), r"corpus: items\.jsonl:2: item record: kind"),
]


@pytest.mark.parametrize(("corrupt", "named"), [c[1:] for c in CORRUPTIONS], ids=[c[0] for c in CORRUPTIONS])
def test_a_resealed_corruption_is_found_and_named(corpus: Path, corrupt: Corrupt, named: str) -> None:
    import re

    corrupt(corpus)
    reseal(corpus)
    verdict = verify_corpus(corpus)
    texts = [fault.text() for fault in verdict.faults]
    assert any(re.match(named, text) for text in texts), texts
    assert verdict.proof is None
    assert json.loads((corpus / FAILED_PROOF).read_text(encoding="utf-8"))["passed"] is False


def _lose(relative: str) -> Corrupt:
    return lambda folder: (folder / relative).unlink()


def _torn_item(folder: Path) -> None:
    with (folder / "items.jsonl").open("a", encoding="utf-8") as lines:
        lines.write('{"kind"')


UNSEALED: list[tuple[Corrupt, str]] = [
    (_lose(f"audio/{ONE}.flac"), rf"corpus: audio/{ONE}\.flac: missing file"),
    (_lose(f"stems/{TWO}/C.flac"), rf"corpus: stems/{TWO}/C\.flac: missing file"),
    (_lose(f"peaks/{ONE}.i8"), rf"{ONE}: peaks/{ONE}\.i8: peaks: missing"),
    (_lose("SHA256SUMS"), r"corpus: SHA256SUMS: checksums"),
    (
        lambda f: (f / "audio" / "stray.flac").write_bytes(b"x"),
        r"corpus: audio/stray\.flac: extra file",
    ),
    (
        lambda f: (f / "SHA256SUMS").write_text("zz\n", encoding="utf-8"),
        r"corpus: SHA256SUMS: checksums: .*:1:",
    ),
    (_flip_mix, rf"corpus: audio/{ONE}\.flac: checksum"),
    (
        _torn_item,
        r"corpus: items\.jsonl:5: item",
    ),
    (
        lambda f: (f / "audio-proof.json").write_text("{}", encoding="utf-8"),
        r"corpus: audio-proof\.json: check",
    ),
]


@pytest.mark.parametrize(("corrupt", "named"), UNSEALED, ids=[n for _, n in UNSEALED])
def test_a_damaged_file_is_found_and_named(corpus: Path, corrupt: Corrupt, named: str) -> None:
    import re

    corrupt(corpus)
    texts = [fault.text() for fault in verify_corpus(corpus).faults]
    assert any(re.match(named, text) for text in texts), texts


def test_a_mended_corpus_loses_its_failed_proof(corpus: Path) -> None:
    path = corpus / "audio" / f"{ONE}.flac"
    raw = path.read_bytes()
    path.write_bytes(raw[:-3])
    assert verify_corpus(corpus).faults
    path.write_bytes(raw)
    assert not verify_corpus(corpus).faults
    assert not (corpus / FAILED_PROOF).exists()


@pytest.mark.parametrize("name", ["corpus.json", "items.jsonl"])
def test_a_folder_that_is_not_whole_is_no_corpus(corpus: Path, name: str) -> None:
    (corpus / name).unlink()
    with pytest.raises(NotACorpus, match=name):
        verify_corpus(corpus)


def test_a_manifest_that_is_nonsense(corpus: Path) -> None:
    (corpus / "corpus.json").write_text('{"format": 2}', encoding="utf-8")
    with pytest.raises(NotACorpus, match="compile the corpus again"):
        verify_corpus(corpus)
