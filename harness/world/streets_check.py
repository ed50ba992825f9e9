"""What can be wrong with the city that a world declares: names that the grid does not have, and repeats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.source import Document, Path_
from ...schemas.streets import StreetGrid
from .streets_grid import CityMap, ends, junction_at, segment_between
from .streets_see import words

CODE = "DK317"


def grid_findings(document: Document, grid: StreetGrid, city: CityMap) -> Iterator[Finding]:
    """Every entry of the grid that names what it does not have, or names a thing twice."""
    yield from _names(document, grid)
    yield from _missing(document, grid)
    yield from _superblocks(document, grid)
    yield from _crossings(document, grid, city)
    yield from _places(document, grid, city)
    yield from _reach(document, grid, city)


def _names(document: Document, grid: StreetGrid) -> Iterator[Finding]:
    for field, names in (("avenues", grid.avenues), ("streets", grid.streets)):
        places: list[Path_] = [("streets", field, i) for i in range(len(names))]
        yield from _twice(document, places, [" ".join(words(n)) for n in names], "name")


def _missing(document: Document, grid: StreetGrid) -> Iterator[Finding]:
    full = CityMap(grid.model_copy(update={"missing": ()}))
    for i, segment in enumerate(grid.missing):
        if not full.has_segment(segment):
            place = ("streets", "missing", i)
            yield document.finding(
                place, CODE, f"the grid has no block `{segment}`", _block_hint(full, segment)
            )
    places: list[Path_] = [("streets", "missing", i) for i in range(len(grid.missing))]
    yield from _twice(document, places, grid.missing, "block")


def _block_hint(full: CityMap, segment: str) -> str:
    """The block with its ends the other way round, or the nearest name."""
    first, second = ends(segment)
    if full.has_junction(first) and full.has_junction(second):
        turned = segment_between(first, second)
        if full.has_segment(turned):
            return f"write `{turned}`: the junction further west or north stands first"
        return "a block joins two junctions that are one step apart"
    return _size_hint(full)


def _size_hint(city: CityMap) -> str:
    last = junction_at(len(city.grid.avenues) - 1, len(city.grid.streets) - 1)
    return f"junctions go from `n_0_0` to `{last}`"


def _superblocks(document: Document, grid: StreetGrid) -> Iterator[Finding]:
    for i, block in enumerate(grid.superblocks):
        for field, (first, last), names in (
            ("avenues", block.avenues, grid.avenues),
            ("streets", block.streets, grid.streets),
        ):
            if not 0 <= first < last < len(names):
                hint = f"two numbers from 0 to {len(names) - 1}, the smaller one first"
                message = f"`{block.id}` does not lie between two {field} of the grid"
                yield document.finding(("streets", "superblocks", i, field), CODE, message, hint)
    places: list[Path_] = [("streets", "superblocks", i, "id") for i in range(len(grid.superblocks))]
    yield from _twice(document, places, [b.id for b in grid.superblocks], "id")


def _crossings(document: Document, grid: StreetGrid, city: CityMap) -> Iterator[Finding]:
    for i, arm in enumerate(grid.no_crossing):
        if not city.has_junction(arm.at):
            place = ("streets", "no_crossing", i, "at")
            yield document.finding(place, CODE, f"the grid has no junction `{arm.at}`", _size_hint(city))
    places: list[Path_] = [("streets", "no_crossing", i) for i in range(len(grid.no_crossing))]
    yield from _twice(document, places, [f"{a.at} {a.arm}" for a in grid.no_crossing], "arm")


def _places(document: Document, grid: StreetGrid, city: CityMap) -> Iterator[Finding]:
    for i, place in enumerate(grid.places):
        if not city.has_junction(place.at):
            near = did_you_mean(place.at, city.junctions)
            hint = f"did you mean `{near}`? {_size_hint(city)}" if near else _size_hint(city)
            message = f"the grid has no junction `{place.at}`"
            yield document.finding(("streets", "places", i, "at"), CODE, message, hint)
    for field, values in (
        ("id", [p.id for p in grid.places]),
        # The search compares words, so two names with the same words could not be told apart.
        ("name", [" ".join(words(p.name)) for p in grid.places]),
    ):
        at: list[Path_] = [("streets", "places", i, field) for i in range(len(grid.places))]
        yield from _twice(document, at, values, field)


def _reach(document: Document, grid: StreetGrid, city: CityMap) -> Iterator[Finding]:
    """A place on a junction that cannot be walked to from most of the city."""
    mainland = city.mainland()
    for i, place in enumerate(grid.places):
        if city.has_junction(place.at) and place.at not in mainland:
            message = f"no block leads from the rest of the city to `{place.at}`"
            yield document.finding(
                ("streets", "places", i, "at"), CODE, message, "take a block out of `missing`"
            )


def _twice(
    document: Document, places: Iterable[Path_], values: Iterable[str], what: str
) -> Iterator[Finding]:
    seen: set[str] = set()
    for place, value in zip(places, values, strict=True):
        if value in seen:
            yield document.finding(
                place, CODE, f"`{value}` stands here a second time", f"one {what}, one entry"
            )
        seen.add(value)
