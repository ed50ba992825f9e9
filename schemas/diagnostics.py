"""Findings: what is wrong in a file, where, and what to write instead, as data before it is text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, order=True)
class Finding:
    """One mistake at one place.

    `line` and `column` count from 1; a finding about a whole file stands at 1:1. `column` counts
    characters, not bytes.
    """

    path: str
    line: int
    column: int
    code: str
    message: str
    hint: str = ""
    severity: Severity = "error"

    def text(self) -> str:
        """`path:line:column: CODE: what is wrong (what to write instead)`, on one line."""
        hint = f" ({self.hint})" if self.hint else ""
        return _one_line(f"{self.path}:{self.line}:{self.column}: {self.code}: {self.message}{hint}")

    def github(self) -> str:
        """A workflow command that GitHub shows at the line."""
        level = "error" if self.severity == "error" else "warning"
        body = f"{self.message} ({self.hint})" if self.hint else self.message
        where = f"file={_property(self.path)},line={self.line},col={self.column},title={self.code}"
        return f"::{level} {where}::{_escaped(body)}"

    def to_json(self) -> dict[str, Any]:
        """The finding as the `--json` contract names its fields."""
        return {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "hint": self.hint,
        }


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """The findings by path, line, column and code, each once."""
    return sorted(set(findings))


def findings_json(files: int, findings: Iterable[Finding], suppressed: dict[str, int]) -> str:
    """The `check --json` document: files read, findings, and counts of suppressed ones by code."""
    document = {
        "files": files,
        "findings": [f.to_json() for f in findings],
        "suppressed": suppressed,
    }
    return json.dumps(document, ensure_ascii=True)


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """The nearest of `known` to `word`, or None where nothing is near."""
    import difflib

    options = sorted(set(known))
    lowered = {o.lower(): o for o in reversed(options)}
    if word.lower() in lowered:
        return lowered[word.lower()]
    near = difflib.get_close_matches(word.lower(), list(lowered), n=1, cutoff=0.6)
    return lowered[near[0]] if near else None


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
