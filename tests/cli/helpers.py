"""Calling the command as a person does, in a process of its own; or in this one, where only time would differ."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from duplexkit import cli

COMMAND = (sys.executable, "-m", "duplexkit.cli")

COMMANDS = (
    ("check",),
    ("compile",),
    ("verify",),
    ("run",),
    ("score",),
    ("schema",),
    ("explain",),
    ("new",),
    ("replay",),
    ("gold",),
    ("play",),
    ("cache", "show"),
    ("cache", "prune"),
)
"""Every command, with its group."""


@dataclass(frozen=True)
class Result:
    """What a call gave. Both streams are bytes read as UTF-8."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The one JSON document on stdout: one line, nothing before or behind it."""
        assert self.out.count("\n") == 1 and self.out.endswith("\n"), self
        return json.loads(self.out)


def environment(**changes: str) -> dict[str, str]:
    """The environment of a call: this one, less what would change how Python writes."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "LC_", "COLUMNS", "DUPLEX"))}
    return {**kept, **changes}


def duplexkit(
    *args: object,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
) -> Result:
    """Call `duplexkit`. No call may ever show a traceback."""
    done = subprocess.run(
        [*COMMAND, *map(str, args)],
        cwd=cwd,
        env=environment(**(env or {})),
        input=stdin,
        capture_output=True,
        timeout=120,
    )
    result = Result(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
    assert "Traceback" not in result.err and "Exception ignored" not in result.err, result
    return result


def call(*args: object, expect: int = 0, **how: Any) -> Result:
    """As `duplexkit`, for a call whose exit code is known."""
    result = duplexkit(*args, **how)
    assert result.code == expect, result
    return result


def call_here(
    *args: object, expect: int = 0, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Result:
    """As `call`, through the same entry point, without starting Python anew."""
    out, err = io.StringIO(), io.StringIO()
    before = Path.cwd()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["duplexkit", *map(str, args)])
        patch.delenv("DUPLEXKIT_DEBUG", raising=False)
        for name, value in (env or {}).items():
            patch.setenv(name, value)
        os.chdir(cwd or before)
        try:
            with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as done:
                cli.main()
        finally:
            os.chdir(before)
    assert isinstance(done.value.code, int)
    result = Result(done.value.code, out.getvalue(), err.getvalue())
    assert result.code == expect, result
    return result


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below `folder`, by relative path."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }
