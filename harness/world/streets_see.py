"""Names and views of a walker's city: finding a corner or a place by its words, and what is seen at a corner."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ...schemas.streets import HEADINGS, Heading, Place, Superblock
from .streets_grid import ARM_HEADING, STEP, CityMap, junction_at, position, segment_between

AROUND = ("ahead", "ahead right", "right", "behind right", "behind", "behind left", "left", "ahead left")
"""Where something is as the walker sees it, clockwise in eighths of a full turn."""

MOST_FOUND = 5
"""The largest number of places that one search gives."""

_LEFT_OUT = frozenset(["the", "street", "st", "avenue", "ave", "e", "east", "and", "of", "at", "corner"])


def words(text: str) -> tuple[str, ...]:
    """The words that tell names apart: lower case, without marks, and without `street`, `avenue`, `east` and such.

    Where nothing else is left, all words count.
    """
    all_words = re.findall(r"[^\W_]+", text.casefold().replace("'", "").replace("’", ""))
    return tuple(w for w in all_words if w not in _LEFT_OUT) or tuple(all_words)


def named(name: str, options: Iterable[str]) -> int | None:
    """The index of the one option that has the same words, else None."""
    found = [i for i, option in enumerate(options) if words(option) == words(name)]
    return found[0] if len(found) == 1 else None


def corner_in(city: CityMap, text: str) -> str | None:
    """The junction of the one avenue and the one street that a text names, else None."""
    said = words(text)
    avenue = _mentioned(said, city.grid.avenues)
    street = _mentioned(said, city.grid.streets)
    return None if avenue is None or street is None else junction_at(avenue, street)


def _mentioned(said: tuple[str, ...], options: Iterable[str]) -> int | None:
    found = []
    for i, option in enumerate(options):
        name = words(option)
        if any(said[k : k + len(name)] == name for k in range(len(said) - len(name) + 1)):
            found.append(i)
    return found[0] if len(found) == 1 else None


def find_places(city: CityMap, query: str) -> list[Place]:
    """The places that fit a query, best first, at most `MOST_FOUND`.

    First comes the place with this id or with exactly these words in its name, then those whose names have all
    the words, then those whose names and category together have them. Equals stand in the order of name and id.
    """
    asked = words(query)
    ranked = []
    for place in city.places.values():
        name = words(place.name)
        if place.id == query.strip() or name == asked:
            rank = 0
        elif set(asked) <= set(name):
            rank = 1
        elif set(asked) <= {*name, *words(place.category)}:
            rank = 2
        else:
            continue
        ranked.append((rank, place.name, place.id))
    return [city.places[place_id] for _, _, place_id in sorted(ranked)[:MOST_FOUND]] if asked else []


class NoPlace(Exception):
    """No place, or no single one, is meant. `code` is the error of the call."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def destination(city: CityMap, text: str) -> Place:
    """The one place that is meant: by its id, by its whole name, or by words that only its name has."""
    if text.strip() in city.places:
        return city.places[text.strip()]
    fitting = [p for p in find_places(city, text) if set(words(text)) <= set(words(p.name))]
    whole = [p for p in fitting if words(p.name) == words(text)]
    chosen = whole or fitting
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise NoPlace("unknown_place", f"the map has no place called {text!r}; look it up with find_place")
    raise NoPlace(
        "ambiguous_place", f"{text!r} may be any of: {', '.join(p.id for p in chosen)}; give one id"
    )


def eighth(facing: Heading, east: int, south: int) -> str:
    """Where something lies that is `east` and `south` of one who faces a heading; only the signs count."""
    east, south = (east > 0) - (east < 0), (south > 0) - (south < 0)
    compass = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)]
    return AROUND[(compass.index((east, south)) - 2 * HEADINGS.index(facing)) % 8]


def seen(city: CityMap, junction: str, facing: Heading) -> dict[str, Any]:
    """What the walker sees, in their own directions: open roads, places at the corner, big things near by.

    Barriers are not seen from here: one meets them on the way.
    """
    avenue, street = position(junction)
    here = [
        {"name": p.name, "category": p.category, "where": _side(facing, p)}
        for p in city.places.values()
        if p.at == junction
    ]
    big = []
    for p in city.places.values():
        if p.landmark and city.has_segment(segment_between(p.at, junction)):
            a, s = position(p.at)
            big.append({"name": p.name, "where": eighth(facing, a - avenue, s - street)})
    for block in city.grid.superblocks:
        offset = _towards(block, avenue, street)
        if offset is not None:
            big.append({"name": block.name, "where": eighth(facing, *offset)})
    roads = [eighth(facing, *STEP[h]) for h in HEADINGS if city.next(junction, h) is not None]
    return {
        "roads": sorted(roads, key=AROUND.index),
        "here": sorted(here, key=lambda s: (_order(s["where"]), s["name"])),
        "landmarks": sorted(big, key=lambda s: (_order(s["where"]), s["name"])),
    }


def _side(facing: Heading, place: Place) -> str:
    return "here" if place.side is None else eighth(facing, *STEP[ARM_HEADING[place.side]])


def _order(where: str) -> int:
    return AROUND.index(where) if where in AROUND else -1


def _towards(block: Superblock, avenue: int, street: int) -> tuple[int, int] | None:
    """Which way a building lies from a junction on its edge, else None."""
    (a0, a1), (s0, s1) = block.avenues, block.streets
    if not (a0 <= avenue <= a1 and s0 <= street <= s1):
        return None
    east, south = (avenue == a0) - (avenue == a1), (street == s0) - (street == s1)
    return (east, south) if (east, south) != (0, 0) else None
