"""Each rule on scenes: hits that give exactly one finding, and near misses that give none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from duplexkit.authoring.check import CheckResult

Check = Callable[[str], CheckResult]


def turn(name: str, rest: str) -> str:
    return f"turns: [{{id: {name}, {rest}}}]"


T7 = "speaker: B, tag: N3, text: "
BEFORE = """
pair:
  implicit: "%s"
  before: {turn: t7, explicit: "Tape, labels... my hands are full.", implicit: "%s"}
  cue: {turn: t7, words: "%s"}
turns: [{id: t7, speaker: B, tag: N3}]
"""
OLD_ANSWER = 'answer: {text: "Half past six.", accept: [], support: [t5]}\n'
REQUEST = "When does our last bus home leave today?"

HITS = [
    ("DK201", turn("t2", 'speaker: Jonah, to: A, tag: N2, text: "Bottles, it is Thursday."')),
    ("DK201", turn("t14", 'speaker: a, tag: N3, text: "Keys."')),
    ("DK202", turn("t1", 'speaker: A, to: Jonah, tag: N2, text: "Did you fill it?"')),
    ("DK202", turn("t11", 'speaker: C, to: aria, tag: N4_Q, text: "Aria, is it far?"')),
    ("DK202", turn("t1", 'speaker: A, to: preamble, tag: N2, text: "Did you fill it?"')),
    ("DK203", "devices: [{id: A, name: Siri}, {id: phone, name: Siri}]"),
    ("DK203", "speakers: [{id: assistant, name: Otto}]"),
    ("DK203", "devices: [{id: preamble, name: Otto}]"),
    ("DK204", turn("t4", 'speaker: phone, to: A, tag: N2, text: "It is four degrees."')),
    ("DK204", turn("t4", 'speaker: assistant, to: A, tag: N2, text: "It is four degrees."')),
    ("DK205", "speakers: [{id: D, name: Sam}]"),
    ("DK206", "speakers: [{id: B, name: ARIA jones}]"),
    ("DK206", "devices: [{id: phone, name: Aria}]"),
    ("DK206", "{assistant: {name: Aria, aliases: [Hey Mara]}}"),
    ("DK210", turn("t8", 'speaker: A, tag: N3, text: "Last bus..."')),
    ("DK211", turn("t10", "speaker: A, to: assistant, tag: T")),
    ("DK214", "bucket: early-middle"),
    ("DK214", "bucket: late-middle"),
    ("DK215", turn("t12", 'speaker: A, to: C, tag: N2, text: "Mind the step."')),
    ("DK216", turn("t13", 'speaker: C, to: A, tag: N4_R, text: "I can make that back on mugs."')),
    ("DK220", turn("t8", "speaker: A, to: B, tag: T")),
    ("DK220", turn("t8", "speaker: A, tag: T")),
    ("DK220", turn("t9", 'speaker: C, to: assistant, tag: N1, text: "Aria is never losing a thing."')),
    ("DK220", turn("t9", 'speaker: C, to: phone, tag: N1, text: "Aria is never losing a thing."')),
    ("DK220", turn("t10", 'speaker: A, tag: N2, text: "In my trunk."')),
    ("DK220", turn("t10", 'speaker: A, to: assistant, tag: N2, text: "In my trunk."')),
    ("DK220", turn("t7", 'speaker: B, to: A, tag: N3, text: "Boots."')),
    ("DK220", turn("t11", 'speaker: C, to: A, tag: N4_Q, text: "Aria, is it far?"')),
    ("DK220", turn("t12", 'speaker: A, to: assistant, tag: N4_R, text: "Thirteen fifty."')),
    ("DK221", turn("t10", 'speaker: A, to: A, tag: N2, text: "In my trunk."')),
    ("DK222", turn("t9", 'speaker: C, to: B, tag: N1, text: "Ariadne is never losing a thing."')),
    ("DK223", turn("t4", 'speaker: B, to: A, tag: N2, text: "ARIA, it said, is up."')),
    ("DK223", turn("t7", T7 + '"What did aria’s timer say."')),
    ("DK223", '{assistant: {aliases: ["Boot Box"]}, turns: [{id: t7, ' + T7 + '"The boot  box, well."}]}'),
    ("DK230", "pair: {turn: t7, cue: {turn: t7}}"),
    ("DK230", "pair: {turn: t99, cue: {turn: t99}}"),
    ("DK231", 'pair: {before: {turn: t5, explicit: "Seven forty.", implicit: "Ask it."}, cue: {turn: t5, words: ask it}}'),
    ("DK232", turn("t8", 'speaker: A, to: assistant, tag: T, text: "Aria?"')),
    ("DK233", turn("t13", "speaker: C, to: A, tag: N2")),
    ("DK234", 'pair: {explicit: "When does our last bus leave, then?"}'),
    ("DK235", 'pair: {implicit: "You there on the shelf, with the green light, you heard us. When, Aria?"}'),
    ("DK236", 'pair: {implicit: "Aria, when does our last bus home leave today?"}'),
    ("DK236", BEFORE % (REQUEST, "Tape, labels, my hands are full!", "my hands")),
    ("DK237", f'pair: {{implicit: "{REQUEST}"}}'),
    ("DK237", f'pair: {{implicit: "Um, so, {REQUEST}", cue: {{words: "um, so"}}}}'),
    ("DK238", "pair: {cue: {turn: t7}}"),
    ("DK239", 'pair: {cue: {words: "small speaker"}}'),
    ("DK239", 'pair: {cue: {words: "ittle speaker"}}'),
    ("DK240", 'pair: {cue: {words: "WHEN does our  last"}}'),
    ("DK241", BEFORE.replace("cue: {turn: t7, words: \"%s\"}", "cue: {turn: t8}") % ("You there on the shelf, with the green light, you heard us: when does it leave?", "Boots. Well.")),
    ("DK250", "answer: {support: []}"),
    ("DK251", "answer: {support: [t2, t5, t66]}"),
    ("DK252", "answer: {support: [t2, t5, t5]}"),
    ("DK253", "answer: {support: [t2, t5, t8]}"),
    ("DK253", "answer: {support: [t2, t5, t12]}"),
    ("DK254", turn("t13", 'speaker: C, to: A, tag: N2, text: "A quarter past six, then."')),
    ("DK254", turn("t13", 'speaker: C, to: A, tag: N2, text: "So 6:15 it is."')),
    ("DK255", 'pair: {explicit: "Aria, is quarter past six our last bus?"}'),
    ("DK256", OLD_ANSWER + turn("t7", 'speaker: B, to: C, tag: N2, text: "No wait, on weekends it\'s six sharp."')),
    ("DK256", OLD_ANSWER + turn("t7", 'speaker: B, to: C, tag: N2, text: "Hm. Actually, the weekend one is gone."')),
    ("DK257", 'answer: {text: "The blue bin.", accept: ["blue bin"]}'),
    ("DK258", 'answer: {accept: ["6:15 pm", "6:15  PM"]}'),
    ("DK258", 'answer: {accept: ["quarter past six"]}'),
    *(("DK267", turn("t7", T7 + f'"{text}"')) for text in ("C# or C?", "five * six", "10^6", "A ∑ here")),
    *(("DK260", turn("t7", T7 + text)) for text in ('""', '"..."', '"\U0001f642"', '"​"', '"-- ?!"')),
    ("DK260", 'answer: {text: "..."}'),
    ("DK260", 'answer: {accept: ["?"]}'),
    ("DK260", 'speakers: [{id: B, name: "-"}]'),
    ("DK260", 'assistant: {aliases: ["!"]}'),
    *(
        ("DK261", turn("t7", T7 + f'"{text}"'))
        for text in (
            "[N2] Tape, labels.",
            "Boots <break/> socks.",
            "Boots <emphasis level='strong'>socks</emphasis>.",
            "*laughs* Boots.",
            "Boots. _sighs_",
            "(sighs) Tape, labels.",
            "Boots (quietly) socks.",
            "(to Mara) Boots.",
            "(clears throat) Boots.",
            "(laughing) Boots.",
            "(lacht) Na ja.",
            "Boots for {name}.",
            "Boots for ${name}.",
            "Boots #hiking.",
            "See https://boots.example/x for boots.",
            "See www.boots.example for boots.",
            "Look at boots.com first.",
            "Mail me at a@boots.example.",
            "Jonah: Tape, labels.",
            "B: Tape, labels.",
            "Speaker 2: Tape, labels.",
            "USER: Tape, labels.",
            "Boots &amp; socks.",
            "Boots\\\\nsocks.",
            "[/T] hold on [bold]now",
        )
    ),
    ("DK263", turn("t7", T7 + '"Code QX7.", spell: [QX8]')),
    ("DK263", "turns: [{id: t8, speaker: A, to: assistant, tag: T, spell: [Aria]}]"),
    ("DK264", "speakers: [{id: A, name: Mara, voices: {hibarri: low-1}}]"),
    ("DK264", "speakers: [{id: A, name: Mara, voices: {hibari: low-99}}]"),
    ("DK265", "language: fr-FR"),
    ("DK265", "language: english"),
    ("DK266", "speakers: [{id: A, name: Mara, voices: {tone: low-1}}, {id: B, name: Jonah, voices: {tone: low-1}}]"),
    ("DK280", 'suppress: [{code: DK214, because: "it is early on purpose"}]'),
    ("DK281", 'suppress: [{code: DK299, because: "there is no such code"}]'),
    ("DK281", 'suppress: [{code: DK105, because: "shape cannot be wrong"}]'),
]  # fmt: skip

MISSES = [
    ("DK202", turn("t3", 'speaker: C, to: phone, tag: N2, text: "Siri, how warm is it?"')),
    ("DK203", "speakers: [{id: A2, name: Sam}]\n" + turn("t14", 'speaker: A2, tag: N3, text: "Keys."')),
    ("DK206", "speakers: [{id: B, name: Ariadne}]"),
    ("DK206", "speakers: [{id: B, name: Mariaria}]"),
    ("DK214", "bucket: middle"),
    ("DK215", turn("t12", 'speaker: C, to: A, tag: N4_R, text: "Never mind, I see it."')),
    ("DK220", turn("t9", 'speaker: C, tag: N1, text: "Aria is never losing a thing."')),
    ("DK220", turn("t12", 'speaker: A, tag: N4_R, text: "Thirteen fifty."')),
    ("DK222", turn("t9", 'speaker: C, to: B, tag: N1, text: "Tell that ARIA’s friend."')),
    ("DK222", "{assistant: {aliases: [Box]}, turns: [{id: t9, speaker: C, to: B, tag: N1, text: The box is ready.}]}"),
    ("DK223", turn("t4", 'speaker: B, to: A, tag: N2, text: "Bulgaria, malaria, an ariatic air."')),
    ("DK234", 'pair: {explicit: "When does our last bus home leave today, aria?"}'),
    ("DK237", BEFORE % (REQUEST, "Tape, labels... ask the thing on the counter.", "the thing on the counter")),
    ("DK239", 'pair: {cue: {words: "YOU  there on the shelf, with"}}'),
    ("DK253", "answer: {support: [t7]}"),
    ("DK254", turn("t13", 'speaker: C, to: A, tag: N2, text: "Quarter past seven, then."')),
    ("DK254", turn("t7", T7 + '"Quarter past six, I thought."')),
    ("DK256", OLD_ANSWER + turn("t7", 'speaker: B, to: C, tag: N2, text: "No wait, where are the keys?"')),
    ("DK256", OLD_ANSWER + turn("t7", 'speaker: B, to: C, tag: N2, text: "I actually like weekends."')),
    ("DK256", OLD_ANSWER.replace("[t5]", "[t5, t7]")
     + turn("t7", 'speaker: B, to: C, tag: N2, text: "No wait, on weekends it\'s six."')),
    ("DK257", 'answer: {text: "Twenty minutes.", accept: []}'),
    ("DK257", 'answer: {text: "Yes.", accept: []}'),
    ("DK257", 'answer: {text: "The buses.", accept: []}'),
    ("DK258", 'answer: {accept: ["6:15 pm", "6:15"]}'),
    *(("DK260", turn("t7", T7 + f'"{text}"')) for text in ("Hm.", "7", "Ähm \U0001f642", "é")),
    *(
        ("DK261", turn("t7", T7 + f'"{text}"'))
        for text in (
            "Boots (the brown ones) and socks.",
            "Take the #4 bus.",
            "The (humble) boots, R&D; and 5*3*2.",
            "Two (to be clear) of them (beats me).",
            "Note to self: boots.",
            "It's 7:40, or 3 < 4.",
            "Okay: boots, socks.",
            "Boots & socks at 5 o'clock.",
            "Two - three?",
            "Socks, e.g. wool. Boots.",
            "Rock'n'roll, snake_case and all.",
        )
    ),
    ("DK263", turn("t7", T7 + '"Code QX7.", spell: [QX7]')),
    ("DK264", "speakers: [{id: A, name: Mara, voices: {hibari: low-1, tone: high-1}}]"),
    ("DK265", "language: en-GB"),
    ("DK265", "language: de-DE"),
    ("DK266", "speakers: [{id: A, name: Mara, voices: {tone: low-1}}, {id: B, name: Jonah, voices: {hibari: low-1}}]"),
    ("DK280", '{bucket: early-middle, suppress: [{code: DK214, because: "it is early on purpose"}]}'),
]  # fmt: skip


@pytest.mark.parametrize(("code", "fragment"), HITS)
def test_one_mistake_gives_one_finding(code: str, fragment: str, check_changed: Check) -> None:
    found = check_changed(fragment).findings
    assert [f.code for f in found] == [code], [f.text() for f in found]
    assert found[0].hint, found[0]
    assert found[0].line >= 1


@pytest.mark.parametrize(("code", "fragment"), MISSES)
def test_near_miss_gives_none(code: str, fragment: str, check_changed: Check) -> None:
    assert [f.text() for f in check_changed(fragment).findings] == [], code


@pytest.mark.parametrize(
    ("tags", "codes"),
    [
        ("T N2 N2", ["DK212"]),
        ("N2 T N3 T N2", ["DK211"]),
        ("N2 N1 N3", ["DK210"]),
        ("N2 T N4_Q N2", ["DK215"]),
        ("N2 N4_R T N2", ["DK216"]),
        ("N2 T N4_Q N2 N4_R", ["DK217"]),
        ("N2 T", ["DK213"]),
        ("T N2 T", ["DK211", "DK212"]),
        ("N2 T N4_Q N4_Q N4_R", ["DK215"]),
        ("N2 T N4_Q N4_R N4_R", ["DK216"]),
        ("N2 T N2", []),
        ("N2 N4_Q N4_R T N4_Q N4_R N2", []),
    ],
)
def test_tag_sequences(tags: str, codes: list[str], check_tags: Check) -> None:
    found = check_tags(tags).findings
    # A request in the first turn can have no support before it.
    assert sorted(f.code for f in found if f.code != "DK250") == codes, [f.text() for f in found]


def test_unknown_tags_are_found_each(check_tags: Check) -> None:
    result = check_tags("N2 T n1 N5 N2")
    assert [f.code for f in result.findings] == ["DK106", "DK106"]
    assert all("N1" in f.hint for f in result.findings)


def test_hint_names_the_bucket_that_it_is_in(check_changed: Check) -> None:
    (finding,) = check_changed("bucket: late-middle").findings
    assert "turn 8 of 14" in finding.message
    assert "turns 10 to 13" in finding.message
    assert finding.hint.startswith("write middle")
