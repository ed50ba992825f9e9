"""The shipped city and a small one, and an engine with a state that its tools can be called on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from duplexkit.harness.world.engines import NativeTool
from duplexkit.harness.world.state import SeedTable, TableSpec, View
from duplexkit.harness.world.streets import StreetsEngine
from duplexkit.harness.world.streets_grid import CityMap
from duplexkit.schemas.parse import parse
from duplexkit.schemas.source import Document, load
from duplexkit.schemas.streets import Heading, Lengths, Place, StreetGrid
from duplexkit.schemas.world import World

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ROOT / "corpora" / "worlds" / "streets"
PHARMACY = "poi_larkspur_pharmacy"
FOUR_CLOSED = ("seg_n_1_7__n_2_7", "seg_n_3_6__n_4_6", "seg_n_4_5__n_4_6", "seg_n_4_6__n_4_7")


def shipped_document() -> Document:
    (document,), findings = load(SHIPPED / "world.yaml")
    assert findings == []
    return document


@cache
def shipped_world() -> World:
    world, findings = parse(shipped_document())
    assert isinstance(world, World) and findings == []
    return world


@cache
def shipped_city() -> CityMap:
    return CityMap(shipped_grid())


def shipped_grid() -> StreetGrid:
    grid = shipped_world().streets
    assert grid is not None
    return grid


def small_grid(**changes: Any) -> StreetGrid:
    """Four avenues and four streets, all open, with a place on three junctions."""
    places = (
        Place(id="poi_mill", name="Old Mill", category="mill", at="n_3_3", side="E"),
        Place(id="poi_well", name="Town Well", category="well", at="n_0_2", landmark=True),
        Place(id="poi_tower", name="Water Tower", category="tower", at="n_2_1", side="N", landmark=True),
    )
    whole = StreetGrid(
        avenues=("Ash Avenue", "Birch Avenue", "Cedar Avenue", "Elm Avenue"),
        streets=("1st Street", "2nd Street", "3rd Street", "4th Street"),
        block_m=Lengths(along_avenue=100, along_street=200),
        places=places,
    )
    return whole.model_copy(update=changes)


def world_of(grid: StreetGrid | None) -> World:
    return shipped_world().model_copy(update={"streets": grid})


@dataclass
class Played:
    """An engine and one state. `call` gives a tool's result and raises its errors."""

    engine: StreetsEngine
    view: View
    tools: Mapping[str, NativeTool]

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return dict(self.tools[tool].run(self.view, arguments))

    def at(self) -> str:
        row = self.view.row("walker", "walker")
        assert row is not None
        return str(row["at"])

    def reached(self, stop: str) -> bool:
        row = self.view.row("stops", stop)
        assert row is not None
        return bool(row["reached"])


def play(
    grid: StreetGrid, at: str, heading: Heading, stops: tuple[str, ...] = (), closed: tuple[str, ...] = ()
) -> Played:
    """A state as a scenario's patch would make it."""
    engine = StreetsEngine(world_of(grid))
    rows: dict[str, dict[str, dict[str, Any]]] = {
        name: {key: dict(row) for key, row in table.items()} for name, table in engine.seed().items()
    }
    rows["walker"]["walker"]["at"] = at
    rows["closures"] = {segment: {"revealed": False} for segment in closed}
    rows["stops"] = {str(n): {"place": place, "reached": False} for n, place in enumerate(stops, start=1)}
    specs = {
        name: TableSpec(name, frozenset(table.free_text), graded=table.graded)
        for name, table in engine.tables().items()
    }
    view = View({name: SeedTable(specs[name], rows[name]) for name in specs}, {"heading": heading})
    engine.begin(view)
    return Played(engine, view, {t.spec.name: t for t in engine.tools()})
