"""What the command line shows: progress on stderr, results and JSON on stdout, errors in one line."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, TextIO

_SECRET = re.compile("KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def safe_streams() -> None:
    """Let any text be printed under any output encoding: what it lacks is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def out(text: str) -> None:
    """A line on stdout, exactly as it is."""
    _write(sys.stdout, text + "\n")


def err(text: str) -> None:
    """A line on stderr, exactly as it is."""
    _write(sys.stderr, text + "\n")


def flush() -> None:
    """Hand over what is buffered, while an error of doing so can still be told."""
    for stream in (sys.stdout, sys.stderr):
        _write(stream, "", flush=True)


def _write(stream: TextIO | None, text: str, *, flush: bool = False) -> None:
    """Write to a stream that may be closed or that nobody reads on: the command goes on to its exit code."""
    if stream is None:
        return
    try:
        stream.write(text)
        if flush:
            stream.flush()
    except BrokenPipeError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def redacted(text: str) -> str:
    """The text without the values of environment variables that hold secrets."""
    for name, value in os.environ.items():
        if len(value) >= 8 and _SECRET.search(name):
            text = text.replace(value, f"(value of {name})")
    return text


def usage_error(error: Exception) -> bool:
    """Show an error of the arguments and list what there is; whether `error` is one."""
    show = getattr(error, "show", None)
    if show is None or not hasattr(error, "exit_code"):
        return False
    show()
    context: Any = getattr(error, "ctx", None)
    command: Any = getattr(context, "command", None)
    if type(error).__name__ == "NoSuchOption" and command is not None:
        options = [o for p in command.get_params(context) for o in p.opts if o.startswith("--")]
        err(f"one of: {', '.join(options)}")
    elif type(error).__name__ == "UsageError" and (commands := getattr(command, "commands", None)):
        err(f"one of: {', '.join(commands)}")
    return True


def out_json(document: Any) -> None:
    """The one JSON document of a command, on one line, in ASCII."""
    out(json.dumps(document, ensure_ascii=True, allow_nan=False))


def table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Rows under a header, columns padded; plain text that no terminal width cuts."""
    widths = [max(len(r[n]) for r in (header, *rows)) for n in range(len(header))]
    lines = [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in (header, *rows)
    ]
    return "\n".join(lines)


def facts(pairs: Mapping[str, str]) -> str:
    """One `name  value` line each, values aligned."""
    width = max(map(len, pairs), default=0)
    return "\n".join(f"{name.ljust(width)}  {value}" for name, value in pairs.items())


class Progress:
    """Progress of a long command: a live bar on a terminal, a plain line every few seconds elsewhere.

    Shows items, hours of audio, speed as a multiple of real time, and time left. Silent where `quiet`.
    """

    every_s = 5.0

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self.live = sys.stderr.isatty() and not quiet
        self.name, self.total, self.done, self.samples = "", 0, 0, 0
        self.began = self.last = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def phase(self, name: str, total: int) -> None:
        """Begin a phase with `total` things to do."""
        self._end()
        self.name, self.total, self.done, self.samples = name, total, 0, 0
        self.began = self.last = time.monotonic()
        if self.live:
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task(name, total=total, note="")

    def advance(self, count: int, audio_samples: int) -> None:
        """So many more are done, with so much audio at 24 kHz."""
        self.done += count
        self.samples += audio_samples
        now = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, completed=self.done, note=self._note(now))
        elif not self.quiet and (now - self.last >= self.every_s or self.done == self.total):
            self.last = now
            err(f"{self.name}: {self.done}/{self.total}, {self._note(now)}")

    def reached(self, done: int, total: int, audio_samples: int, name: str) -> None:
        """As `advance`, for a caller that counts itself."""
        if self.name != name:
            self.phase(name, total)
        self.advance(done - self.done, audio_samples - self.samples)

    def _note(self, now: float) -> str:
        spent = max(now - self.began, 1e-6)
        seconds = self.samples / 24_000
        left = spent / self.done * (self.total - self.done) if self.done else 0.0
        audio = (
            f"{seconds / 3600:.3f} h of audio, {seconds / spent:.0f} x real time, " if self.samples else ""
        )
        return f"{audio}{left:.0f} s left"

    def _end(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    return RichProgress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )


def rate(value: float | None) -> str:
    """A rate with three digits, or `null` where there is none."""
    return "null" if value is None else f"{value:.3f}"


def size(count: int) -> str:
    """Bytes for people."""
    amount = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            break
        amount /= 1000
    return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
