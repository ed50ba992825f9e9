"""`duplexkit check`: all findings of all files in one run, suppressions counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..schemas.corpus import Corpus
from ..schemas.diagnostics import Finding, did_you_mean, ordered
from ..schemas.parse import parse
from ..schemas.scene import Scene
from ..schemas.source import Document, find_files, load, load_text
from .rules import SCENE_RULES, Subject


@dataclass(frozen=True)
class LoadedScene:
    """A scene and where it came from."""

    scene: Scene
    document: Document


@dataclass(frozen=True)
class LoadedCorpus:
    """A corpus source and where it came from."""

    corpus: Corpus
    document: Document


@dataclass(frozen=True)
class CheckResult:
    """What `check` found. `suppressed` counts findings that their file accepts with a reason, by code."""

    files: int
    findings: tuple[Finding, ...]
    suppressed: dict[str, int]
    scenes: tuple[LoadedScene, ...]
    corpora: tuple[LoadedCorpus, ...]


@dataclass
class _Collector:
    findings: list[Finding] = field(default_factory=list)
    suppressed: Counter[str] = field(default_factory=Counter)
    scenes: list[LoadedScene] = field(default_factory=list)
    corpora: list[LoadedCorpus] = field(default_factory=list)

    def document(self, document: Document) -> None:
        model, findings = parse(document)
        self.findings += findings
        if isinstance(model, Scene):
            self.scene(document, model)
        elif isinstance(model, Corpus):
            self.corpora.append(LoadedCorpus(model, document))
            self.findings += corpus_findings(document, model)

    def scene(self, document: Document, scene: Scene) -> None:
        self.scenes.append(LoadedScene(scene, document))
        subject = Subject(document, scene)
        found = ordered(f for rule in SCENE_RULES for f in rule(subject))
        accepted = {s.code for s in scene.suppress}
        hidden = [f for f in found if f.code in accepted]
        self.suppressed.update(f.code for f in hidden)
        self.findings += [f for f in found if f.code not in accepted]
        for n, entry in enumerate(scene.suppress):
            if entry.code not in {f.code for f in hidden}:
                message = f"nothing in this scene is a {entry.code}"
                place = ("suppress", n, "code")
                self.findings.append(document.finding(place, "DK250", message, "remove the suppression"))

    def result(self, files: int) -> CheckResult:
        self.findings += _scene_ids_twice(self.scenes)
        return CheckResult(
            files,
            tuple(ordered(self.findings)),
            dict(sorted(self.suppressed.items())),
            tuple(self.scenes),
            tuple(self.corpora),
        )


def check_paths(paths: Sequence[Path]) -> CheckResult:
    """Check files, and all source files below folders. Raises `UnreadableInput`."""
    collector = _Collector()
    files = find_files(paths)
    for path in files:
        _check_file(collector, *load(path))
    return collector.result(len(files))


def check_text(text: str, name: str) -> CheckResult:
    """Check a text that was read already; `name` ends in .yaml, .json or .jsonl."""
    collector = _Collector()
    _check_file(collector, *load_text(text, name))
    return collector.result(1)


def _check_file(collector: _Collector, documents: list[Document], findings: list[Finding]) -> None:
    """A file with findings of reading is still checked for its shape; rules on its meaning would cascade."""
    collector.findings += findings
    for document in documents:
        if findings:
            collector.findings += parse(document)[1]
        else:
            collector.document(document)


def _scene_ids_twice(scenes: Sequence[LoadedScene]) -> Iterator[Finding]:
    first: dict[str, LoadedScene] = {}
    for loaded in scenes:
        known = first.setdefault(loaded.scene.id, loaded)
        if known is loaded:
            continue
        at = known.document.mark(("id",))
        message = f"the scene id {loaded.scene.id!r} is taken by {known.document.name}:{at.line}"
        yield loaded.document.finding(("id",), "DK251", message, "give each scene its own id")


def corpus_findings(document: Document, corpus: Corpus) -> Iterator[Finding]:
    """DK260: patterns match files. DK261: the engine exists. DK240: the preamble can be spoken."""
    from ..tts.registry import engine_names
    from ..tts.spoken import is_speakable

    for n, pattern in enumerate(corpus.scenes):
        yield from _pattern_findings(document, n, pattern)
    if corpus.engine not in engine_names():
        near = did_you_mean(corpus.engine, engine_names())
        hint = f"did you mean {near}?" if near else f"one of: {', '.join(engine_names())}"
        yield document.finding(("engine",), "DK261", f"unknown engine {corpus.engine!r}", hint)
    if corpus.preamble is not None and not is_speakable(corpus.preamble):
        message = f"the preamble has nothing that can be spoken: {corpus.preamble!r}"
        yield document.finding(("preamble",), "DK240", message, "write words, or remove it")


def _pattern_findings(document: Document, index: int, pattern: str) -> Iterator[Finding]:
    place = ("scenes", index)
    if "\\" in pattern:
        message = f"a backslash in the path {pattern!r}"
        yield document.finding(place, "DK260", message, "write forward slashes, which work on every system")
    elif pattern.startswith(("/", "~")) or pattern[1:3] == ":/" or "://" in pattern:
        message = f"the path {pattern!r} is not relative to this file"
        yield document.finding(
            place, "DK260", message, "a corpus moves with its scenes: write a relative path"
        )
    elif document.path is None:
        message = f"the path {pattern!r} has no folder to start from on stdin"
        yield document.finding(place, "DK260", message, "check the corpus as a file")
    elif not pattern or not _matches(document.path, pattern):
        yield document.finding(
            place, "DK260", f"no file matches {pattern!r}", "relative to this file, * and ** work"
        )


def _matches(corpus_file: Path, pattern: str) -> bool:
    try:
        return any(p.is_file() and p != corpus_file for p in corpus_file.parent.glob(pattern))
    except (ValueError, NotImplementedError):
        return False
