"""The geometry of a walker's city: junctions, blocks, headings, distances and the best way.

Of all ways with the fewest blocks the best one has the fewest metres, then the fewest turns after setting out,
and then goes, block by block, north before east before south before west. So the choice never depends on the
order in which anything was stored.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import networkx as nx

from ...schemas.streets import HEADINGS, Arm, Heading, StreetGrid

STEP: dict[Heading, tuple[int, int]] = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
ARM_HEADING: dict[Arm, Heading] = {"N": "north", "E": "east", "S": "south", "W": "west"}
HEADING_ARM: dict[Heading, Arm] = {heading: arm for arm, heading in ARM_HEADING.items()}
TURNS: dict[str, int] = {"ahead": 0, "right": 1, "around": 2, "left": 3}
"""Quarter turns to the right."""


def turned(heading: Heading, turn: str) -> Heading:
    """The heading after a turn: `right`, `around`, `left`, or `ahead` for none."""
    return HEADINGS[(HEADINGS.index(heading) + TURNS[turn]) % 4]


def turn_between(before: Heading, after: Heading) -> str:
    """The turn that makes one heading the other."""
    quarters = (HEADINGS.index(after) - HEADINGS.index(before)) % 4
    return next(name for name, n in TURNS.items() if n == quarters)


def junction_at(avenue: int, street: int) -> str:
    """The name of a junction."""
    return f"n_{avenue}_{street}"


def position(junction: str) -> tuple[int, int]:
    """Avenue and street of a junction."""
    _, avenue, street = junction.split("_")
    return int(avenue), int(street)


def segment_between(a: str, b: str) -> str:
    """The name of the block between two neighbours: the one further west or north stands first."""
    first, second = sorted((a, b), key=position)
    return f"seg_{first}__{second}"


def ends(segment: str) -> tuple[str, str]:
    """The two junctions of a block."""
    first, second = segment.removeprefix("seg_").split("__")
    return first, second


def heading_of(a: str, b: str) -> Heading:
    """The heading of one who walks from a junction to its neighbour."""
    (a1, s1), (a2, s2) = position(a), position(b)
    return next(h for h, step in STEP.items() if step == (a2 - a1, s2 - s1))


@dataclass(frozen=True)
class Way:
    """A best way, and how many ways have as few blocks."""

    path: tuple[str, ...]
    tied: int
    metres: int

    @property
    def blocks(self) -> int:
        """How many blocks it has."""
        return len(self.path) - 1

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The heading on each block."""
        return tuple(heading_of(a, b) for a, b in pairwise(self.path))

    @property
    def turns(self) -> int:
        """Turns after setting out."""
        return sum(a != b for a, b in pairwise(self.headings))


class CityMap:
    """The graph of a grid. Entries of the grid that lie off it are left out; the check reports them."""

    def __init__(self, grid: StreetGrid) -> None:
        self.grid = grid
        graph = nx.Graph()
        size = range(len(grid.avenues)), range(len(grid.streets))
        graph.add_nodes_from(junction_at(a, s) for a in size[0] for s in size[1])
        for junction in list(graph):
            for heading in (HEADINGS[1], HEADINGS[2]):
                neighbour = _moved(junction, heading)
                if neighbour in graph and segment_between(junction, neighbour) not in grid.missing:
                    graph.add_edge(junction, neighbour)
        self.graph = graph
        self.junctions: tuple[str, ...] = tuple(graph)
        self.segments: tuple[str, ...] = tuple(sorted(segment_between(a, b) for a, b in graph.edges))
        self.places = {p.id: p for p in grid.places if p.at in graph}
        self._known = frozenset(self.segments)
        self._distances: dict[tuple[str, frozenset[str]], dict[str, int]] = {}

    def has_junction(self, junction: str) -> bool:
        """Whether there is such a junction."""
        return junction in self.graph

    def has_segment(self, segment: str) -> bool:
        """Whether there is such a block."""
        return segment in self._known

    def mainland(self) -> frozenset[str]:
        """The junctions of the largest part of the city that hangs together."""
        parts: list[set[str]] = list(nx.connected_components(self.graph))
        largest = max(parts, key=lambda part: (len(part), min(part)))
        return frozenset(largest)

    def next(self, junction: str, heading: Heading) -> str | None:
        """The junction one block on, or None where no block leads that way."""
        neighbour = _moved(junction, heading)
        return neighbour if self.graph.has_edge(junction, neighbour) else None

    def corner(self, junction: str) -> tuple[str, str]:
        """The names of avenue and street of a junction."""
        avenue, street = position(junction)
        return self.grid.avenues[avenue], self.grid.streets[street]

    def corner_name(self, junction: str) -> str:
        """The corner in words."""
        return " and ".join(self.corner(junction))

    def along(self, junction: str, heading: Heading) -> str:
        """The name of the road that one walks along from a junction."""
        return self.corner(junction)[0 if heading in ("north", "south") else 1]

    def metres(self, heading: Heading) -> int:
        """The length of a block that is walked with this heading."""
        lengths = self.grid.block_m
        return lengths.along_avenue if heading in ("north", "south") else lengths.along_street

    def apart(self, a: str, b: str) -> int:
        """Blocks between two junctions as the grid counts them, whatever is missing or closed."""
        (a1, s1), (a2, s2) = position(a), position(b)
        return abs(a1 - a2) + abs(s1 - s2)

    def distances(self, goal: str, closed: frozenset[str] = frozenset()) -> Mapping[str, int]:
        """Fewest blocks to `goal` from every junction that has a way to it."""
        found = self._distances.get((goal, closed))
        if found is None:
            graph = self.graph
            if closed:
                graph = graph.copy()
                graph.remove_edges_from(ends(c) for c in closed)
            found = dict(nx.single_source_shortest_path_length(graph, goal)) if goal in graph else {}
            self._distances[goal, closed] = found
        return found

    def way(self, start: str, goal: str, closed: frozenset[str] = frozenset()) -> Way | None:
        """The best way, or None where there is none."""
        distance = self.distances(goal, closed)
        if start not in distance:
            return None
        nearer = {
            j: self._nearer(j, distance, closed)
            for j in sorted(distance, key=lambda j: distance[j])
            if distance[j] <= distance[start]
        }
        best = self._costs(nearer)
        path: list[str] = [start]
        before: Heading | None = None
        while path[-1] != goal:
            # `min` takes the first of equals, and headings stand in the order of the rule.
            costs = {h: self._cost(path[-1], h, before, best) for h in nearer[path[-1]]}
            step = min(costs, key=costs.__getitem__)
            path.append(_moved(path[-1], step))
            before = step
        return Way(tuple(path), _count(nearer, goal)[start], best[start, None][0])

    def _nearer(
        self, junction: str, distance: Mapping[str, int], closed: frozenset[str]
    ) -> tuple[Heading, ...]:
        """The headings that bring one a block nearer, north first and clockwise."""
        found = []
        for heading in HEADINGS:
            to = self.next(junction, heading)
            if to is None or segment_between(junction, to) in closed:
                continue
            if distance.get(to) == distance[junction] - 1:
                found.append(heading)
        return tuple(found)

    def _costs(
        self, nearer: Mapping[str, tuple[Heading, ...]]
    ) -> dict[tuple[str, Heading | None], tuple[int, int]]:
        """Metres and turns still to come, by junction and the heading with which one gets there."""
        best: dict[tuple[str, Heading | None], tuple[int, int]] = {}
        for junction, headings in nearer.items():
            for before in (None, *HEADINGS):
                costs = [self._cost(junction, h, before, best) for h in headings]
                best[junction, before] = min(costs, default=(0, 0))
        return best

    def _cost(
        self,
        junction: str,
        heading: Heading,
        before: Heading | None,
        best: Mapping[tuple[str, Heading | None], tuple[int, int]],
    ) -> tuple[int, int]:
        metres, turns = best[_moved(junction, heading), heading]
        return metres + self.metres(heading), turns + (before is not None and before != heading)


def blur(name: str, accuracy_m: int) -> tuple[int, int]:
    """How far east and south a position is off: the same for the same name, at most `accuracy_m` in all."""
    half = math.isqrt(accuracy_m * accuracy_m // 2)
    digest = hashlib.sha256(name.encode("utf-8")).digest()
    east, south = (int.from_bytes(part, "big") % (2 * half + 1) - half for part in (digest[:8], digest[8:16]))
    return east, south


def _moved(junction: str, heading: Heading) -> str:
    avenue, street = position(junction)
    east, south = STEP[heading]
    return junction_at(avenue + east, street + south)


def _count(nearer: Mapping[str, Iterable[Heading]], goal: str) -> dict[str, int]:
    """How many ways with the fewest blocks lead to the goal from each junction; nearest junctions first."""
    ways = {goal: 1}
    for junction, headings in nearer.items():
        if junction != goal:
            ways[junction] = sum(ways[_moved(junction, h)] for h in headings)
    return ways
