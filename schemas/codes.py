"""The catalogue of diagnostic codes: `duplexkit explain`, `docs/diagnostics.md` and the tests read it."""

from __future__ import annotations

from .code import Code
from .codes_corpus import CORPUS_CODES
from .codes_scenario import SCENARIO_CODES
from .codes_scene import SCENE_CODES
from .codes_world import COMPOSE_CODES, WORLD_CODES

__all__ = ["CODES", "Code"]

_FILES = (
    Code(
        "DK001",
        "The file is not UTF-8",
        "Other encodings turn names and quotes into different characters on different machines.",
        "a file saved as Latin-1 or UTF-16",
        "the same file saved as UTF-8",
    ),
    Code(
        "DK002",
        "The file does not parse",
        "Nothing behind this place can be read. The usual cause is a colon inside unquoted text.",
        "text: Note: I am not talking to you",
        'text: "Note: I am not talking to you"',
    ),
    Code(
        "DK003",
        "The file holds nothing to read",
        "An empty file, or one that is no mapping, would be skipped in silence.",
        "# only a comment",
        "kind: scene",
    ),
    Code(
        "DK004",
        "A tab is used for indentation",
        "YAML forbids it, and editors show it at different widths, so the nesting is not what it looks like.",
        "turns:\n\t- id: t1",
        "turns:\n  - id: t1",
    ),
    Code(
        "DK005",
        "A YAML tag is used",
        "The schema decides the type of every value; a tag would make a second rule.",
        "id: !!str market-morning",
        "id: market-morning",
    ),
    Code(
        "DK006",
        "A key stands twice",
        "One of the two values would be lost. Two spellings of the same Unicode text count as one key.",
        "bucket: middle\nbucket: late-middle",
        "bucket: middle",
    ),
    Code(
        "DK007",
        "A key is not text",
        "Unquoted numbers, truth values and dates as keys are read differently by different readers.",
        "voices: {1001: h01}",
        'voices: {"1001": h01}',
    ),
    Code(
        "DK008",
        "A merge key is used",
        "`<<` belongs to YAML 1.1; readers of YAML 1.2 treat it as an ordinary key.",
        "<<: *base",
        "the keys of the base, written out",
    ),
)

_SHAPE = (
    Code(
        "DK101",
        "The kind is missing or unknown",
        "`kind:` names the model that reads the document.",
        "kind: scenes",
        "kind: scene",
    ),
    Code(
        "DK102",
        "Unknown key",
        "A misspelt key would be ignored and its value lost.",
        "personna: mara",
        "persona: mara",
    ),
    Code(
        "DK103",
        "A key is missing",
        "Something that is needed is not said.",
        "cue: {turn: t8}",
        'cue: {turn: t8, words: "with the green light"}',
    ),
    Code(
        "DK104",
        "Wrong type",
        "Values are never converted: a list is no text, `010` is no whole number.",
        "seed: 010",
        "seed: 10",
    ),
    Code(
        "DK105",
        "A value that YAML retypes",
        "Unquoted, `00731`, `1e5`, `true` and `null` are numbers, truth values or nothing to a YAML reader.",
        "name: 007",
        'name: "007"',
    ),
    Code("DK106", "Unknown value", "The field takes one of a few words.", "tag: n1", "tag: N1"),
    Code(
        "DK107",
        "A value out of bounds",
        "Ids become file names, and lengths have limits.",
        "id: Hut Morning",
        "id: market-morning",
    ),
)

CODES: dict[str, Code] = {
    c.code: c
    for c in (*_FILES, *_SHAPE, *COMPOSE_CODES, *SCENE_CODES, *CORPUS_CODES, *WORLD_CODES, *SCENARIO_CODES)
}
