"""What every command owes its reader: one JSON document, any text under any encoding, no traceback."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from duplexkit import cli
from duplexkit.tts.store import ClipStore

from ..conftest import write_corpus
from .helpers import COMMAND, COMMANDS, Result, call, duplexkit, environment

SECRET = "sk-test-123"


@pytest.fixture
def place(source: Path, spoilt: Path, compiled: Path, silent_run: Path, tmp_path: Path) -> Path:
    """A working directory with something for every command, under names that look like markup."""
    for name, folder in (
        ("[bold]source", source),
        ("[/T]spoilt", spoilt),
        ("[id]compiled", compiled),
        ("[id]run", silent_run),
        ("broken", compiled),
    ):
        shutil.copytree(folder, tmp_path / name)
    (tmp_path / "broken" / "peaks" / "scene-0.explicit.i8").unlink()
    return tmp_path


GOOD = [
    ["check", "[bold]source"],
    ["compile", "[bold]source", "-o", "[id]new", "--jobs", "1"],
    ["compile", "[bold]source", "-o", "[id]new", "--dry-run"],
    ["verify", "[id]compiled", "--jobs", "1"],
    ["run", "[id]compiled", "--agent", "silent", "-o", "[id]run", "--jobs", "1"],
    ["score", "[id]run", "--detector", "energy", "--jobs", "1"],
    ["schema"],
    ["schema", "scene"],
    ["explain", "DK235"],
    ["new", "world", "desk", "--folder", "[new]"],
    ["new", "scenario", "late", "--folder", "[new]"],
    ["replay", "[new]/late.yaml"],
    ["gold", "[new]/late.yaml", "--write"],
    ["play", "[new]/late.yaml"],
    ["cache", "show"],
    ["cache", "prune", "--max-mb", "100", "--dry-run"],
]
FAILING = [
    (["check", "[/T]spoilt"], 1, True),
    (["check", "nowhere"], 2, False),
    (["compile", "[/T]spoilt"], 1, True),
    (["verify", "broken", "--jobs", "1"], 1, True),
    (["run", "nowhere", "--agent", "silent", "-o", "x"], 2, False),
    (["score", "nowhere"], 2, False),
    (["schema", "nothing"], 2, False),
    (["explain", "DK999"], 2, False),
    (["new", "planet", "earth"], 2, False),
    (["replay", "nowhere.yaml"], 2, False),
    (["gold", "nowhere.yaml"], 2, False),
    (["play", "nowhere.yaml"], 2, False),
    (["cache", "prune"], 2, False),
    (["cache", "show", "--nothing"], 2, False),
]


def test_the_tables_name_every_command() -> None:
    for table in (GOOD, [args for args, *_ in FAILING]):
        assert {tuple(a[: 2 if a[0] == "cache" else 1]) for a in table} == set(COMMANDS)


def test_json_is_one_document_and_all_that_is_on_stdout(place: Path) -> None:
    for args in GOOD:
        result = call(*args, "--json", cwd=place)
        assert isinstance(result.json(), dict) and result.out.isascii(), args
        assert result.err == "", args


def test_a_failing_command_gives_its_document_or_nothing(place: Path) -> None:
    """`check` and `verify` report failures in their document; a command that cannot begin writes none."""
    for args, code, document in FAILING:
        result = call(*args, "--json", cwd=place, expect=code)
        if document:
            assert isinstance(result.json(), dict), args
        else:
            assert result.out == "" and result.err != "", args


@pytest.mark.parametrize(
    "args",
    [
        ["check", "[/T]spoilt"],
        ["compile", "[bold]source", "-o", "[id]new", "--dry-run"],
        ["verify", "[id]compiled", "--jobs", "1", "-q"],
        ["score", "[id]run", "--detector", "energy", "--jobs", "1", "--json"],
        ["explain", "DK235"],
    ],
    ids=lambda args: args[0],
)
def test_width_and_colour_of_the_terminal_change_nothing(args: list[str], place: Path) -> None:
    """Nothing is wrapped, cut or styled; names in brackets are printed as they stand."""
    plain = duplexkit(*args, cwd=place)
    narrow = duplexkit(*args, cwd=place, env={"COLUMNS": "40", "FORCE_COLOR": "1", "TERM": "xterm"})
    assert narrow == plain and plain.code in (0, 1) and "\x1b" not in plain.out
    if args[0] not in ("score", "explain"):
        assert [a for a in args if a.startswith("[")][-1] in plain.out


ENCODINGS = [
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "cp1252"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


@pytest.mark.parametrize("env", ENCODINGS, ids=["ascii", "cp1252", "C without UTF-8 mode"])
def test_the_encoding_changes_no_exit_code(env: dict[str, str], tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "café ☃", scenes=1).parent
    scene = folder / "scene-0.yaml"
    text = scene.read_text(encoding="utf-8").replace("name: Mara", "name: Zoë")
    scene.write_text(text, encoding="utf-8")
    steps: list[tuple[object, ...]] = [
        ("check", folder),
        ("compile", folder, "-o", tmp_path / "é☃", "--jobs", "1"),
        ("verify", tmp_path / "é☃", "--jobs", "1"),
        ("run", tmp_path / "é☃", "--agent", "silent", "-o", tmp_path / "☃ run", "--jobs", "1"),
        ("score", tmp_path / "☃ run", "--jobs", "1", "--detector", "energy"),
    ]
    for args in steps if env.get("PYTHONIOENCODING") == "ascii" else steps[:2]:
        assert _raw(args, env)[0] == 0, args
    scene.write_text(text.replace("bucket: middle", 'bucket: "☃ é"'), encoding="utf-8")
    code, out = _raw(("check", folder), env)
    assert code == 1 and b"DK106" in out and out.count(b"\n") == 1
    if env.get("PYTHONIOENCODING") == "ascii":
        assert rb"\u2603 \xe9" in out
    assert _raw(("check", folder, "--json"), env)[0] == 1
    assert _raw(("check", tmp_path / "☃ not there"), env)[0] == 2


def _raw(args: tuple[object, ...], env: dict[str, str]) -> tuple[int, bytes]:
    done = subprocess.run(
        [*COMMAND, *map(str, args)], env=environment(**env), capture_output=True, timeout=60
    )
    assert b"Traceback" not in done.stderr and b"internal error" not in done.stderr, done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize("args", [("schema", "scene"), ("check", ".")])
def test_a_reader_that_goes_away_changes_no_exit_code(args: tuple[str, ...], spoilt: Path) -> None:
    expected = duplexkit(*args, cwd=spoilt).code
    for stream in ("stdout", "stderr"):
        read, write = os.pipe()
        os.close(read)
        other = "stderr" if stream == "stdout" else "stdout"
        with os.fdopen(write, "wb") as pipe:
            done = subprocess.run(
                [*COMMAND, *args],
                cwd=spoilt,
                env=environment(),
                timeout=60,
                **{stream: pipe, other: subprocess.PIPE},  # type: ignore[call-overload]
            )
        assert done.returncode == expected
        assert b"rror" not in (done.stderr or b"")


def test_the_first_line_can_be_taken(spoilt: Path) -> None:
    command = f"{COMMAND[0]} -m duplexkit.cli schema scene | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, env=environment())
    assert (done.stdout, done.stderr) == (b"{\n", b"")


def broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException
) -> Result:
    """`cache show` in this process, with `error` raised inside."""

    def stats(self: ClipStore) -> None:
        credentials = {"authorization": f"Bearer {SECRET}"}
        assert credentials
        raise error

    monkeypatch.setattr(ClipStore, "stats", stats)
    monkeypatch.setattr("sys.argv", ["duplexkit", "cache", "show"])
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    with pytest.raises(SystemExit) as done:
        cli.main()
    shown = capsys.readouterr()
    assert isinstance(done.value.code, int)
    return Result(done.value.code, shown.out, shown.err)


def test_an_internal_error_is_short_and_shows_no_secret(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DUPLEXKIT_DEBUG", raising=False)
    result = broken(monkeypatch, capsys, RuntimeError(f"401 for Bearer {SECRET}"))
    assert (result.code, result.out) == (3, "")
    assert "internal error: RuntimeError: 401 for Bearer (value of ANTHROPIC_API_KEY)" in result.err
    for word in (SECRET, "Traceback", "credentials", ".py"):
        assert word not in result.err


def test_debug_shows_the_traceback_without_secrets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DUPLEXKIT_DEBUG", "1")
    result = broken(monkeypatch, capsys, RuntimeError(f"401 for Bearer {SECRET}"))
    assert (result.code, result.out) == (3, "")
    assert "Traceback" in result.err and "in stats" in result.err and SECRET not in result.err


def test_an_error_of_the_operating_system_is_no_defect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DUPLEXKIT_DEBUG", raising=False)
    result = broken(monkeypatch, capsys, OSError(28, "No space left on device", "/store"))
    assert result.code == 3 and "No space left on device" in result.err and "defect" not in result.err


def test_an_interrupt_is_130_with_a_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("duplexkit.cli._leave", sys.exit)
    result = broken(monkeypatch, capsys, KeyboardInterrupt())
    assert (result.code, result.out) == (130, "")
    assert result.err == "duplexkit: stopped; run the same command to go on\n"


@pytest.mark.parametrize("args", [["schema", "scene"], ["check", "."], ["check", ".", "--json"]])
def test_a_full_disk_is_told(spoilt: Path, args: list[str]) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full on this system")
    with full.open("wb") as stream:
        done = subprocess.run(
            [*COMMAND, *args],
            cwd=spoilt,
            stdout=stream,
            stderr=subprocess.PIPE,
            env=environment(),
            timeout=60,
        )
    assert done.returncode == 3
    assert done.stderr.count(b"No space left") == 1 and b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_a_compile_that_is_interrupted_goes_on(tmp_path: Path) -> None:
    source = write_corpus(tmp_path / "source", scenes=12).parent
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    args = ["compile", str(source), "-o", str(tmp_path / "out"), "--jobs", "2"]
    process = subprocess.Popen(
        [*COMMAND, *args],
        env=environment(**cache),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60
    while not any((tmp_path / "cache").rglob("*.clip")) and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "duplexkit: stopped; run the same command to go on"
    assert "Traceback" not in err
    assert not (tmp_path / "out" / "corpus.json").exists()
    document = call(*args, "--json", env=cache).json()
    assert document["items_made"] + document["items_reused"] == 24 and document["clips_reused"] > 0
