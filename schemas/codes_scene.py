"""The codes of the rules on scenes (DK201 to DK258).

The fragments fit the example scene of `docs/scene-format.md`: a turn, speaker or device replaces the one with
its id, other keys are merged.
"""

from __future__ import annotations

from .code import Code


def _soft(code: str, title: str, why: str, bad: str, good: str) -> Code:
    """A code that a scene may suppress with a reason."""
    return Code(code, title, why, bad, good, suppressible=True)


_STRUCTURE = (
    Code(
        "DK201",
        "Unknown speaker",
        "The turn would have no voice.",
        'turns:\n  - {id: t2, speaker: Jonah, to: A, tag: N2, text: "Bottles. It\'s Thursday."}',
        'turns:\n  - {id: t2, speaker: B, to: A, tag: N2, text: "Bottles. It\'s Thursday."}',
    ),
    Code(
        "DK202",
        "Unknown addressee",
        "`to:` takes a speaker's id, a device's id or `assistant`; a wrong one changes what is expected.",
        'turns:\n  - {id: t11, speaker: C, to: Aria, tag: N4_Q, text: "Aria, is the pitch fee twelve, or fourteen?"}',
        'turns:\n  - {id: t11, speaker: C, to: assistant, tag: N4_Q, text: "Aria, is the pitch fee twelve, or fourteen?"}',
    ),
    Code(
        "DK203",
        "An id is used twice or reserved",
        "References would be ambiguous. `assistant` and `preamble` have a meaning of their own.",
        "devices: [{id: A, name: Siri}]",
        "devices: [{id: phone, name: Siri}]",
    ),
    Code(
        "DK204",
        "Only humans speak",
        "The assistant is the agent under test, and other devices are addressed but silent in this design.",
        'turns:\n  - {id: t4, speaker: phone, to: A, tag: N2, text: "It is four degrees."}',
        'turns:\n  - {id: t4, speaker: B, to: A, tag: N2, text: "It\'s four degrees, it says."}',
    ),
    _soft(
        "DK205",
        "A speaker never speaks",
        "The scene has fewer parties than it declares, or a turn names the wrong speaker.",
        "speakers: [{id: D, name: Sam}]",
        "speakers: [{id: C, name: Priya}]",
    ),
    _soft(
        "DK206",
        "A name cannot be told apart from the assistant's",
        "A call to that person would be a call to the assistant.",
        "speakers: [{id: B, name: Aria Jones}]",
        "speakers: [{id: B, name: Jonah}]",
    ),
    Code(
        "DK207",
        "Two scenes have one id",
        "Ids name the compiled items; one scene would overwrite the other.",
        "id: market-morning   # in two files",
        "id: market-evening",
    ),
    Code(
        "DK210",
        "There is no request",
        "A scene is scored at its request; without a turn tagged T there is nothing to answer.",
        'turns:\n  - {id: t8, speaker: A, tag: N3, text: "Last bus, last bus..."}',
        "turns:\n  - {id: t8, speaker: A, to: assistant, tag: T}",
    ),
    Code(
        "DK211",
        "There is more than one request",
        "The pair and the gold answer belong to one turn.",
        "turns:\n  - {id: t10, speaker: A, to: assistant, tag: T}",
        'turns:\n  - {id: t10, speaker: A, to: B, tag: N2, text: "Your hangers are under my seat."}',
    ),
    _soft(
        "DK212",
        "The request comes first",
        "The answer follows from what was said before, so something must be said before.",
        "turns: [T, N2, N2]   # tags in order",
        "turns: [N2, T, N2]   # tags in order",
    ),
    _soft(
        "DK213",
        "The request comes last",
        "The talk goes on after the request, so that speaking on unasked shows.",
        "turns: [N2, N2, T]   # tags in order",
        "turns: [N2, T, N2]   # tags in order",
    ),
    _soft(
        "DK214",
        "The request is not in its bucket",
        "Buckets balance how much talk comes before the request. They are thirds of the inner turns.",
        "bucket: early-middle",
        "bucket: middle",
    ),
    _soft(
        "DK215",
        "A question to the assistant is never settled",
        "N4_Q is there to be settled by a human; else it is a second request.",
        'turns:\n  - {id: t12, speaker: A, to: C, tag: N2, text: "Mind the step."}',
        'turns:\n  - {id: t12, speaker: A, to: C, tag: N4_R, text: "Thirteen fifty, it says here."}',
    ),
    _soft(
        "DK216",
        "An N4_R settles no question",
        "N4_R is the second half of N4_Q; alone it is ordinary talk.",
        'turns:\n  - {id: t13, speaker: C, to: A, tag: N4_R, text: "I can make that back on mugs."}',
        'turns:\n  - {id: t13, speaker: C, to: A, tag: N2, text: "I can make that back on mugs."}',
    ),
    _soft(
        "DK217",
        "A question is not settled at once",
        "The silence between N4_Q and N4_R is where the agent may start; nothing else fits between them.",
        'turns:\n  - {id: t12, speaker: A, to: C, tag: N2, text: "Mind the step."}\n'
        '  - {id: t13, speaker: A, to: C, tag: N4_R, text: "Thirteen fifty, it says here."}',
        'turns:\n  - {id: t12, speaker: A, to: C, tag: N4_R, text: "Thirteen fifty, it says here."}',
    ),
)

_ADDRESSING = (
    _soft(
        "DK220",
        "The addressee does not fit the tag",
        "The tag decides whether the agent should speak; it must agree with whom the turn is for.",
        'turns:\n  - {id: t7, speaker: B, to: A, tag: N3, text: "Tape, labels, the other tape..."}',
        'turns:\n  - {id: t7, speaker: B, tag: N3, text: "Tape, labels, the other tape..."}',
    ),
    _soft(
        "DK221",
        "A turn is addressed to its own speaker",
        "Self-talk has no addressee.",
        'turns:\n  - {id: t7, speaker: B, to: B, tag: N2, text: "Tape, labels, the other tape..."}',
        'turns:\n  - {id: t7, speaker: B, tag: N3, text: "Tape, labels, the other tape..."}',
    ),
    _soft(
        "DK222",
        "N1 does not name the assistant",
        "N1 measures silence at a mention; without the name it is N2 or N3.",
        'turns:\n  - {id: t9, speaker: C, to: B, tag: N1, text: "That thing is never losing a thing."}',
        'turns:\n  - {id: t9, speaker: C, to: B, tag: N1, text: "Aria\'s never losing a thing."}',
    ),
    _soft(
        "DK223",
        "N2 or N3 names the assistant",
        "A turn that names the assistant without asking it is N1.",
        'turns:\n  - {id: t4, speaker: B, to: A, tag: N2, text: "Aria said it\'s the seven forty."}',
        'turns:\n  - {id: t4, speaker: B, to: A, tag: N1, text: "Aria said it\'s the seven forty."}',
    ),
)

_PAIR = (
    Code(
        "DK230",
        "pair.turn is not the request",
        "The two forms are those of the turn tagged T.",
        "pair: {turn: t7}",
        "pair: {turn: t8}",
    ),
    Code(
        "DK231",
        "pair.before is not the turn before the request",
        "Only the request and the turn directly before it may differ between the versions.",
        'pair:\n  before: {turn: t5, explicit: "Seven forty, okay.", implicit: "Seven forty, right."}',
        "pair: {turn: t8}",
    ),
    Code(
        "DK232",
        "A turn has its words in two places",
        "The words of the request stand in `pair`; a second text would be ignored.",
        'turns:\n  - {id: t8, speaker: A, to: assistant, tag: T, text: "Aria, when is our last bus?"}',
        "turns:\n  - {id: t8, speaker: A, to: assistant, tag: T}",
    ),
    Code(
        "DK233",
        "A turn has no text",
        "Every turn outside the pair is spoken as written.",
        "turns:\n  - {id: t13, speaker: C, to: A, tag: N2}",
        'turns:\n  - {id: t13, speaker: C, to: A, tag: N2, text: "I can make that back on mugs."}',
    ),
    _soft(
        "DK234",
        "The explicit request does not name the assistant",
        "The name is what makes it explicit.",
        'pair: {explicit: "When does our last bus home leave today, then?"}',
        'pair: {explicit: "Aria, when does our last bus home leave today?"}',
    ),
    _soft(
        "DK235",
        "The implicit request names the assistant",
        "Then it is explicit too, and the pair compares nothing.",
        'pair: {implicit: "You there on the shelf, with the green light, you heard us. When is it, Aria?"}',
        'pair: {implicit: "You there on the shelf, with the green light, you heard us: when is it?"}',
    ),
    _soft(
        "DK236",
        "Both forms are the same",
        "A pair of equal forms compares nothing.",
        'pair: {implicit: "Aria, when does our last bus home leave today?"}',
        'pair: {implicit: "You there on the shelf, with the green light, you heard us: when does it leave?"}',
    ),
    _soft(
        "DK237",
        "The name is deleted and nothing takes its place",
        "Without a cue the request could be meant for a human, and silence would be right.",
        'pair: {implicit: "So, when does our last bus home leave today?"}',
        'pair: {implicit: "You there on the shelf, with the green light, you heard us: when does it leave?"}',
    ),
    _soft(
        "DK238",
        "The cue is in a turn that does not differ",
        "What points at the assistant in both versions is no cue of the implicit one.",
        "pair: {cue: {turn: t7}}",
        "pair: {cue: {turn: t8}}",
    ),
    _soft(
        "DK239",
        "The cue does not stand in the implicit form",
        "The cue is quoted word for word, so that a reader can find it.",
        'pair: {cue: {words: "small speaker"}}',
        'pair: {cue: {words: "with the green light"}}',
    ),
    _soft(
        "DK240",
        "The cue stands in the explicit form too",
        "Words of both forms do not replace the name.",
        'pair: {cue: {words: "when does our last bus home leave"}}',
        'pair: {cue: {words: "with the green light"}}',
    ),
    _soft(
        "DK241",
        "The turn before the request differs without a cue",
        "Versions may differ only in the request and where the cue stands.",
        'pair:\n  before: {turn: t7, explicit: "Tape, the other tape...", implicit: "Tape, labels..."}\n'
        "turns:\n  - {id: t7, speaker: B, tag: N3}",
        "pair: {cue: {turn: t8}}",
    ),
)

_ANSWER = (
    _soft(
        "DK250",
        "The answer has no support",
        "A gold answer follows from earlier turns; naming them lets a reader check it.",
        "answer: {support: []}",
        "answer: {support: [t2, t5, t6]}",
    ),
    _soft(
        "DK251",
        "Support names no turn",
        "The support cannot be checked.",
        "answer: {support: [t2, t5, t66]}",
        "answer: {support: [t2, t5, t6]}",
    ),
    _soft(
        "DK252",
        "Support is listed twice",
        "Counts of support would be wrong; often another turn was meant.",
        "answer: {support: [t2, t5, t5]}",
        "answer: {support: [t2, t5, t6]}",
    ),
    _soft(
        "DK253",
        "Supported too late",
        "The agent answers before it hears that turn.",
        "answer: {support: [t2, t5, t12]}",
        "answer: {support: [t2, t5, t6]}",
    ),
    _soft(
        "DK254",
        "A turn after the request says the answer",
        "A human has answered then, and the agent would be right to stay silent.",
        'turns:\n  - {id: t13, speaker: C, to: A, tag: N2, text: "It\'s a quarter past six, I think."}',
        'turns:\n  - {id: t13, speaker: C, to: A, tag: N2, text: "I can make that back on mugs."}',
    ),
    _soft(
        "DK255",
        "The request says the answer",
        "Repeating the question would count as answering it.",
        'pair: {explicit: "Aria, does our last bus leave at quarter past six?"}',
        'pair: {explicit: "Aria, when does our last bus home leave today?"}',
    ),
    _soft(
        "DK256",
        "The answer is superseded",
        "A later turn corrects the support, so the gold answer is the old one.",
        'turns:\n  - {id: t7, speaker: B, to: C, tag: N2, text: "No wait, on weekends it\'s six sharp."}\n'
        'answer: {text: "Half past six.", accept: [], support: [t5]}',
        'turns:\n  - {id: t7, speaker: B, to: C, tag: N2, text: "No wait, on weekends it\'s six sharp."}\n'
        'answer: {text: "Six sharp.", accept: [], support: [t5, t7]}',
    ),
    _soft(
        "DK257",
        "The answer is unsupported",
        "No word of it is said before the request ends, and it is nothing that could be computed.",
        'answer: {text: "The blue bin.", accept: []}',
        'answer: {text: "Quarter past six.", accept: []}',
    ),
    _soft(
        "DK258",
        "An accepted form is written twice",
        "It adds nothing; often another form was meant.",
        'answer: {accept: ["6:15 pm", "6:15 PM"]}',
        'answer: {accept: ["6:15 pm", "six fifteen"]}',
    ),
)

SCENE_CODES = (*_STRUCTURE, *_ADDRESSING, *_PAIR, *_ANSWER)
