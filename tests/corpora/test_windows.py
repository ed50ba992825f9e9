"""Windows: what is expected of the agent, and where it lies in a run that waited."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from duplexkit.corpora.windows import held, held_turns, held_windows, item_windows
from duplexkit.schemas.item import ItemTurn

RATE = 24_000


def turn(id_: str, tag: str, start: int, end: int) -> ItemTurn:
    return ItemTurn.model_validate(
        {
            "id": id_,
            "speaker": "A",
            "tag": tag,
            "to": None,
            "text": "x",
            "spoken_text": "x",
            "start": start,
            "end": end,
            "clip": "0" * 64,
        }
    )


TURNS = (
    turn("t1", "N2", 0, 1000),
    turn("t2", "T", 13_000, 20_000),
    turn("t3", "N1", 140_000, 150_000),
    turn("t4", "N4_Q", 162_000, 170_000),
    turn("t5", "N4_R", 242_000, 247_000),
    turn("t6", "N3", 259_000, 300_000),
)


def test_each_tag_gets_its_window() -> None:
    windows = item_windows(TURNS, 120_000)
    assert [(w.kind, w.turn, w.start, w.end, w.expect) for w in windows] == [
        ("silence", "t1", 0, 13_000, "silent"),
        ("response", "t2", 20_000, 140_000, "respond"),
        ("silence", "t3", 140_000, 162_000, "silent"),
        ("answering", "t4", 170_000, 242_000, "may-answer"),
        ("yield", "t5", 242_000 + 2 * RATE, 242_000 + 2 * RATE + 1, "stopped"),
        ("silence", "t6", 259_000, 312_000, "silent"),
    ]


def test_a_long_resolution_moves_the_end_of_the_yield_window() -> None:
    turns = (turn("q", "N4_Q", 0, 10), turn("r", "N4_R", 72_010, 72_010 + 5 * RATE))
    window = item_windows(turns, 0)[-1]
    assert (window.start, window.end) == (72_010 + 2 * RATE, 72_010 + 5 * RATE + RATE // 2 + 1)


@given(st.integers(0, 10_000_000))
def test_a_wait_moves_what_comes_behind_the_hold_point_and_nothing_else(hold: int) -> None:
    windows = item_windows(TURNS, 120_000)
    moved = held_windows(windows, TURNS, 20_000, hold)
    assert moved[0] == windows[0]
    assert (moved[1].start, moved[1].end) == (20_000, 140_000 + hold)
    for before, after in zip(windows[2:], moved[2:], strict=True):
        assert (after.start - before.start, after.end - before.end) == (hold, hold)
    turns = held_turns(TURNS, 20_000, hold)
    assert turns[:2] == TURNS[:2]
    assert [t.start - u.start for t, u in zip(turns[2:], TURNS[2:], strict=True)] == [hold] * 4
    assert item_windows(turns, 120_000 + hold) == moved


@given(st.integers(0, 10_000))
def test_a_turn_directly_behind_the_request_is_moved_and_the_request_is_not(hold: int) -> None:
    request, behind = turn("t", "T", 0, 100), turn("q", "N4_Q", 100, 200)
    assert (held(request, 100, hold), held(behind, 100, hold)) == (0, hold)
    assert [(t.start, t.end) for t in held_turns((request, behind), 100, hold)] == [
        (0, 100),
        (100 + hold, 200 + hold),
    ]


def test_a_deadline_behind_the_hold_point_stays_with_its_turn() -> None:
    turns = (
        turn("q", "N4_Q", 0, 10),
        turn("r", "N4_R", 72_010, 80_000),
        turn("t", "T", 92_000, 100_000),
        turn("n", "N3", 220_000, 230_000),
    )
    windows = item_windows(turns, 120_000)
    assert windows[1].start == 72_010 + 2 * RATE > 100_000
    moved = held_windows(windows, turns, 100_000, 9_600)
    assert moved == item_windows(held_turns(turns, 100_000, 9_600), 129_600)
