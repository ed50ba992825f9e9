"""What several commands share: types of options, and how a command ends early."""

from __future__ import annotations

from typing import Annotated

import typer


class Stop(Exception):
    """Ends a command with a message on stderr and an exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def whole(value: str | int, least: int) -> int:
    """A number in plain decimal digits, as in the source files: no `1.0`, `1_000`, `010` or spaces.

    A default is handed in as the number that it is.
    """
    text = str(value)
    plain = text.isascii() and text.isdecimal() and (text == "0" or text[0] != "0")
    if not plain or int(text) < least:
        raise typer.BadParameter(f"{text!r} is no whole number of at least {least}")
    return int(text)


def from_0(value: str) -> int:
    """A whole number of at least 0."""
    return whole(value, 0)


def from_1(value: str) -> int:
    """A whole number of at least 1."""
    return whole(value, 1)


Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, nothing else there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", parser=from_1, metavar="N", help="Processes (default: one a core)."),
]
Force = Annotated[bool, typer.Option("--force", help="Do all the work again.")]
