"""Spoken forms: every kind of number, code and mark, with its alignment, and what is refused."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duplexkit.tts.spoken import UnspeakableText, UnsupportedLanguage, is_speakable, spoken_form

ENGLISH = [
    ("The total is 2,350 and the claim was 28,000.",
     "The total is two thousand three hundred and fifty and the claim was twenty-eight thousand."),
    ("for 1 2 3 4 5 windows", "for one two three four five windows"),
    ("It's 70.3 degrees in room 82.", "It's seventy point three degrees in room eighty-two."),
    ("Seat 14C, gate B2, at 06:05.", "Seat one four C, gate B two, at six oh five."),
    ("It was $49.95 at 8:00, $1,204.50 in all, 50% off.",
     "It was forty-nine dollars and ninety-five cents at eight o'clock, "
     "one thousand two hundred and four dollars and fifty cents in all, fifty percent off."),
    ("Pay $45 by 2024. The FBI called.", "Pay forty-five dollars by twenty twenty-four. The FBI called."),
    ("EUR 45.50, 20 GBP, £1.01, $0.50, $1.5 million, -$5",
     "forty-five euros and fifty cents, twenty pounds, one pound and one penny, fifty cents, "
     "one point five million dollars, minus five dollars"),
    ("Claim NE-123 of St. Mary", "Claim N E one two three of Saint Mary"),
    ("CRD-7731", "C R D seven seven three one"),
    ("Dr. Smith lives at 42 Elm St. near Oak Dr.", "Doctor Smith lives at forty-two Elm Street near Oak Drive."),
    ("I live on Oak St. The door of No. 5 is blue etc. Is that fine, Dr. Lee?",
     "I live on Oak Street. The door of number five is blue et cetera. Is that fine, Doctor Lee?"),
    ("17:45, 17:00, 00:05, 00:00, 5:15 pm", "seventeen forty-five, seventeen hundred, twelve oh five A M, midnight, "
     "five fifteen P M"),
    ("at 5:15 p.m. Then 8 AM. Go", "at five fifteen P M. Then eight A M. Go"),
    ("1905, 1900, 2000, 2007, 1999, the 1990s",
     "nineteen oh five, nineteen hundred, two thousand, two thousand seven, nineteen ninety-nine, "
     "the nineteen nineties"),
    ("1950 dollars", "one thousand nine hundred and fifty dollars"),
    ("March 9th, 2026 and 2026-03-02", "March ninth, twenty twenty-six and March second, twenty twenty-six"),
    ("call 555-0123", "call five five five, zero one two three"),
    ("3-5 days at -5 km, 1 km, 20 °C", "three to five days at minus five kilometers, one kilometer, "
     "twenty degrees Celsius"),
    ("the 21st, a 24-hour mp3, COVID-19", "the twenty-first, a twenty-four hour M P three, COVID nineteen"),
    ("account 00731", "account zero zero seven three one"),
    ("a1@mail.com & ½ of #5", "a one at mail dot com and one half of number five"),
    ("Three things:\nthe card\nthe charge\n", "Three things: the card, the charge"),
    ("- milk\n- eggs", "milk, eggs"),
    ("order 48213, my PIN is 4419, card ending in 1999, flight BA 2490",
     "order four eight two one three, my PIN is four four one nine, card ending in one nine nine nine, "
     "flight BA two four nine zero"),
    ("We count 48213 and 2019-2024, the '90s", "We count forty-eight thousand two hundred and thirteen and "
     "twenty nineteen to twenty twenty-four, the nineties"),
    ("Mon-Fri 9-5 at $5.00/day, 50/50", "Monday to Friday nine to five at five dollars per day, fifty fifty"),
    ("one\ttwo \u00a0 three\u200b", "one two three"),
    ("but\u200bton \U0001F642 ok", "button ok"),
    ("it’s “fine” — (really)", "it's fine, really,"),
]  # fmt: skip

GERMAN = [
    ("Das macht 27,50 EUR um 8:00 Uhr, 123.500 EUR insgesamt.",
     "Das macht siebenundzwanzig Euro fünfzig um acht Uhr, einhundertdreiundzwanzigtausendfünfhundert Euro insgesamt."),
    ("Am 3. März 1985, 5 %, 3,5 km, 1 EUR", "Am dritten März neunzehnhundertfünfundachtzig, fünf Prozent, "
     "drei Komma fünf Kilometer, ein Euro"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "spoken"), ENGLISH)
def test_english_is_read_as_it_is_said(text: str, spoken: str) -> None:
    assert spoken_form(text).spoken == spoken


@pytest.mark.parametrize(("text", "spoken"), GERMAN)
def test_german_is_read_as_it_is_said(text: str, spoken: str) -> None:
    assert spoken_form(text, language="de-DE").spoken == spoken


@pytest.mark.parametrize(
    ("text", "language", "spoken"),
    [
        ("on 3/2/2026", "en-US", "on March second, twenty twenty-six"),
        ("on 3/2/2026", "en-GB", "on February third, twenty twenty-six"),
        ("on 13/02/2026", "en-US", "on February thirteenth, twenty twenty-six"),
    ],
)
def test_the_locale_decides_the_order_of_a_date(text: str, language: str, spoken: str) -> None:
    assert spoken_form(text, language=language).spoken == spoken


def test_marked_spans_are_spelled_and_unmarked_abbreviations_are_not() -> None:
    text = "Claim NE-123, user W5490111, plate ST-DR 5, code O0lI, Dr. St. John."
    spoken = spoken_form(text, spell=["NE-123", "W5490111", "ST-DR 5", "O0lI"]).spoken
    assert spoken == (
        "Claim N E one two three, user W five four nine zero one one one, plate S T D R five, code O zero L I, "
        "Doctor Saint John."
    )


def test_raised_digits_are_read_in_codes_and_in_spelled_spans() -> None:
    assert spoken_form("A0²").spoken == "A zero squared"
    assert spoken_form("code X²", spell=["X²"]).spoken == "code X two"


def test_spelling_uses_the_words_of_the_language() -> None:
    assert spoken_form("Code A7", language="de-DE", spell=["A7"]).spoken == "Code A sieben"


def test_a_span_to_spell_must_stand_in_the_text() -> None:
    with pytest.raises(ValueError, match="NE-124"):
        spoken_form("Claim NE-123", spell=["NE-124"])


@pytest.mark.parametrize("text", ["", " \n", "...", "?!", "\U0001f642", "\u200b", "\ufe0f", "—"])
def test_a_text_with_nothing_to_say_is_refused(text: str) -> None:
    assert not is_speakable(text)
    with pytest.raises(UnspeakableText):
        spoken_form(text)


def test_one_word_is_enough() -> None:
    assert spoken_form("button").spoken == "button"


@pytest.mark.parametrize("language", ["fr-FR", "", "english", "zh"])
def test_a_language_without_rules_is_an_error(language: str) -> None:
    with pytest.raises(UnsupportedLanguage):
        spoken_form("Bonjour 5", language=language)


def test_alignment_names_the_written_part_of_each_spoken_part() -> None:
    form = spoken_form("Pay $45 by 2024.")
    parts = [(form.text[a:b], form.spoken[c:d]) for a, b, c, d in form.alignment]
    assert parts == [
        ("Pay", "Pay"),
        ("$45", "forty-five dollars"),
        ("by", "by"),
        ("2024", "twenty twenty-four"),
        (".", "."),
    ]


_PIECES = st.one_of(
    st.text(max_size=6),
    st.text(alphabet="0123456789.,:/-$€£% apmAPMxkKBCD'\n#", max_size=14),
    st.from_regex(r"[$€£]?\d{1,7}([.,:/-]\d{1,4}){0,3}( ?(am|pm|km|kg|%|st|th|EUR))?", fullmatch=True),
)


@settings(deadline=None, max_examples=400)
@given(st.lists(_PIECES, max_size=4), st.sampled_from(["en-US", "en-GB", "de-DE"]))
def test_every_digit_group_comes_out_as_words(pieces: list[str], language: str) -> None:
    text = " ".join(pieces)
    if not is_speakable(text):
        return
    form = spoken_form(text, language=language)
    assert not any(unicodedata.category(c)[0] == "N" for c in form.spoken)
    covered = [(a, b, form.spoken[c:d]) for a, b, c, d in form.alignment]
    for match in re.finditer(r"\d+", text):
        said = [words for a, b, words in covered if a < match.end() and match.start() < b]
        assert said and all(any(c.isalpha() for c in words) for words in said), (match.group(), form.spoken)


@settings(deadline=None, max_examples=400)
@given(st.text(max_size=40))
def test_the_spoken_form_is_one_clean_line_with_ordered_spans(text: str) -> None:
    if not is_speakable(text):
        return
    form = spoken_form(text)
    assert form.spoken == form.spoken.strip() and "\n" not in form.spoken and "  " not in form.spoken
    text_at = spoken_at = 0
    for text_start, text_end, spoken_start, spoken_end in form.alignment:
        assert text_at <= text_start < text_end <= len(text)
        assert spoken_at <= spoken_start < spoken_end <= len(form.spoken)
        text_at, spoken_at = text_end, spoken_end
    assert is_speakable(form.spoken)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 23), st.integers(0, 59), st.sampled_from(["", " am", " p.m."]))
def test_every_clock_time_is_said_without_the_word_zero(hour: int, minute: int, half: str) -> None:
    spoken = spoken_form(f"at {hour}:{minute:02}{half} today").spoken
    assert "zero" not in spoken and spoken.startswith("at ") and spoken.endswith(" today")


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Dec. 25 or Jan. 1", "December twenty-fifth or January first"),
        ("It costs 50¢.", "It costs fifty cents."),
        ("2½ hours", "two and a half hours"),
        ("1 1/2 cups", "one and a half cups"),
        ("10%-20%", "ten percent to twenty percent"),
        ("3 a.m.-5 a.m. today", "three A M to five A M today"),
        ("7-8pm", "seven to eight P M"),
        ("9.30 am", "nine thirty A M"),
        ("+1 919 696 3901", "one, nine one nine, six nine six, three nine zero one"),
        ("020 7946 0958", "zero two zero, seven nine four six, zero nine five eight"),
        ("5*6", "five times six"),
        ("5 < 6", "five less than six"),
    ],
)
def test_signs_and_ranges_keep_their_meaning(text: str, spoken: str) -> None:
    assert spoken_form(text).spoken == spoken
    assert spoken_form(text).unread == ""


@pytest.mark.parametrize(
    ("text", "unread"), [("C# or C", "#"), ("10^6", "^"), ("a ∑ b ∑", "∑"), ("Hi \U0001f642", "")]
)
def test_a_sign_without_a_reading_is_told_of(text: str, unread: str) -> None:
    assert spoken_form(text).unread == unread
