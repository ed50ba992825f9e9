"""Canonical JSON and atomic files: the same values give the same bytes, and a reader sees all of a file or none."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any


def canonical(value: Any) -> str:
    """JSON with sorted keys, no spaces and no escapes beyond what JSON needs. Raises on NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON of `value`, as hex."""
    return hashlib.sha256(canonical(value).encode("utf-8")).hexdigest()


def sha256(data: bytes | memoryview) -> str:
    """SHA-256 of bytes, as hex."""
    return hashlib.sha256(data).hexdigest()


def pretty(value: Any) -> str:
    """JSON for people: two spaces, the given key order, a newline at the end."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_atomic(path: Path, data: bytes | memoryview | str) -> None:
    """Write a file so that `path` holds either what it held or all of `data`."""
    raw = data.encode("utf-8") if isinstance(data, str) else data
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(raw)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
