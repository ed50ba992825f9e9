"""What the command line shows: progress on stderr, results and JSON on stdout, errors in one line."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any


def safe_streams() -> None:
    """Let any text be printed under any output encoding: what it lacks is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def out(text: str) -> None:
    """A line on stdout, exactly as it is."""
    sys.stdout.write(text + "\n")


def err(text: str) -> None:
    """A line on stderr, exactly as it is."""
    sys.stderr.write(text + "\n")


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
