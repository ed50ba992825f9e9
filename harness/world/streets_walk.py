"""A walk in a walker's city and what is measured of it: pure functions of grid, start, calls, closures and goals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from ...schemas.streets import Heading
from .streets_grid import CityMap, Way, ends, segment_between, turn_between, turned

Call = Literal[
    "turn_left",
    "turn_right",
    "turn_around",
    "walk_to_next_corner",
    "move_forward",
    "cross_the_road",
    "live_status",
]
"""The calls, by tool, that a measure depends on, beside the notes. Reads make no difference."""


@dataclass(frozen=True)
class Note:
    """What the agent noted: a corner and perhaps a facing. `tick` is kept and never used."""

    at: str | None
    facing: str | None
    tick: int | None = None


def near(city: CityMap, closed: Iterable[str], at: str) -> list[str]:
    """The closed blocks that the live status lists: those with an end near enough to the walker, by name."""
    within = city.grid.live_range_blocks
    return sorted(c for c in closed if any(city.apart(end, at) <= within for end in ends(c)))


def stretch(
    city: CityMap, at: str, heading: Heading, closed: frozenset[str], *, through: bool, until: str | None
) -> tuple[list[str], str | None]:
    """The junctions that one walks to, and the closed block that stopped the walk, if one did.

    One block; with `through`, on past corners where one can only go straight, but never past `until`.
    A road that is closed counts as a road: the walker stands at the corner and sees it.
    """
    path: list[str] = []
    while True:
        ahead = city.next(at, heading)
        if ahead is None:
            return path, None
        block = segment_between(at, ahead)
        if block in closed:
            return path, block
        path.append(ahead)
        at = ahead
        sides = (city.next(at, turned(heading, turn)) for turn in ("left", "right"))
        if not through or at == until or any(s is not None for s in sides):
            return path, None


@dataclass
class Leg:
    """The part of a walk towards one goal."""

    city: CityMap
    goal: str
    heading: Heading
    """The heading at its start."""
    closed: frozenset[str]
    path: list[str]
    notes: list[tuple[bool, bool]] = field(default_factory=list)
    """For each note: whether the corner was right, and whether the facing was. No facing is a wrong one."""
    known: frozenset[str] = frozenset()
    """The closures that were known at its end."""

    @property
    def start(self) -> str:
        """Where it began."""
        return self.path[0]

    @property
    def blocks(self) -> int:
        """How many blocks were walked."""
        return len(self.path) - 1

    @property
    def clear(self) -> Way | None:
        """The best way with nothing closed."""
        return self.city.way(self.start, self.goal)

    @property
    def given_known(self) -> Way | None:
        """The best way around the closures that were known at the end."""
        return self.city.way(self.start, self.goal, self.known)

    @property
    def hindsight(self) -> Way | None:
        """The best way around all closures. It is the measure of efficiency."""
        return self.city.way(self.start, self.goal, self.closed)

    @property
    def arrived(self) -> bool:
        """Whether the walker stood on the goal at the end of it."""
        return self.path[-1] == self.goal

    @property
    def touched(self) -> bool:
        """Whether the walker was ever on the goal."""
        return self.goal in self.path

    @property
    def blocks_after_touching(self) -> int | None:
        """Blocks walked after the goal was first touched."""
        return len(self.path) - 1 - self.path.index(self.goal) if self.touched else None

    @property
    def away(self) -> list[int | None]:
        """Blocks to the goal around all closures, at each junction of the path."""
        distance = self.city.distances(self.goal, self.closed)
        return [distance.get(j) for j in self.path]

    @property
    def closest_approach(self) -> int | None:
        """Fewest blocks from the goal at any time."""
        return min((d for d in self.away if d is not None), default=None)

    @property
    def closer(self) -> list[bool]:
        """For each block, whether it brought the walker nearer."""
        away = self.away
        return [a is not None and b is not None and b < a for a, b in pairwise(away)]

    @property
    def wrong_way_moves(self) -> int:
        """Blocks that did not bring the walker nearer."""
        return self.closer.count(False)

    @property
    def distinct_corners(self) -> int:
        """Different junctions on the path."""
        return len(set(self.path))

    @property
    def corner_revisits(self) -> int:
        """Times that a junction was come to again."""
        return len(self.path) - self.distinct_corners

    @property
    def max_corner_visits(self) -> int:
        """Visits to the junction that was visited most often."""
        return max(Counter(self.path).values())

    @property
    def backtrack_moves(self) -> int:
        """Blocks that went straight back over the block before."""
        return sum(a == c for a, c in zip(self.path, self.path[2:], strict=False))

    @property
    def ideal_tool_calls(self) -> int | None:
        """Calls that a copilot needs at most when nothing goes wrong: blocks and turns of the clear optimum."""
        return None if self.clear is None else self.clear.blocks + self.clear.turns

    @property
    def departure(self) -> Heading | None:
        """The heading with which the clear optimum sets out; None at the goal itself."""
        return self.clear.headings[0] if self.clear is not None and self.clear.blocks else None

    @property
    def first_instruction(self) -> str | None:
        """The turn that the walker must be told first: ahead, right, around or left."""
        return None if self.departure is None else turn_between(self.heading, self.departure)


@dataclass(frozen=True)
class Walk:
    """A whole walk."""

    legs: tuple[Leg, ...]
    """One for each goal that was set out for; a goal is set out for once the one before is reached."""
    goals: int
    to_come: int | None
    """Blocks of the optimum over the legs that were never begun; None where one cannot be walked."""
    turns: int
    crossings: int
    refused_crossings: int
    blocked_hits: int
    revealed: frozenset[str]
    heading: Heading
    notes: tuple[Note, ...]

    @property
    def final(self) -> str:
        """The junction where it ended."""
        return self.legs[-1].path[-1]

    @property
    def path(self) -> list[str]:
        """All junctions in order."""
        return [*self.legs[0].path, *(j for leg in self.legs[1:] for j in leg.path[1:])]

    @property
    def blocks(self) -> int:
        """How many blocks were walked."""
        return sum(leg.blocks for leg in self.legs)

    @property
    def arrived(self) -> bool:
        """Whether every goal before the last was reached and the walker stood on the last at the end."""
        return len(self.legs) == self.goals and self.legs[-1].arrived

    @property
    def optimal_blocks(self) -> int | None:
        """Fewest blocks over all legs, around all closures."""
        ways = [leg.hindsight for leg in self.legs]
        if self.to_come is None or any(w is None for w in ways):
            return None
        return sum(w.blocks for w in ways if w is not None) + self.to_come

    @property
    def efficiency(self) -> float | None:
        """Optimal blocks over blocks walked, of a walk that arrived; 1 where there was nothing to walk."""
        if not self.arrived or self.optimal_blocks is None:
            return None
        return self.optimal_blocks / self.blocks if self.blocks else 1.0

    @property
    def passed(self) -> bool:
        """Arrived, and three quarters as short as possible. Whole numbers decide."""
        return self.arrived and self.optimal_blocks is not None and self.optimal_blocks * 4 >= self.blocks * 3

    @property
    def wrong_way_moves(self) -> int:
        """Blocks that did not bring the walker nearer to the goal of their leg."""
        return sum(leg.wrong_way_moves for leg in self.legs)

    def note_accuracy(self, which: Literal["at", "facing"]) -> float | None:
        """Share of notes with the right corner or facing; None without a note."""
        rated = [pair[which == "facing"] for leg in self.legs for pair in leg.notes]
        return sum(rated) / len(rated) if rated else None


def tool_economy(ideal: int, calls: int) -> float | None:
    """Calls that were ideal over the agent's calls, at most 1; None where it made none."""
    return min(1.0, ideal / calls) if calls else None


class _Walker:
    """The state of one measured walk. It is filled call by call and then turned into a `Walk`."""

    def __init__(self, city: CityMap, heading: Heading, closed: frozenset[str], goals: Sequence[str]) -> None:
        self.city, self.heading, self.closed, self.goals = city, heading, closed, goals
        self.legs: list[Leg] = []
        self.turns = self.crossings = self.refused = self.hits = 0
        self.revealed: set[str] = set()
        self.notes: list[Note] = []

    def begin_leg(self, at: str) -> None:
        self.legs.append(Leg(self.city, self.goals[len(self.legs)], self.heading, self.closed, [at]))

    def come_to(self, at: str) -> None:
        leg = self.legs[-1]
        leg.path.append(at)
        self.hand_over()

    def hand_over(self) -> None:
        """A goal before the last is done as soon as it is touched."""
        while self.legs[-1].arrived and len(self.legs) < len(self.goals):
            self.legs[-1].known = frozenset(self.revealed)
            self.begin_leg(self.legs[-1].path[-1])

    def call(self, call: Call | Note) -> None:
        at = self.legs[-1].path[-1]
        if isinstance(call, Note):
            self.notes.append(call)
            self.legs[-1].notes.append((call.at == at, call.facing == self.heading))
        elif call == "cross_the_road":
            arms = {(n.at, n.arm) for n in self.city.grid.no_crossing}
            refused = (at, self.heading[0].upper()) in arms
            self.refused, self.crossings = self.refused + refused, self.crossings + (not refused)
        elif call == "live_status":
            self.revealed.update(near(self.city, self.closed, at))
        elif call.startswith("turn_"):
            self.turns += 1
            self.heading = turned(self.heading, call.removeprefix("turn_"))
        else:
            self.walk(at, through=call == "move_forward")

    def walk(self, at: str, *, through: bool) -> None:
        goal = self.legs[-1].goal
        path, block = stretch(self.city, at, self.heading, self.closed, through=through, until=goal)
        for junction in path:
            self.come_to(junction)
        if block is not None:
            self.revealed.add(block)
            self.hits += 1


def measure(
    city: CityMap,
    start: str,
    heading: Heading,
    calls: Iterable[Call | Note],
    *,
    closed: Iterable[str] = (),
    goals: Sequence[str],
) -> Walk:
    """Walk and measure. A call that is refused moves nobody and counts for nothing but its own counter."""
    walker = _Walker(city, heading, frozenset(closed), goals)
    walker.begin_leg(start)
    walker.hand_over()
    for call in calls:
        walker.call(call)
    walker.legs[-1].known = frozenset(walker.revealed)
    left = [walker.legs[-1].goal, *goals[len(walker.legs) :]]
    ways = [city.way(a, b, walker.closed) for a, b in pairwise(left)]
    to_come = None if None in ways else sum(w.blocks for w in ways if w is not None)
    return Walk(
        legs=tuple(walker.legs),
        goals=len(goals),
        to_come=to_come,
        turns=walker.turns,
        crossings=walker.crossings,
        refused_crossings=walker.refused,
        blocked_hits=walker.hits,
        revealed=frozenset(walker.revealed),
        heading=walker.heading,
        notes=tuple(walker.notes),
    )
