"""`search_policy`: the read tool that a world with policies has on the agent's side, without declaring it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...schemas.column import Column
from ...schemas.world import Policy, Tool, World
from .engines import NativeTool
from .functions import folded
from .state import View

NAME = "search_policy"
MOST = 3
"""How many clauses one search gives."""

_STOP = frozenset(
    "a an and are at be by can do for from has have how i if in is it may of on or the to what when".split()
)


def tools(world: World) -> tuple[NativeTool, ...]:
    """The tool, where the world has policies."""
    if not world.policies:
        return ()
    spec = Tool(
        name=NAME,
        description="Finds the clauses of the rules that fit a question. Gives at most three, the best first.",
        effect="read",
        parameters={
            "query": Column(type="string", description="A few words, or the id of a clause.")  # type: ignore[arg-type]
        },
    )
    ready = [(p, _words(f"{p.id} {p.title or ''}"), _words(p.text)) for p in world.policies]

    def run(view: View, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        wanted = _words(arguments["query"])
        scored = [(_score(wanted, p, title, text), -i, p) for i, (p, title, text) in enumerate(ready)]
        best = sorted((s for s in scored if s[0] > 0), key=lambda s: s[:2], reverse=True)[:MOST]
        return {"policies": [{"id": p.id, "title": p.title, "text": p.text} for _, _, p in best]}

    return (NativeTool(spec, run),)


def _score(wanted: set[str], policy: Policy, title: set[str], text: set[str]) -> int:
    """Words that fit, those of the title three times; the id itself wins."""
    exact = 100 if set(folded(policy.id).split()) <= wanted else 0
    return exact + 3 * len(wanted & title) + len(wanted & text)


def _words(text: str) -> set[str]:
    return {_stem(w) for w in re.findall(r"\w+", folded(text)) if w not in _STOP}


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
