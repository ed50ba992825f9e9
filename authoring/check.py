"""`duplexkit check`: all mistakes of all files in one run, sorted, each once, suppressions counted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..schemas.codes import CODES
from ..schemas.corpus import Corpus
from ..schemas.diagnostics import Finding, did_you_mean, ordered
from ..schemas.parse import parse
from ..schemas.scene import Scene, Suppression
from ..schemas.source import Document, UnreadableInput, find_files, load, load_text
from .rules import DUPLEX_MPE, RuleSet
from .rules.corpus import corpus_findings


@dataclass(frozen=True)
class LoadedScene:
    """A scene whose shape is right, with the document that it comes from."""

    scene: Scene
    document: Document


@dataclass(frozen=True)
class LoadedCorpus:
    """A corpus whose shape is right, with the document that it comes from."""

    corpus: Corpus
    document: Document


@dataclass(frozen=True)
class CheckResult:
    """What a check found. `suppressed` counts the findings that scenes accept with a reason, by code."""

    files: int
    findings: tuple[Finding, ...]
    suppressed: dict[str, int]
    scenes: tuple[LoadedScene, ...]
    corpora: tuple[LoadedCorpus, ...]
    unreadable: tuple[str, ...] = ()
    """Why files below a folder could not be read; the others were checked all the same."""


@dataclass
class _Run:
    rules: RuleSet
    findings: list[Finding] = field(default_factory=list)
    suppressed: Counter[str] = field(default_factory=Counter)
    scenes: list[LoadedScene] = field(default_factory=list)
    corpora: list[LoadedCorpus] = field(default_factory=list)

    def add(self, documents: Sequence[Document], loading: Sequence[Finding]) -> None:
        """Check the documents of one file. Rules run on those that were read without a finding."""
        self.findings += loading
        for document in documents:
            model, shape = parse(document)
            self.findings += shape
            sound = not any(_within(document, f) for f in loading)
            if isinstance(model, Scene):
                self.scenes.append(LoadedScene(model, document))
                if sound:
                    self._scene(document, model)
            elif isinstance(model, Corpus):
                self.corpora.append(LoadedCorpus(model, document))
                if sound:
                    self.findings += corpus_findings(document, model)

    def _scene(self, document: Document, scene: Scene) -> None:
        found = ordered(self.rules.findings(document, scene))
        accepted = {s.code for s in scene.suppress if _may_suppress(s.code)}
        self.suppressed.update(f.code for f in found if f.code in accepted)
        self.findings += [f for f in found if f.code not in accepted]
        codes = {f.code for f in found}
        for index, entry in enumerate(scene.suppress):
            earlier = {s.code for s in scene.suppress[:index]}
            self.findings += _about_suppression(document, index, entry, codes, earlier)

    def result(self, files: int) -> CheckResult:
        """The result, with what only all files together show."""
        findings = ordered([*self.findings, *_same_ids(self.scenes)])
        counts = dict(sorted(self.suppressed.items()))
        return CheckResult(files, tuple(findings), counts, tuple(self.scenes), tuple(self.corpora))


def check_paths(paths: Sequence[Path], *, rules: RuleSet = DUPLEX_MPE) -> CheckResult:
    """Check files, and all source files below folders. A file that is named twice is read once.

    Raises `UnreadableInput` for a path that was named; a file below a folder is told of in the result.
    """
    files: dict[str, Path] = {}
    for path in find_files(paths):
        files.setdefault(os.path.realpath(path), path)
    run = _Run(rules)
    unreadable = []
    for path in files.values():
        try:
            run.add(*load(path))
        except UnreadableInput as error:
            if path in paths:
                raise
            unreadable.append(str(error))
    return replace(run.result(len(files) - len(unreadable)), unreadable=tuple(unreadable))


def check_text(text: str, name: str, *, rules: RuleSet = DUPLEX_MPE) -> CheckResult:
    """Check a text that is in no file; the ending of `name` decides between YAML, JSON and JSONL."""
    run = _Run(rules)
    run.add(*load_text(text.removeprefix("\ufeff"), name))
    return run.result(1)


def _within(document: Document, finding: Finding) -> bool:
    return document.root.start.line <= finding.line <= document.root.end.line


def _may_suppress(code: str) -> bool:
    return code in CODES and CODES[code].suppressible


def _about_suppression(
    document: Document, index: int, entry: Suppression, codes: set[str], earlier: set[str]
) -> Iterator[Finding]:
    """What is wrong with one entry of `suppress:`, given the codes found and those of the entries before it."""
    place = ("suppress", index, "code")
    if entry.code not in CODES:
        near = did_you_mean(entry.code, CODES)
        hint = f"did you mean {near}?" if near else "write a code that check prints"
        yield document.finding(place, "DK281", f"there is no code {entry.code}", hint)
    elif not _may_suppress(entry.code):
        message = f"{entry.code} cannot be suppressed: a scene with it cannot be compiled as it says"
        yield document.finding(place, "DK281", message, "mend the cause")
    elif entry.code in earlier:
        yield document.finding(place, "DK280", f"{entry.code} is suppressed already", "remove the entry")
    elif entry.code not in codes:
        message = f"nothing in this scene is a {entry.code}"
        yield document.finding(place, "DK280", message, "remove the entry")


def _same_ids(scenes: Sequence[LoadedScene]) -> Iterator[Finding]:
    first: dict[str, LoadedScene] = {}
    for loaded in scenes:
        other = first.setdefault(loaded.scene.id, loaded)
        if other is not loaded:
            where = f"{other.document.name}:{other.document.mark(('id',)).line}"
            message = f"the scene id {loaded.scene.id!r} is used at {where} too"
            yield loaded.document.finding(("id",), "DK207", message, "give each scene its own id")
