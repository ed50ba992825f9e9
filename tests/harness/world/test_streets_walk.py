"""What is measured of a walk: by hand, and against the engine on random walks."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duplexkit.harness.world.engines import ToolError
from duplexkit.harness.world.streets_grid import CityMap
from duplexkit.harness.world.streets_walk import Call, Note, Walk, measure, tool_economy
from duplexkit.schemas.streets import HEADINGS, Heading, NoCrossing

from .streets_helpers import FOUR_CLOSED, play, shipped_city
from .streets_helpers import small_grid as small

CALLS: tuple[Call, ...] = get_args(Call)
WALK: Call = "walk_to_next_corner"


def pharmacy(*calls: Call | Note, heading: Heading = "east", closed: tuple[str, ...] = ()) -> Walk:
    return measure(shipped_city(), "n_1_6", heading, calls, closed=closed, goals=["n_4_6"])


def test_the_shortest_walk() -> None:
    walk = pharmacy("turn_right", WALK, "turn_left", WALK, WALK, WALK, "turn_left", WALK)
    leg = walk.legs[0]
    assert (walk.final, walk.blocks, walk.turns, walk.efficiency, walk.passed) == ("n_4_6", 5, 3, 1.0, True)
    assert (leg.departure, leg.first_instruction, leg.ideal_tool_calls) == ("south", "right", 7)
    assert (leg.wrong_way_moves, leg.backtrack_moves, leg.corner_revisits, leg.distinct_corners) == (
        0,
        0,
        0,
        6,
    )
    assert leg.hindsight is not None and leg.hindsight.tied == 4
    assert walk.note_accuracy("at") is None


def test_passing_through_is_not_arriving() -> None:
    walk = pharmacy("turn_right", WALK, "turn_left", WALK, WALK, WALK, "turn_left", WALK, WALK)
    leg = walk.legs[0]
    assert (walk.arrived, leg.touched, leg.blocks_after_touching) == (False, True, 1)
    assert walk.efficiency is None and not walk.passed


def test_to_and_fro() -> None:
    walk = pharmacy(WALK, "turn_around", WALK, "turn_around", WALK, heading="west")
    leg = walk.legs[0]
    assert walk.path == ["n_1_6", "n_0_6", "n_1_6", "n_0_6"]
    assert (leg.backtrack_moves, leg.corner_revisits, leg.max_corner_visits, leg.distinct_corners) == (
        2,
        2,
        2,
        2,
    )
    assert (leg.closer, leg.wrong_way_moves, leg.closest_approach, leg.away[-1]) == (
        [False, True, False],
        2,
        5,
        6,
    )


def test_three_quarters_is_enough_and_less_is_not() -> None:
    """Optimum 3: four blocks pass, five or more do not, and blocks, not metres, are counted."""
    city = CityMap(small())
    four = measure(city, "n_0_0", "east", ["turn_around", "turn_around", *[WALK] * 3], goals=["n_3_0"])
    assert four.passed and four.efficiency == 1.0
    around: list[Call] = ["turn_right", WALK, "turn_left", *[WALK] * 3, "turn_left", WALK]
    five = measure(city, "n_0_0", "east", around, goals=["n_3_0"])
    assert (five.arrived, five.efficiency, five.passed) == (True, 0.6, False)
    detour: list[Call] = [*around[:6], "turn_right", WALK, "turn_left", WALK]
    long_ = measure(city, "n_0_0", "east", detour, goals=["n_3_2"])
    assert (long_.final, long_.efficiency) == ("n_3_2", 1.0)
    back: list[Call] = [
        "turn_right",
        WALK,
        "turn_around",
        WALK,
        "turn_right",
        *[WALK] * 3,
        "turn_right",
        *[WALK] * 3,
    ]
    eight = measure(city, "n_0_0", "east", back, goals=["n_3_3"])
    assert (eight.blocks, eight.optimal_blocks, eight.passed) == (8, 6, True)


def test_closures_are_known_by_barriers_and_by_the_live_status() -> None:
    closed = FOUR_CLOSED
    bumped = pharmacy("turn_right", WALK, "turn_left", WALK, closed=closed)
    assert (bumped.blocked_hits, bumped.blocks) == (1, 1) and bumped.revealed == {"seg_n_1_7__n_2_7"}
    leg = pharmacy("live_status", closed=closed).legs[0]
    assert leg.known == {"seg_n_1_7__n_2_7", "seg_n_3_6__n_4_6"}
    assert leg.clear is not None and leg.given_known is not None and leg.hindsight is not None
    assert (leg.clear.blocks, leg.given_known.blocks, leg.hindsight.blocks) == (5, 5, 7)


def test_legs_begin_at_the_touch_of_the_one_before() -> None:
    calls: list[Call | Note] = [Note("n_2_3", None), WALK, Note("n_3_3", "north"), "turn_left", WALK]
    walk = measure(CityMap(small()), "n_2_3", "east", calls, goals=["n_3_3", "n_0_3"])
    first, second = walk.legs
    assert (first.path, second.path, second.heading) == (["n_2_3", "n_3_3"], ["n_3_3", "n_3_2"], "east")
    assert (first.notes, second.notes) == ([(True, False)], [(True, False)])
    assert (walk.note_accuracy("at"), walk.note_accuracy("facing")) == (1.0, 0.0)
    assert (walk.arrived, walk.wrong_way_moves, walk.optimal_blocks) == (False, 1, 4)


def test_legs_that_were_never_begun_count_in_the_optimum() -> None:
    walk = measure(CityMap(small()), "n_0_0", "east", [WALK], goals=["n_3_0", "n_3_3", "n_0_3"])
    assert (len(walk.legs), walk.to_come, walk.optimal_blocks, walk.arrived) == (1, 6, 9, False)


def test_a_goal_that_cannot_be_reached_has_no_optimum() -> None:
    closed = ("seg_n_2_0__n_3_0", "seg_n_3_0__n_3_1")
    walk = measure(CityMap(small()), "n_0_0", "east", [WALK], closed=closed, goals=["n_3_0"])
    assert (walk.optimal_blocks, walk.efficiency, walk.legs[0].closest_approach) == (None, None, None)
    assert walk.legs[0].ideal_tool_calls == 3


def test_a_walk_that_begins_at_its_goal_has_nothing_to_walk() -> None:
    walk = measure(CityMap(small()), "n_1_1", "east", [], goals=["n_1_1"])
    assert (walk.efficiency, walk.passed, walk.legs[0].departure, walk.legs[0].first_instruction) == (
        1.0,
        True,
        None,
        None,
    )


@pytest.mark.parametrize(("ideal", "calls", "economy"), [(7, 5, 1.0), (7, 10, 0.7), (7, 0, None)])
def test_tool_economy_is_at_most_one(ideal: int, calls: int, economy: float | None) -> None:
    assert tool_economy(ideal, calls) == economy


@given(
    start=st.sampled_from(CityMap(small()).junctions),
    heading=st.sampled_from(HEADINGS),
    calls=st.lists(st.sampled_from(CALLS), max_size=30),
    closed=st.sets(st.sampled_from(CityMap(small()).segments), max_size=3),
    stops=st.lists(st.sampled_from(["poi_mill", "poi_well", "poi_tower"]), min_size=1, max_size=3),
)
def test_measures_agree_with_the_engine(
    start: str, heading: Heading, calls: list[Call], closed: set[str], stops: list[str]
) -> None:
    """The same walk through the tools ends alike, with the same counters and the same closures known."""
    grid = small(no_crossing=(NoCrossing(at="n_1_1", arm="E"),), missing=("seg_n_2_2__n_3_2",))
    city = CityMap(grid)
    closed &= set(city.segments)
    goals = [city.places[s].at for s in stops]
    walk = measure(city, start, heading, calls, closed=closed, goals=goals)
    if walk.optimal_blocks is None:
        return
    played = play(grid, start, heading, tuple(stops), tuple(sorted(closed)))
    for call in calls:
        try:
            played.call(call)
        except ToolError as error:
            assert error.code == "dead_end"
    session = played.view.session
    assert (played.at(), session["heading"]) == (walk.final, walk.heading)
    assert played.reached(str(len(stops))) == walk.arrived
    assert {k for k, row in played.view.rows("closures") if row["revealed"]} == walk.revealed
    counted = (walk.blocks, walk.turns, walk.blocked_hits, walk.crossings, walk.refused_crossings)
    names = ("blocks_walked", "turns_made", "blocked_hits", "crossings", "refused_crossings")
    assert tuple(session[n] for n in names) == counted
    assert (session["wrong_way_moves"], session["optimal_blocks"]) == (
        walk.wrong_way_moves,
        walk.optimal_blocks,
    )


@given(st.lists(st.sampled_from(CALLS), max_size=40), st.sampled_from(HEADINGS))
def test_no_walk_beats_the_optimum(calls: list[Call], heading: Heading) -> None:
    walk = measure(CityMap(small()), "n_1_1", heading, calls, closed=["seg_n_1_1__n_2_1"], goals=["n_2_1"])
    assert walk.efficiency is None or 0 < walk.efficiency <= 1
    leg = walk.legs[0]
    assert leg.blocks >= leg.wrong_way_moves >= leg.backtrack_moves - leg.closer.count(True)
    assert leg.distinct_corners + leg.corner_revisits == leg.blocks + 1
