"""What is expected of the agent, and when: the windows of an item, and their place in a run that waited.

Rules and figures: Duplex-MPE (arXiv 2609.31948), section 3.5. Positions are samples at 24 kHz, ends
exclusive; a rule that holds *through* a sample is written with an end one behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..schemas.item import ItemTurn, Window

RATE = 24_000
YIELD_DEADLINE_SAMPLES = 2 * RATE
YIELD_TAIL_SAMPLES = RATE // 2
SILENCE_TAIL_SAMPLES = RATE // 2


def item_windows(turns: Sequence[ItemTurn], response_samples: int) -> tuple[Window, ...]:
    """The windows of an item for a hold of 0, in the order of the turns.

    - response: from the end of T for `response_samples`;
    - silence: an N1, N2 or N3 turn and the 0.5 s behind it;
    - answering: from the end of N4_Q to the start of its N4_R;
    - yield: from 2 s behind the start of N4_R through the later of that and 0.5 s behind its end.
    """
    windows: list[Window] = []
    for number, turn in enumerate(turns):
        if turn.tag == "T":
            windows.append(_window("response", turn, turn.end, turn.end + response_samples, "respond"))
        elif turn.tag in ("N1", "N2", "N3"):
            windows.append(_window("silence", turn, turn.start, turn.end + SILENCE_TAIL_SAMPLES, "silent"))
        elif turn.tag == "N4_Q":
            windows.append(_window("answering", turn, turn.end, turns[number + 1].start, "may-answer"))
        elif turn.tag == "N4_R":
            deadline = turn.start + YIELD_DEADLINE_SAMPLES
            through = max(deadline, turn.end + YIELD_TAIL_SAMPLES)
            windows.append(_window("yield", turn, deadline, through + 1, "stopped"))
    return tuple(windows)


def _window(kind: str, turn: ItemTurn, start: int, end: int, expect: str) -> Window:
    return Window.model_validate(
        {"kind": kind, "turn": turn.id, "start": start, "end": end, "expect": expect}
    )


def held(turn: ItemTurn, hold_point: int, hold_samples: int) -> int:
    """By how many samples a run that waited `hold_samples` at the hold point moved a turn.

    A turn that begins at the hold point, directly behind T, is moved; T itself is not.
    """
    return hold_samples if turn.start >= hold_point else 0


def held_turns(turns: Sequence[ItemTurn], hold_point: int, hold_samples: int) -> tuple[ItemTurn, ...]:
    """The turns as a run that waited played them."""
    moves = [held(t, hold_point, hold_samples) for t in turns]
    return tuple(
        t.model_copy(update={"start": t.start + move, "end": t.end + move})
        for t, move in zip(turns, moves, strict=True)
    )


def held_windows(
    windows: Sequence[Window], turns: Sequence[ItemTurn], hold_point: int, hold_samples: int
) -> tuple[Window, ...]:
    """The windows as a run that waited played them; `turns` are the item's.

    A window moves with its turn: those of turns before the hold point stay whole where they are, the response
    window grows by the wait, and those of later turns move by it.
    """
    starts = {t.id: t.start for t in turns}
    moved = []
    for window in windows:
        late = hold_samples if starts[window.turn] >= hold_point else 0
        grown = hold_samples if window.kind == "response" else late
        moved.append(window.model_copy(update={"start": window.start + late, "end": window.end + grown}))
    return tuple(moved)
