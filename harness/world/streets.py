"""The engine `streets`: a walker whom the agent cannot see, in a city of avenues and streets.

The walker's tools are on the caller's side, the map and the phone on the agent's. The rules stand in
docs/streets.md. A refusal that must be remembered, such as walking up to a barrier, is a result and no error,
because an error leaves the state as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...schemas.column import Column, RowSchema
from ...schemas.diagnostics import Finding
from ...schemas.scalars import Plain
from ...schemas.source import Document
from ...schemas.streets import HEADINGS
from ...schemas.world import Table, World
from .engines import NativeTool
from .state import StateError, View
from .streets_check import grid_findings
from .streets_grid import HEADING_ARM, CityMap, turned
from .streets_state import WALKER, Streets
from .streets_tools import tool_specs

COUNTERS = {
    "optimal_blocks": "Fewest blocks over all legs when every closure is known.",
    "blocks_walked": "Blocks that the walker has walked.",
    "turns_made": "Turns that the walker has made.",
    "blocked_hits": "Times that the walker came up to a barrier.",
    "wrong_way_moves": "Blocks that did not bring the walker nearer to the place that is looked for.",
    "crossings": "Times that the walker crossed the road.",
    "refused_crossings": "Times that the road could not be crossed.",
    "beliefs_noted": "Notes of where the walker is.",
    "beliefs_at_right": "Notes with the right corner.",
    "beliefs_heading_right": "Notes with the right facing; one without a facing is not right.",
}


class StreetsEngine:
    """The walker's city of a world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.streets = None if world.streets is None else Streets(world.id, CityMap(world.streets))

    def findings(self, document: Document) -> Iterator[Finding]:
        """What the grid names without having it; or that there is no grid."""
        if self.world.streets is None or self.streets is None:
            yield document.finding(
                ("engine",),
                "DK318",
                "the engine `streets` needs a city",
                "add `streets:` with `avenues`, `streets` and `block_m`",
            )
        else:
            yield from grid_findings(document, self.world.streets, self.streets.city)

    def tables(self) -> Mapping[str, Table]:
        """Where the walker stands, what is closed, and where the walk goes."""
        if self.streets is None:
            return {}
        return _tables(self.streets.city)

    def session(self) -> Mapping[str, Column]:
        """The heading, the counters and the agent's last note. None of it is graded."""
        if self.streets is None:
            return {}
        columns = {
            "heading": Column(type=("string",), enum=HEADINGS, default="north", description="Faces this way.")
        }
        for name, about in COUNTERS.items():
            columns[name] = Column(type=("integer",), minimum=0, default=Plain("0"), description=about)
        columns["belief_at"] = Column(type=("string", "null"), description="The corner that was noted last.")
        columns["belief_heading"] = Column(
            type=("string", "null"), description="The facing that was noted last."
        )
        return columns

    def seed(self) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
        """The walker at the north-west corner. A scenario says where they really start."""
        if self.streets is None:
            return {}
        return {WALKER: {WALKER: {"at": self.streets.city.junctions[0]}}, "closures": {}, "stops": {}}

    def tools(self) -> tuple[NativeTool, ...]:
        """The walker's nine tools and the agent's five."""
        return () if self.streets is None else tool_specs(self.streets)

    def begin(self, view: View) -> None:
        """Check the start, and work out the optimum. Raises `StateError` for a walk that cannot be walked."""
        if self.streets is None:
            return
        for name in COUNTERS:
            view.session.setdefault(name, 0)
        view.session.setdefault("heading", "north")
        streets, city = self.streets, self.streets.city
        closed, at, total = streets.closed(view), streets.at(view), 0
        for segment in sorted(closed):
            if not city.has_segment(segment):
                raise StateError("unknown_segment", f"closures: the grid has no block `{segment}`")
        for key, place, _ in streets.stops(view):
            if place not in city.places:
                raise StateError("unknown_place", f"stops: {key} names no place of the grid, `{place}`")
            goal = city.places[place].at
            blocks = city.distances(goal, closed).get(at)
            if blocks is None:
                raise StateError("no_way", f"stops: {key} ({place}) cannot be reached from `{at}`")
            at, total = goal, total + blocks
        view.session["optimal_blocks"] = total
        if city.grid.track_side and (view.row(WALKER, WALKER) or {}).get("side") is None:
            view.update(WALKER, WALKER, {"side": HEADING_ARM[turned(streets.heading(view), "right")]})
        streets.arrive(view)


def _tables(city: CityMap) -> dict[str, Table]:
    side = Column(
        type=("string", "null"),
        enum=("N", "E", "S", "W"),
        description="The side of the road, where it counts.",
    )
    junction = Column(type=("string",), enum=city.junctions, description="The junction.")
    place = Column(type=("string",), enum=tuple(city.places) or None, description="The place to get to.")
    flag = Column(type=("boolean",))
    return {
        WALKER: Table(
            key="walker_id",
            row=RowSchema(required=("at",), properties={"at": junction, "side": side}),
            description="The walker.",
            free_text=() if city.grid.track_side else ("side",),
        ),
        "closures": Table(
            key="segment",
            row=RowSchema(required=("revealed",), properties={"revealed": flag}),
            description="A block that is closed, and whether that has come to light.",
            graded=False,
        ),
        "stops": Table(
            key="stop",
            row=RowSchema(required=("place", "reached"), properties={"place": place, "reached": flag}),
            description="The places that the walk goes to, numbered in order.",
        ),
    }
