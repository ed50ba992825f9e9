"""Playing a call by hand: a person calls the tools, and what they did is written as gold."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..harness.world.calls import CallScenario
from ..harness.world.diff import changes, lines
from ..harness.world.runtime import Call, Side
from ..harness.world.state import View
from ..schemas.diagnostics import did_you_mean
from ..schemas.values import ValueType
from .gold import flow_yaml, state_yaml

HELP = """TOOL name=value ...     call a tool of the agent's side, as in: lock_card card_id=CRD-1 reason="lost at sea"
caller TOOL ...         call a tool of the caller's side
tools                   list the tools with their parameters
state                   what differs from the beginning
undo                    take the last call back
yaml                    what was done so far, as gold
quit                    leave; what was done is printed as gold"""


@dataclass
class Table:
    """A call that is being played. `do` takes one line and gives what to print; `done` says whether it is over."""

    call: CallScenario
    made: list[Call] = field(default_factory=list)
    done: bool = False

    def __post_init__(self) -> None:
        self.view: View = self.call.start()

    def do(self, line: str) -> str:
        """Do what a line says. Nothing raises for anything that is typed."""
        try:
            words = shlex.split(line)
        except ValueError as error:
            return f"cannot read this line: {error}; close the quotes"
        if not words:
            return ""
        orders: Mapping[str, Callable[[], str]] = {
            "help": lambda: HELP,
            "tools": self._tools,
            "state": lambda: (
                "\n".join(lines(changes(self.call.start(), self.view), self.call.start())) or "as it was"
            ),
            "undo": self._undo,
            "yaml": self.yaml,
            "quit": self._quit,
            "exit": self._quit,
        }
        if len(words) == 1 and words[0] in orders:
            return orders[words[0]]()
        side: Side = "caller" if words[0] == "caller" else "agent"
        return self._use(side, words[1:] if side == "caller" else words)

    def yaml(self) -> str:
        """The successful calls as `actions:` and the end state as `state:`, to be put under `gold:`."""
        gold = self.gold()
        listed = "\n".join(["actions:", *(f"  - {flow_yaml(a)}" for a in gold["actions"])])
        return f"{listed if gold['actions'] else 'actions: []'}\n{state_yaml(gold['state'])}".rstrip("\n")

    def gold(self) -> dict[str, Any]:
        """The successful calls and the end state as plain data."""
        counts: dict[str, int] = {}
        entries: list[dict[str, Any]] = []
        for made in (c for c in self.made if c.ok):
            counts[made.tool] = counts.get(made.tool, 0) + 1
            name = made.tool if counts[made.tool] == 1 else f"{made.tool}_{counts[made.tool]}"
            entry: dict[str, Any] = {"id": name, "tool": made.tool}
            if made.side == "caller":
                entry["side"] = "caller"
            given = {n: v for n, v in made.arguments.items() if v is not None}
            if given:
                entry["arguments"] = _plain(given)
            entries.append(entry)
        return {"actions": entries, "state": changes(self.call.start(), self.view)}

    def _use(self, side: Side, words: list[str]) -> str:
        if not words:
            return "name a tool of the caller's side; `tools` lists them"
        tool = self.call.runtime.tool(words[0], side)
        if tool is None:
            known = [n for n, t in self.call.runtime.tools.items() if t.spec.side == side]
            near = did_you_mean(words[0], [*known, *(["help", "tools", "state", "undo", "yaml", "quit"])])
            hint = f"did you mean {near}?" if near else "`tools` lists them, `help` shows the rest"
            return f"the {side} has no tool {words[0]!r}; {hint}"
        arguments: dict[str, Any] = {}
        for word in words[1:]:
            name, sign, text = word.partition("=")
            if not sign:
                return f"{word!r} is no argument; write name=value"
            try:
                arguments[name] = _typed(text, tool.parameters.get(name))
            except ValueError as error:
                return f"{name}: {error}"
        made = self.call.runtime.call(self.view, words[0], arguments, side)
        self.made.append(made)
        told = json.dumps(_plain(made.result), ensure_ascii=False, indent=2)
        return told + (f"\n({made.detail})" if made.detail else "")

    def _tools(self) -> str:
        told = []
        for name, tool in self.call.runtime.tools.items():
            shown = [n if n in tool.required else f"[{n}]" for n in tool.parameters]
            who = "caller " if tool.spec.side == "caller" else ""
            told.append(f"{who}{name} {' '.join(shown)}".rstrip() + f"\n    {tool.spec.description}")
        return "\n".join(told)

    def _undo(self) -> str:
        if not self.made:
            return "nothing was done yet"
        gone = self.made.pop()
        self.view = self.call.start()
        for made in self.made:
            self.call.runtime.call(self.view, made.tool, made.arguments, made.side)
        return f"took back {gone.tool}"

    def _quit(self) -> str:
        self.done = True
        return ""


def _typed(text: str, kind: ValueType | None) -> Any:
    """The value that is meant by a text. Raises `ValueError` with what to write instead."""
    if kind is None or kind.kind == "string":
        return text
    if kind.kind == "boolean":
        if text not in ("true", "false"):
            raise ValueError("write true or false")
        return text == "true"
    if kind.kind == "integer":
        if not text.removeprefix("-").isdecimal():
            raise ValueError("write a whole number")
        return int(text)
    try:
        return json.loads(text)
    except ValueError:
        raise ValueError('write JSON, in single quotes: \'["a", "b"]\'') from None


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list | tuple) else value
