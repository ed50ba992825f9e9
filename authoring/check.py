"""`duplexkit check`: all mistakes of all files in one run, sorted, each once, suppressions counted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..schemas.base import Spec
from ..schemas.codes import CODES
from ..schemas.corpus import Corpus
from ..schemas.diagnostics import Finding, did_you_mean, ordered
from ..schemas.parse import parse
from ..schemas.persona import Persona
from ..schemas.scenario import Scenario
from ..schemas.scene import Scene, Suppression
from ..schemas.source import Document, UnreadableInput, find_files, load, load_text
from ..schemas.world import World
from .library import Library
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
    """What a check found. `suppressed` counts the findings that are accepted with a reason, by code."""

    files: int
    findings: tuple[Finding, ...]
    suppressed: dict[str, int]
    scenes: tuple[LoadedScene, ...]
    corpora: tuple[LoadedCorpus, ...]
    worlds: int = 0
    scenarios: int = 0
    unreadable: tuple[str, ...] = ()
    """Why files below a folder could not be read; the others were checked all the same."""


@dataclass
class _Run:
    rules: RuleSet
    findings: list[Finding] = field(default_factory=list)
    suppressed: Counter[str] = field(default_factory=Counter)
    scenes: list[LoadedScene] = field(default_factory=list)
    corpora: list[LoadedCorpus] = field(default_factory=list)
    library: Library = field(default_factory=Library)
    others: list[tuple[Document, Spec]] = field(default_factory=list)
    """Worlds, scenarios, personas and type catalogues, which are looked at when all files are read."""
    unsound: set[int] = field(default_factory=set)
    """Those of `others`, by index, that loading found something in."""

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
                    self._accept(document, model, self.rules.findings(document, model))
            elif isinstance(model, Corpus):
                self.corpora.append(LoadedCorpus(model, document))
                if sound:
                    self.findings += corpus_findings(document, model)
            elif model is not None:
                if not sound:
                    self.unsound.add(len(self.others))
                self.others.append((document, model))

    def _accept(self, document: Document, model: Scene | Scenario | World, found: Iterable[Finding]) -> None:
        """Count the findings that the model suppresses, and keep the others."""
        every = ordered(found)
        accepted = {s.code for s in model.suppress if _may_suppress(s.code)}
        self.suppressed.update(f.code for f in every if f.code in accepted)
        self.findings += [f for f in every if f.code not in accepted]
        codes = {f.code for f in every}
        for index, entry in enumerate(model.suppress):
            earlier = {s.code for s in model.suppress[:index]}
            self.findings += _about_suppression(document, index, entry, codes, earlier)

    def finish(self) -> None:
        """Run the rules of worlds, then those of the scenarios in them."""
        sound = [pair for index, pair in enumerate(self.others) if index not in self.unsound]
        for _, model in sound:
            if isinstance(model, Persona):
                self.library.personas.setdefault(model.id, model)
        for document, model in sound:
            if isinstance(model, World):
                self._world(document, model)
        for document, model in sound:
            if isinstance(model, Scenario):
                from .rules.scenarios import scenario_findings

                self._accept(document, model, scenario_findings(document, model, self.library))

    def _world(self, document: Document, world: World) -> None:
        from .rules.worlds import world_findings

        loaded = self.library.add_world(document, world)
        self._accept(document, world, [*loaded.findings, *world_findings(document, world, loaded.runtime)])

    def result(self, files: int) -> CheckResult:
        """The result, with what only all files together show."""
        self.finish()
        findings = ordered([*self.findings, *_same_ids([(x.document, x.scene) for x in self.scenes])])
        findings = ordered([*findings, *_same_ids(self.others)])
        counts = dict(sorted(self.suppressed.items()))
        worlds, scenarios = (sum(isinstance(m, kind) for _, m in self.others) for kind in (World, Scenario))
        return CheckResult(
            files, tuple(findings), counts, tuple(self.scenes), tuple(self.corpora), worlds, scenarios
        )


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


def check_text(text: str, name: str, *, rules: RuleSet = DUPLEX_MPE, path: Path | None = None) -> CheckResult:
    """Check a text that is in no file; the ending of `name` decides between YAML, JSON and JSONL.

    `path` is where the text would lie, for what it names relative to itself.
    """
    run = _Run(rules)
    run.add(*load_text(text.removeprefix("\ufeff"), name, path))
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
        message = f"{entry.code} cannot be suppressed: a {document.kind} with it does not mean what it says"
        yield document.finding(place, "DK281", message, "mend the cause")
    elif entry.code in earlier:
        yield document.finding(place, "DK280", f"{entry.code} is suppressed already", "remove the entry")
    elif entry.code not in codes:
        message = f"nothing in this {document.kind} is a {entry.code}"
        yield document.finding(place, "DK280", message, "remove the entry")


def _same_ids(models: Sequence[tuple[Document, Spec]]) -> Iterator[Finding]:
    first: dict[tuple[str, str], Document] = {}
    for document, model in models:
        kind, name = document.kind or "", str(getattr(model, "id", ""))
        other = first.setdefault((kind, name), document)
        if other is not document:
            where = f"{other.name}:{other.mark(('id',)).line}"
            message = f"the {kind} id {name!r} is used at {where} too"
            code = "DK207" if kind == "scene" else "DK432"
            yield document.finding(("id",), code, message, f"give each {kind} its own id")
