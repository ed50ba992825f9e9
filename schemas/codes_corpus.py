"""The codes of the rules on speech (DK260 to DK266), on corpus files and on suppressions."""

from __future__ import annotations

from .code import Code

CORPUS_CODES = (
    Code(
        "DK260",
        "Nothing to say",
        "Empty texts, marks, emoji and invisible characters give no speech, and some engines fail on them.",
        'turns:\n  - {id: t7, speaker: B, tag: N3, text: "..."}',
        'turns:\n  - {id: t7, speaker: B, tag: N3, text: "Hm."}',
    ),
    Code(
        "DK261",
        "Markup in spoken text",
        "Stage directions, tags, placeholders, labels and addresses would be read aloud or change the words.",
        'turns:\n  - {id: t7, speaker: B, tag: N3, text: "*sighs* Tape, labels..."}',
        'turns:\n  - {id: t7, speaker: B, tag: N3, text: "Oh dear. Tape, labels..."}',
        suppressible=True,
    ),
    Code(
        "DK262",
        "A comment cuts off spoken text",
        "Without quotes, everything behind ` #` is a comment and is not spoken.",
        "text: We are in room #4 today",
        'text: "We are in room #4 today"',
    ),
    Code(
        "DK263",
        "A piece to be spelled is not in the text",
        "It could not be spelled, and the code would be read as a word.",
        'turns:\n  - {id: t7, speaker: B, tag: N3, text: "Code QX7.", spell: [QX8]}',
        'turns:\n  - {id: t7, speaker: B, tag: N3, text: "Code QX7.", spell: [QX7]}',
    ),
    Code(
        "DK264",
        "Unknown engine or voice",
        "The turn could not be spoken as the scene asks.",
        "speakers: [{id: A, name: Mara, voices: {hibari: loud-1}}]",
        "speakers: [{id: A, name: Mara, voices: {hibari: low-1}}]",
    ),
    Code(
        "DK265",
        "A language without reading rules",
        "Numbers and signs would be read by the rules of another language.",
        "language: fr-FR",
        "language: en-US",
    ),
    Code(
        "DK266",
        "Two speakers have one voice",
        "Listeners could not tell the parties apart.",
        "speakers:\n  - {id: A, name: Mara, voices: {hibari: low-1}}\n  - {id: B, name: Jonah, voices: {hibari: low-1}}",
        "speakers:\n  - {id: A, name: Mara, voices: {hibari: low-1}}\n  - {id: B, name: Jonah, voices: {hibari: low-2}}",
        suppressible=True,
    ),
    Code(
        "DK267",
        "A sign without a reading",
        "It means something, and an engine would say the sentence without it.",
        'turns:\n  - {id: t7, speaker: B, tag: N3, text: "It is 10^6 in here."}',
        'turns:\n  - {id: t7, speaker: B, tag: N3, text: "It is ten to the sixth in here."}',
    ),
    Code(
        "DK270",
        "A pattern matches no scene",
        "The corpus would be smaller than it says.",
        'scenes: ["scene/*.yaml"]',
        'scenes: ["scenes/*.yaml"]',
    ),
    Code(
        "DK271",
        "A path that other machines cannot use",
        "Paths are relative to the corpus file and have forward slashes, so that they mean the same anywhere.",
        "scenes: ['scenes\\*.yaml']",
        'scenes: ["scenes/*.yaml"]',
    ),
    Code(
        "DK280",
        "A suppression suppresses nothing",
        "It would hide the next finding of its kind, which nobody has looked at.",
        'suppress:\n  - {code: DK214, because: "the long start is what this scene is about"}',
        "suppress: []",
    ),
    Code(
        "DK281",
        "A suppression that cannot be",
        "The code does not exist, or a scene with that finding cannot be compiled.",
        'suppress:\n  - {code: DK201, because: "the speaker is declared elsewhere"}',
        "suppress: []",
    ),
)
