"""The clip store: finished clips on disk under their content key, safe for many processes at once.

One file a clip: 8 bytes of magic, the header's length (uint32, little endian), the header's SHA-256, the header
(JSON: the record and the SHA-256 of the samples), then the samples as int16 little endian. A file whose length or
digests do not fit is treated as absent and removed. A file's modification time is its last use.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import struct
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .bounds import Int16
from .clips import ClipRecord

MAGIC = b"DKCLIP1\n"
_FIXED_BYTES = len(MAGIC) + 4 + 32
_KEY = re.compile(r"[0-9a-f]{64}")
_SUFFIX = ".clip"
_ABANDONED_TEMP_S = 3600.0


@dataclass(frozen=True)
class StoreStats:
    """How much a store holds."""

    clips: int
    bytes: int


@dataclass(frozen=True)
class PruneResult:
    """What a prune removed (or would remove) and what it left."""

    removed: int
    freed_bytes: int
    kept: int
    kept_bytes: int


@dataclass(frozen=True)
class _Header:
    record: ClipRecord
    samples_sha256: str
    samples_start: int


def default_root() -> Path:
    """`$XDG_CACHE_HOME/duplexkit/clips`, else `~/.cache/duplexkit/clips`."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # A relative XDG path is invalid by its specification and would depend on the working folder.
    root = Path(base) if base and os.path.isabs(base) else Path.home() / ".cache"
    return root / "duplexkit" / "clips"


class ClipStore:
    """Clips by key. Every method is safe while other processes read, write or prune the same folder."""

    def __init__(self, root: Path | None = None) -> None:
        """Open the store at `root` (created on the first `put`)."""
        self.root = default_root() if root is None else Path(root)

    def path(self, key: str) -> Path:
        """Where the clip of this key lies. Raises `ValueError` for anything but 64 hex digits."""
        if not _KEY.fullmatch(key):
            raise ValueError(f"a clip key is 64 lower-case hex digits, got {key!r}")
        return self.root / key[:2] / (key + _SUFFIX)

    def get(self, key: str) -> tuple[Int16, ClipRecord] | None:
        """The samples (read-only, 24 kHz) and the record, or None when absent or damaged (then removed)."""
        path = self.path(key)
        try:
            data = path.read_bytes()
        except (FileNotFoundError, IsADirectoryError):
            return None
        header = _parse(data, key, len(data))
        if header is not None:
            body = memoryview(data)[header.samples_start :]
            if hashlib.sha256(body).hexdigest() == header.samples_sha256:
                _touch(path)
                samples = np.frombuffer(data, "<i2", offset=header.samples_start)
                return samples.astype(np.int16, copy=False), header.record
        _remove(path)
        return None

    def record(self, key: str) -> ClipRecord | None:
        """The record alone, without reading the samples; None when absent or damaged (then removed)."""
        path = self.path(key)
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                fixed = file.read(_FIXED_BYTES)
                length = _header_length(fixed)
                data = fixed + file.read(length) if length is not None and length <= size else fixed
        except (FileNotFoundError, IsADirectoryError):
            return None
        header = _parse(data, key, size)
        if header is None:
            _remove(path)
            return None
        _touch(path)
        return header.record

    def put(self, key: str, samples: Int16, record: ClipRecord) -> None:
        """Store a clip under its key, replacing what is there, in one atomic step.

        Raises `ValueError` when the record does not describe the samples or has another key.
        """
        path = self.path(key)
        if samples.ndim != 1 or samples.dtype != np.int16 or len(samples) != record.num_samples:
            raise ValueError(f"the samples are not the {record.num_samples} int16 samples of the record")
        if record.key != key:
            raise ValueError(f"the record belongs to key {record.key}, not {key}")
        data = _encode(samples, record)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=key[:8], suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, path)
        except BaseException:
            _remove(Path(temporary))
            raise

    def stats(self) -> StoreStats:
        """How many clips there are and how many bytes they take."""
        sizes = [size for _, size, _ in self._entries()]
        return StoreStats(len(sizes), sum(sizes))

    def prune(
        self, *, max_bytes: int | None = None, older_than_s: float | None = None, dry_run: bool = False
    ) -> PruneResult:
        """Remove clips unused for `older_than_s` seconds, then the longest unused until `max_bytes` fit.

        Raises `ValueError` for a negative limit. With `dry_run` nothing is removed.
        """
        if (max_bytes is not None and max_bytes < 0) or (older_than_s is not None and older_than_s < 0):
            raise ValueError("limits of a prune cannot be negative")
        now = time.time()
        entries = sorted(self._entries(), key=lambda e: (e[2], e[0].name))
        left = sum(size for _, size, _ in entries)
        removed = freed = 0
        for path, size, used in entries:
            stale = older_than_s is not None and now - used > older_than_s
            if not stale and (max_bytes is None or left <= max_bytes):
                continue
            removed, freed, left = removed + 1, freed + size, left - size
            if not dry_run:
                _remove(path)
        if not dry_run:
            self._remove_abandoned(now)
        return PruneResult(removed, freed, len(entries) - removed, left)

    def _entries(self) -> Iterator[tuple[Path, int, float]]:
        """Path, size in bytes and last use (seconds since the epoch) of each clip."""
        for path in self.root.glob(f"??/*{_SUFFIX}"):
            try:
                status = path.stat()
            except FileNotFoundError:  # another process pruned it meanwhile
                continue
            yield path, status.st_size, status.st_mtime

    def _remove_abandoned(self, now: float) -> None:
        """Remove temporary files of writers that were killed."""
        for path in self.root.glob("??/*.tmp"):
            with contextlib.suppress(FileNotFoundError):
                if now - path.stat().st_mtime > _ABANDONED_TEMP_S:
                    _remove(path)


def _encode(samples: Int16, record: ClipRecord) -> bytes:
    body = samples.astype("<i2", copy=False).tobytes()
    fields = {"record": record.to_json(), "samples_sha256": hashlib.sha256(body).hexdigest()}
    header = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    # Samples start at an even offset, so that they can be viewed in place.
    header += b" " * ((_FIXED_BYTES + len(header)) % 2)
    return MAGIC + struct.pack("<I", len(header)) + hashlib.sha256(header).digest() + header + body


def _header_length(data: bytes) -> int | None:
    if len(data) < _FIXED_BYTES or data[: len(MAGIC)] != MAGIC:
        return None
    return int(struct.unpack_from("<I", data, len(MAGIC))[0])


def _parse(data: bytes, key: str, file_bytes: int) -> _Header | None:
    """The header at the start of `data`, or None when anything about it does not fit."""
    length = _header_length(data)
    if length is None:
        return None
    start = _FIXED_BYTES + length
    header = data[_FIXED_BYTES:start]
    if len(header) != length or hashlib.sha256(header).digest() != data[len(MAGIC) + 4 : _FIXED_BYTES]:
        return None
    try:
        fields = json.loads(header)
        record = ClipRecord.from_json(fields["record"])
        digest = str(fields["samples_sha256"])
    except (ValueError, KeyError, TypeError):
        return None
    if record.key != key or file_bytes != start + 2 * record.num_samples:
        return None
    return _Header(record, digest, start)


def _touch(path: Path) -> None:
    # A store that cannot be written, or a clip pruned meanwhile, still serves what was read.
    with contextlib.suppress(OSError):
        os.utime(path)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
