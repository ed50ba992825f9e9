"""Calls in the example world of the docs: what stops them, what they change, and that an error changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from duplexkit.harness.world import engines
from duplexkit.harness.world.engines import NativeTool, TablesEngine
from duplexkit.harness.world.loading import load_world
from duplexkit.harness.world.runtime import Runtime
from duplexkit.harness.world.state import View
from duplexkit.schemas.parse import parse
from duplexkit.schemas.source import load_text
from duplexkit.schemas.world import Tool, World

from ...authoring.calls_helpers import example, world_with


def runtime(text: str) -> Runtime:
    (document,), findings = load_text(text, "world.yaml")
    world, shape = parse(document)
    assert isinstance(world, World) and not findings and not shape, (findings, shape)
    made, problems = load_world(document, world)
    assert made is not None and not problems, problems
    return made


@pytest.fixture(scope="module")
def bikes() -> Runtime:
    return runtime(example("world-format.md"))


def opened(bikes: Runtime) -> View:
    view = bikes.start()
    assert bikes.call(view, "find_rider", {"phone": "5550142290"}).result == {
        "rider_id": "R-1",
        "name": "Ines Duarte",
    }
    return view


def test_a_call_that_succeeds(bikes: Runtime) -> None:
    view = opened(bikes)
    made = bikes.call(view, "extend_rental", {"rental_id": "B-31", "until": "2026-03-04", "note": "agreed"})
    assert made.ok and made.result == {"due": "2026-03-04", "cost": "12.00"}
    assert view.row("rentals", "B-31")["note"] == "agreed"  # type: ignore[index]
    listed = bikes.call(view, "list_rentals", {}).result["rentals"]
    assert listed == [
        {"rental_id": "B-31", "bike": "cargo", "status": "out", "due": "2026-03-04"},
        {"rental_id": "B-32", "bike": "city", "status": "returned", "due": None},
    ]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("fly", {}, "unknown_tool"),
        ("extend_rental", [], "bad_arguments"),
        ("extend_rental", {"rental_id": "B-31"}, "bad_arguments"),
        ("extend_rental", {"rental_id": "B-31", "until": "2026-02-30"}, "bad_arguments"),
        ("extend_rental", {"rental_id": "B-31\n", "until": "2026-03-04"}, "bad_arguments"),
        ("extend_rental", {"rental_id": 31, "until": "2026-03-04"}, "bad_arguments"),
        ("extend_rental", {"rental_id": "B-31", "until": "2026-03-04", "colour": "red"}, "bad_arguments"),
        ("extend_rental", {"rental_id": "B-99", "until": "2026-03-04"}, "not_found"),
        ("extend_rental", {"rental_id": "B-32", "until": "2026-03-04"}, "closed"),
        ("extend_rental", {"rental_id": "B-31", "until": "2026-03-02"}, "bad_date"),
        ("find_rider", {"phone": "5550000000"}, "not_found"),
        ("search_policy", {"query": 7}, "bad_arguments"),
    ],
)
def test_a_call_that_fails_changes_nothing(bikes: Runtime, tool: str, arguments: Any, code: str) -> None:
    view = opened(bikes)
    before = (view.digest(), dict(view.session), dict(view.counters))
    made = bikes.call(view, tool, arguments)
    assert made.error == code and made.result["error"]["code"] == code and made.result["error"]["message"]
    assert (view.digest(), view.session, view.counters) == before


def test_a_guard_that_nobody_passed_yet(bikes: Runtime) -> None:
    assert bikes.call(bikes.start(), "list_rentals", {}).error == "no_record_open"
    assert bikes.call(bikes.start(), "list_rentals", {}, "caller").error == "unknown_tool"


EXTRA = """
tools:
  - name: reopen
    description: Puts a returned rental out again.
    effect: write
    parameters: {rental_id: {type: string}}
    guards: [{unless: "has_rentals(args.rental_id)", error: not_found, because: There is nothing to reopen.}]
    effects:
      - {set: "/rentals/{args.rental_id}/note", to: "'touched'"}
      - {set: "/rentals/{args.rental_id}/status", to: "'out'"}
  - name: lend
    description: Lends a bike to a rider.
    effect: write
    parameters: {rider: {type: string}, price: {type: string, format: money}}
    effects:
      - {insert: "/rentals/{new.rentals}", row: {rider: "args.rider", bike: "'city'", status: "'out'", price: "args.price"}}
    returns: {rental_id: "new.rentals"}
  - name: close_all
    description: Notes all rentals of a rider as looked at.
    effect: write
    parameters: {rider: {type: string}}
    effects:
      - for_each: "rentals_by_rider(args.rider)"
        as: rental
        effects: [{set: "/rentals/{rental.rental_id}/note", to: "args.rider + ' ' + rental.bike"}]
    returns: {seen: "size(rentals_by_rider(args.rider))"}
state: {rentals: {new_key: "B-{n:3}"}}
"""


@pytest.fixture(scope="module")
def extended() -> Runtime:
    return runtime(world_with(EXTRA))


def test_an_invariant_stops_a_call_and_its_earlier_effects_go(extended: Runtime) -> None:
    view = extended.start()
    before = view.digest()
    made = extended.call(view, "reopen", {"rental_id": "B-32"})
    assert made.error == "invariant" and "returned-is-final" in made.detail
    assert view.digest() == before and "note" not in (view.row("rentals", "B-32") or {})


def test_new_keys_count_on_from_the_largest_and_errors_take_no_number(extended: Runtime) -> None:
    view = extended.start()
    assert extended.call(view, "lend", {"rider": "R-1", "price": "9.00"}).result == {"rental_id": "B-033"}
    assert extended.call(view, "lend", {"rider": "R-9", "price": "9.00"}).error == "internal"
    assert extended.call(view, "lend", {"rider": "R-1", "price": "9.00"}).result == {"rental_id": "B-034"}


def test_a_loop_changes_each_row(extended: Runtime) -> None:
    view = extended.start()
    assert extended.call(view, "close_all", {"rider": "R-1"}).result == {"seen": 2}
    notes = [row["note"] for _, row in view.rows("rentals")]
    assert notes == ["R-1 cargo", "R-1 city"]


def test_scenarios_do_not_see_each_other(extended: Runtime) -> None:
    alone = extended.start().digest()
    extended.call(extended.start(), "lend", {"rider": "R-1", "price": "9.00"})
    assert extended.start().digest() == alone


def test_a_failing_part_is_named_though_parts_are_joined() -> None:
    tool = """
tools:
  - name: show
    description: Shows a rental.
    effect: read
    parameters: {rental_id: {type: string}}
    returns: {today: "today", bike: "rentals(args.rental_id).bike"}
"""
    made = runtime(world_with(tool))
    call = made.call(made.start(), "show", {"rental_id": "B-9"})
    assert call.error == "internal" and "'rentals(args.rental_id).bike' failed" in call.detail
    assert call.result["error"]["message"] == "something went wrong"


class _Impure(TablesEngine):
    def tools(self) -> tuple[NativeTool, ...]:
        def peek(view: View, arguments: Any) -> dict[str, Any]:
            view.update("rentals", "B-31", {"note": "seen"})
            return {}

        return (NativeTool(Tool(name="peek", description="Looks.", effect="read"), peek),)


class _Point:
    name = "impure"

    def load(self) -> type[_Impure]:
        return _Impure


def test_another_engine_by_its_entry_point_and_a_read_that_writes_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engines, "entry_points", lambda group: [_Point()] if group == engines.GROUP else [])
    made = runtime(world_with("engine: impure"))
    view = made.start()
    before = view.digest()
    call = made.call(view, "peek", {})
    assert call.error == "internal" and "changed the state" in call.detail and view.digest() == before
