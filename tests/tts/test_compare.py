"""Whether an utterance says an answer, and whether it only acknowledges."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duplexkit.tts.compare import contains_answer, is_acknowledgement, spoken_tokens, words_match

SAID = [
    ("It leaves at quarter past five.", "5:15 pm"),
    ("five fifteen", "5:15 pm"),
    ("17:15", "5:15 pm"),
    ("It's 5:15 PM", "quarter past five"),
    ("ten to six", "5:50"),
    ("half past seven in the evening", "7:30 pm"),
    ("five oh five", "5:05"),
    ("come at eight", "8:00"),
    ("eight o'clock", "8:00"),
    ("at noon", "12:00 pm"),
    ("17:00", "5 pm"),
    ("one hundred", "100"),
    ("it is 10.", "ten"),
    ("That's $49.95", "forty-nine dollars and ninety-five cents"),
    ("forty-nine ninety-five", "$49.95"),
    ("nine bucks", "$9.00"),
    ("fifty cents", "$0.50"),
    ("$1.5 million", "1.5 million dollars"),
    ("Your code is N E 1 2 3.", "NE-123"),
    ("the code NE-123", "NE 123"),
    ("seat fourteen C", "14C"),
    ("gate b two", "B2"),
    ("two thousand twenty four", "2024"),
    ("The Yellow Bag!", "yellow bag"),
    ("your yellow bag", "the yellow bag"),
    ("It's well known", "well-known"),
    ("1,204", "one thousand two hundred and four"),
    ("March 9th", "March ninth"),
    ("my Café", "cafe"),
    ("room two oh four", "room 204"),
    ("a hundred dollars", "$100"),
    ("2,500,000", "2.5 million"),
    ("the twenty-third of March", "March 23"),
    ("wifi", "Wi-Fi"),
    ("9:05", "nine oh five"),
    ("Flight BA 2490", "BA2490"),
]
NOT_SAID = [
    ("100", "10"),
    ("one hundred", "10"),
    ("It's 5:15 am", "5:15 pm"),
    ("five dollars", "5:00"),
    ("at five percent", "5:00"),
    ("five fifteen pm", "$5.15"),
    ("nine", "$9"),
    ("nine euros", "$9"),
    ("$490.95", "$49.95"),
    ("yellow", "yellow bag"),
    ("bagging", "bag"),
    ("", "yes"),
    ("twenty four", "20"),
    ("70.35", "70.3"),
    ("70.3", "70"),
    ("1,204", "204"),
    ("-5", "5"),
    ("fifteen minutes", "5:15"),
    ("...", "5"),
    ("it is 12:50", "$12.50"),
    ("5:15", "15"),
    ("It costs $5.15", "15"),
    ("a quarter past five", "5"),
    ("sixty", "6"),
    ("the rapist", "therapist"),
]


@pytest.mark.parametrize(("utterance", "answer"), SAID)
def test_an_answer_is_found_however_it_is_said(utterance: str, answer: str) -> None:
    assert contains_answer(utterance, ["something else", answer])


@pytest.mark.parametrize(("utterance", "answer"), NOT_SAID)
def test_a_different_answer_is_not_found(utterance: str, answer: str) -> None:
    assert not contains_answer(utterance, [answer])


@pytest.mark.parametrize("accepted", [[], [""], ["yes", "..."]])
def test_an_answer_without_words_is_an_error(accepted: list[str]) -> None:
    with pytest.raises(ValueError, match="accepted answer"):
        contains_answer("yes", accepted)


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 99_999), st.integers(0, 99_999))
def test_numbers_match_by_value_alone(said: int, wanted: int) -> None:
    assert contains_answer(f"I count {said:,} apples.", [f"{wanted:,} apples"]) == (said == wanted)


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 12), st.integers(0, 59), st.sampled_from(["am", "pm"]))
def test_a_time_matches_its_24_hour_form_and_not_the_other_half(hour: int, minute: int, half: str) -> None:
    hour_24 = hour % 12 + (12 if half == "pm" else 0)
    other = "am" if half == "pm" else "pm"
    assert contains_answer(f"It is {hour_24:02}:{minute:02} {half if 1 <= hour_24 <= 12 else ''}",
                           [f"{hour}:{minute:02} {half}"])  # fmt: skip
    assert not contains_answer(f"It is {hour}:{minute:02} {other}", [f"{hour}:{minute:02} {half}"])


def test_words_match_across_spelling() -> None:
    assert words_match("The 2 well-known bags.", "two well known bags")
    assert not words_match("two bags", "three bags")


@pytest.mark.parametrize(
    "utterance",
    [
        "Understood.",
        "okay",
        "mm-hm",
        "got it",
        "sure",
        "right",
        "I see",
        "Okay, got it, thanks.",
        "Mm-hmm.",
        "OK!",
    ],
)
def test_brief_acknowledgements(utterance: str) -> None:
    assert is_acknowledgement(utterance)


@pytest.mark.parametrize(
    "utterance",
    [
        "",
        "...",
        "Nine dollars",
        "mm, the yellow one",
        "yeah but I",
        "okay okay okay okay",
        "right now",
        "sure?no",
    ],
)
def test_anything_more_is_not_an_acknowledgement(utterance: str) -> None:
    assert not is_acknowledgement(utterance)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=30) | st.text(alphabet="0123456789:$.,-/ apmtoh", max_size=20))
def test_every_text_with_words_says_itself_and_none_crashes(text: str) -> None:
    is_acknowledgement(text)
    if spoken_tokens(text):
        assert contains_answer(f"so, {text}", [text])
