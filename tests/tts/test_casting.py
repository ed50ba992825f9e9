"""Casting: fixed voices, timbres, and a draw that depends on seed, scene and ids alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duplexkit.tts.casting import CastingError, Part, cast
from duplexkit.tts.engine import Voice

VOICES = [Voice(f"v{n}", ("low", "medium", "high")[n % 3]) for n in range(10)]


@given(st.integers(0, 2**63), st.text(max_size=5), st.permutations("ABCD"))
def test_voices_are_distinct_and_do_not_follow_the_order_of_voices(
    seed: int, scene: str, ids: list[str]
) -> None:
    parts = [Part(i) for i in ids]
    one = cast(parts, VOICES, seed=seed, scene=scene, engine="e")
    assert len(set(one.values())) == 4
    assert one == cast(parts, VOICES[::-1], seed=seed, scene=scene, engine="e")


def test_timbre_is_met_while_voices_last() -> None:
    parts = [Part("A", "low"), Part("B", "high"), Part("C", "high")]
    chosen = cast(parts, VOICES, seed=0, scene="s", engine="e")
    timbre = {v.name: v.timbre for v in VOICES}
    assert [timbre[chosen[i]] for i in "ABC"] == ["low", "high", "high"]


def test_a_timbre_that_runs_out_takes_its_neighbour() -> None:
    voices = [Voice("h", "high"), Voice("m", "medium"), Voice("l", "low")]
    chosen = cast([Part("A", "high"), Part("B", "high")], voices, seed=0, scene="s", engine="e")
    assert sorted(chosen.values()) == ["h", "m"]


def test_a_fixed_voice_is_kept_from_the_draw() -> None:
    for seed in range(20):
        chosen = cast([Part("A"), Part("B", voice="v3")], VOICES[:4], seed=seed, scene="s", engine="e")
        assert chosen["B"] == "v3"
        assert chosen["A"] != "v3"


@pytest.mark.parametrize("name", ["Chelsie", " v3 ", "V3", ""])
def test_an_unknown_voice_is_an_error_that_lists_the_voices(name: str) -> None:
    with pytest.raises(CastingError, match="v0, v1"):
        cast([Part("A", voice=name)], VOICES, seed=0, scene="s", engine="e")


def test_two_speakers_may_not_share_a_voice() -> None:
    with pytest.raises(CastingError, match="give each their own"):
        cast([Part("A", voice="v3"), Part("B", voice="v3")], VOICES, seed=0, scene="s", engine="e")


def test_too_few_voices_is_an_error() -> None:
    with pytest.raises(CastingError, match="too few"):
        cast([Part("A"), Part("B")], VOICES[:1], seed=0, scene="s", engine="e")
