"""Compiling: equal bytes whatever happens on the way, and only the work that is needed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from duplexkit.corpora.compile import CompileError, forecast
from duplexkit.corpora.folder import JOURNAL, FolderError, Journal, is_current, lock, reusable
from duplexkit.corpora.verify import verify_corpus
from duplexkit.schemas.item import Item, Manifest
from duplexkit.tts.store import ClipStore

from ..conftest import write_corpus
from .helpers import compile_to, plan_of, tree


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "src", 3)


def test_the_folder_holds_what_it_says(source: Path, tmp_path: Path) -> None:
    plan = plan_of(source)
    result = compile_to(plan, tmp_path / "out", tmp_path / "store")
    files = tree(tmp_path / "out")
    manifest = Manifest.model_validate_json(files["corpus.json"])
    items = [Item.model_validate_json(line) for line in files["items.jsonl"].splitlines()]
    assert (manifest.items, manifest.pairs, manifest.turns) == (6, 3, 48)
    assert manifest.distinct_clips == len(plan.clips)
    assert manifest.num_samples == sum(i.num_samples for i in items)
    assert result.items_made == 6
    listed = {line[66:] for line in files["SHA256SUMS"].decode().splitlines()}
    assert listed == set(files) - {"SHA256SUMS", "corpus.json"}
    assert json.loads(files["items.jsonl"].splitlines()[0])["kind"] == "scene"
    assert next(iter(json.loads(files["items.jsonl"].splitlines()[0]))) == "kind"
    assert [i.id for i in items] == [f"scene-{n}.{c}" for n in range(3) for c in ("explicit", "implicit")]


def test_a_pair_shares_every_clip_but_the_request(source: Path, tmp_path: Path) -> None:
    compile_to(plan_of(source), tmp_path / "out", tmp_path / "store")
    lines = (tmp_path / "out" / "items.jsonl").read_text(encoding="utf-8").splitlines()
    one, two = (Item.model_validate_json(line) for line in lines[:2])
    assert [a.id for a, b in zip(one.turns, two.turns, strict=True) if a.clip != b.clip] == ["t4"]
    assert one.speakers == two.speakers
    gap = {t.id: (t.start, t.end) for t in one.turns}
    assert gap["t7"][0] - gap["t6"][1] == 3 * 24_000
    assert gap["t5"][0] - gap["t4"][1] == 5 * 24_000
    assert gap["t2"][0] - gap["t1"][1] == 12_000
    assert one.hold_point == gap["t4"][1]


def test_jobs_second_run_and_force_give_the_same_bytes(source: Path, tmp_path: Path) -> None:
    plan = plan_of(source)
    compile_to(plan, tmp_path / "one", tmp_path / "store-1", jobs=1)
    compile_to(plan, tmp_path / "two", tmp_path / "store-2", jobs=2)
    assert tree(tmp_path / "one") == tree(tmp_path / "two")
    again = compile_to(plan, tmp_path / "one", tmp_path / "store-1")
    assert again.up_to_date
    before = tree(tmp_path / "one")
    forced = compile_to(plan, tmp_path / "one", tmp_path / "store-1", force=True)
    assert (forced.up_to_date, forced.items_made, forced.clips_made) == (False, 6, len(plan.clips))
    assert tree(tmp_path / "one") == before


def test_another_seed_or_engine_setting_gives_another_plan(source: Path) -> None:
    plan = plan_of(source)
    assert plan_of(source, seed=5).digest != plan.digest
    assert plan_of(source).digest == plan.digest
    source.write_text(source.read_text(encoding="utf-8") + "gap_ms: 600\n", encoding="utf-8")
    assert plan_of(source).digest != plan.digest


def test_one_turn_changed_remakes_one_clip_and_two_items(source: Path, tmp_path: Path) -> None:
    compile_to(plan_of(source), tmp_path / "out", tmp_path / "store")
    scene = source.parent / "scene-1.yaml"
    scene.write_text(scene.read_text(encoding="utf-8").replace("Lids, lids", "Bolts, lids"), encoding="utf-8")
    result = compile_to(plan_of(source), tmp_path / "out", tmp_path / "store")
    assert (result.clips_made, result.items_made, result.items_reused) == (1, 2, 4)
    compile_to(plan_of(source), tmp_path / "fresh", tmp_path / "store-2")
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")


def test_a_removed_scene_leaves_no_files_behind(source: Path, tmp_path: Path) -> None:
    compile_to(plan_of(source), tmp_path / "out", tmp_path / "store")
    (source.parent / "scene-2.yaml").unlink()
    compile_to(plan_of(source), tmp_path / "out", tmp_path / "store")
    assert not [name for name in tree(tmp_path / "out") if "scene-2" in name]
    compile_to(plan_of(source), tmp_path / "fresh", tmp_path / "store")
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")


def test_a_missing_or_shortened_file_is_not_up_to_date(source: Path, tmp_path: Path) -> None:
    plan = plan_of(source)
    compile_to(plan, tmp_path / "out", tmp_path / "store")
    whole = tree(tmp_path / "out")
    path = tmp_path / "out" / "audio" / "scene-0.explicit.flac"
    for shortened in (None, path.read_bytes()[:-1]):
        path.unlink()
        if shortened is not None:
            path.write_bytes(shortened)
        assert is_current(tmp_path / "out", plan) is None
        result = compile_to(plan, tmp_path / "out", tmp_path / "store")
        assert result.items_made == 1
        assert tree(tmp_path / "out") == whole


def test_items_taken_from_the_journal_give_the_same_bytes(source: Path, tmp_path: Path) -> None:
    plan, out = plan_of(source), tmp_path / "out"
    compile_to(plan, out, tmp_path / "store")
    whole = tree(out)
    Journal(out, reusable(out, plan).values()).close()
    for name in ("items.jsonl", "audio-proof.json"):
        (out / name).unlink()
    result = compile_to(plan, out, tmp_path / "store")
    assert (result.items_made, result.items_reused) == (0, 6)
    assert tree(out) == whole


@pytest.mark.parametrize("tail", ['{"id": "scene-0.expl', "{bad}\n", '{"id": 5}\n'])
def test_a_torn_journal_costs_the_torn_item_only(source: Path, tmp_path: Path, tail: str) -> None:
    plan = plan_of(source)
    compile_to(plan, tmp_path / "out", tmp_path / "store")
    whole = tree(tmp_path / "out")
    out = tmp_path / "out"
    for name in ("corpus.json", "SHA256SUMS"):
        (out / name).unlink()
    (out / JOURNAL).write_text(tail, encoding="utf-8")
    result = compile_to(plan, out, tmp_path / "store")
    assert result.items_reused == 0
    assert tree(out) == whole


def test_a_folder_of_something_else_is_refused(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FolderError, match=r"thesis\.txt"):
        compile_to(plan_of(source), tmp_path / "out", tmp_path / "store")
    assert tree(tmp_path / "out") == {"thesis.txt": b"mine"}


def test_another_corpus_is_not_replaced_unasked(source: Path, tmp_path: Path) -> None:
    compile_to(plan_of(source), tmp_path / "out", tmp_path / "store")
    before = tree(tmp_path / "out")
    other = write_corpus(tmp_path / "other", 1, id="other")
    with pytest.raises(FolderError, match="holds the corpus 'small'"):
        compile_to(plan_of(other), tmp_path / "out", tmp_path / "store")
    assert tree(tmp_path / "out") == before
    compile_to(plan_of(other), tmp_path / "out", tmp_path / "store", force=True)
    compile_to(plan_of(other), tmp_path / "fresh", tmp_path / "store")
    assert tree(tmp_path / "out") == tree(tmp_path / "fresh")


def test_two_compiles_of_one_folder_are_refused(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    held = lock(tmp_path / "out", tmp_path / "locks")
    assert held is not None
    with pytest.raises(FolderError, match="another compile"):
        compile_to(plan_of(source), tmp_path / "out", tmp_path / "store")
    held.close()
    compile_to(plan_of(source), tmp_path / "out", tmp_path / "store")


def test_turns_that_cannot_be_spoken_are_all_named_and_the_rest_is_kept(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from duplexkit.corpora import workers
    from duplexkit.tts.clips import ClipError, render_clip

    plan = plan_of(source)

    def broken(engine: object, **request: object) -> object:
        if "Lids" in str(request["spoken_text"]) or "letter" in str(request["spoken_text"]):
            raise ClipError("no such sound")
        return render_clip(engine, **request)  # type: ignore[arg-type]

    monkeypatch.setattr(workers, "render_clip", broken)
    with pytest.raises(CompileError) as caught:
        compile_to(plan, tmp_path / "out", tmp_path / "store")
    assert len(caught.value.failures) == 12
    assert caught.value.failures[0].startswith("scene-0.explicit: turn t7 (")
    assert not (tmp_path / "out" / "corpus.json").exists()
    monkeypatch.setattr(workers, "render_clip", render_clip)
    result = compile_to(plan, tmp_path / "out", tmp_path / "store")
    assert 0 < result.clips_made < len(plan.clips)


def test_a_dry_run_writes_nothing(source: Path, tmp_path: Path) -> None:
    plan = plan_of(source)
    store = ClipStore(tmp_path / "store")
    told = forecast(plan, tmp_path / "out", store)
    assert (told.items, told.clips_in_store, told.up_to_date) == (6, 0, False)
    assert not (tmp_path / "out").exists()
    compile_to(plan, tmp_path / "out", tmp_path / "store")
    told = forecast(plan, tmp_path / "out", store)
    assert (told.clips_in_store, told.characters_to_speak, told.up_to_date) == (len(plan.clips), 0, True)


def test_names_beyond_ascii(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "korpus ☃ файл", 1)
    out = tmp_path / "aus/café 1"
    compile_to(plan_of(source), out, tmp_path / "store")
    assert all("\\" not in n and not n.startswith("/") for n in tree(out))


@pytest.mark.slow
@pytest.mark.parametrize("delay_s", [0.4, 0.7, 1.0, 1.4, 1.9, 2.5])
def test_kill_nine_at_any_moment_and_resume(tmp_path: Path, delay_s: float) -> None:
    source = write_corpus(tmp_path / "src", 12)
    plan = plan_of(source, engine="espeak")
    compile_to(plan, tmp_path / "whole", tmp_path / "store-1", jobs=2)
    out, env = tmp_path / "out", {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [
        sys.executable,
        "-m",
        "duplexkit.cli",
        "compile",
        str(source),
        "-o",
        str(out),
        "--engine",
        "espeak",
    ]
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay_s)
    process.send_signal(signal.SIGKILL)
    process.wait()
    subprocess.run(command, env=env, check=True, capture_output=True)
    expected, found = tree(tmp_path / "whole"), tree(out)
    assert found["SHA256SUMS"] == expected["SHA256SUMS"]


def test_a_spoilt_clip_in_the_store_is_made_again(source: Path, tmp_path: Path) -> None:
    plan = plan_of(source)
    compile_to(plan, tmp_path / "one", tmp_path / "store")
    store = ClipStore(tmp_path / "store")
    for clip in plan.clips[:3]:
        path = store.path(clip.key)
        raw = bytearray(path.read_bytes())
        raw[-1] ^= 1
        path.write_bytes(bytes(raw))
    compile_to(plan, tmp_path / "two", tmp_path / "store")
    assert tree(tmp_path / "one") == tree(tmp_path / "two")


def test_an_engine_that_gives_two_texts_the_same_audio_is_found(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from duplexkit.corpora import workers
    from duplexkit.tts.clips import render_clip

    def confused(engine: object, **request: object) -> object:
        if "Siri" in str(request["spoken_text"]):
            request["spoken_text"] = "Bags, bags, bags, bags and bags."
        return render_clip(engine, **{**request, "voice": "medium-1"})  # type: ignore[arg-type]

    monkeypatch.setattr(workers, "render_clip", confused)
    scene = source.parent / "scene-0.yaml"
    text = scene.read_text(encoding="utf-8").replace("Lids, lids, lids.", "Bags, bags, bags, bags and bags.")
    scene.write_text(text, encoding="utf-8")
    with pytest.raises(CompileError, match=r"same audio as 'Hey Siri, call the organiser\.'"):
        compile_to(plan_of(source), tmp_path / "out", tmp_path / "store")


@pytest.mark.parametrize("name", ["items.jsonl", "corpus.json", "SHA256SUMS", "audio-proof.json"])
def test_a_folder_with_a_file_of_our_name_is_not_ours(source: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    (out / "audio").mkdir(parents=True)
    (out / "audio" / "my-recording.flac").write_bytes(b"mine")
    (out / name).write_text('{"kind": "corpus", "id": "small"}\n', encoding="utf-8")
    before = tree(out)
    with pytest.raises(FolderError, match="holds other files"):
        compile_to(plan_of(source), out, tmp_path / "store", force=True)
    assert tree(out) == before


def test_a_file_that_no_compile_writes_is_never_removed(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    compile_to(plan_of(source), out, tmp_path / "store")
    (out / "audio" / "my-recording.flac").write_bytes(b"mine")
    compile_to(plan_of(source), out, tmp_path / "store", force=True)
    assert (out / "audio" / "my-recording.flac").read_bytes() == b"mine"


def test_a_corpus_that_failed_its_proof_is_mended_by_compiling_again(source: Path, tmp_path: Path) -> None:
    plan, out = plan_of(source), tmp_path / "out"
    compile_to(plan, out, tmp_path / "store")
    whole = tree(out)
    stem = out / "stems" / "scene-1.implicit" / "A.flac"
    stem.write_bytes(bytes(len(stem.read_bytes())))
    assert verify_corpus(out).faults
    result = compile_to(plan, out, tmp_path / "store")
    assert (result.up_to_date, result.items_made, result.items_reused) == (False, 1, 5)
    assert tree(out) == whole


def test_odd_line_breaks_in_a_text_are_no_ends_of_records(source: Path, tmp_path: Path) -> None:
    scene = source.parent / "scene-0.yaml"
    text = scene.read_text(encoding="utf-8").replace(
        "setting: hut kitchen", 'setting: "a\\u2028b\\u0085c\\u2029d"'
    )
    assert "u2028" in text or "setting: garage" in text
    scene.write_text(
        text.replace("setting: garage", 'setting: "a\\u2028b\\u0085c\\u2029d"'), encoding="utf-8"
    )
    plan, out = plan_of(source), tmp_path / "out"
    compile_to(plan, out, tmp_path / "store")
    assert verify_corpus(out).faults == ()
    (out / "corpus.json").unlink()
    assert compile_to(plan, out, tmp_path / "store").items_reused == 6
