"""One module a family of rules; `SCENE_RULES` is the named set that `check` runs on every scene."""

from __future__ import annotations

from . import addressing, answer, pair, speech, structure
from .base import Rule, Subject

SCENE_RULES: tuple[Rule, ...] = (
    *structure.RULES,
    *addressing.RULES,
    *pair.RULES,
    *answer.RULES,
    *speech.RULES,
)

__all__ = ("SCENE_RULES", "Rule", "Subject")
