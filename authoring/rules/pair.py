"""Rules on the pair: the request in both forms, the turn before it, and the cue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...schemas.diagnostics import Finding
from ...schemas.scene import Scene
from ...schemas.source import Document, Path_
from ...tts.spoken import is_speakable
from .common import Rule, has_phrase, named, request, requests, shown, words

_FILLERS = frozenset(
    (
        *(
            "so",
            "um",
            "uh",
            "er",
            "hm",
            "hmm",
            "hey",
            "hi",
            "hello",
            "oh",
            "ah",
            "okay",
            "ok",
            "well",
            "right",
        ),
        *(
            "and",
            "then",
            "now",
            "please",
            "say",
            "listen",
            "look",
            "sorry",
            "just",
            "you",
            "your",
            "tell",
            "me",
        ),
        *("also", "äh", "ähm", "ja", "na", "nun", "bitte", "mal", "hallo", "du", "ihr", "dann", "und", "sag"),
    )
)
"""Words that point at nobody: a request that gained only these is the explicit one without its name."""


def pair_turns(document: Document, scene: Scene) -> Iterator[Finding]:
    """`pair.turn` is the request, and `pair.before.turn` the turn directly before it."""
    found = requests(scene)
    turns = scene.turns
    if found and scene.pair.turn not in {turns[i].id for i in found}:
        message = f"pair.turn is {scene.pair.turn!r}, which is not the request"
        hint = f"write {turns[found[0]].id}, the turn tagged T"
        yield document.finding(("pair", "turn"), "DK230", message, hint)
        return
    before, index = scene.pair.before, request(scene)
    if before is None or not index or before.turn == turns[index - 1].id:
        return
    message = f"pair.before.turn is {before.turn!r}, which is not the turn directly before the request"
    hint = f"write {turns[index - 1].id}; no other turn may differ between the versions"
    yield document.finding(("pair", "before", "turn"), "DK231", message, hint)


def words_once(document: Document, scene: Scene) -> Iterator[Finding]:
    """The turns of the pair have no `text`; all others have one."""
    held, unsure = _held_by_pair(scene)
    for index, turn in enumerate(scene.turns):
        if turn.id in unsure:
            continue
        if turn.id in held and turn.text is not None:
            message = f"{shown(scene, index)} has its words in pair and a text as well"
            yield document.finding(("turns", index, "text"), "DK232", message, "remove the text", key=True)
        elif turn.id not in held and turn.text is None:
            message = f"{shown(scene, index)} has no text"
            yield document.finding(("turns", index), "DK233", message, 'write text: "..."')


def _held_by_pair(scene: Scene) -> tuple[set[str], set[str]]:
    """The turns whose words stand in the pair, and those of which a wrong reference leaves it open."""
    tagged = {scene.turns[i].id for i in requests(scene)}
    index = request(scene)
    held: set[str] = set()
    unsure: set[str] = set()
    if index is not None and scene.pair.turn in tagged:
        held |= tagged
    else:
        unsure |= {*tagged, scene.pair.turn}
    before = scene.pair.before
    if before is not None:
        previous = scene.turns[index - 1].id if index else None
        if before.turn == previous:
            held.add(before.turn)
        else:
            unsure |= {before.turn, *([previous] if previous else [])}
    return held, unsure


def names_in_pair(document: Document, scene: Scene) -> Iterator[Finding]:
    """The explicit request names the assistant; the implicit one does not, and is not the explicit one cut."""
    pair = scene.pair
    if not is_speakable(pair.explicit) or not is_speakable(pair.implicit):
        return
    if words(pair.explicit) == words(pair.implicit):
        hint = "put a cue to the assistant in the place of its name"
        yield document.finding(("pair", "implicit"), "DK236", "both forms of the request are the same", hint)
        return
    if named(scene, pair.explicit) is None:
        message = f"the explicit request does not name the assistant ({scene.assistant.name})"
        yield document.finding(("pair", "explicit"), "DK234", message, "let it say the name or an alias")
    name = named(scene, pair.implicit)
    if name is not None:
        message = f"the implicit request still names the assistant ({name})"
        hint = "put a cue to the assistant in the place of its name"
        yield document.finding(("pair", "implicit"), "DK235", message, hint)
    elif _is_deletion(scene):
        message = "the implicit request is the explicit one without the name: it could be meant for a human"
        hint = "add words that point at the assistant, or give the turn before it a cue (pair.before)"
        yield document.finding(("pair", "implicit"), "DK237", message, hint)


def _is_deletion(scene: Scene) -> bool:
    """Whether the implicit request adds no word that could point at the assistant, and none stands before it."""
    pair = scene.pair
    if pair.before is not None and pair.cue.turn == pair.before.turn:
        return False
    added = Counter(words(pair.implicit)) - Counter(words(pair.explicit))
    return set(added) <= _FILLERS


def before_differs(document: Document, scene: Scene) -> Iterator[Finding]:
    """The turn before the request differs between the versions, and the cue is what differs."""
    before = scene.pair.before
    if before is None or any(pair_turns(document, scene)):
        return
    if words(before.explicit) == words(before.implicit):
        message = "both forms of the turn before the request are the same"
        hint = "remove pair.before and write the words as the turn's text"
        yield document.finding(("pair", "before", "implicit"), "DK236", message, hint)
    elif scene.pair.cue.turn == scene.pair.turn:
        message = "the turn before the request differs, but the cue stands in the request"
        hint = "remove pair.before: that turn may differ only where it holds the cue"
        yield document.finding(("pair", "before"), "DK241", message, hint, key=True)


def cue_points(document: Document, scene: Scene) -> Iterator[Finding]:
    """The cue stands word for word in the implicit form of its turn, and not in the explicit form."""
    pair, cue = scene.pair, scene.pair.cue
    if any(pair_turns(document, scene)):
        return
    owners = [pair.turn] if pair.before is None else [pair.before.turn, pair.turn]
    if cue.turn not in owners:
        message = f"cue.turn is {cue.turn!r}, whose words are the same in both versions"
        more = "" if pair.before else ", or add pair.before for the turn before it"
        hint = f"write {' or '.join(owners)}{more}"
        yield document.finding(("pair", "cue", "turn"), "DK238", message, hint)
        return
    owner = pair.before if pair.before is not None and cue.turn == pair.before.turn else pair
    if not all(is_speakable(text) for text in (owner.explicit, owner.implicit, cue.words)):
        return
    if words(owner.explicit) == words(owner.implicit):
        return
    if owner is pair and named(scene, pair.implicit) is None and _is_deletion(scene):
        return
    place: Path_ = ("pair", "cue", "words")
    if not has_phrase(owner.implicit, cue.words):
        message = f"the cue does not stand word for word in the implicit form of {cue.turn}"
        yield document.finding(place, "DK239", message, "copy the words from the implicit form")
    elif has_phrase(owner.explicit, cue.words):
        message = (
            f"the cue stands in the explicit form of {cue.turn} too, so it is not what replaces the name"
        )
        yield document.finding(place, "DK240", message, "name the words that only the implicit form has")


RULES: tuple[Rule, ...] = (pair_turns, words_once, names_in_pair, before_differs, cue_points)
