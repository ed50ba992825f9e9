"""`duplexkit compile` and `verify` as whole commands."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from ..conftest import write_corpus
from .helpers import call_here as call
from .helpers import contents


@pytest.fixture
def copy(compiled: Path, tmp_path: Path) -> Path:
    """A compiled corpus that may be changed."""
    return shutil.copytree(compiled, tmp_path / "copy")


def test_a_dry_run_writes_nothing(source: Path, tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    out = tmp_path / "build" / "small"
    text = call("compile", source, "-o", out, "--dry-run", env=cache)
    assert text.err == "" and "4 with 32 turns" in text.out and "would be written" in text.out
    document = call("compile", source, "-o", out, "--dry-run", "--json", env=cache).json()
    assert document["dry_run"] is True and document["up_to_date"] is False
    assert (document["items"], document["turns"], document["clips_in_store"]) == (4, 32, 0)
    assert contents(tmp_path) == {}
    assert call("compile", source, "-o", out, "--dry-run", "--jobs", "0", expect=2).out == ""


def test_the_second_compile_has_nothing_to_do_and_force_does_all_again(source: Path, copy: Path) -> None:
    before = contents(copy)
    text = call("compile", source, "-o", copy)
    assert "already up to date" in text.out and text.err == ""
    assert "up to date, nothing to do" in call("compile", source, "-o", copy, "--dry-run").out
    again = call("compile", source, "-o", copy, "--force", "--jobs", "1", "--json").json()
    assert (again["up_to_date"], again["items_made"], again["items_reused"]) == (False, 4, 0)
    assert again["clips_made"] == again["manifest"]["distinct_clips"]
    assert contents(copy) == before


def test_seed_zero_is_used(source: Path, tmp_path: Path) -> None:
    """The corpus says seed 1; 0 is a seed as any other."""
    seeds = {}
    for name, option in (("none", []), ("zero", ["--seed", "0"]), ("one", ["--seed", "1"])):
        document = call("compile", source, "-o", tmp_path / name, "--jobs", "1", "--json", *option).json()
        seeds[name] = document["manifest"]["seed"]
    assert seeds == {"none": 1, "zero": 0, "one": 1}
    none, zero, one = (contents(tmp_path / name) for name in ("none", "zero", "one"))
    assert none == one and none["items.jsonl"] != zero["items.jsonl"]


def test_a_corpus_with_findings_is_not_compiled(spoilt: Path, tmp_path: Path) -> None:
    """The findings stand on stderr; with --json they are the document, in the form of `check`."""
    for form in ([], ["--dry-run"]):
        result = call("compile", spoilt, "-o", tmp_path / "out", *form, expect=1)
        lines = result.err.splitlines()
        assert result.out == "" and lines[-1] == "duplexkit: 3 findings; mend them, then compile again"
        assert [line.split(": ")[1] for line in lines[:-1]] == ["DK106", "DK106", "DK202"]
    result = call("compile", spoilt, "-o", tmp_path / "out", "--json", expect=1)
    assert [f["code"] for f in result.json()["findings"]] == ["DK106", "DK106", "DK202"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["nowhere", "empty"])
def test_no_corpus_is_two(path: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = call("compile", path, cwd=tmp_path, expect=2)
    assert result.out == "" and result.err.startswith(f"duplexkit: {path}")
    assert [p.name for p in tmp_path.iterdir()] == ["empty"]


def test_a_folder_of_something_else_is_left_alone(source: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    for option in ([], ["--force"], ["--json"]):
        result = call("compile", source, "-o", tmp_path, *option, expect=2)
        assert result.out == "" and str(tmp_path) in result.err
    assert contents(tmp_path) == {"thesis.txt": b"years of work"}
    assert call("compile", source, "-o", tmp_path / "thesis.txt", expect=2).out == ""


def test_a_path_that_cannot_be_written_is_no_defect(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = call("compile", source, "-o", tmp_path / "file" / "below", expect=3)
    assert result.out == "" and "file" in result.err and "defect" not in result.err


def test_progress_stands_on_stderr_and_quiet_has_none(source: Path, tmp_path: Path) -> None:
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    first = call("compile", source, "-o", tmp_path / "a", "--jobs", "1", env=cache)
    phases = [line.split(":")[0] for line in first.err.splitlines()]
    assert phases == ["clips", "items"] and "4/4" in first.err
    assert "4/4" not in first.out and "4 items" in first.out
    quiet = call("compile", source, "-o", tmp_path / "b", "--jobs", "1", "-q")
    assert quiet.err == "" and quiet.out.count("\n") == first.out.count("\n")
    assert call("compile", source, "-o", tmp_path / "c", "--jobs", "1", "--json").err == ""


def test_a_journal_that_was_cut_is_gone_on_from(source: Path, compiled: Path, tmp_path: Path) -> None:
    """What a killed compile leaves: no manifest, a journal whose last line is torn."""
    out = tmp_path / "out"
    call("compile", source, "-o", out, "--jobs", "1", "-q")
    sums = {line[66:]: line[:64] for line in (out / "SHA256SUMS").read_text(encoding="utf-8").splitlines()}
    items = [json.loads(line) for line in (out / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    proofs = {
        p["item"]: p for p in json.loads((out / "audio-proof.json").read_text(encoding="utf-8"))["items"]
    }
    rows = []
    for item in items[:2]:
        names = [item["audio"], *item["stems"].values(), item["peaks"]]
        files = {n: [sums[n], item["file_bytes"][n]] for n in names}
        proof = proofs[item["id"]]
        rows.append(
            json.dumps({"id": item["id"], "plan": item["plan"], "item": item, "files": files, "proof": proof})
        )
    for name in ("corpus.json", "SHA256SUMS", "items.jsonl", "audio-proof.json"):
        (out / name).unlink()
    (out / ".build.jsonl").write_text(rows[0] + "\n" + rows[1][:-9], encoding="utf-8")
    document = call("compile", source, "-o", out, "--jobs", "1", "--json").json()
    assert (document["items_reused"], document["items_made"], document["clips_made"]) == (1, 3, 0)
    assert contents(out) == contents(compiled)


def test_the_same_sources_elsewhere_give_the_same_bytes(compiled: Path, tmp_path: Path) -> None:
    """Relative paths, another working directory and a symbolic link change nothing."""
    write_corpus(tmp_path / "there", seed=1)
    (tmp_path / "link").symlink_to("there", target_is_directory=True)
    call("compile", "link", "-o", "a", "--jobs", "1", "-q", cwd=tmp_path)
    call("compile", "corpus.yaml", "-q", "--jobs", "2", cwd=tmp_path / "there")
    assert contents(tmp_path / "a") == contents(compiled)
    assert contents(tmp_path / "there" / "build" / "small") == contents(compiled)


def test_verify_proves_and_leaves_the_folder_as_it_is(compiled: Path) -> None:
    before = contents(compiled)
    text = call("verify", compiled, "--jobs", "1", "-q")
    assert text.out.startswith("proven ") and "4 items, 32 turns" in text.out and text.err == ""
    document = call("verify", compiled, "--jobs", "1", "--json").json()
    assert document["passed"] is True and document["faults"] == [] and document["items"] == 4
    assert contents(compiled) == before


def test_verify_names_each_fault_and_gives_one(copy: Path) -> None:
    victim = copy / "peaks" / "scene-0.explicit.i8"
    victim.write_bytes(b"\1" + victim.read_bytes()[1:])
    text = call("verify", copy, "--jobs", "1", "-q", expect=1)
    assert "peaks/scene-0.explicit.i8" in text.out and "faults in 4 items" in text.err
    document = call("verify", copy, "--jobs", "1", "--json", expect=1).json()
    assert document["passed"] is False and len(document["faults"]) == text.out.count("\n") >= 1


@pytest.mark.parametrize("spoil", ["nowhere", "empty", "torn"])
def test_verify_of_no_corpus_is_two(spoil: str, copy: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "corpus.json").write_bytes((copy / "corpus.json").read_bytes()[:100])
    for form in ([], ["--json"]):
        result = call("verify", spoil, *form, cwd=tmp_path, expect=2)
        assert result.out == "" and result.err.startswith(f"duplexkit: {spoil}")
