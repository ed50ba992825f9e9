"""Joined sentences: no click where two pieces meet, one pause, one piece untouched."""

from __future__ import annotations

import numpy as np
import pytest

from duplexkit.tts.engine import Samples
from duplexkit.tts.joins import PAUSE_MS, join_sentences

RATE = 24000


def piece(head_ms: int, tail_ms: int, first: float, last: float) -> Samples:
    """Half a second of a falling or rising level between two silences, with hard edges."""
    speech = np.linspace(first, last, RATE // 2).astype(np.float32)
    quiet = [np.zeros(RATE * ms // 1000, np.float32) for ms in (head_ms, tail_ms)]
    return np.concatenate([quiet[0], speech, quiet[1]])


@pytest.mark.parametrize("edges_ms", [(0, 0), (420, 615), (3, 0), (0, 39)])
def test_pieces_meet_without_a_click_and_at_one_distance(edges_ms: tuple[int, int]) -> None:
    tail_ms, head_ms = edges_ms
    joined = join_sentences([piece(100, tail_ms, 0.5, 0.6), piece(head_ms, 100, -0.5, -0.4)], RATE)
    silent = np.flatnonzero(joined[RATE // 5 : -RATE // 5] == 0) + RATE // 5
    assert silent[-1] - silent[0] + 1 == len(silent) == RATE * PAUSE_MS // 1000
    assert np.abs(np.diff(joined[silent[0] - 400 : silent[-1] + 400])).max() < 0.02
    assert joined[0] == 0.0


def test_one_piece_passes_through_bit_for_bit() -> None:
    only = piece(10, 20, 0.5, 0.6)
    assert join_sentences([only], RATE) is only


def test_outer_silence_stays_and_silent_pieces_add_nothing() -> None:
    first, silent, last = piece(200, 50, 0.5, 0.5), np.zeros(9000, np.float32), piece(50, 300, 0.5, 0.5)
    joined = join_sentences([first, silent, last], RATE)
    assert (joined[: RATE // 5] == 0).all() and (joined[-RATE * 3 // 10 :] == 0).all()
    assert len(joined) == len(join_sentences([first, last], RATE))


def test_there_must_be_a_piece() -> None:
    with pytest.raises(ValueError, match="nothing to join"):
        join_sentences([], RATE)
