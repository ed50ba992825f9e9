"""`duplexkit check`: exit codes, formats, stdin, order, and text that is shown exactly as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ..conftest import SCENE, write_corpus
from .helpers import call, duplexkit

FIELDS = {"path", "line", "column", "code", "severity", "message", "hint"}
GOOD = SCENE.format(id="s", first="The buses go at six something.").encode()
BAD = GOOD.replace(b"bucket: middle", b"bucket: centre")


def test_clean_files_give_no_line_and_zero(source: Path) -> None:
    result = call("check", source)
    assert (result.out, result.err) == ("", "3 files, 0 findings\n")
    one = call("check", source / "scene-0.yaml", source / "scene-0.yaml")
    assert one.err == "1 file, 0 findings\n"


def test_findings_are_lines_on_stdout_in_order(spoilt: Path) -> None:
    result = call("check", spoilt, expect=1)
    lines = result.out.splitlines()
    assert result.err == "3 files, 3 findings\n"
    assert [line.split(": ")[1] for line in lines] == ["DK106", "DK106", "DK202"]
    assert lines[0].startswith(f"{spoilt / 'scene-0.yaml'}:6:9: DK106: ")
    places = [(p, int(n)) for p, n, *_ in (line.split(":") for line in lines)]
    assert places == sorted(places)


def test_json_is_the_contract_in_both_spellings(spoilt: Path) -> None:
    result = call("check", spoilt, "--json", expect=1)
    document = result.json()
    assert result.err == ""
    assert document["files"] == 3 and document["suppressed"] == {}
    assert all(set(f) == FIELDS for f in document["findings"])
    keys = [(f["path"], f["line"], f["column"], f["code"]) for f in document["findings"]]
    assert len(keys) == 3 and keys == sorted(keys)
    assert call("check", spoilt, "--format", "json", expect=1).out == result.out


def test_json_of_clean_files_has_an_empty_list(source: Path) -> None:
    assert call("check", source, "--json").json() == {"files": 3, "findings": [], "suppressed": {}}


def test_github_lines_name_file_line_and_column(spoilt: Path) -> None:
    result = call("check", spoilt, "--format", "github", expect=1)
    first = result.out.splitlines()[0]
    assert first.startswith(f"::error file={spoilt / 'scene-0.yaml'},line=6,col=9,title=DK106::")
    assert result.out.count("\n") == 3


def test_several_paths_in_one_run_are_sorted(spoilt: Path, source: Path) -> None:
    paths = [spoilt / "scene-1.yaml", source / "scene-1.yaml", spoilt / "scene-0.yaml"]
    document = call("check", *paths, "--json", expect=1).json()
    assert document["files"] == 3
    found = [f["path"] for f in document["findings"] if f["code"] != "DK207"]
    assert found == sorted(found) and len(found) == 3


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nowhere", "no such file or folder"),
        ("empty", "no source file below this folder"),
        ("notes.txt", "not a source file"),
    ],
)
def test_unreadable_input_is_two(path: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    for form in ([], ["--json"]):
        result = call("check", path, *form, cwd=tmp_path, expect=2)
        assert result.out == "" and result.err.startswith(f"duplexkit: {path}: {says}")


def test_stdin_is_read_with_a_dash() -> None:
    assert call("check", "-", stdin=GOOD).err == "1 file, 0 findings\n"
    assert call("check", "-", stdin=BAD, expect=1).out.startswith("stdin.yaml:6:9: DK106: ")
    assert call("check", "-", stdin=b"", expect=1).out.startswith("stdin.yaml:1:1: DK003: ")
    assert call("check", "-", stdin=b"\xff\xfe", expect=1).out.startswith("stdin.yaml:1:1: DK001: ")
    assert call("check", "-", stdin=b"\xef\xbb\xbf" + GOOD).code == 0


def test_a_dash_beside_files_is_a_usage_error(source: Path) -> None:
    result = call("check", "-", source, stdin=GOOD, expect=2)
    assert result.err.startswith("duplexkit: - (stdin) stands alone")


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "latin-1"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=lambda env: next(iter(env.values())),
)
def test_stdin_is_utf8_whatever_the_terminal_is(env: dict[str, str]) -> None:
    good = GOOD.replace(b"name: Mara", "name: Zoë Ågren".encode())
    assert call("check", "-", stdin=good, env=env).code == 0


@pytest.mark.parametrize("columns", ["", "40", "1"])
def test_brackets_are_text_and_no_width_wraps(spoilt: Path, tmp_path: Path, columns: str) -> None:
    """Whatever looks like markup, in a path or a text, is printed as it stands, also where colour is forced."""
    folder = tmp_path / "scen[id]" / "[bold]call[T] and a long name that no narrow terminal holds"
    folder.mkdir(parents=True)
    (folder / "[T].yaml").write_bytes((spoilt / "scene-0.yaml").read_bytes())
    env = {"FORCE_COLOR": "1", **({"COLUMNS": columns} if columns else {})}
    lines = call("check", folder, expect=1, env=env).out.splitlines()
    assert len(lines) == 2 and "\x1b" not in "".join(lines)
    assert all(line.startswith(f"{folder}{os.sep}[T].yaml:") for line in lines)
    assert "'[/T]'" in lines[1]
    found = call("check", folder, "--json", expect=1, env=env).json()["findings"]
    assert {f["path"] for f in found} == {str(folder / "[T].yaml")}


def test_control_characters_in_a_text_stay_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(GOOD.replace(b"bucket: middle", b'bucket: "a\\nb\\e[31mc"'))
    result = call("check", path, expect=1)
    assert result.out.count("\n") == 1 and "\x1b" not in result.out
    assert call("check", path, "--format", "github", expect=1).out.count("\n") == 1


def test_a_folder_reached_otherwise_gives_the_same_findings(spoilt: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(spoilt, target_is_directory=True)
    here = call("check", ".", "--json", cwd=spoilt, expect=1).json()["findings"]
    there = call("check", link, "--json", expect=1).json()["findings"]
    strip = [{**f, "path": Path(f["path"]).name} for f in here]
    assert strip == [{**f, "path": Path(f["path"]).name} for f in there]


def test_scenes_of_a_corpus_are_named_with_forward_slashes(tmp_path: Path) -> None:
    path = write_corpus(tmp_path / "c")
    text = path.read_text(encoding="utf-8").replace('"scene-*.yaml"', '".\\\\scene-0.yaml"')
    path.write_text(text, encoding="utf-8")
    result = call("check", path, expect=1)
    assert "/" in result.out.split(": ", 2)[2]


def test_a_file_that_cannot_be_read_hides_no_finding_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "bad.yaml").write_text("kind: scenes\n", encoding="utf-8")
    (tmp_path / "in" / "dangling.yaml").symlink_to(tmp_path / "nowhere.yaml")
    (tmp_path / "in" / "loop.yaml").symlink_to(tmp_path / "in" / "loop.yaml")
    result = duplexkit("check", "in", cwd=tmp_path)
    assert result.code == 2
    assert [line.split(": ")[1] for line in result.out.splitlines()] == ["DK101"]
    assert "dangling.yaml: cannot be read" in result.err and "loop.yaml: cannot be read" in result.err
    assert "Traceback" not in result.err
