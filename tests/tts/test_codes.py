"""Codes that are spelled out in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duplexkit.tts.codes import spells

_DIGITS = ("oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@pytest.mark.parametrize(
    "utterance, code",
    [
        ("seven oh three", "703"),
        ("It goes seven, oh three, and then,", "703"),
        ("seven hundred three", "703"),
        ("7 0 3", "703"),
        ("five five five, oh one two, double eight oh five", "5550128805"),
        ("triple five, oh one two, eight eight oh five", "555-012-8805"),
        ("L, M, dash, five eight two one three.", "LM-58213"),
        ("Lima Mike, fifty-eight, two thirteen", "LM-58213"),
        ("L as in Lima, M for Mike, five eight two one three", "LM-58213"),
        ("x-ray four four double zero", "X-4400"),
        ("That is LM-58213.", "lm58213"),
    ],
)
def test_said(utterance: str, code: str) -> None:
    assert spells(utterance, code)


@pytest.mark.parametrize(
    "utterance, code",
    [
        ("one thousand seven hundred three", "703"),
        ("1703", "703"),
        ("seven or three", "703"),
        ("seven oh", "703"),
        ("L M, five eight two one", "LM-58213"),
        ("nine oh double five two", "9052"),
        ("seven point oh three dollars", "70"),
        ("", "703"),
        ("Mike has five", "58"),
    ],
)
def test_not_said(utterance: str, code: str) -> None:
    assert not spells(utterance, code)


def test_a_code_has_a_letter_or_digit() -> None:
    with pytest.raises(ValueError, match="no letter or digit"):
        spells("dash dash", "--")


@given(st.text("0123456789", min_size=2, max_size=10), st.integers(0, 9))
def test_digit_by_digit_says_the_code_and_not_one_with_another_digit(code: str, other: int) -> None:
    aloud = "It is " + " ".join(_DIGITS[int(c)] for c in code) + ", please."
    assert spells(aloud, code)
    changed = str((int(code[0]) + 1 + other % 9) % 10) + code[1:]
    assert spells(aloud, changed) == (changed in code)
