"""Write what is made from the code: `schemas/json/` and `docs/diagnostics.md`. Tests fail when they are behind."""

from __future__ import annotations

from pathlib import Path

from duplexkit.authoring.docs import write_diagnostics
from duplexkit.schemas.export import write_schemas

ROOT = Path(__file__).resolve().parents[1]

if __name__ == "__main__":
    write_schemas(ROOT / "schemas" / "json")
    write_diagnostics(ROOT / "docs" / "diagnostics.md")
