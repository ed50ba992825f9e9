"""First files of a world, a scenario, a scene or a persona: sound at once, with comments that teach."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from ..corpora.canonical import write_atomic
from ..schemas.export import schema_text
from ..schemas.scenario import ConversationType
from ..schemas.source import load_text
from ..schemas.world import World
from .check import check_text
from .library import Library

KINDS = ("persona", "scenario", "scene", "world")
SCHEMA_FOLDER = ".duplexkit"
_NAME = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*\Z")
_TEMPLATE_ID = {"persona": "my-persona", "scenario": "my-call", "scene": "my-scene", "world": "my-world"}


class ScaffoldError(Exception):
    """A file that cannot be made. The message says what to do instead."""


@dataclass(frozen=True)
class Made:
    """The files that were written, the source file first."""

    files: tuple[Path, ...]


def make(kind: str, name: str, folder: Path, *, world: str | None = None) -> Made:
    """Write a first file of a kind below `folder`, and the JSON Schema that its first line names.

    Raises `ScaffoldError` for a name that is no id, a file that is there already, or a world that does not exist.
    """
    if not _NAME.match(name):
        raise ScaffoldError(
            f"{name!r} is no id: lower-case letters, digits, and single -, _ or . between them"
        )
    path = folder / ("world.yaml" if kind == "world" else f"{name}.yaml")
    if kind == "world":
        path = folder / name / "world.yaml"
    elif kind == "persona" and folder.name != "personas":
        path = folder / "personas" / f"{name}.yaml"
    if path.exists():
        raise ScaffoldError(f"{path} is there already; choose another name")
    text = _scenario(name, path, world) if kind == "scenario" else _named(kind, name)
    schema = path.parent / SCHEMA_FOLDER / f"{kind}.schema.json"
    schema.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(schema, schema_text(kind).encode("utf-8"))
    write_atomic(path, text.encode("utf-8"))
    return Made((path, schema))


def template(kind: str) -> str:
    """The text of a template; a sound file itself."""
    return (Path(__file__).parent / "templates" / f"{kind}.yaml").read_text(encoding="utf-8")


def _named(kind: str, name: str) -> str:
    return template(kind).replace(f"id: {_TEMPLATE_ID[kind]}\n", f"id: {name}\n", 1)


def _scenario(name: str, path: Path, wanted: str | None) -> str:
    """A call in a world: the whole template in a world that was made from ours, else a refusal to fill in."""
    reference = wanted or _world_nearby(path)
    if reference is None:
        raise ScaffoldError(
            "no world is near: give --world ID or a path, or make one with `duplexkit new world NAME`"
        )
    world = _world(path, reference)
    if world is None:
        raise ScaffoldError(
            f"there is no world {reference!r}: give the id of a shipped one, or a path to a file"
        )
    if {t.name for t in world.tools} >= {"open_member", "list_loans", "renew_loan"}:
        text = template("scenario").replace("id: my-call\n", f"id: {name}\n", 1)
        return text.replace("world: my-world\n", f"world: {reference}\n", 1)
    return _refusal(name, path, reference, world)


def _world_nearby(path: Path) -> str | None:
    for folder in (path.parent, *path.parent.resolve().parents[:2]):
        if (folder / "world.yaml").is_file():
            return Path(
                "/".join([".."] * _steps(path.parent.resolve(), folder.resolve())), "world.yaml"
            ).as_posix()
    worlds = sorted(path.parent.glob("*/world.yaml"))
    return worlds[0].relative_to(path.parent).as_posix() if len(worlds) == 1 else None


def _steps(inner: Path, outer: Path) -> int:
    return len(inner.relative_to(outer).parts)


def _world(path: Path, reference: str) -> World | None:
    documents, _ = load_text("kind: scenario\n", str(path), path)
    found = Library().world(documents[0], reference)
    return found.world if found is not None else None


_REFUSAL = """# yaml-language-server: $schema=.duplexkit/scenario.schema.json
# A call that ends as it began: the agent refuses. Docs: docs/scenario-format.md.
# For a call that changes something: `duplexkit play FILE`, call the tools by hand, and paste what it prints as gold.
kind: scenario
id: {name}
purpose: Whether the agent refuses what the rules do not allow, and says so.
tests: [{policy}]
world: {world}
type: {type}
persona: plain-adult
caller:
  name: Robin Ames
  reason: "Something on my record looks odd, and I want it gone today."   # what they noticed, never the operation
  goal: "Get it over with in this call."
  facts: []                             # what the caller knows: {{id: card, value: "4471", say: "four four seven one"}}
  script:
    - {{id: opening, when: {{start: true}}, say: "Hi. There is something odd on my record, and I want it gone today."}}
    - {{id: closing, when: {{agent_says: ["sorry", "cannot", "can't"]}}, say: "Well. All right, goodbye.", hangs_up: true}}
gold:
  actions: []                           # the calls of one right way, in order
  expects: no_change                    # the right end state is the seed
  say: [{{kind: phrase, value: "sorry", about: "that it cannot be done"}}]
  forbid: [{{tool: {tool}, because: "The rules do not allow it in this call."}}]
reward: [state, say, forbid]
"""


def _refusal(name: str, path: Path, reference: str, world: World) -> str:
    """A refusal for any world whose tools have guards that name a clause."""
    guarded = [(t.name, g.policy) for t in world.tools if t.side == "agent" for g in t.guards if g.policy]
    if not guarded:
        raise ScaffoldError(
            f"no tool of {world.id} has a guard that names a policy; write one, or begin from another world"
        )
    tool, policy = guarded[0]
    fill = {"name": name, "world": reference, "tool": tool, "policy": policy}
    for kind in get_args(ConversationType):
        text = _REFUSAL.format(type=kind, **fill)
        found = check_text(text, str(path), path=path).findings
        if not found:
            return text
    first = found[0]
    raise ScaffoldError(f"no first call can be made for {world.id}: {first.text()}")
