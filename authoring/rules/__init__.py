"""One module a family of lint rules, and the rule sets that name which of them apply."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...schemas.diagnostics import Finding
from ...schemas.scene import Scene
from ...schemas.source import Document
from . import addressing, answer, pair, speech, structure
from .common import Rule

_CUT = "DK262"


@dataclass(frozen=True)
class RuleSet:
    """A named design of scenes: its rules, and the codes that it does not report."""

    name: str
    rules: tuple[Rule, ...]
    off: frozenset[str] = frozenset()

    def without(self, name: str, *codes: str) -> RuleSet:
        """The same rules under another name, without the findings of `codes`."""
        return replace(self, name=name, off=self.off | set(codes))

    def findings(self, document: Document, scene: Scene) -> Iterator[Finding]:
        """What the rules say of a scene. A line that a comment cuts off has that one finding only."""
        found = [f for rule in self.rules for f in rule(document, scene) if f.code not in self.off]
        cut = {f.line for f in found if f.code == _CUT}
        return (f for f in found if f.code == _CUT or f.line not in cut)


DUPLEX_MPE = RuleSet(
    "duplex-mpe", (*structure.RULES, *addressing.RULES, *pair.RULES, *answer.RULES, *speech.RULES)
)
"""The design of Duplex-MPE: one request, never first or last, every interrupting question settled at once."""
