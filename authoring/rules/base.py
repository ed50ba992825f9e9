"""What a rule is, and what rules share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ...schemas.diagnostics import Finding
from ...schemas.scene import CONDITIONS, Condition, Scene, Turn
from ...schemas.source import Document, Path_


@dataclass(frozen=True)
class Spoken:
    """The words of a turn in one condition, and the place in the file where they stand."""

    text: str
    place: Path_
    condition: Condition | None
    """None where both conditions share the words."""


@dataclass(frozen=True)
class Subject:
    """A scene under its checks, with what most rules look up."""

    document: Document
    scene: Scene

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The assistant's name and aliases."""
        return (self.scene.assistant.name, *self.scene.assistant.aliases)

    @cached_property
    def humans(self) -> frozenset[str]:
        """Ids of the speakers."""
        return frozenset(s.id for s in self.scene.speakers)

    @cached_property
    def devices(self) -> frozenset[str]:
        """Ids of the devices."""
        return frozenset(d.id for d in self.scene.devices)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Index of each turn by id; of the first, where an id stands twice."""
        return {t.id: n for n, t in reversed(list(enumerate(self.scene.turns)))}

    @cached_property
    def request(self) -> int | None:
        """Index of the one turn tagged T, or None where there is none or more than one."""
        found = [n for n, t in enumerate(self.scene.turns) if t.tag == "T"]
        return found[0] if len(found) == 1 else None

    def spoken(self, index: int) -> list[Spoken]:
        """The words of turn `index`: once where the conditions share them, else once for each."""
        turn: Turn = self.scene.turns[index]
        pair = self.scene.pair
        if turn.id == pair.turn:
            return [Spoken(getattr(pair, c), ("pair", c), c) for c in CONDITIONS]
        if pair.before is not None and turn.id == pair.before.turn:
            return [Spoken(getattr(pair.before, c), ("pair", "before", c), c) for c in CONDITIONS]
        return [] if turn.text is None else [Spoken(turn.text, ("turns", index, "text"), None)]

    def finding(self, place: Path_, code: str, message: str, hint: str = "", *, key: bool = False) -> Finding:
        """A finding at `place` of the file."""
        return self.document.finding(place, code, message, hint, key=key)


Rule = Callable[[Subject], Iterator[Finding]]
