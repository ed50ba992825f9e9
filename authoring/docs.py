"""The page of all diagnostic codes, built from the catalogue."""

from __future__ import annotations

from pathlib import Path

from ..schemas.code import Code
from ..schemas.codes import CODES

_GROUPS = (
    ("DK0", "Reading files"),
    ("DK10", "Shape"),
    ("DK11", "Sharing and repeating"),
    ("DK20", "Scenes: ids, speakers, names"),
    ("DK21", "Scenes: the request and settled questions"),
    ("DK22", "Scenes: whom a turn is for"),
    ("DK23", "Scenes: the pair"),
    ("DK24", "Scenes: the cue"),
    ("DK25", "Scenes: the answer"),
    ("DK26", "Speech"),
    ("DK27", "Corpora"),
    ("DK28", "Suppressions"),
    ("DK3", "Worlds"),
    ("DK4", "Scenarios"),
)
_INTRO = """# Diagnostics

`duplexkit check` prints one line a mistake: `path:line:column: CODE: what is wrong (what to write instead)`.
`duplexkit explain CODE` prints the section below. Codes keep their meaning.

A scene, a world or a scenario accepts a finding with a written reason, under `suppress:` (see
[scene format](scene-format.md)). Codes marked *fixed* cannot be suppressed, for such a file does not mean what it says.

This page is made by `make docs` from `schemas/codes*.py`; do not edit it.
"""


def diagnostics_markdown() -> str:
    """The text of `docs/diagnostics.md`."""
    parts = [_INTRO]
    for prefix, title in _GROUPS:
        codes = [c for name, c in sorted(CODES.items()) if name.startswith(prefix)]
        parts.append(f"## {title}\n")
        parts += [_section(code) for code in codes]
    return "\n".join(parts)


def write_diagnostics(path: Path) -> None:
    """Write the page to `path`."""
    path.write_text(diagnostics_markdown(), encoding="utf-8", newline="\n")


def _section(code: Code) -> str:
    fixed = "" if code.suppressible else " *Fixed.*"
    return (
        f"### {code.code}\n\n**{code.title}.** {code.why}{fixed}\n\n"
        f"Instead of\n\n```yaml\n{code.bad}\n```\n\nwrite\n\n```yaml\n{code.good}\n```\n"
    )
