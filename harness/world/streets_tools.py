"""The fourteen tools of a walker's city: nine for the walker, five for the agent; eight write, six read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from ...schemas.column import Column
from ...schemas.streets import HEADINGS, Heading, Place
from ...schemas.world import Side, Tool
from .engines import NativeTool, ToolError
from .state import View
from .streets_grid import Way, blur, ends, junction_at, position, segment_between, turn_between
from .streets_see import NoPlace, corner_in, destination, find_places, named, seen
from .streets_state import Streets
from .streets_walk import near

Arguments = Mapping[str, Any]
Run = Callable[[Streets, View, Arguments], Mapping[str, Any]]


def turn(to: str) -> Run:
    """A turn on the spot."""

    def run(streets: Streets, view: View, arguments: Arguments) -> Mapping[str, Any]:
        streets.turn(view, to)
        return {"turned": to}

    return run


def walk(*, through: bool) -> Run:
    """Walking on: one block, or past corners where one can only go straight."""

    def run(streets: Streets, view: View, arguments: Arguments) -> Mapping[str, Any]:
        if streets.city.next(streets.at(view), streets.heading(view)) is None:
            raise ToolError(
                "dead_end", "The road does not go on ahead: there is a building, or the map ends."
            )
        blocks, barrier = streets.walk(view, through=through)
        told: dict[str, Any] = {"walked": blocks > 0, "blocks": blocks}
        if barrier:
            told["why"] = "closed"
        if blocks:
            told["arrived"] = streets.goal(view) == streets.at(view)
        return told

    return run


def cross_the_road(streets: Streets, view: View, arguments: Arguments) -> Mapping[str, Any]:
    """Cross the road that one walks along: from its right-hand side to its left, or back."""
    at, heading = streets.at(view), streets.heading(view)
    arms = {(n.at, n.arm) for n in streets.city.grid.no_crossing}
    if (at, heading[0].upper()) in arms:
        streets.count(view, "refused_crossings")
        return {"crossed": False, "why": "no_crossing"}
    streets.count(view, "crossings")
    streets.cross(view)
    return {"crossed": True}


def read_signs(streets: Streets, view: View, arguments: Arguments) -> Mapping[str, Any]:
    """The names on the sign post; nothing of which way the walker faces."""
    avenue, street = streets.city.corner(streets.at(view))
    return {"avenue": avenue, "street": street, "corner": f"{avenue} and {street}"}


def look_around(streets: Streets, view: View, arguments: Arguments) -> Mapping[str, Any]:
    """What is seen, in the walker's own directions."""
    return seen(streets.city, streets.at(view), streets.heading(view))


def ask_for_next_place(streets: Streets, view: View, arguments: Arguments) -> Mapping[str, Any]:
    """The next place, which is kept back until the one before is reached."""
    stops = streets.stops(view)
    if len(stops) < 2:
        raise ToolError("no_more_places", "There is only one place to go to.")
    if not stops[0][2]:
        raise ToolError("not_there_yet", "The next place is told at the first one, not before.")
    place = streets.city.places[streets.wanted(view) or stops[-1][1]]
    return {"place": place.name}


def get_gps(streets: Streets, view: View, arguments: Arguments) -> Mapping[str, Any]:
    """A position that is a little off, always by as much at the same junction; never a facing."""
    city, at = streets.city, streets.at(view)
    grid, (avenue, street) = city.grid, position(at)
    off = blur(f"{streets.name}/{at}", grid.gps_accuracy_m)
    across, down = grid.block_m.along_street, grid.block_m.along_avenue
    east, south = avenue * across + off[0], street * down + off[1]
    close = junction_at(_nearest(east, across, len(grid.avenues)), _nearest(south, down, len(grid.streets)))
    told = city.corner(close)
    return {
        "near_avenue": told[0],
        "near_street": told[1],
        "east_m": east,
        "south_m": south,
        "accuracy_m": grid.gps_accuracy_m,
    }


def _nearest(metres: int, length: int, lines: int) -> int:
    return min(max((2 * metres + length) // (2 * length), 0), lines - 1)


def find_place(streets: Streets, view: View, arguments: Arguments) -> Mapping[str, Any]:
    """Places that fit, best first."""
    found = find_places(streets.city, arguments["query"])
    return {"places": [_place(streets, p) for p in found]}


def _place(streets: Streets, place: Place) -> dict[str, Any]:
    avenue, street = streets.city.corner(place.at)
    told = {
        "id": place.id,
        "name": place.name,
        "category": place.category,
        "avenue": avenue,
        "street": street,
    }
    return told if place.side is None else {**told, "side": place.side}


def directions(streets: Streets, view: View, arguments: Arguments) -> Mapping[str, Any]:
    """The best way from the corner that was named, around the closures that have come to light."""
    city, grid = streets.city, streets.city.grid
    avenue = named(arguments["from_avenue"], grid.avenues)
    street = named(arguments["from_street"], grid.streets)
    if avenue is None or street is None:
        wrong = arguments["from_avenue" if avenue is None else "from_street"]
        raise ToolError(
            "unknown_corner", f"the map has no {'avenue' if avenue is None else 'street'} {wrong!r}"
        )
    try:
        place = destination(city, arguments["destination"])
    except NoPlace as problem:
        raise ToolError(problem.code, str(problem)) from problem
    way = city.way(junction_at(avenue, street), place.at, streets.closed(view, revealed=True))
    if way is None:
        raise ToolError("no_way", "No open way leads there.")
    return {
        "destination": place.name,
        "metres": way.metres,
        "blocks": way.blocks,
        "steps": [
            *_steps(streets, way),
            {"action": "ARRIVE", "text": f"Arrive at {place.name}", "metres": 0},
        ],
    }


def _steps(streets: Streets, way: Way) -> list[dict[str, Any]]:
    """One step for each straight stretch. Only the first one names a heading."""
    steps: list[dict[str, Any]] = []
    before: Heading | None = None
    for a, b, heading in zip(way.path, way.path[1:], way.headings, strict=False):
        along = streets.city.along(a, heading)
        if heading == before:
            steps[-1]["metres"] += streets.city.metres(heading)
            steps[-1]["blocks"] += 1
            continue
        step: dict[str, Any] = {"metres": streets.city.metres(heading), "blocks": 1}
        step["segment"] = segment_between(a, b)
        if before is None:
            step |= {"action": "DEPART", "heading": heading, "text": f"Head {heading} on {along}"}
        else:
            side = turn_between(before, heading)
            step |= {"action": f"TURN_{side.upper()}", "text": f"Turn {side} onto {along}"}
        steps.append(step)
        before = heading
    return steps


def live_status(streets: Streets, view: View, arguments: Arguments) -> Mapping[str, Any]:
    """Closures near the walker. Those that are listed have come to light."""
    found = near(streets.city, streets.closed(view), streets.at(view))
    for segment in found:
        streets.reveal(view, segment)
    return {
        "closures": [_closure(streets, s) for s in found],
        "range_blocks": streets.city.grid.live_range_blocks,
    }


def _closure(streets: Streets, segment: str) -> dict[str, Any]:
    a, b = ends(segment)
    same_avenue = position(a)[0] == position(b)[0]
    along = streets.city.corner(a)[0 if same_avenue else 1]
    between = [streets.city.corner(j)[1 if same_avenue else 0] for j in (a, b)]
    return {"segment": segment, "on": along, "between": between}


def note_user_location(streets: Streets, view: View, arguments: Arguments) -> Mapping[str, Any]:
    """Keep what the agent believes. Nothing tells whether it is right."""
    corner = corner_in(streets.city, arguments["near_cross_streets"])
    if corner is None:
        raise ToolError("unknown_corner", "name one avenue and one street of the map")
    facing = arguments.get("facing") or None
    view.session["belief_at"], view.session["belief_heading"] = corner, facing
    streets.count(view, "beliefs_noted")
    streets.count(view, "beliefs_at_right", int(corner == streets.at(view)))
    streets.count(view, "beliefs_heading_right", int(facing == streets.heading(view)))
    return {"noted": True}


def _text(about: str) -> Column:
    return Column(type=("string",), minLength=1, maxLength=200, description=about)


FACING = Column(
    type=("string",), enum=(*HEADINGS, ""), default="", description="Which way they face; blank if unknown."
)
FROM = {
    "from_avenue": _text("The avenue at the walker's corner."),
    "from_street": _text("The cross street at the walker's corner."),
    "destination": _text("Id or name of the place."),
}
NOTE = {"near_cross_streets": _text("The avenue and the street that meet there."), "facing": FACING}

_Row = tuple[str, Side, Literal["read", "write"], str, Run, tuple[str, ...], dict[str, Column]]
TOOLS: tuple[_Row, ...] = (
    ("turn_left", "caller", "write", "Turn to your left on the spot.", turn("left"), (), {}),
    ("turn_right", "caller", "write", "Turn to your right on the spot.", turn("right"), (), {}),
    ("turn_around", "caller", "write", "Turn round to face where you came from.", turn("around"), (), {}),
    (
        "walk_to_next_corner",
        "caller",
        "write",
        "Walk one block straight on, to the next corner. A barrier sends you back to where you set out.",
        walk(through=False),
        ("dead_end",),
        {},
    ),
    (
        "move_forward",
        "caller",
        "write",
        "Walk straight on to the next corner where you could also turn off, or to the place you are looking for.",
        walk(through=True),
        ("dead_end",),
        {},
    ),
    (
        "cross_the_road",
        "caller",
        "write",
        "Cross the road that runs ahead of you, to its other side, at this corner.",
        cross_the_road,
        (),
        {},
    ),
    ("read_signs", "caller", "read", "Read the street signs at your corner.", read_signs, (), {}),
    (
        "look_around",
        "caller",
        "read",
        "Look for roads that go on, places at your corner and big buildings near by, as you face now.",
        look_around,
        (),
        {},
    ),
    (
        "ask_for_next_place",
        "caller",
        "read",
        "At your first place: find out where you have to go next.",
        ask_for_next_place,
        ("no_more_places", "not_there_yet"),
        {},
    ),
    (
        "get_gps",
        "agent",
        "read",
        "Where the walker's phone thinks it is: metres from the north-west corner of the map, and the corner "
        "closest to that. It can be off by the accuracy given, and does not know which way the walker faces.",
        get_gps,
        (),
        {},
    ),
    (
        "find_place",
        "agent",
        "read",
        "Look up places on the map by id, name or category. The best match stands first.",
        find_place,
        (),
        {"query": _text("Id, name or category, or some words of them.")},
    ),
    (
        "directions",
        "agent",
        "read",
        "A walking route from a corner that you name to a place. The first step has a compass heading, the "
        "others are turns. It goes around a closed block only once that closure has come to light.",
        directions,
        ("unknown_corner", "unknown_place", "ambiguous_place", "no_way"),
        FROM,
    ),
    (
        "live_status",
        "agent",
        "write",
        "Closed blocks near the walker right now. Those that it lists are kept clear of by later directions.",
        live_status,
        (),
        {},
    ),
    (
        "note_user_location",
        "agent",
        "write",
        "Write down at which corner you believe the walker to be and which way they face. Nothing is told back.",
        note_user_location,
        ("unknown_corner",),
        NOTE,
    ),
)


def tool_specs(streets: Streets) -> tuple[NativeTool, ...]:
    """The tools, working on one city."""
    return tuple(_native(streets, row) for row in TOOLS)


def _native(streets: Streets, row: _Row) -> NativeTool:
    name, side, effect, about, run, errors, parameters = row
    spec = Tool(
        name=name,
        description=about,
        side=side,
        effect=effect,
        parameters=parameters,
        optional=("facing",) if "facing" in parameters else (),
    )
    return NativeTool(spec, lambda view, arguments: run(streets, view, arguments), errors)
