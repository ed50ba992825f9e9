"""The fourteen tools on a state: moving, barriers, arrival, what is told, what is kept back, what may be wrong."""

from __future__ import annotations

import inspect

import pytest

from duplexkit.harness.world import streets_grid, streets_tools
from duplexkit.harness.world.engines import Engine, ToolError, make_engine
from duplexkit.harness.world.state import StateError
from duplexkit.harness.world.streets import COUNTERS, StreetsEngine
from duplexkit.schemas.streets import HEADINGS, NoCrossing

from .streets_helpers import FOUR_CLOSED, PHARMACY, Played, play, shipped_city, shipped_grid, shipped_world
from .streets_helpers import small_grid as small


def at_madison(closed: tuple[str, ...] = ()) -> Played:
    return play(shipped_grid(), "n_1_6", "east", (PHARMACY,), closed)


def to_pharmacy(played: Played, last: str = "walk_to_next_corner") -> None:
    """The best way with nothing closed."""
    for tool in (
        "turn_right",
        "walk_to_next_corner",
        "turn_left",
        *["walk_to_next_corner"] * 3,
        "turn_left",
        last,
    ):
        played.call(tool)


def fails(played: Played, tool: str, **arguments: str) -> str:
    with pytest.raises(ToolError) as error:
        played.call(tool, **arguments)
    assert error.value.code in played.tools[tool].errors
    return error.value.code


def test_the_engine_is_the_one_that_the_world_names() -> None:
    engine: Engine = make_engine(shipped_world())
    assert isinstance(engine, StreetsEngine)
    assert set(engine.tables()) == set(engine.seed()) == {"walker", "closures", "stops"}
    assert {"heading", "belief_at", "belief_heading", *COUNTERS} == set(engine.session())


def test_nine_tools_are_the_walkers_and_five_the_agents() -> None:
    specs = [t.spec for t in StreetsEngine(shipped_world()).tools()]
    assert [s.side for s in specs].count("caller") == 9 and [s.side for s in specs].count("agent") == 5
    assert [s.effect for s in specs].count("write") == 8 and [s.effect for s in specs].count("read") == 6
    assert [s.name for s in specs if s.side == "agent"] == [
        "get_gps", "find_place", "directions", "live_status", "note_user_location",
    ]  # fmt: skip


def test_turns_change_the_heading_only() -> None:
    played = at_madison()
    assert played.call("turn_right") == {"turned": "right"}
    assert played.view.session["heading"] == "south"
    played.call("turn_around")
    played.call("turn_left")
    assert played.view.session["heading"] == "west"
    assert (played.view.session["turns_made"], played.view.session["blocks_walked"]) == (3, 0)


def test_the_shortest_walk_arrives() -> None:
    played = at_madison()
    to_pharmacy(played)
    session = played.view.session
    assert (played.at(), played.reached("1")) == ("n_4_6", True)
    assert (session["optimal_blocks"], session["blocks_walked"], session["turns_made"]) == (5, 5, 3)
    assert session["wrong_way_moves"] == 0


def test_the_last_place_counts_only_while_one_stands_there() -> None:
    played = at_madison()
    to_pharmacy(played)
    played.call("walk_to_next_corner")
    assert not played.reached("1")
    assert played.view.session["wrong_way_moves"] == 1
    played.call("turn_around")
    assert played.call("walk_to_next_corner") == {"walked": True, "blocks": 1, "arrived": True}
    assert played.reached("1")


def test_an_earlier_place_is_done_once_it_is_touched() -> None:
    played = play(small(), "n_2_3", "east", ("poi_mill", "poi_tower"))
    assert played.view.session["optimal_blocks"] == 1 + 3
    assert fails(played, "ask_for_next_place") == "not_there_yet"
    played.call("walk_to_next_corner")
    assert (played.reached("1"), played.reached("2")) == (True, False)
    assert played.call("ask_for_next_place") == {"place": "Water Tower"}
    for tool in ("turn_left", *["walk_to_next_corner"] * 2, "turn_left", "walk_to_next_corner"):
        played.call(tool)
    assert (played.reached("1"), played.reached("2")) == (True, True)
    played.call("walk_to_next_corner")
    assert (played.reached("1"), played.reached("2")) == (True, False)


def test_a_later_place_that_is_passed_first_does_not_count() -> None:
    played = play(small(), "n_2_0", "south", ("poi_mill", "poi_tower"))
    played.call("walk_to_next_corner")
    assert played.at() == "n_2_1" and not played.reached("2")


def test_stops_are_numbered_and_not_sorted_as_text() -> None:
    played = play(small(), "n_2_0", "south", ("poi_mill", *["poi_tower", "poi_well"] * 5))
    assert played.engine.streets is not None
    assert [key for key, _, _ in played.engine.streets.stops(played.view)] == [str(n) for n in range(1, 12)]


def test_one_place_is_all_there_is_to_ask_for() -> None:
    assert fails(at_madison(), "ask_for_next_place") == "no_more_places"


def test_a_barrier_is_a_result_that_is_remembered() -> None:
    played = at_madison(FOUR_CLOSED)
    for tool in ("turn_right", "walk_to_next_corner", "turn_left"):
        played.call(tool)
    assert played.call("walk_to_next_corner") == {"walked": False, "blocks": 0, "why": "closed"}
    assert played.at() == "n_1_7"
    assert dict(played.view.rows("closures"))["seg_n_1_7__n_2_7"]["revealed"] is True
    session = played.view.session
    assert (session["blocked_hits"], session["blocks_walked"], session["optimal_blocks"]) == (1, 1, 7)


def test_a_dead_end_is_an_error() -> None:
    assert fails(play(shipped_grid(), "n_2_5", "east"), "walk_to_next_corner") == "dead_end"
    assert fails(play(shipped_grid(), "n_0_0", "north"), "move_forward") == "dead_end"


def test_moving_forward_passes_corners_without_a_choice() -> None:
    """On United Nations Plaza no street leads off between 48th and 42nd."""
    played = play(shipped_grid(), "n_7_1", "south")
    assert played.call("move_forward") == {"walked": True, "blocks": 6, "arrived": False}
    assert (played.at(), played.view.session["blocks_walked"]) == ("n_7_7", 6)
    assert played.call("turn_around") and played.call("walk_to_next_corner")["blocks"] == 1


def test_moving_forward_stops_at_the_place_and_at_barriers() -> None:
    on_the_way = tuple(
        p.model_copy(update={"at": "n_7_4"}) if p.id == PHARMACY else p for p in shipped_grid().places
    )
    grid = shipped_grid().model_copy(update={"places": on_the_way})
    played = play(grid, "n_7_1", "south", (PHARMACY,))
    assert played.call("move_forward") == {"walked": True, "blocks": 3, "arrived": True}
    played = play(shipped_grid(), "n_7_1", "south", closed=("seg_n_7_3__n_7_4",))
    assert played.call("move_forward") == {"walked": True, "blocks": 2, "why": "closed", "arrived": False}
    assert played.view.session["blocked_hits"] == 1


def test_some_arms_cannot_be_crossed() -> None:
    played = play(shipped_grid(), "n_2_3", "south")
    assert played.call("cross_the_road") == {"crossed": False, "why": "no_crossing"}
    played.call("turn_left")
    assert played.call("cross_the_road") == {"crossed": True}
    assert (played.view.session["refused_crossings"], played.view.session["crossings"]) == (1, 1)


def test_the_side_counts_only_where_the_city_says_so() -> None:
    assert StreetsEngine(shipped_world()).tables()["walker"].free_text == ("side",)
    played = play(small(track_side=True), "n_3_2", "south", ("poi_mill",))
    assert played.engine.tables()["walker"].free_text == ()
    played.call("walk_to_next_corner")
    row = played.view.row("walker", "walker")
    assert row is not None and row["side"] == "W" and not played.reached("1")
    assert played.call("cross_the_road") == {"crossed": True}
    assert played.reached("1")
    played.call("cross_the_road")
    assert not played.reached("1")
    played.call("turn_around")
    assert played.reached("1")


def test_signs_never_tell_a_facing() -> None:
    told = []
    for heading in HEADINGS:
        played = play(shipped_grid(), "n_1_6", heading)
        told.append((played.call("read_signs"), played.call("get_gps")))
    assert all(t == told[0] for t in told)
    assert told[0][0] == {
        "avenue": "Madison Avenue", "street": "E 43rd Street", "corner": "Madison Avenue and E 43rd Street",
    }  # fmt: skip


def test_the_phone_is_off_by_less_than_it_says_and_names_the_corner() -> None:
    for junction in shipped_city().junctions:
        told = play(shipped_grid(), junction, "north").call("get_gps")
        avenue, street = streets_grid.position(junction)
        off = (told["east_m"] - 274 * avenue, told["south_m"] - 81 * street)
        assert off[0] ** 2 + off[1] ** 2 <= told["accuracy_m"] ** 2
        assert (told["near_avenue"], told["near_street"]) == shipped_city().corner(junction)


def test_a_poor_phone_may_name_another_corner() -> None:
    grid = shipped_grid().model_copy(update={"gps_accuracy_m": 300})
    told = [(j, play(grid, j, "north").call("get_gps")) for j in shipped_city().junctions]
    wrong = [j for j, t in told if (t["near_avenue"], t["near_street"]) != shipped_city().corner(j)]
    assert 0 < len(wrong) < 64


def test_no_tool_draws_at_random() -> None:
    for module in (streets_grid, streets_tools):
        assert "random" not in inspect.getsource(module) and " hash(" not in inspect.getsource(module)


def directions(
    played: Played, avenue: str = "Madison Avenue", street: str = "E 43rd Street"
) -> dict[str, object]:
    return played.call("directions", from_avenue=avenue, from_street=street, destination=PHARMACY)


def test_directions_have_one_heading_and_then_turns() -> None:
    told = directions(at_madison())
    assert told == {
        "destination": "Larkspur Pharmacy",
        "metres": 984,
        "blocks": 5,
        "steps": [
            {
                "action": "DEPART",
                "heading": "south",
                "text": "Head south on Madison Avenue",
                "metres": 81,
                "blocks": 1,
                "segment": "seg_n_1_6__n_1_7",
            },
            {
                "action": "TURN_LEFT",
                "text": "Turn left onto E 42nd Street",
                "metres": 822,
                "blocks": 3,
                "segment": "seg_n_1_7__n_2_7",
            },
            {
                "action": "TURN_LEFT",
                "text": "Turn left onto 3rd Avenue",
                "metres": 81,
                "blocks": 1,
                "segment": "seg_n_4_6__n_4_7",
            },
            {"action": "ARRIVE", "text": "Arrive at Larkspur Pharmacy", "metres": 0},
        ],
    }


def test_directions_start_where_one_says_and_not_where_the_walker_is() -> None:
    assert directions(at_madison(), "1st Avenue", "E 47th Street")["blocks"] == 6
    assert directions(at_madison(), "3rd", "East 43rd")["steps"] == [
        {"action": "ARRIVE", "text": "Arrive at Larkspur Pharmacy", "metres": 0}
    ]


def test_directions_keep_clear_of_closures_only_once_these_have_come_to_light() -> None:
    played = at_madison(FOUR_CLOSED)
    assert directions(played)["blocks"] == 5
    told = played.call("live_status")
    assert [c["segment"] for c in told["closures"]] == ["seg_n_1_7__n_2_7", "seg_n_3_6__n_4_6"]
    assert told["closures"][0]["on"] == "E 42nd Street"
    assert told["closures"][0]["between"] == ["Madison Avenue", "Park Avenue"]
    after = directions(played)
    assert isinstance(after["steps"], list)
    assert after["blocks"] == 5 and after["steps"][0]["heading"] == "east"


def test_directions_say_when_no_way_is_known() -> None:
    played = play(small(), "n_3_3", "north", (), ("seg_n_3_2__n_3_3", "seg_n_2_3__n_3_3"))
    played.call("live_status")
    from_well = {"from_avenue": "Ash Avenue", "from_street": "3rd Street", "destination": "poi_mill"}
    assert fails(played, "directions", **from_well) == "no_way"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("Broadway", "E 43rd Street", PHARMACY), "unknown_corner"),
        (("Madison Avenue", "E 50th Street", PHARMACY), "unknown_corner"),
        (("Madison Avenue", "E 43rd Street", "the zoo"), "unknown_place"),
        (("Madison Avenue", "E 43rd Street", "pharmacy"), "ambiguous_place"),
    ],
)
def test_directions_refuse_what_the_map_does_not_have(arguments: tuple[str, str, str], code: str) -> None:
    named = dict(zip(("from_avenue", "from_street", "destination"), arguments, strict=True))
    assert fails(at_madison(), "directions", **named) == code


def test_the_live_status_sees_two_blocks_far() -> None:
    closed = ("seg_n_4_0__n_5_0", "seg_n_3_0__n_4_0", "seg_n_2_0__n_3_0")
    told = play(shipped_grid(), "n_1_0", "east", closed=closed).call("live_status")
    assert [c["segment"] for c in told["closures"]] == ["seg_n_2_0__n_3_0", "seg_n_3_0__n_4_0"]
    assert told["range_blocks"] == 2


def test_a_note_is_kept_and_rated_and_tells_nothing() -> None:
    played = at_madison()
    right = {"near_cross_streets": "Madison Avenue & E 43rd Street", "facing": "east"}
    assert played.call("note_user_location", **right) == {"noted": True}
    wrong = {"near_cross_streets": "Park and 43rd", "facing": ""}
    assert played.call("note_user_location", **wrong) == {"noted": True}
    session = played.view.session
    assert (session["belief_at"], session["belief_heading"]) == ("n_2_6", None)
    assert (session["beliefs_noted"], session["beliefs_at_right"], session["beliefs_heading_right"]) == (
        2,
        1,
        1,
    )
    assert fails(played, "note_user_location", near_cross_streets="somewhere") == "unknown_corner"


def test_search_results_name_their_corner() -> None:
    assert at_madison().call("find_place", query="larkspur") == {
        "places": [
            {
                "id": PHARMACY,
                "name": "Larkspur Pharmacy",
                "category": "pharmacy",
                "avenue": "3rd Avenue",
                "street": "E 43rd Street",
                "side": "E",
            }
        ]
    }


def test_reads_change_nothing() -> None:
    played = at_madison(FOUR_CLOSED)
    before = (played.view.digest(), dict(played.view.session), played.view.mark())
    for tool in ("read_signs", "look_around", "get_gps"):
        played.call(tool)
    played.call("find_place", query="tower")
    directions(played)
    assert (played.view.digest(), dict(played.view.session), played.view.mark()) == before


def test_closures_are_not_part_of_the_graded_state() -> None:
    one, other = at_madison(FOUR_CLOSED), at_madison()
    assert one.view.digest() == other.view.digest()
    one.call("live_status")
    assert one.view.digest() == other.view.digest()
    one.call("turn_right")
    one.call("walk_to_next_corner")
    assert one.view.digest() != other.view.digest()


def test_a_walk_that_begins_at_the_place_has_arrived() -> None:
    played = play(shipped_grid(), "n_4_6", "north", (PHARMACY,))
    assert played.reached("1") and played.view.session["optimal_blocks"] == 0


@pytest.mark.parametrize(
    ("closed", "stop", "code"),
    [
        (("seg_n_9_1__n_9_2",), PHARMACY, "unknown_segment"),
        ((), "poi_nowhere", "unknown_place"),
        (
            ("seg_n_3_6__n_4_6", "seg_n_4_5__n_4_6", "seg_n_4_6__n_4_7", "seg_n_4_6__n_5_6"),
            PHARMACY,
            "no_way",
        ),
    ],
)
def test_a_walk_that_cannot_be_walked_does_not_begin(closed: tuple[str, ...], stop: str, code: str) -> None:
    with pytest.raises(StateError) as error:
        play(shipped_grid(), "n_1_6", "east", (stop,), closed)
    assert error.value.code == code


def test_an_arm_off_the_grid_does_not_stop_the_engine() -> None:
    """The finding about it must be reached."""
    grid = small(no_crossing=(NoCrossing(at="n_9_9", arm="N"),), missing=("seg_n_9_9__n_9_10",))
    assert play(grid, "n_0_0", "east").call("cross_the_road") == {"crossed": True}
