"""What an engine gives a world: tables, session columns and tools whose dynamics are code, not data.

`tables` adds nothing. `streets` is the walker's city. Another engine is a class with this interface, registered
under the entry point group `duplexkit.engines` of any installed package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Protocol

from ...schemas.column import Column
from ...schemas.diagnostics import Finding
from ...schemas.source import Document
from ...schemas.world import Table, Tool, World
from .state import View

GROUP = "duplexkit.engines"


class ToolError(Exception):
    """A call that is refused: a code, and what the one who called is told."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class NativeTool:
    """A tool whose work is done by `run(view, arguments)`: the result as plain JSON, or `ToolError`.

    `spec` has no guards, effects or returns. A read may not change the view. `errors` are the codes that it may raise.
    """

    spec: Tool
    run: Callable[[View, Mapping[str, Any]], Mapping[str, Any]]
    errors: tuple[str, ...] = ()


class Engine(Protocol):
    """The interface of an engine. It is made once for a world; nothing in it changes afterwards."""

    def findings(self, document: Document) -> Iterator[Finding]:
        """What is wrong with the world's own section of this engine."""

    def tables(self) -> Mapping[str, Table]:
        """Tables beside those that the world declares."""

    def session(self) -> Mapping[str, Column]:
        """Session columns beside those that the world declares."""

    def seed(self) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
        """Rows of its tables before the scenario's patch."""

    def tools(self) -> tuple[NativeTool, ...]:
        """Its tools."""

    def begin(self, view: View) -> None:
        """Work out, after the scenario's patch, what the session must know before the first call."""


class TablesEngine:
    """A world of records: everything is declared."""

    def __init__(self, world: World) -> None:
        self.world = world

    def findings(self, document: Document) -> Iterator[Finding]:
        """A grid has no use in a world of records."""
        if self.world.streets is not None:
            yield document.finding(
                ("streets",),
                "DK316",
                "the engine `tables` has no streets",
                "write `engine: streets`",
                key=True,
            )

    def tables(self) -> Mapping[str, Table]:
        """None of its own."""
        return {}

    def session(self) -> Mapping[str, Column]:
        """None of its own."""
        return {}

    def seed(self) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
        """Nothing of its own."""
        return {}

    def tools(self) -> tuple[NativeTool, ...]:
        """None of its own."""
        return ()

    def begin(self, view: View) -> None:
        """Nothing to work out."""


class UnknownEngine(Exception):
    """No engine has this name. The message lists those that exist."""


def engine_names() -> list[str]:
    """The names of all engines: those built in, and those registered by installed packages."""
    return sorted({"tables", "streets", *(e.name for e in entry_points(group=GROUP))})


def make_engine(world: World) -> Engine:
    """The engine that a world names. Raises `UnknownEngine`."""
    if world.engine == "tables":
        return TablesEngine(world)
    if world.engine == "streets":
        from .streets import StreetsEngine

        return StreetsEngine(world)
    for point in entry_points(group=GROUP):
        if point.name == world.engine:
            made: Engine = point.load()(world)
            return made
    raise UnknownEngine(f"unknown engine {world.engine!r}; one of: {', '.join(engine_names())}")
