"""The compiled folder: its marker files, what can be reused of an earlier or killed compile, and finishing it.

`corpus.json` is written last and removed first, so a folder that has it is whole. While a compile runs,
finished items are appended to `.build.jsonl`, one complete line each.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from ..schemas.item import FORMAT_VERSION
from .assemble import Built
from .canonical import pretty, sha256, write_atomic
from .plan import Plan

MANIFEST = "corpus.json"
ITEMS = "items.jsonl"
PROOF = "audio-proof.json"
SUMS = "SHA256SUMS"
JOURNAL = ".build.jsonl"
FAILED_PROOF = "audio-proof.failed.json"
_WRITTEN = re.compile(
    r"(?:audio/[^/]+\.(?:ex|im)plicit\.flac|peaks/[^/]+\.(?:ex|im)plicit\.i8|stems/[^/]+\.(?:ex|im)plicit/[^/]+\.flac"
    r"|(?:audio|peaks|stems)/(?:[^/]+/)?\.[^/]+\.part)"
)
"""Paths that only a compile writes. A file of another shape is never removed."""


class FolderError(Exception):
    """A folder that cannot be written to. The message says which and what to do."""


def claim(folder: Path, corpus_id: str, *, force: bool = False) -> None:
    """Make `folder` ours to write.

    Raises `FolderError` when it holds files of something else, or, unless forced, another corpus.
    """
    if folder.exists() and not folder.is_dir():
        raise FolderError(f"{folder}: is a file; give a folder with -o")
    if folder.is_dir():
        names = {p.name for p in folder.iterdir()}
        if names and not _is_ours(folder):
            shown = ", ".join(sorted(names)[:3])
            raise FolderError(f"{folder}: holds other files ({shown}); give an empty or a new folder with -o")
    other = None if force else _corpus_in(folder)
    if other is not None and other != corpus_id:
        raise FolderError(f"{folder}: holds the corpus {other!r}; give another -o, or --force to replace it")
    folder.mkdir(parents=True, exist_ok=True)


def _is_ours(folder: Path) -> bool:
    """Whether a compile wrote here: by what its files say, since anybody may have a file of the same name."""
    manifest = _kind(folder / MANIFEST)
    if manifest is not None:
        return manifest == "compiled-corpus"
    return (folder / JOURNAL).is_file() or _kind(folder / PROOF) == "audio-proof"


def _kind(path: Path) -> str | None:
    try:
        kind = json.loads(path.read_text(encoding="utf-8")).get("kind")
    except (OSError, ValueError, AttributeError):
        return None
    return kind if isinstance(kind, str) else None


def _corpus_in(folder: Path) -> str | None:
    """The id of the whole corpus in a folder, or None."""
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8")).get("id")
    except (OSError, ValueError, AttributeError):
        return None
    return found if isinstance(found, str) else None


def lock(folder: Path, locks: Path) -> TextIO | None:
    """Hold the folder against a second compile until the result is closed. Raises `FolderError`.

    The lock file lies in `locks`, not in the folder, and is never removed: removing it would let a third
    compile lock a new file while a second waits on the old one. Without `fcntl` (Windows) there is no lock.
    """
    try:
        import fcntl
    except ImportError:
        return None
    locks.mkdir(parents=True, exist_ok=True)
    name = sha256(str(folder.resolve()).encode("utf-8", "surrogateescape"))[:32]
    handle = open(locks / name, "w", encoding="utf-8")  # noqa: SIM115 (held open as the lock)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.close()
        raise FolderError(
            f"{folder}: another compile is writing here; wait for it or give another -o"
        ) from None
    return handle


def read_lines(path: Path) -> list[str]:
    """The lines of a text, ended by a line feed alone: texts may hold other characters that end a line."""
    text = path.read_text(encoding="utf-8")
    return text.removesuffix("\n").split("\n") if text else []


def read_sums(folder: Path) -> dict[str, str]:
    """SHA-256 by relative path. Raises `ValueError` for a line that is not one of `sha256sum`."""
    sums: dict[str, str] = {}
    for number, line in enumerate(read_lines(folder / SUMS), start=1):
        digest, mark, name = line[:64], line[64:66], line[66:]
        if mark != "  " or not name or len(digest) != 64 or set(digest) - set("0123456789abcdef"):
            raise ValueError(f"{folder / SUMS}:{number}: not a line of sha256sum")
        sums[name] = digest
    return sums


def is_current(folder: Path, plan: Plan) -> dict[str, Any] | None:
    """The manifest of a folder that holds exactly this plan with every file at its length, else None.

    Contents are not read: `duplexkit verify` does that.
    """
    if (folder / FAILED_PROOF).exists():
        return None
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        if (
            not isinstance(manifest, dict)
            or manifest.get("plan") != plan.digest
            or manifest.get("format") != FORMAT_VERSION
        ):
            return None
        names = list(read_sums(folder))
        size = sum((folder / name).stat().st_size for name in names)
    except (OSError, ValueError):
        return None
    return manifest if (len(names), size) == (manifest.get("files"), manifest.get("bytes")) else None


def reusable(folder: Path, plan: Plan) -> dict[str, Built]:
    """The finished items of an earlier or killed compile that this plan has too, by item id."""
    wanted = {i.id: i.digest for i in plan.items}
    found: dict[str, Built] = {}
    doubted = (folder / FAILED_PROOF).exists()
    for built in (*_from_finished(folder), *_from_journal(folder)):
        if wanted.get(built.id) == built.plan and _files_stand(folder, built, hashed=doubted):
            found[built.id] = built
    return found


def _files_stand(folder: Path, built: Built, *, hashed: bool) -> bool:
    """Whether an item's files have their lengths, and where a proof failed here, their contents too."""
    try:
        if any((folder / n).stat().st_size != size for n, (_, size) in built.files.items()):
            return False
        return not hashed or all(
            sha256((folder / n).read_bytes()) == sha for n, (sha, _) in built.files.items()
        )
    except OSError:
        return False


def _from_finished(folder: Path) -> list[Built]:
    """The items of a whole folder, rebuilt from its own files, less those whose files or facts are gone."""
    try:
        sums = read_sums(folder)
        proofs = {p["item"]: p for p in json.loads((folder / PROOF).read_text(encoding="utf-8"))["items"]}
        lines = read_lines(folder / ITEMS)
    except (OSError, ValueError, KeyError, TypeError):
        return []
    result = []
    for line in lines:
        try:
            item = json.loads(line)
            names = [item["audio"], *item["stems"].values(), item["peaks"]]
            files = {n: (sums[n], item["file_bytes"][n]) for n in names}
            result.append(Built(item["id"], item["plan"], item, files, proofs[item["id"]]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return result


def _from_journal(folder: Path) -> list[Built]:
    """The complete lines of the journal; a torn last line is what a killed compile leaves and is dropped."""
    try:
        text = (folder / JOURNAL).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    result = []
    for line in text.split("\n")[:-1]:
        try:
            row = json.loads(line)
            files = {name: (sha, size) for name, (sha, size) in row["files"].items()}
            result.append(Built(row["id"], row["plan"], row["item"], files, row["proof"]))
        except (ValueError, KeyError, TypeError):
            continue
    return result


def _row(built: Built) -> str:
    files = {name: list(entry) for name, entry in sorted(built.files.items())}
    row = {"id": built.id, "plan": built.plan, "item": built.item, "files": files, "proof": built.proof}
    # Key order is kept: a row that is read again must give the same bytes as one that never left memory.
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"


class Journal:
    """The list of finished items while a compile runs."""

    def __init__(self, folder: Path, reused: Iterable[Built]) -> None:
        write_atomic(folder / JOURNAL, "".join(map(_row, reused)))
        for name in (MANIFEST, SUMS):
            (folder / name).unlink(missing_ok=True)
        self._file = open(folder / JOURNAL, "a", encoding="utf-8")  # noqa: SIM115 (closed by `close`)

    def add(self, built: Built) -> None:
        """Note a finished item; the line reaches the operating system before this returns."""
        self._file.write(_row(built))
        self._file.flush()

    def close(self) -> None:
        """Close the file; it stays until the folder is whole."""
        self._file.close()


def finish(folder: Path, plan: Plan, built: Sequence[Built], version: str) -> dict[str, Any]:
    """Write the lists, the proof, the checksums and, last, the manifest. Gives the manifest.

    Files of an earlier compile that this one does not have are removed.
    """
    files = {name: entry for b in built for name, entry in b.files.items()}
    items = "".join(canonical_item(b.item) + "\n" for b in built)
    proof = pretty(proof_document([b.proof for b in built]))
    for name, text in ((ITEMS, items), (PROOF, proof)):
        raw = text.encode("utf-8")
        write_atomic(folder / name, raw)
        files[name] = (sha256(raw), len(raw))
    _remove_stale(folder, files)
    manifest = _manifest(plan, built, files, version)
    write_atomic(folder / SUMS, "".join(f"{sha}  {name}\n" for name, (sha, _) in sorted(files.items())))
    write_atomic(folder / MANIFEST, pretty(manifest))
    (folder / JOURNAL).unlink(missing_ok=True)
    (folder / FAILED_PROOF).unlink(missing_ok=True)
    return manifest


def canonical_item(item: Mapping[str, Any]) -> str:
    """An item's line: `kind` and `id` first, in the model's order, no spaces."""
    return json.dumps(item, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def proof_document(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`audio-proof.json`: what holds of the audio, item by item and together."""
    return {
        "kind": "audio-proof",
        "format": FORMAT_VERSION,
        "laws": [
            "the mix is the exact sum of the stems",
            "each stem is exactly zero outside its turns",
            "speech begins and ends within 240 samples (10 ms) of each boundary",
            "gaps are exact: N4_Q to N4_R, after T, after every other turn",
            "windows and hold point follow from the turns",
        ],
        "passed": True,
        "num_samples": sum(p["num_samples"] for p in items),
        "turns": sum(p["turns"] for p in items),
        "max_onset_error_samples": max((p["max_onset_error_samples"] for p in items), default=0),
        "max_offset_error_samples": max((p["max_offset_error_samples"] for p in items), default=0),
        "items": list(items),
    }


def _remove_stale(folder: Path, files: Mapping[str, Any]) -> None:
    for top in ("audio", "stems", "peaks"):
        for path in sorted((folder / top).rglob("*"), reverse=True):
            if path.is_dir():
                if not any(path.iterdir()):
                    path.rmdir()
                continue
            name = path.relative_to(folder).as_posix()
            if name not in files and _WRITTEN.fullmatch(name):
                os.unlink(path)


def _manifest(
    plan: Plan,
    built: Sequence[Built],
    files: Mapping[str, tuple[str, int]],
    version: str,
) -> dict[str, Any]:
    samples = sum(b.item["num_samples"] for b in built)
    return {
        "format": FORMAT_VERSION,
        "kind": "compiled-corpus",
        "id": plan.corpus.id,
        "title": plan.corpus.title,
        "licence": plan.corpus.licence,
        "seed": plan.seed,
        "engine": plan.engine,
        "engine_fingerprint": dict(plan.fingerprint),
        "duplexkit": version,
        "sample_rate": 24_000,
        "gap_samples": plan.gaps.ordinary_samples,
        "resolution_gap_samples": plan.gaps.resolution_samples,
        "response_samples": plan.gaps.response_samples,
        "items": len(built),
        "pairs": len({b.item["pair"] for b in built}),
        "turns": sum(len(b.item["turns"]) for b in built),
        "distinct_clips": len(plan.clips),
        "num_samples": samples,
        "hours": round(samples / 24_000 / 3_600, 6),
        "files": len(files),
        "bytes": sum(size for _, size in files.values()),
        "suppressed": dict(sorted(plan.suppressed.items())),
        "plan": plan.digest,
    }
