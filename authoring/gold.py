"""Freezing the end state of gold into a scenario file, leaving every other byte as the author wrote it."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

from ..corpora.canonical import write_atomic
from ..harness.world.calls import CallScenario, Replay, replay
from ..harness.world.diff import Changes
from ..schemas.nodes import Node


class GoldError(Exception):
    """Gold that cannot be frozen. The message says which action failed and how."""


def sound_replay(call: CallScenario) -> Replay:
    """The replay of a scenario's gold. Raises `GoldError` naming the first action that did not do what it should."""
    done = replay(call)
    for step, made in done.failures():
        where = call.document.mark(step.place)
        what = f"{call.document.name}:{where.line}: action {step.action.id} ({step.action.tool})"
        if made.error is None:
            raise GoldError(f"{what} succeeded, and gold says that it fails with {step.action.fails}")
        raise GoldError(f"{what} failed with {made.error}: {made.detail or made.result['error']['message']}")
    for step, made in zip(call.steps, done.calls, strict=True):
        if made.error is not None and call.runtime.tools[step.action.tool].spec.effect == "write":
            raise GoldError(f"action {step.action.id} is a write and fails; a write of gold may not fail")
    return done


def write_gold(path: Path, call: CallScenario, difference: Changes) -> bool:
    """Write the difference as `gold.state` of the scenario in `path`; gives whether the file changed.

    Only the lines of `gold.state` change. Raises `GoldError` where the gold mapping is not in this file.
    """
    raw = path.read_bytes()
    text = raw.decode("utf-8-sig")
    gold = next((v for k, v in call.document.root.pairs if k.text == "gold"), None)
    if gold is None or gold.kind != "map" or gold.origin:
        raise GoldError(f"{path}: the gold of {call.scenario.id} stands in another file; write it there")
    if path.suffix != ".yaml" and path.suffix != ".yml":
        raise GoldError(
            f"{path}: only YAML files can be written into; paste the difference that replay --json prints"
        )
    new = _replaced(text, gold, difference)
    if new == text:
        return False
    _prove(path, text, new, call.scenario.id, difference)
    bom = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    write_atomic(path, bom + new.encode("utf-8"))
    return True


def _prove(path: Path, old: str, new: str, scenario: str, difference: Changes) -> None:
    """Raise `GoldError` unless a comment-keeping YAML reader sees the new state and nothing else changed."""
    from ruamel.yaml import YAML

    reader = YAML(typ="rt", pure=True)
    reader.preserve_quotes = True
    try:
        before, after = (list(reader.load_all(io.StringIO(t))) for t in (old, new))
    except Exception as error:
        raise GoldError(f"{path}: the file would not be readable with its new gold: {error}") from None
    pairs = [(b, a) for b, a in zip(before, after, strict=True) if b != a]
    for one, other in pairs:
        state = other["gold"].pop("state", None)
        one["gold"].pop("state", None)
        if one != other or _plain(state) != difference:
            raise GoldError(
                f"{path}: the gold of {scenario} cannot be written without other changes; write it by hand"
            )
    if len(pairs) != 1:
        raise GoldError(f"{path}: the gold of {scenario} could not be told from the others; write it by hand")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return [_plain(v) for v in value] if isinstance(value, list) else value


def _replaced(text: str, gold: Node, difference: Changes) -> str:
    if text[gold.begin] == "{":
        return _in_flow(text, gold, difference)
    indent = gold.start.column - 1
    ending = "\r\n" if "\r\n" in text else "\n"
    body = "".join(f"{' ' * indent}{line}{ending}" for line in state_yaml(difference).splitlines())
    for key, value in gold.pairs:
        if key.text == "state":
            start = key.begin - (key.start.column - 1)
            return text[:start] + body + text[_line_end(text, value) :]
    anchor = next((v for k, v in gold.pairs if k.text == "actions"), gold.pairs[-1][1])
    at = _line_end(text, anchor)
    lead = "" if text[:at].endswith("\n") else ending
    return text[:at] + lead + body + text[at:]


def _in_flow(text: str, gold: Node, difference: Changes) -> str:
    flow = flow_yaml(difference)
    for key, value in gold.pairs:
        if key.text == "state":
            return text[: value.begin] + flow + text[value.stop :]
    last = gold.pairs[-1][1].stop
    return text[:last] + f", state: {flow}" + text[last:]


def _line_end(text: str, node: Node) -> int:
    """The index behind the last line of a value. The end of a block collection is that of its last value."""
    while node.kind != "scalar" and text[node.begin : node.begin + 1] not in ("[", "{"):
        node = node.pairs[-1][1] if node.kind == "map" else node.items[-1]
    at = node.stop
    if text[node.begin : node.begin + 1] in ("|", ">"):
        return at
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def state_yaml(difference: Changes) -> str:
    """`state:` as block YAML: one line a row, quoted so that every reader gets the same text."""
    if not difference:
        return "state: {}\n"
    lines = ["state:"]
    for table, rows in difference.items():
        lines.append(f"  {table}:")
        lines += [f"    {_scalar(key)}: {flow_yaml(columns)}" for key, columns in rows.items()]
    return "\n".join(lines) + "\n"


def flow_yaml(value: Any) -> str:
    """A value in one line of YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(k)}: {flow_yaml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow_yaml(v) for v in value) + "]"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _scalar(value)


_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[-./][A-Za-z0-9_]+)*\Z")
_WORDS = frozenset("true false null yes no on off y n".split())


def _scalar(text: str) -> str:
    import json

    if _BARE.match(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)
