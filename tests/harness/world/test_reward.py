"""The reward of the example call: each factor true and false, and what makes it so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from duplexkit.authoring.library import load_scenario
from duplexkit.harness.world.calls import CallScenario, replay
from duplexkit.harness.world.reward import equal, reward
from duplexkit.harness.world.runtime import Call

from ...authoring.calls_helpers import example, scenario_with

SAID = ["It is yours until Wednesday.", "The two days cost twelve dollars."]
GOLD = [
    ("find_rider", {"phone": "5550142290"}),
    ("extend_rental", {"rental_id": "B-31", "until": "2026-03-04"}),
]


def loaded(folder: Path, fragment: str = "") -> CallScenario:
    (folder / "world.yaml").write_text(example("world-format.md"), encoding="utf-8")
    (folder / "call.yaml").write_text(scenario_with(fragment), encoding="utf-8")
    return load_scenario(folder / "call.yaml")


def factors(
    call: CallScenario, calls: list[tuple[str, dict[str, Any]]], said: list[str] | None = SAID
) -> dict[str, Any]:
    view = call.start()
    trace: list[Call] = [call.runtime.call(view, tool, arguments) for tool, arguments in calls]
    made = reward(call, view, trace, said)
    return {"value": made.value, **{v.factor: v.value for v in made.verdicts}}


def test_gold_passes(tmp_path: Path) -> None:
    call = loaded(tmp_path)
    assert reward(call, replay(call).end, replay(call).calls, SAID).value == 1.0
    assert factors(call, GOLD) == {"value": 1.0, "state": True, "actions": True, "say": True, "forbid": True}


def test_reads_unknown_tools_and_other_words_in_free_text_do_no_harm(tmp_path: Path) -> None:
    call = loaded(tmp_path)
    more = [
        GOLD[0],
        ("list_rentals", {}),
        ("frob", {}),
        ("search_policy", {"query": "returned"}),
        ("list_rentals", {}),
    ]
    assert factors(call, [*more, (GOLD[1][0], {**GOLD[1][1], "note": "as agreed"})])["value"] == 1.0


@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        ([], {"state", "actions"}),
        ([("frob", {})], {"state", "actions"}),
        ([GOLD[0], (GOLD[1][0], {**GOLD[1][1], "until": "2026-03-05"})], {"state", "actions"}),
        ([GOLD[0], (GOLD[1][0], {**GOLD[1][1], "until": "2026-03-05"}), GOLD[1]], set()),
    ],
    ids=["nothing", "unknown tool", "another day", "mended"],
)
def test_what_is_wrong_with_other_calls(tmp_path: Path, calls: list[Any], wrong: set[str]) -> None:
    made = factors(loaded(tmp_path), calls)
    assert {n for n, v in made.items() if v is False} == wrong and made["value"] == (0.0 if wrong else 1.0)


def test_words(tmp_path: Path) -> None:
    call = loaded(tmp_path)
    assert factors(call, GOLD, ["That is 112 dollars."])["say"] is False
    assert factors(call, GOLD, ["That is $12.00."])["say"] is True
    unknown = factors(call, GOLD, None)
    assert unknown["say"] is None and unknown["value"] is None
    assert factors(call, [], None)["value"] == 0.0


def test_assertions_claims_and_alternates(tmp_path: Path) -> None:
    fragment = """
gold:
  assert: [{that: "calls_list_rentals().size() <= 1", because: the list is read once at most}]
  claims: [The agent was friendly.]
  any_of: [{because: A day more does no harm., state: {rentals: {B-31: {due: 2026-03-05}}}}]
reward: [state, assert, claims]
"""
    call = loaded(tmp_path, fragment)
    assert factors(call, GOLD) == {"value": None, "state": True, "assert": True, "claims": None}
    later = [GOLD[0], (GOLD[1][0], {"rental_id": "B-31", "until": "2026-03-05"})]
    assert factors(call, later)["state"] is True
    twice = [GOLD[0], ("list_rentals", {}), ("list_rentals", {}), GOLD[1]]
    assert factors(call, twice)["assert"] is False


def test_compare_and_multiplicity(tmp_path: Path) -> None:
    twice = "{id: extend, required: true, compare: [rental_id]}, {id: again, tool: extend_rental, required: true, compare: []"
    call = loaded(
        tmp_path, f"gold: {{actions: [{twice}, arguments: {{rental_id: B-31, until: 2026-03-04}}}}]}}"
    )
    assert factors(call, GOLD)["actions"] is False
    other = (GOLD[1][0], {"rental_id": "B-31", "until": "2026-03-09"})
    assert factors(call, [*GOLD, other])["actions"] is True


@pytest.mark.parametrize(
    ("a", "b"), [(True, 1), (1, "1"), (False, 0), ([0], [False]), ("007", "7"), (None, "")]
)
def test_types_differ(a: Any, b: Any) -> None:
    assert not equal(a, b) and equal(a, a) and equal(b, b)
