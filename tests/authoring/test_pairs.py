"""Published faults of pairs, of gold answers and of tags, in our schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from duplexkit.authoring.buckets import bucket_of, bucket_turns
from duplexkit.authoring.check import CheckResult, check_text

LIDS: dict[str, Any] = {
    "kind": "scene",
    "id": "lids",
    "attributes": dict.fromkeys(("setting", "activity", "relationship", "device", "register"), "plain"),
    "speakers": [{"id": "A", "name": "Ana"}, {"id": "B", "name": "Bo"}],
    "bucket": "middle",
    "turns": [
        {
            "id": "t1",
            "speaker": "A",
            "to": "B",
            "tag": "N2",
            "text": "Lids go in the yellow one with the cups.",
        },
        {"id": "t2", "speaker": "B", "to": "assistant", "tag": "T"},
        {"id": "t3", "speaker": "A", "tag": "N3", "text": "Hm, my phone."},
    ],
    "pair": {
        "turn": "t2",
        "explicit": "Aria, which bin takes these lids?",
        "implicit": "The one on the shelf knows: which bin for lids?",
        "cue": {"turn": "t2", "words": "the one on the shelf"},
    },
    "answer": {"text": "Yellow.", "support": ["t1"]},
}


def found(data: dict[str, Any]) -> list[tuple[str, str]]:
    result = check_text(json.dumps(data), "lids.json")
    return [(f.code, f.message) for f in result.findings]


def with_pair(**pair: Any) -> dict[str, Any]:
    return {**LIDS, "pair": {**LIDS["pair"], **pair}}


def test_the_good_pair_is_clean() -> None:
    assert found(LIDS) == []


def test_name_deleted_without_a_cue() -> None:
    assert [c for c, _ in found(with_pair(implicit="Which bin takes these lids?"))] == ["DK237"]


def test_change_outside_the_request_is_refused() -> None:
    """One file holds both versions, so a turn other than the request can differ in `pair.before` only, and
    that must be the turn directly before it and hold the cue.
    """
    elsewhere = {"turn": "t3", "explicit": "Hm, my phone.", "implicit": "Ask the one on the shelf."}
    data = with_pair(before=elsewhere, cue={"turn": "t3", "words": "the one on the shelf"})
    assert [c for c, _ in found(data)] == ["DK231"]
    turns = [*LIDS["turns"]]
    turns[0] = {k: v for k, v in turns[0].items() if k != "text"}
    before = {
        "turn": "t1",
        "explicit": "Did you put cups in the yellow one?",
        "implicit": "Did you put plates in the yellow one?",
    }
    assert [c for c, _ in found({**with_pair(before=before), "turns": turns})] == ["DK241"]
    two_texts = [{**LIDS["turns"][0], "implicit": "Other words."}, *LIDS["turns"][1:]]
    assert [c for c, _ in found({**LIDS, "turns": two_texts})] == ["DK102"]


def test_implicit_still_names_the_assistant() -> None:
    assert [c for c, _ in found(with_pair(implicit="Aria, which bin takes these lids?"))] == ["DK236"]
    named = "The one on the shelf knows, Aria: which bin for lids?"
    assert [c for c, _ in found(with_pair(implicit=named))] == ["DK235"]


def test_gold_cannot_differ() -> None:
    """There is one `answer` for both versions; a second one is an unknown key or a key that stands twice."""
    assert [c for c, _ in found(with_pair(answer={"text": "Blue."}))] == ["DK102"]
    twice = json.dumps(LIDS)[:-1] + ', "answer": {"text": "Blue.", "support": ["t1"]}}'
    assert [f.code for f in check_text(twice, "lids.json").findings] == ["DK006"]


def test_turn_count_cannot_differ() -> None:
    """There is one list of turns; a list of its own for one version is an unknown key."""
    assert [c for c, _ in found(with_pair(turns=[{"id": "t4"}]))] == ["DK102"]


SUPPORT: dict[str, Any] = {
    **LIDS,
    "turns": [
        {
            "id": "t1",
            "speaker": "A",
            "to": "B",
            "tag": "N2",
            "text": "Lids go with paper, cups with plastic.",
        },
        {"id": "t2", "speaker": "A", "to": "B", "tag": "N2", "text": "No wait, lids are plastic now."},
        {"id": "t3", "speaker": "B", "to": "assistant", "tag": "T"},
        {"id": "t4", "speaker": "A", "to": "B", "tag": "N2", "text": "And cups are glass, ha."},
    ],
    "pair": {
        "turn": "t3",
        "explicit": "Aria, where do the lids go?",
        "implicit": "The one on the shelf knows: where do the lids go?",
        "cue": {"turn": "t3", "words": "the one on the shelf"},
    },
}


@pytest.mark.parametrize(
    ("answer", "code", "word"),
    [
        ({"text": "Paper.", "support": ["t1"]}, "DK256", "superseded"),
        ({"text": "In the blue bin.", "support": ["t1"]}, "DK257", "unsupported"),
        ({"text": "Plastic.", "support": ["t2", "t4"]}, "DK253", "too late"),
        ({"text": "Plastic.", "support": ["t1", "t2"]}, None, ""),
    ],
)
def test_support_of_the_answer(answer: dict[str, Any], code: str | None, word: str) -> None:
    got = found({**SUPPORT, "answer": answer})
    assert [c for c, _ in got] == ([code] if code else [])
    assert all(word in message for _, message in got)


def test_before_turn_keeps_its_tag_in_both_forms(check_changed: Callable[[str], CheckResult]) -> None:
    result = check_changed(
        """
        turns: [{id: t7, speaker: B, tag: N3}]
        pair:
          implicit: "When does our last bus home leave today?"
          before: {turn: t7, explicit: "Boots, Aria's boots...", implicit: "Boots... ask the thing on the counter."}
          cue: {turn: t7, words: "the thing on the counter"}
        """
    )
    (finding,) = result.findings
    assert (finding.code, "t7" in finding.message) == ("DK223", True)


@pytest.mark.parametrize("n", range(2, 40))
def test_buckets_are_thirds(n: int) -> None:
    buckets = [bucket_of(i, n) for i in range(n)]
    assert buckets[0] is None and buckets[-1] is None
    inner = buckets[1:-1]
    sizes = [inner.count(b) for b in ("early-middle", "middle", "late-middle")]
    assert inner == ["early-middle"] * sizes[0] + ["middle"] * sizes[1] + ["late-middle"] * sizes[2]
    assert sizes[0] == sizes[2] == (n - 2) // 3
    for bucket in ("early-middle", "middle", "late-middle"):
        assert all(bucket_of(t - 1, n) == bucket for t in bucket_turns(bucket, n))
    assert sum(len(bucket_turns(b, n)) for b in ("early-middle", "middle", "late-middle")) == n - 2
