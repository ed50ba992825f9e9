"""Facts about installed packages and the processor that decide an engine's bytes, read without importing them."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
from importlib import metadata
from pathlib import Path

_PROCESSOR_FLAGS = frozenset(
    (
        *("sse4_1", "sse4_2", "avx", "avx2", "fma", "f16c", "avx_vnni", "avx512f", "avx512bw", "avx512vl"),
        *("avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_int8", "amx_bf16", "amx_tile"),
        *("asimd", "asimddp", "asimdhp", "i8mm", "bf16", "sve", "sve2", "sme"),
    )
)
"""The processor features that matrix kernels and vector mathematics choose their code by."""


def package_version(package: str) -> str | None:
    """The installed version, or None when the package is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def package_folder(module: str) -> Path | None:
    """Where a top-level module's package lies, or None. The module is not imported."""
    spec = importlib.util.find_spec(module)
    places = list(spec.submodule_search_locations or []) if spec is not None else []
    return Path(places[0]) if places else None


def package_facts(package: str) -> dict[str, str]:
    """`package_version` and the digest of its installed files' own list of digests.

    Raises `metadata.PackageNotFoundError` when the package is not installed.
    """
    distribution = metadata.distribution(package)
    lines = (distribution.read_text("RECORD") or "").splitlines()
    # Scripts carry the path of their environment and bytecode the time of its install: neither makes speech.
    kept = sorted(line for line in lines if not line.startswith(("..", "/")) and ".pyc," not in line)
    kept = [line for line in kept if ".dist-info/" not in line.split(",")[0]]
    return {
        "package": f"{package} {distribution.version}",
        "package_files": hashlib.sha256("\n".join(kept).encode()).hexdigest(),
    }


def file_sha256(path: Path) -> str:
    """The hex SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def processor_facts() -> dict[str, str]:
    """The machine's architecture and those of its features that numerical code chooses kernels by."""
    disabled = os.environ.get("NPY_DISABLE_CPU_FEATURES", "")
    facts = {"machine": platform.machine(), "processor_features": " ".join(sorted(_processor_flags()))}
    return facts | ({"numpy_disabled_features": disabled} if disabled else {})


def _processor_flags() -> set[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        # No such list here: the processor's own description stands in for its features.
        return {platform.processor() or "unknown"}
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() in ("flags", "features"):
            return set(value.split()) & _PROCESSOR_FLAGS
    return {platform.processor() or "unknown"}
