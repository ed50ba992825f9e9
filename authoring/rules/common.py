"""What the rules share: the spoken texts of a scene with their places, and how words are compared."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...schemas.diagnostics import Finding
from ...schemas.scene import ASSISTANT, Condition, Scene, Turn
from ...schemas.source import Document, Path_
from ...tts.spoken import is_speakable

Rule = Callable[[Document, Scene], Iterator[Finding]]
"""A check of one scene. It yields at most one finding a mistake."""

RESERVED = (ASSISTANT, "preamble")
"""Words that no speaker and no device may have as its id."""

_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


@dataclass(frozen=True)
class Said:
    """Words of one turn: where they stand, and in which condition (None: in both)."""

    place: Path_
    turn: Turn
    index: int
    text: str
    condition: Condition | None = None


def said(scene: Scene) -> Iterator[Said]:
    """All spoken words of a scene's turns, in the order of the turns; words of a pair once a condition.

    Words of a pair that names the wrong turns are left out, for they belong to no turn.
    """
    before = scene.pair.before
    for index, turn in enumerate(scene.turns):
        if turn.id == scene.pair.turn and turn.tag == "T":
            yield Said(("pair", "explicit"), turn, index, scene.pair.explicit, "explicit")
            yield Said(("pair", "implicit"), turn, index, scene.pair.implicit, "implicit")
        elif before is not None and turn.id == before.turn and turn.text is None:
            yield Said(("pair", "before", "explicit"), turn, index, before.explicit, "explicit")
            yield Said(("pair", "before", "implicit"), turn, index, before.implicit, "implicit")
        elif turn.text is not None:
            yield Said(("turns", index, "text"), turn, index, turn.text)


def speakable(scene: Scene) -> Iterator[Said]:
    """As `said`, without the texts that have nothing to say; those have a finding of their own."""
    return (s for s in said(scene) if is_speakable(s.text))


def requests(scene: Scene) -> list[int]:
    """The indices of the turns tagged T."""
    return [i for i, turn in enumerate(scene.turns) if turn.tag == "T"]


def request(scene: Scene) -> int | None:
    """The index of the one request, or None where there is none or more than one."""
    found = requests(scene)
    return found[0] if len(found) == 1 else None


def speaker_ids(scene: Scene) -> set[str]:
    """The ids of the humans."""
    return {s.id for s in scene.speakers}


def device_ids(scene: Scene) -> set[str]:
    """The ids of the other devices."""
    return {d.id for d in scene.devices}


def assistant_names(scene: Scene) -> tuple[str, ...]:
    """The assistant's name and aliases."""
    return (scene.assistant.name, *scene.assistant.aliases)


def shown(scene: Scene, index: int) -> str:
    """A turn as messages name it."""
    return f"turn {index + 1} of {len(scene.turns)} ({scene.turns[index].id})"


@functools.lru_cache(maxsize=4_096)
def folded(text: str) -> str:
    """The text for comparing: one kind of quotes, no invisible characters, single spaces, no case."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    return " ".join("".join(c for c in plain if unicodedata.category(c) != "Cf").split())


def words(text: str) -> list[str]:
    """The words of a text, folded, without marks."""
    return _WORD.findall(folded(text))


def has_phrase(text: str, phrase: str) -> bool:
    """Whether `phrase` stands in `text` as whole words, whatever the case and the spaces."""
    inside, wanted = folded(text), folded(phrase)
    at = inside.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        cut_before = at > 0 and wanted[0].isalnum() and inside[at - 1].isalnum()
        cut_behind = end < len(inside) and wanted[-1].isalnum() and inside[end].isalnum()
        if not cut_before and not cut_behind:
            return True
        at = inside.find(wanted, at + 1)
    return False


def named(scene: Scene, text: str) -> str | None:
    """The name or alias of the assistant that stands in `text`, or None. German adds its genitive s."""
    german = scene.language.lower().startswith("de")
    for name in assistant_names(scene):
        if has_phrase(text, name) or (german and has_phrase(text, name + "s")):
            return name
    return None
