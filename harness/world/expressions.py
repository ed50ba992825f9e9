"""The expressions of a world file: compiled, or told of at their column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...schemas.source import Path_
from ...schemas.values import Problem
from .cel import Compiler, ExpressionError, Program


@dataclass(frozen=True)
class ExpressionProblem:
    """An expression that does not compile, by its place in the document and the offset in its text."""

    place: Path_
    offset: int
    message: str
    hint: str


Problems = list[Problem | ExpressionProblem]


@dataclass
class Expressions:
    """Compiles expressions; what is wrong is added to `problems`."""

    problems: Problems = field(default_factory=list)

    def program(
        self, compiler: Compiler, text: str, place: Path_, want: Sequence[str] = ()
    ) -> Program | None:
        """The program of an expression, or None with a problem at its place."""
        try:
            return compiler.compile(text, want)
        except ExpressionError as error:
            found = ExpressionProblem(place, error.offset, error.message, error.hint)
            # A table without `new_key` is one mistake, however often a tool uses its new key.
            if not (found.message.startswith("new has no") and self._told(found)):
                self.problems.append(found)
            return None

    def _told(self, problem: ExpressionProblem) -> bool:
        return any(
            isinstance(p, ExpressionProblem)
            and p.message == problem.message
            and p.place[:2] == problem.place[:2]
            for p in self.problems
        )

    def items(self, compiler: Compiler, text: str, place: Path_) -> tuple[Program, str] | None:
        """The program of a list and the type of its items."""
        program = self.program(compiler, text, place)
        if program is None:
            return None
        if not program.type_name.startswith("LIST<"):
            said = "for_each needs a list, such as TABLE_by_COLUMN(value)"
            self.problems.append(ExpressionProblem(place, 0, said, ""))
            return None
        return program, program.type_name[5:-1]
