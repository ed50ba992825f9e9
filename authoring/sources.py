"""The sources of a corpus: the corpus file, the scenes it names, and what the checks say of them all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..schemas.corpus import Corpus
from ..schemas.diagnostics import Finding
from ..schemas.parse import parse
from ..schemas.scene import Scene
from ..schemas.source import UnreadableInput, load
from .check import check_paths
from .rules.corpus import matches

CORPUS_FILE = "corpus.yaml"


@dataclass(frozen=True)
class CorpusSources:
    """A corpus and its scenes in the order of the patterns, or the findings that stand in the way."""

    file: Path
    corpus: Corpus | None
    scenes: tuple[Scene, ...]
    files: int
    findings: tuple[Finding, ...]
    suppressed: dict[str, int]


def shipped_corpus() -> Path:
    """The corpus file of the quickstart that comes with the package."""
    import importlib.resources

    root = importlib.resources.files(__name__.split(".")[0])
    return Path(str(root.joinpath("corpora", "scenes", "quickstart", CORPUS_FILE)))


def corpus_file(path: Path) -> Path:
    """The corpus file that `path` means: itself, or `corpus.yaml` in it. Raises `UnreadableInput`."""
    if path.is_dir():
        inside = path / CORPUS_FILE
        if not inside.is_file():
            raise UnreadableInput(f"{path}: no {CORPUS_FILE} in this folder; give a corpus file, or add one")
        return inside
    if not path.is_file():
        raise UnreadableInput(
            f"{path}: no such file or folder; give a corpus file or a folder with {CORPUS_FILE}"
        )
    return path


def scene_files(file: Path, corpus: Corpus) -> list[Path]:
    """The files that the patterns of a corpus match, each once, relative to the corpus file, sorted by pattern."""
    found: dict[Path, None] = {}
    for pattern in corpus.scenes:
        try:
            found.update(dict.fromkeys(matches(file, pattern)))
        except ValueError:
            # The check of the corpus file has a finding for this pattern.
            continue
    return list(found)


def corpus_sources(path: Path) -> CorpusSources:
    """Load and check a corpus with all its scenes. Raises `UnreadableInput`."""
    file = corpus_file(path)
    documents, _ = load(file)
    corpus = next((m for m in (parse(d)[0] for d in documents) if isinstance(m, Corpus)), None)
    if corpus is None:
        result = check_paths([file])
        if not result.findings:
            raise UnreadableInput(f"{file}: holds no document of kind corpus; give a corpus file")
        return CorpusSources(file, None, (), result.files, result.findings, result.suppressed)
    result = check_paths([file, *scene_files(file, corpus)])
    scenes = tuple(loaded.scene for loaded in result.scenes)
    return CorpusSources(file, corpus, scenes, result.files, result.findings, result.suppressed)
