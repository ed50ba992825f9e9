"""The geometry of the walker's city: blocks, distances, the best way and its ties, names, views, findings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duplexkit.harness.world.streets import StreetsEngine
from duplexkit.harness.world.streets_grid import (
    CityMap,
    blur,
    ends,
    heading_of,
    position,
    segment_between,
    turn_between,
    turned,
)
from duplexkit.harness.world.streets_see import NoPlace, corner_in, destination, find_places, seen
from duplexkit.schemas.parse import parse
from duplexkit.schemas.source import load_text
from duplexkit.schemas.streets import HEADINGS, NoCrossing, Place, StreetGrid, Superblock
from duplexkit.schemas.world import World

from .streets_helpers import (
    FOUR_CLOSED,
    PHARMACY,
    shipped_city,
    shipped_document,
    shipped_grid,
    shipped_world,
)
from .streets_helpers import small_grid as small

FIRST_CLOSED = ("seg_n_1_4__n_2_4", "seg_n_2_7__n_3_7", "seg_n_3_4__n_3_5", "seg_n_3_5__n_4_5")


def test_the_shipped_city_has_the_published_size() -> None:
    city = shipped_city()
    lengths = [city.metres(heading_of(*ends(s))) for s in city.segments]
    assert (len(city.junctions), len(city.segments)) == (64, 105)
    assert (lengths.count(274), lengths.count(81)) == (49, 56)
    assert len(shipped_grid().places) == 36 and len(shipped_grid().no_crossing) == 4


@pytest.mark.parametrize(
    ("start", "goal", "closed", "blocks", "tied", "turns"),
    [
        ("n_1_6", "n_4_6", (), 5, 4, 2),
        ("n_1_6", "n_4_6", FOUR_CLOSED, 7, 1, 4),
        ("n_1_5", "n_3_6", FIRST_CLOSED, 7, 1, 4),
        ("n_1_3", "n_3_6", (), 5, 3, 1),
        ("n_3_6", "n_6_3", (), 6, 20, 1),
    ],
)
def test_the_published_walks_cost_what_was_published(
    start: str, goal: str, closed: tuple[str, ...], blocks: int, tied: int, turns: int
) -> None:
    way = shipped_city().way(start, goal, frozenset(closed))
    assert way is not None
    assert (way.blocks, way.tied, way.turns) == (blocks, tied, turns)


def test_every_clear_way_to_the_pharmacy_takes_42nd_street_past_the_station() -> None:
    ways = list(nx.all_shortest_paths(shipped_city().graph, "n_1_6", "n_4_6"))
    assert len(ways) == 4
    assert all({("n_2_7", "n_3_7")} <= set(pairwise(w)) for w in ways)


def test_two_of_the_four_closures_set_the_price_and_the_others_cut_the_ties() -> None:
    """Of the pairs of closures one alone makes seven blocks, with four ties."""
    found = []
    for pair in combinations(FIRST_CLOSED, 2):
        way = shipped_city().way("n_1_5", "n_3_6", frozenset(pair))
        assert way is not None
        found += [(pair, way.tied)] if way.blocks == 7 else []
    assert found == [(("seg_n_2_7__n_3_7", "seg_n_3_4__n_3_5"), 4)]


def test_of_equal_ways_the_one_with_fewest_turns_and_then_the_northernmost_is_taken() -> None:
    north = shipped_city().way("n_3_6", "n_6_3")
    assert north is not None and north.headings == ("north",) * 3 + ("east",) * 3
    clear = shipped_city().way("n_1_6", "n_4_6")
    assert clear is not None and clear.path == ("n_1_6", "n_1_7", "n_2_7", "n_3_7", "n_4_7", "n_4_6")


def test_fewer_metres_come_before_fewer_turns() -> None:
    """With the straight way shut, a detour over a short block is taken, not over a long one."""
    city = CityMap(small())
    along_street = city.way("n_1_1", "n_1_2", frozenset(["seg_n_1_1__n_1_2"]))
    along_avenue = city.way("n_1_1", "n_2_1", frozenset(["seg_n_1_1__n_2_1"]))
    assert along_street is not None and along_street.metres == 200 + 100 + 200
    assert along_avenue is not None and along_avenue.metres == 100 + 200 + 100
    assert along_avenue.path == ("n_1_1", "n_1_0", "n_2_0", "n_2_1")


segments_of_small = st.sets(st.sampled_from(CityMap(small()).segments), max_size=10)
junctions_of_small = st.sampled_from(CityMap(small()).junctions)


@given(junctions_of_small, junctions_of_small, segments_of_small)
def test_the_best_way_is_the_least_of_all_shortest_ones(start: str, goal: str, closed: set[str]) -> None:
    """Against the list of all shortest paths, compared by the rule as the docs state it."""
    city = CityMap(small())
    graph = city.graph.copy()
    graph.remove_edges_from(ends(c) for c in closed)
    way = city.way(start, goal, frozenset(closed))
    if not nx.has_path(graph, start, goal):
        assert way is None
        return
    every = list(nx.all_shortest_paths(graph, start, goal))

    def rank(path: list[str]) -> tuple[int, int, list[int]]:
        headings = [heading_of(a, b) for a, b in pairwise(path)]
        turns = sum(a != b for a, b in pairwise(headings))
        return sum(map(city.metres, headings)), turns, [HEADINGS.index(h) for h in headings]

    best = min(every, key=rank)
    assert way is not None
    assert (list(way.path), way.tied, way.metres) == (best, len(every), rank(best)[0])


@given(st.sampled_from(HEADINGS), st.sampled_from(HEADINGS))
def test_a_turn_leads_from_one_heading_to_the_other(before: str, after: str) -> None:
    a, b = (next(h for h in HEADINGS if h == w) for w in (before, after))
    assert turned(a, turn_between(a, b)) == b


def test_a_block_is_named_from_the_west_or_north() -> None:
    assert segment_between("n_2_3", "n_1_3") == segment_between("n_1_3", "n_2_3") == "seg_n_1_3__n_2_3"
    assert segment_between("n_10_1", "n_9_1") == "seg_n_9_1__n_10_1"
    assert position("n_10_2") == (10, 2)


@given(st.text(max_size=20), st.integers(1, 500))
def test_a_position_is_never_further_off_than_the_accuracy(name: str, accuracy: int) -> None:
    east, south = blur(name, accuracy)
    assert east * east + south * south <= accuracy * accuracy
    assert (east, south) == blur(name, accuracy)


@pytest.mark.parametrize(
    ("said", "corner"),
    [
        ("Madison Avenue and E 43rd Street", "n_1_6"),
        ("madison & east 43rd", "n_1_6"),
        ("the corner of E. 42nd St. and 5th Ave.", "n_0_7"),
        ("United Nations Plaza / E 49th Street", "n_7_0"),
        ("Madison Avenue", None),
        ("Madison and Park and 43rd", None),
        ("Broadway and E 43rd Street", None),
        ("", None),
    ],
)
def test_a_corner_is_known_by_its_words(said: str, corner: str | None) -> None:
    assert corner_in(shipped_city(), said) == corner


def test_the_search_puts_the_exact_name_first_and_equals_in_order() -> None:
    city = shipped_city()
    assert [p.id for p in find_places(city, "larkspur pharmacy")] == [PHARMACY]
    assert [p.id for p in find_places(city, "pharmacy")] == ["poi_elm_tree_pharmacy", PHARMACY]
    assert [p.id for p in find_places(city, PHARMACY)] == [PHARMACY]
    assert find_places(city, "zeppelin") == find_places(city, " ") == []
    assert len(find_places(city, "tower")) == 5


def test_a_destination_is_one_place_or_an_error() -> None:
    city = shipped_city()
    assert destination(city, "ent_un_visitors").at == "n_6_3"
    assert destination(city, "United Nations visitor entrance").at == "n_6_3"
    assert destination(city, "the larkspur").id == PHARMACY
    with pytest.raises(NoPlace) as unknown:
        destination(city, "the zoo")
    with pytest.raises(NoPlace) as several:
        destination(city, "Pharmacy")
    assert (unknown.value.code, several.value.code) == ("unknown_place", "ambiguous_place")
    assert "poi_elm_tree_pharmacy, poi_larkspur_pharmacy" in str(several.value)


def test_what_is_seen_turns_with_the_walker() -> None:
    """Town Well is one block west of n_1_2, Water Tower stands at n_2_1, a diagonal away."""
    city = CityMap(small())
    by_heading = {h: seen(city, "n_1_2", h)["landmarks"] for h in HEADINGS}
    where = {h: [s["where"] for s in by_heading[h]] for h in HEADINGS}
    assert where == {"north": ["left"], "east": ["behind"], "south": ["right"], "west": ["ahead"]}
    assert seen(city, "n_0_2", "west")["here"] == [{"name": "Town Well", "category": "well", "where": "here"}]
    assert seen(city, "n_0_0", "north")["roads"] == ["right", "behind"]


def test_a_superblock_is_seen_along_its_edge_and_over_its_corners() -> None:
    block = Superblock(id="b", name="Gasworks", avenues=(1, 2), streets=(0, 3))
    city = CityMap(small(superblocks=(block,), places=()))
    assert seen(city, "n_1_1", "north")["landmarks"] == [{"name": "Gasworks", "where": "right"}]
    assert seen(city, "n_2_0", "north")["landmarks"] == [{"name": "Gasworks", "where": "behind left"}]
    assert seen(city, "n_3_1", "north")["landmarks"] == []


def test_nothing_is_wrong_with_the_shipped_city() -> None:
    engine = StreetsEngine(shipped_world())
    assert list(engine.findings(shipped_document())) == []


def wrong_grids() -> Iterator[tuple[str, StreetGrid, list[str]]]:
    grid = shipped_grid()
    place = grid.places[0]
    changed = {
        "missing.unknown": ("missing", (*grid.missing, "seg_n_7_7__n_8_7")),
        "missing.turned": ("missing", ("seg_n_3_5__n_2_5", *grid.missing[1:])),
        "missing.twice": ("missing", (*grid.missing, grid.missing[0])),
        "missing.apart": ("missing", (*grid.missing, "seg_n_0_0__n_2_0")),
        "superblock": ("superblocks", (Superblock(id="x", name="X", avenues=(3, 2), streets=(0, 8)),)),
        "superblock.twice": ("superblocks", (*grid.superblocks, grid.superblocks[0])),
        "no_crossing": ("no_crossing", (NoCrossing(at="n_9_9", arm="S"),)),
        "no_crossing.twice": ("no_crossing", (*grid.no_crossing, grid.no_crossing[0])),
        "place.off": ("places", (place.model_copy(update={"at": "n_0_8"}),)),
        "place.twice": (
            "places",
            (place, Place(id="other", name="the New York public library", category="x", at="n_1_1")),
        ),
        "place.id": ("places", (place, Place(id=place.id, name="Other", category="x", at="n_1_1"))),
        "names": ("avenues", (*grid.avenues[:7], "Madison Ave")),
        "island": ("missing", (*grid.missing, "seg_n_0_6__n_0_7", "seg_n_0_7__n_1_7")),
    }
    said = {
        "missing.unknown": ["junctions go from `n_0_0` to `n_7_7`"],
        "missing.turned": ["write `seg_n_2_5__n_3_5`: the junction further west or north stands first"],
        "missing.twice": ["one block, one entry"],
        "missing.apart": ["a block joins two junctions that are one step apart"],
        "superblock": ["two numbers from 0 to 7, the smaller one first"] * 2,
        "superblock.twice": ["one id, one entry"],
        "no_crossing": ["junctions go from `n_0_0` to `n_7_7`"],
        "no_crossing.twice": ["one arm, one entry"],
        "place.off": ["did you mean `n_0_7`? junctions go from `n_0_0` to `n_7_7`"],
        "place.twice": ["one name, one entry"],
        "place.id": ["one id, one entry"],
        "names": ["one name, one entry"],
        "island": ["take a block out of `missing`"] * 2,
    }
    for name, (field, value) in changed.items():
        yield name, grid.model_copy(update={field: value}), said[name]


@pytest.mark.parametrize(
    ("grid", "hints"), [(g, h) for _, g, h in wrong_grids()], ids=[n for n, _, _ in wrong_grids()]
)
def test_a_name_that_the_grid_lacks_is_found(grid: StreetGrid, hints: list[str]) -> None:
    engine = StreetsEngine(shipped_world().model_copy(update={"streets": grid}))
    found = list(engine.findings(shipped_document()))
    assert [f.code for f in found] == ["DK317"] * len(hints)
    assert [f.hint for f in found] == hints


WITHOUT_CITY = """\
kind: world
id: nowhere
title: A city without one
regime: spatial
engine: streets
now: "2026-05-19T10:40:00Z"
brief: You guide somebody through nothing at all.
"""


def test_an_engine_without_a_city_says_so_and_offers_nothing() -> None:
    (document,), _ = load_text(WITHOUT_CITY, "world.yaml")
    world, _ = parse(document)
    assert isinstance(world, World)
    engine = StreetsEngine(world)
    (finding,) = engine.findings(document)
    assert (finding.code, finding.line, finding.column) == ("DK318", 5, 9)
    assert (engine.tables(), engine.session(), engine.seed(), engine.tools()) == ({}, {}, {}, ())


def test_a_finding_stands_at_the_entry() -> None:
    text = WITHOUT_CITY + "streets:\n  avenues: [a, b]\n  streets: [c, d]\n"
    text += "  block_m: {along_avenue: 1, along_street: 1}\n  missing: [seg_n_0_0__n_1_0, seg_n_1_1__n_2_1]\n"
    (document,), _ = load_text(text, "world.yaml")
    world, problems = parse(document)
    assert isinstance(world, World) and problems == []
    (finding,) = StreetsEngine(world).findings(document)
    assert finding.text() == (
        "world.yaml:12:31: DK317: the grid has no block `seg_n_1_1__n_2_1` "
        "(junctions go from `n_0_0` to `n_1_1`)"
    )
