"""Making plans and corpora in tests, and sealing a corpus again after it was tampered with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from duplexkit.corpora.audio import encoder_version
from duplexkit.corpora.canonical import pretty, sha256
from duplexkit.corpora.compile import CompileResult, compile_corpus
from duplexkit.corpora.plan import Plan, make_plan
from duplexkit.schemas.corpus import Corpus
from duplexkit.schemas.parse import parse
from duplexkit.schemas.scene import Scene
from duplexkit.schemas.source import load
from duplexkit.tts.registry import engine_fingerprint, known_voices
from duplexkit.tts.store import ClipStore


def plan_of(corpus_file: Path, *, engine: str | None = None, seed: int | None = None) -> Plan:
    """The plan of a corpus file and the scenes beside it, without the checks."""
    (corpus,) = [parse(d)[0] for d in load(corpus_file)[0]]
    assert isinstance(corpus, Corpus)
    scenes = []
    for path in sorted(corpus_file.parent.glob("scene-*.yaml")):
        for document in load(path)[0]:
            scene, findings = parse(document)
            assert isinstance(scene, Scene), findings
            scenes.append(scene)
    name = engine or corpus.engine
    return make_plan(
        corpus,
        scenes,
        engine=name,
        voices=known_voices(name),
        fingerprint=engine_fingerprint(name),
        seed=corpus.seed if seed is None else seed,
        encoder=encoder_version(),
        suppressed={},
    )


def compile_to(plan: Plan, folder: Path, store: Path, *, jobs: int = 1, force: bool = False) -> CompileResult:
    """Compile in this process (or `jobs`) with the store at `store`."""
    return compile_corpus(plan, folder, store=ClipStore(store), jobs=jobs, version="test", force=force)


def reseal(folder: Path) -> None:
    """Make checksums and sizes fit the files again, so that only the content can give a change away."""
    names = sorted(
        p.relative_to(folder).as_posix()
        for p in folder.rglob("*")
        if p.is_file() and p.name not in ("corpus.json", "SHA256SUMS")
    )
    files = {name: (folder / name).read_bytes() for name in names}
    (folder / "SHA256SUMS").write_text(
        "".join(f"{sha256(raw)}  {name}\n" for name, raw in files.items()), encoding="utf-8"
    )
    manifest = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    manifest |= {"files": len(files), "bytes": sum(map(len, files.values()))}
    (folder / "corpus.json").write_text(pretty(manifest), encoding="utf-8")


def edit_items(folder: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    """Rewrite items.jsonl with `change` applied to its records."""
    path = folder / "items.jsonl"
    items = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    change(items)
    text = "".join(json.dumps(i, separators=(",", ":"), ensure_ascii=False) + "\n" for i in items)
    path.write_text(text, encoding="utf-8")


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below `folder`, by relative path."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }
