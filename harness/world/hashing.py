"""The hash tree of a state: row, bucket, table, state (test vectors stand in docs/world-runtime.md).

A row's digest is SHA-256 of its RFC 8785 JSON. A row falls into the bucket that the first byte of SHA-256 of
its key names. A bucket's digest is SHA-256 over its rows in the order of their keys' UTF-8 bytes: the length
of the key as four big-endian bytes, the key, the row's digest. A table's is SHA-256 over its 256 bucket
digests. The state's is SHA-256 over its graded tables in the order of their names: length of the name,
the name, the table's digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

BUCKETS = 256
EMPTY_BUCKET = hashlib.sha256(b"").digest()

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def canonical(value: Any) -> str:
    """RFC 8785 JSON of a value of text, whole numbers, truth values, lists and mappings with ASCII keys.

    Whole numbers are within 2**53 and keys are identifiers, so sorting by code point equals the RFC's order.
    """
    return _encode(value)


def row_digest(row: Mapping[str, Any], ungraded: frozenset[str]) -> bytes:
    """Digest of a row without its `ungraded` columns."""
    kept = {k: v for k, v in row.items() if k not in ungraded} if ungraded else dict(row)
    return hashlib.sha256(_encode(kept).encode("utf-8")).digest()


def bucket_of(key: str) -> int:
    """The bucket of a key."""
    return hashlib.sha256(key.encode("utf-8")).digest()[0]


def entry(key: str, digest: bytes) -> bytes:
    """What a bucket holds of one row."""
    raw = key.encode("utf-8")
    return len(raw).to_bytes(4, "big") + raw + digest


def bucket_digest(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Digest of a bucket from (UTF-8 key, entry) in the order of the keys."""
    return hashlib.sha256(b"".join([e for _, e in entries])).digest()


def state_digest(tables: Mapping[str, bytes]) -> bytes:
    """Digest of a state from the digests of its graded tables."""
    whole = hashlib.sha256()
    for name in sorted(tables):
        whole.update(entry(name, tables[name]))
    return whole.digest()
