"""The walker in a view: where they are, what they look for, and what moving them changes."""

from __future__ import annotations

from ...schemas.streets import HEADINGS, Heading
from .state import StateError, View
from .streets_grid import HEADING_ARM, CityMap, turned
from .streets_walk import stretch

WALKER = "walker"
"""The name of the table with the walker, and the key of its one row."""


class Streets:
    """What the tools share: the map, and reading and moving the walker in a view."""

    def __init__(self, name: str, city: CityMap) -> None:
        self.name, self.city = name, city

    def at(self, view: View) -> str:
        """The junction where the walker stands."""
        row = view.row(WALKER, WALKER)
        if row is None:
            raise StateError("internal", "the table `walker` has lost its row")
        return str(row["at"])

    def heading(self, view: View) -> Heading:
        """The way that the walker faces."""
        wanted = view.session["heading"]
        return next(h for h in HEADINGS if h == wanted)

    def closed(self, view: View, *, revealed: bool = False) -> frozenset[str]:
        """The closed blocks, or only those that have come to light."""
        return frozenset(key for key, row in view.rows("closures") if row["revealed"] or not revealed)

    def reveal(self, view: View, segment: str) -> None:
        """Bring a closure to light."""
        view.update("closures", segment, {"revealed": True})

    def stops(self, view: View) -> list[tuple[str, str, bool]]:
        """Key, place and whether it is reached, in the order of the walk: 2 comes before 10."""
        rows = [(key, str(row["place"]), bool(row["reached"])) for key, row in view.rows("stops")]
        return sorted(rows, key=lambda stop: (len(stop[0]), stop[0]))

    def wanted(self, view: View) -> str | None:
        """The place that is looked for: the first stop that is not reached, else the last one."""
        stops = self.stops(view)
        return next((place for _, place, reached in stops if not reached), stops[-1][1] if stops else None)

    def goal(self, view: View) -> str | None:
        """The junction of the place that is looked for."""
        place = self.wanted(view)
        return None if place is None else self.city.places[place].at

    def count(self, view: View, counter: str, by: int = 1) -> None:
        """Add to a counter of the session."""
        view.session[counter] += by

    def turn(self, view: View, turn: str) -> None:
        """Turn on the spot. A walker whose side counts is then on the right-hand side."""
        view.session["heading"] = turned(self.heading(view), turn)
        self.count(view, "turns_made")
        if self.city.grid.track_side:
            self.stand(view, turned(self.heading(view), "right"))

    def cross(self, view: View) -> None:
        """Go over to the other side of the road, for a walker whose side counts."""
        if self.city.grid.track_side:
            row = view.row(WALKER, WALKER) or {}
            right, left = (turned(self.heading(view), turn) for turn in ("right", "left"))
            self.stand(view, left if row.get("side") == HEADING_ARM[right] else right)

    def stand(self, view: View, side: Heading) -> None:
        """Put the walker on a side of the road."""
        view.update(WALKER, WALKER, {"side": HEADING_ARM[side]})
        self.arrive(view)

    def walk(self, view: View, *, through: bool) -> tuple[int, bool]:
        """Walk on. Gives the blocks walked and whether a barrier ended it; the barrier comes to light."""
        at, heading, closed = self.at(view), self.heading(view), self.closed(view)
        path, barrier = stretch(self.city, at, heading, closed, through=through, until=self.goal(view))
        for junction in path:
            self._block(view, at, junction, closed)
            at = junction
        if barrier is not None:
            self.count(view, "blocked_hits")
            self.reveal(view, barrier)
        return len(path), barrier is not None

    def _block(self, view: View, before: str, after: str, closed: frozenset[str]) -> None:
        goal = self.goal(view)
        if goal is not None:
            away = self.city.distances(goal, closed)
            nearer = before in away and away[after] < away[before]
            self.count(view, "wrong_way_moves", int(not nearer))
        view.update(WALKER, WALKER, {"at": after})
        self.count(view, "blocks_walked")
        self.arrive(view)

    def arrive(self, view: View) -> None:
        """Mark stops. One before the last stays reached; the last is reached only while the walker is there."""
        stops = self.stops(view)
        done = True
        for key, place, reached in stops:
            here = done and self._is_at(view, place)
            now = here if key == stops[-1][0] else reached or here
            if now != reached:
                view.update("stops", key, {"reached": now})
            done = done and now

    def _is_at(self, view: View, place_id: str) -> bool:
        place = self.city.places[place_id]
        row = view.row(WALKER, WALKER) or {}
        right_side = not self.city.grid.track_side or place.side is None or row.get("side") == place.side
        return place.at == self.at(view) and right_side
