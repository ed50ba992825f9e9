"""A tool's guards as one expression, and its results as one: each evaluation costs more than what it works out.

The parts were compiled one by one before, so that mistakes stand at their place. A joined expression that fails while
it runs is worked out again part by part, so that the message names the part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...schemas.world import ReturnList, Tool
from .cel import Compiler, ExpressionError, Program
from .scope import Scope


def one_guard(compiler: Compiler, spec: Tool) -> Program | None:
    """The index of the first guard that stops a call, or -1, as one expression; None for fewer than two guards."""
    if len(spec.guards) < 2:
        return None
    text = "-1"
    for index, guard in reversed(list(enumerate(spec.guards))):
        holds = _inside(guard.unless if guard.unless is not None else guard.when or "")
        text = f"{'!' if guard.unless is not None else ''}{holds} ? {index} : ({text})"
    return _compiled(compiler, text)


def one_result(
    compiler: Compiler, spec: Tool, plain: Callable[[Any], Any]
) -> Callable[[Scope], dict[str, Any]] | None:
    """The whole result as one expression; None where it is one plain value, or the parts cannot be joined."""
    parts = [_list_text(r) if isinstance(r, ReturnList) else _inside(r) for r in spec.returns.values()]
    if len(parts) < 2 and not any(isinstance(r, ReturnList) for r in spec.returns.values()):
        return None
    program = _compiled(compiler, f"[{', '.join(parts)}]")
    if program is None:
        return None
    shapes = [(n, tuple(r.give) if isinstance(r, ReturnList) else None) for n, r in spec.returns.items()]

    def tell(scope: Scope) -> dict[str, Any]:
        values = plain(program.run(scope.activation(compiler)))
        return {
            name: value if inner is None else [dict(zip(inner, row, strict=True)) for row in value]
            for (name, inner), value in zip(shapes, values, strict=True)
        }

    return tell


def one_list(texts: Iterable[str]) -> str:
    """Expressions as one that gives the list of their values."""
    return f"[{', '.join(map(_inside, texts))}]"


def _list_text(told: ReturnList) -> str:
    give: Mapping[str, str] = told.give
    return f"{_inside(told.for_each)}.map({told.as_}, [{', '.join(map(_inside, give.values()))}])"


def _inside(text: str) -> str:
    """An expression inside of another. It stands on lines of its own, for it may end in a comment."""
    return f"(\n{text}\n)"


def _compiled(compiler: Compiler, text: str) -> Program | None:
    try:
        return compiler.compile(text)
    except ExpressionError:
        return None
