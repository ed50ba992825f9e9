"""Which world, persona and type catalogue a scenario means: among the files at hand, in folders above, or shipped."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..harness.world.calls import CallScenario, load_call
from ..harness.world.loading import load_world
from ..harness.world.runtime import Runtime
from ..schemas.base import Spec
from ..schemas.diagnostics import Finding, did_you_mean, ordered
from ..schemas.parse import parse
from ..schemas.persona import Persona
from ..schemas.scenario import Scenario, Types
from ..schemas.source import Document, UnreadableInput, load
from ..schemas.world import World

_SUFFIXES = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class LoadedWorld:
    """A world with its document, its runtime where it can be made, and what loading found."""

    world: World
    document: Document
    runtime: Runtime | None
    findings: tuple[Finding, ...]


def shipped_folder() -> Path:
    """The folder of the sources that come with the package."""
    import importlib.resources

    return Path(str(importlib.resources.files(__name__.split(".")[0]).joinpath("corpora")))


@dataclass
class Library:
    """What was read so far, by id and by file. `add` takes what is checked; the rest is looked for."""

    worlds: dict[str, LoadedWorld] = field(default_factory=dict)
    personas: dict[str, Persona] = field(default_factory=dict)
    _by_file: dict[str, tuple[tuple[Document, Spec], ...]] = field(default_factory=dict)
    _types: Types | None = None

    def add_world(self, document: Document, world: World) -> LoadedWorld:
        """Make a world's runtime and know it by its id; the first of an id is kept."""
        runtime, findings = load_world(document, world)
        loaded = LoadedWorld(world, document, runtime, tuple(findings))
        self.worlds.setdefault(world.id, loaded)
        return loaded

    def world(self, document: Document, reference: str) -> LoadedWorld | None:
        """The world that a scenario's document names, or None."""
        if not reference.endswith(_SUFFIXES) and reference in self.worlds:
            return self.worlds[reference]
        for _, found_document, model in self._named(document, reference, _world_places):
            if isinstance(model, World):
                known = self.worlds.get(model.id)
                if known is not None and _same_file(known.document, found_document):
                    return known
                if known is None:
                    return self.add_world(found_document, model)
                runtime, findings = load_world(found_document, model)
                return LoadedWorld(model, found_document, runtime, tuple(findings))
        return None

    def persona(self, document: Document, reference: str) -> Persona | None:
        """The persona that a scenario's document names, or None."""
        if not reference.endswith(_SUFFIXES) and reference in self.personas:
            return self.personas[reference]
        for _, _, model in self._named(document, reference, _persona_places):
            if isinstance(model, Persona):
                self.personas.setdefault(model.id, model)
                return model
        return None

    def types(self) -> Types | None:
        """The catalogue of conversation types that comes with the package."""
        if self._types is None:
            file = shipped_folder() / "types.yaml"
            for _, model in self._read(file) if file.is_file() else ():
                if isinstance(model, Types):
                    self._types = model
        return self._types

    def world_hint(self, reference: str) -> str:
        """What to write instead of a world that there is not."""
        known = sorted({*self.worlds, *(p.name for p in _folders(shipped_folder() / "worlds"))})
        return _hint(reference, known)

    def persona_hint(self, reference: str) -> str:
        """What to write instead of a persona that there is not."""
        known = sorted({*self.personas, *(p.stem for p in (shipped_folder() / "personas").glob("*.yaml"))})
        return _hint(reference, known)

    def _named(
        self, document: Document, reference: str, places: object
    ) -> Iterator[tuple[Path, Document, Spec]]:
        for file in _candidates(document, reference, places):
            if not file.is_file():
                continue
            for found_document, model in self._read(file):
                wanted = reference.endswith(_SUFFIXES) or getattr(model, "id", None) == reference
                if wanted:
                    yield file, found_document, model

    def _read(self, file: Path) -> tuple[tuple[Document, Spec], ...]:
        key = os.path.realpath(file)
        if key not in self._by_file:
            try:
                documents, _ = load(file)
            except UnreadableInput:
                documents = []
            parsed = [(d, parse(d)[0]) for d in documents]
            self._by_file[key] = tuple((d, m) for d, m in parsed if m is not None)
        return self._by_file[key]


def _hint(reference: str, known: list[str]) -> str:
    if reference.endswith(_SUFFIXES) and not _portable(reference):
        return "a path relative to this file, with / between its parts: it holds on every machine"
    near = did_you_mean(reference, known)
    return f"did you mean {near}?" if near else f"an id ({', '.join(known)}), or a path relative to this file"


def _portable(reference: str) -> bool:
    return not ("\\" in reference or ":" in reference or reference.startswith(("/", "~")))


def _same_file(a: Document, b: Document) -> bool:
    return a.path is not None and b.path is not None and os.path.realpath(a.path) == os.path.realpath(b.path)


def _folders(path: Path) -> Iterable[Path]:
    return [p for p in path.iterdir() if p.is_dir()] if path.is_dir() else []


def _world_places(folder: Path, name: str) -> tuple[Path, ...]:
    return folder / "world.yaml", folder / name / "world.yaml", folder / "worlds" / name / "world.yaml"


def _persona_places(folder: Path, name: str) -> tuple[Path, ...]:
    return (folder / "personas" / f"{name}.yaml",)


def _candidates(document: Document, reference: str, places: object) -> Iterator[Path]:
    base = document.path.parent if document.path is not None else None
    if reference.endswith(_SUFFIXES):
        if base is not None and _portable(reference):
            yield base / reference
        return
    above = [] if base is None else [base, *base.resolve().parents][:6]
    for folder in (*above, shipped_folder()):
        yield from places(folder, reference)  # type: ignore[operator]


class CallProblem(Exception):
    """A scenario file that cannot be used. `findings` say why; where there are none, the message does."""

    def __init__(self, message: str, findings: Iterable[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)


def load_scenario(path: Path, wanted: str | None = None) -> CallScenario:
    """The scenario of a file, ready to be replayed. `wanted` picks one of several by its id.

    Raises `UnreadableInput` and `CallProblem`.
    """
    if not path.is_file():
        raise UnreadableInput(f"{path}: no such file; give a scenario file")
    documents, findings = load(path)
    library, scenarios = Library(), list[tuple[Document, Scenario]]()
    for document in documents:
        model, shape = parse(document)
        findings += shape
        if isinstance(model, World):
            loaded = library.add_world(document, model)
            findings += loaded.findings
        elif isinstance(model, Persona):
            library.personas[model.id] = model
        elif isinstance(model, Scenario) and wanted in (None, model.id):
            scenarios.append((document, model))
    if findings:
        raise CallProblem(f"{path}: the file has findings", ordered(findings))
    if len(scenarios) != 1:
        ids = [m.id for m in (parse(d)[0] for d in documents) if isinstance(m, Scenario)]
        said = f"it has the scenarios {', '.join(ids)}" if ids else "it has no document of kind scenario"
        raise CallProblem(f"{path}: {said}; name one as FILE#ID" if ids else f"{path}: {said}")
    return resolve(library, *scenarios[0])


def resolve(library: Library, document: Document, scenario: Scenario) -> CallScenario:
    """A scenario in the world that it names. Raises `CallProblem`."""
    loaded = library.world(document, scenario.world)
    if loaded is None:
        said = f"there is no world {scenario.world!r}"
        raise CallProblem(
            said, [document.finding(("world",), "DK401", said, library.world_hint(scenario.world))]
        )
    if loaded.runtime is None or loaded.findings:
        raise CallProblem(f"the world {loaded.world.id} has findings", loaded.findings)
    call, findings = load_call(document, scenario, loaded.runtime)
    if call is None or findings:
        raise CallProblem(f"{document.name}: the scenario has findings", ordered(findings))
    return call
