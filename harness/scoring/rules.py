"""What was said, judged: a narrow interface, and the offline judge that goes by rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

RULE_LABEL = "answers judged by rule on the agent's own text (self-reported)"


@dataclass(frozen=True)
class Judges:
    """Two judges and the label that a report shows for them. None is a verdict that could not be read."""

    label: str
    acknowledgement: Callable[[str], bool | None]
    """Whether the words only acknowledge: they add nothing and do not take the floor."""
    answer: Callable[[str, Sequence[str]], bool | None]
    """Whether the words hold one of the accepted answers."""


def rule_judges() -> Judges:
    """The judges that need no model: word rules on the agent's own text."""
    from ...tts.compare import contains_answer, is_acknowledgement

    return Judges(RULE_LABEL, is_acknowledgement, contains_answer)
