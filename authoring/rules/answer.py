"""Rules on the gold answer: what it follows from, and that nobody gives it away.

Only what can be decided from the text is decided here. Whether an answer that nobody says word for word
really follows from its support is for a reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...schemas.diagnostics import Finding, did_you_mean
from ...schemas.scene import Scene
from ...schemas.source import Document
from ...tts.spoken import is_speakable
from .common import Rule, folded, request, said, shown, words

_CORRECTION = re.compile(
    r"""(?:^|[.!?;:,-]\s*|\b(?:oh|no|but|and|wait)\b,?\s+)
    (?: no[,.]?\s+wait | wait[,.]?\s+no | scratch\s+that | correction | make\s+that | actually
      | on\s+second\s+thought | i\s+meant | i\s+was\s+wrong | i\s+got\s+that\s+wrong
      | changed\s+(?:my|his|her|their)\s+mind | nein[,.]?\s+warte | warte[,.]?\s+nein | quatsch
      | korrektur | doch\s+nicht | stimmt\s+nicht )\b""",
    re.VERBOSE,
)
_COMMON = frozenset(
    """
    the and are was were for you that this with not but our your have has had it's that's they them then there here
    what when where which who how now just all any can will would could out wait actually scratch make correction
    meant wrong okay well yeah yes der die das und ist den dem ein eine nicht doch warte nein
    """.split()
)
_CONCLUDED = re.compile(
    r"""\d | (?:mon|tues|wednes|thurs|fri|satur|sun)day | hundred | thousand | million
    | ^(?: january | february | march | april | may | june | july | august | september | october | november
      | december | noon | midnight | morning | afternoon | evening | night | tonight | today | tomorrow
      | yesterday | yes | no | yep | nope | true | false | both | neither | none | nobody | nothing | everyone
      | all | never | left | right | first | second | third | last | next | half | quarter | dozen | double
      | twice | once | more | less | fewer | later | earlier | too | enough | still | already | open | closed
      | same | different | o'clock | am | pm | zero | oh | one | two | three | eleven | twelve | twelfth
      | north.* | south.* | east.* | west.*
      | (?:four|five|six|seven|eight|nine|ten)(?:th)? | ninth | eighth | fifth
      | (?:thir|four|fif|six|seven|eigh|nine)teen(?:th)?
      | (?:twen|thir|for|fif|six|seven|eigh|nine)(?:ty|tieth) )$""",
    re.VERBOSE,
)
"""Words that an answer may hold although nobody said them: they are counted, computed or concluded."""


def support_stands(document: Document, scene: Scene) -> Iterator[Finding]:
    """Support is named, exists, stands before the request, and is named once."""
    support = scene.answer.support
    if not support:
        message = "the answer names no turn that it follows from"
        hint = "list the turns before the request that it follows from"
        yield document.finding(("answer", "support"), "DK250", message, hint)
    position = {turn.id: i for i, turn in enumerate(scene.turns)}
    asked = request(scene)
    seen: set[str] = set()
    for index, name in enumerate(support):
        place = ("answer", "support", index)
        if name not in position:
            near = did_you_mean(name, position)
            hint = f"did you mean {near}?" if near else "write the id of a turn"
            yield document.finding(place, "DK251", f"there is no turn {name!r}", hint)
        elif name in seen:
            yield document.finding(place, "DK252", f"the support {name} is listed twice", "remove one")
        elif asked is not None and position[name] >= asked:
            where = "is the request itself" if position[name] == asked else "comes after the request"
            hint = f"take {name} out of support: an answer follows from what was said before it was asked for"
            yield document.finding(place, "DK253", f"supported too late: {name} {where}", hint)
        seen.add(name)


def forms_differ(document: Document, scene: Scene) -> Iterator[Finding]:
    """No accepted form is written twice; case and punctuation make no other form."""
    seen = {tuple(words(scene.answer.text))}
    for index, form in enumerate(scene.answer.accept):
        key = tuple(words(form))
        if key in seen and is_speakable(form):
            message = f"the accepted form {form!r} is there already"
            yield document.finding(("answer", "accept", index), "DK258", message, "remove it")
        seen.add(key)


def answer_not_given_away(document: Document, scene: Scene) -> Iterator[Finding]:
    """Neither the request nor any turn after it says the answer."""
    from ...tts.compare import contains_answer

    asked, accepted = request(scene), _accepted(scene)
    if asked is None or accepted is None:
        return
    for spoken in said(scene):
        if spoken.index < asked or not contains_answer(spoken.text, accepted):
            continue
        if spoken.index == asked:
            message = f"the {spoken.condition or 'second'} request says the answer itself"
            yield document.finding(spoken.place, "DK255", message, "ask without the answer")
        else:
            message = f"{shown(scene, spoken.index)} says the answer after the request"
            hint = "let nobody answer it; a question that a human settles is N4_Q"
            yield document.finding(spoken.place, "DK254", message, hint)


def answer_not_superseded(document: Document, scene: Scene) -> Iterator[Finding]:
    """No later turn marked as a correction overrides the support that states the answer."""
    asked, accepted = request(scene), _accepted(scene)
    if asked is None or accepted is None:
        return
    support = {i for i, turn in enumerate(scene.turns) if turn.id in scene.answer.support}
    earlier = [(s.index, s.text) for s in said(scene) if s.index < asked]
    corrections = [(i, t) for i, t in earlier if i not in support and _CORRECTION.search(folded(t))]
    if not corrections:
        return
    from ...tts.compare import contains_answer

    stating = [(i, t) for i, t in earlier if i in support and contains_answer(t, accepted)]
    for index, text in corrections:
        hit = next((i for i, t in stating if i < index and _content(t) & _content(text)), None)
        if hit is not None and not contains_answer(text, accepted):
            old = scene.turns[hit].id
            message = f"superseded: {shown(scene, index)} corrects {old}, which the answer follows"
            hint = f"answer by the correction, or list {scene.turns[index].id} as support"
            yield document.finding(("answer", "text"), "DK256", message, hint)
            return


def answer_supported(document: Document, scene: Scene) -> Iterator[Finding]:
    """An answer in plain words has at least one of them somewhere before or in the request.

    Numbers, times, days and words such as yes are left out, for they may be concluded. English only.
    """
    asked, accepted = request(scene), _accepted(scene)
    if not asked or accepted is None or not scene.language.lower().startswith("en"):
        return
    told = {_stem(w) for s in said(scene) if s.index <= asked for w in words(s.text)}
    for form in accepted:
        parts = [w for w in words(form) if len(w) > 2 and w not in _COMMON]
        if (
            not parts
            or any(_CONCLUDED.search(w) for w in words(form))
            or any(_stem(w) in told for w in parts)
        ):
            return
    message = "unsupported: no word of the answer is said before the request ends"
    hint = "let the dialogue support it, or mend the answer"
    yield document.finding(("answer", "text"), "DK257", message, hint)


def _accepted(scene: Scene) -> tuple[str, ...] | None:
    """All accepted answers, or None where one has nothing to say; that has a finding of its own."""
    accepted = (scene.answer.text, *scene.answer.accept)
    return accepted if all(is_speakable(a) for a in accepted) else None


def _content(text: str) -> set[str]:
    return {_stem(w) for w in words(text) if len(w) > 2 and w not in _COMMON}


def _stem(word: str) -> str:
    """The word without the endings that turn one form into another."""
    word = word.removesuffix("'s")
    for ending in ("ing", "ies", "es", "ed", "s", "y", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


RULES: tuple[Rule, ...] = (
    support_stands,
    forms_differ,
    answer_not_given_away,
    answer_not_superseded,
    answer_supported,
)
