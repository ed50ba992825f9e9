"""The gold answer: what it follows from, and that nobody gives it away."""

from __future__ import annotations

from collections.abc import Iterator

from ...schemas.diagnostics import Finding
from ...tts.compare import contains_answer
from .base import Rule, Subject


def supported(subject: Subject) -> Iterator[Finding]:
    """DK230: the answer names turns that exist. DK231: each stands before the request."""
    support = subject.scene.answer.support
    if not support:
        message = "the answer follows from no turn"
        yield subject.finding(("answer", "support"), "DK230", message, "name the turns it follows from")
    seen: set[str] = set()
    for n, turn_id in enumerate(support):
        place = ("answer", "support", n)
        at = subject.positions.get(turn_id)
        if at is None:
            yield subject.finding(
                place, "DK230", f"no turn has the id {turn_id!r}", "name turns of this scene"
            )
        elif turn_id in seen:
            yield subject.finding(place, "DK230", f"turn {turn_id} is named twice", "name it once")
        elif subject.request is not None and at >= subject.request:
            where = "is the request" if at == subject.request else "comes after the request"
            message = f"turn {turn_id} {where}; it supports the answer too late"
            yield subject.finding(place, "DK231", message, "the answer must follow from what was said before")
        seen.add(turn_id)


def not_given_away(subject: Subject) -> Iterator[Finding]:
    """DK232: no human says the answer after the request, and the request does not hold it."""
    if subject.request is None:
        return
    answer = subject.scene.answer
    accepted = [answer.text, *answer.accept]
    for n in range(subject.request, len(subject.scene.turns)):
        turn = subject.scene.turns[n]
        for spoken in subject.spoken(n):
            said = next((a for a in accepted if contains_answer(spoken.text, [a])), None)
            if said is not None:
                which = "the request" if n == subject.request else f"turn {turn.id}, after the request,"
                message = f"{which} says the answer ({said!r})"
                yield subject.finding(
                    spoken.place, "DK232", message, "only the assistant may say it from here on"
                )


def forms_are_different(subject: Subject) -> Iterator[Finding]:
    """DK233: an accepted form is not written twice."""
    answer = subject.scene.answer
    seen = {answer.text.casefold()}
    for n, form in enumerate(answer.accept):
        if form.casefold() in seen:
            message = f"the form {form!r} is there already"
            yield subject.finding(("answer", "accept", n), "DK233", message, "remove it")
        seen.add(form.casefold())


RULES: tuple[Rule, ...] = (supported, not_given_away, forms_are_different)
