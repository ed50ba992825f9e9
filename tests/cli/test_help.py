"""Help, the version, and what is said of words that the command does not know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from duplexkit import __version__, cli

from .helpers import COMMANDS, call


def test_all_commands_are_listed_here() -> None:
    """The tables of these tests miss no command."""
    group = typer.main.get_command(cli.app)
    found: set[tuple[str, ...]] = set()
    for name, command in getattr(group, "commands").items():  # noqa: B009
        inner = getattr(command, "commands", None)
        found |= {(name, n) for n in inner} if inner else {(name,)}
    assert found == set(COMMANDS)


@pytest.mark.parametrize("command", [(), ("cache",), *COMMANDS], ids=" ".join)
def test_help_shows_an_example_whose_options_exist(command: tuple[str, ...]) -> None:
    result = call(*command, "--help")
    assert result.out.startswith(" ".join(("Usage: duplexkit", *command)) + " ")
    assert result.err == ""
    example = result.out.split("Example:", 1)[1]
    for option in re.findall(r"(?<=\s)--?[a-z][a-z-]*", example if command else ""):
        assert re.search(rf"^ .*{option}\b", result.out.split("Options:")[1], re.MULTILINE), option


@pytest.mark.parametrize("command", [(), ("cache",)], ids=["duplexkit", "cache"])
def test_no_argument_shows_help_on_stderr(command: tuple[str, ...]) -> None:
    result = call(*command, expect=2)
    assert result.out == "" and result.err == call(*command, "-h").out


def test_version() -> None:
    assert call("--version").out == f"duplexkit {__version__}\n"


@pytest.mark.parametrize(
    ("args", "listed"),
    [
        (["chek"], [c[0] for c in COMMANDS]),
        (["cache", "shw"], ["show", "prune"]),
        (["--verbose"], ["--version", "--help"]),
        (["check", "--jsn", "."], ["--format", "--json", "--help"]),
        (["compile", "--jbos", "2"], ["--out", "--jobs", "--seed", "--dry-run", "--force", "--engine"]),
        (["check", ".", "--format", "xml"], ["text", "json", "github"]),
        (["schema", "scenes"], ["scene", "corpus", "item", "manifest", "episode", "run"]),
        (["explain", "DK999"], ["DK001", "DK235", "DK281"]),
        (["explain", "235"], ["DK235"]),
        (["score", ".", "--detector", "ears"], ["silero", "energy"]),
    ],
    ids=" ".join,
)
def test_an_unknown_word_is_a_usage_error_that_lists_what_there_is(
    args: list[str], listed: list[str], tmp_path: Path
) -> None:
    result = call(*args, expect=2, cwd=tmp_path)
    assert result.out == ""
    message = result.err.strip().splitlines()[-1]
    assert "one of: " in message
    for word in listed:
        assert re.search(rf"(?<![\w-]){word}(?![\w-])", message.split("one of: ")[1]), (word, message)


def test_unknown_engine_and_agent_list_what_there_is(source: Path, compiled: Path, tmp_path: Path) -> None:
    engine = call("compile", source, "-o", tmp_path / "a", "--engine", "robot", expect=2)
    assert engine.err == "duplexkit: unknown engine 'robot'; one of: hibari, espeak, tone\n"
    agent = call("run", compiled, "-o", tmp_path / "b", "--agent", "Oracle", expect=2)
    assert (
        agent.err
        == "duplexkit: unknown agent 'Oracle'; one of: silent, oracle, chatterbox, or python:MODULE:CLASS\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", ["-1", "1.0", "1_0", " 1 ", "010", "+1", "true", "", "٣"])
def test_a_number_is_plain_digits(number: str, tmp_path: Path) -> None:
    result = call("compile", ".", f"--seed={number}", expect=2, cwd=tmp_path)
    assert "'--seed'" in result.err and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "args",
    [
        ["compile", ".", "--jobs", "0"],
        ["verify", ".", "-j", "0"],
        ["run", ".", "--agent", "silent", "-o", "x", "--jobs", "0"],
        ["score", ".", "--jobs", "0"],
        ["score", ".", "--resamples", "0"],
        ["run", ".", "--agent", "silent", "-o", "x", "--limit", "-1"],
        ["cache", "prune", "--max-mb", "-1"],
        ["cache", "prune"],
        ["check"],
        ["verify"],
        ["run", ".", "-o", "x"],
        ["run", ".", "--agent", "silent"],
        ["schema", "scene", "corpus"],
    ],
    ids=" ".join,
)
def test_usage_errors_write_nothing(args: list[str], tmp_path: Path) -> None:
    result = call(*args, expect=2, cwd=tmp_path)
    assert result.out == "" and result.err and "internal error" not in result.err
    assert list(tmp_path.iterdir()) == []
