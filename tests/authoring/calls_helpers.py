"""The example call of the documentation in its world, changed by fragments, and what check says of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

from duplexkit.authoring.check import CheckResult, check_paths

ROOT = Path(__file__).resolve().parents[2]
PERSONA = """kind: persona
id: plain-adult
name: Plain adult
pool: control
manner: Speaks in whole sentences at an even pace, answers what is asked and waits.
"""


class Bare(str):
    """A text that stands without quotes in its file."""


class _Loader(yaml.BaseLoader):
    """Reads every scalar as text, and remembers which had no quotes."""

    def construct_scalar(self, node: yaml.ScalarNode) -> str:
        """The text of a scalar."""
        text = str(node.value)
        return Bare(text) if node.style is None else text


def read(text: str) -> Any:
    """YAML as plain data; scalars without quotes are `Bare`."""
    return yaml.load(text, _Loader)


def write(value: Any) -> str:
    """Plain data as YAML in which bare texts stand bare, and all others in quotes; one line a key of the top."""
    return "".join(f"{key}: {_flow(part)}\n" for key, part in value.items())


def _flow(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    bare = isinstance(value, Bare) and not set(value) & set(",:[]{}#&*!|>'\"%@`")
    return str(value) if bare else json.dumps(value, ensure_ascii=False)


def example(page: str) -> str:
    """The first whole document of a page of the docs."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks: list[str] = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    return next(b for b in blocks if b.startswith("kind: "))


def merged(base: Any, fragment: Any) -> Any:
    """`fragment` laid over `base`: mappings but `when` key by key, lists of things with names by name."""
    if isinstance(base, dict) and isinstance(fragment, dict):
        return {**base, **{k: v if k == "when" else merged(base.get(k), v) for k, v in fragment.items()}}
    name = next((n for n in ("id", "name") if _all_have(base, n) and _all_have(fragment, n)), None)
    if name is None:
        return fragment
    names = [f[name] for f in fragment]
    if len(names) != len(set(names)):
        return [*base, *fragment]
    old = {b[name]: b for b in base}
    kept = [merged(b, next((f for f in fragment if f[name] == b[name]), {})) for b in base]
    return [*kept, *(f for f in fragment if f[name] not in old)]


def _all_have(value: Any, name: str) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) and name in v for v in value)


def world_with(fragment: str = "") -> str:
    """The example world with a YAML fragment laid over it."""
    return write(merged(read(example("world-format.md")), read(fragment) or {}))


def scenario_with(fragment: str = "") -> str:
    """The example scenario with a YAML fragment laid over it."""
    return write(merged(read(example("scenario-format.md")), read(fragment) or {}))


def check_call(
    folder: Path, *, world: str | None = None, scenario: str | None = None, persona: str = PERSONA
) -> CheckResult:
    """What check says of a folder with a world, a scenario in it and a persona."""
    (folder / "personas").mkdir(exist_ok=True)
    (folder / "world.yaml").write_text(world or example("world-format.md"), encoding="utf-8")
    if scenario != "":
        (folder / "call.yaml").write_text(scenario or example("scenario-format.md"), encoding="utf-8")
    (folder / "personas" / "plain-adult.yaml").write_text(persona, encoding="utf-8")
    return check_paths([folder])


def codes(result: CheckResult) -> list[str]:
    """The codes of the findings, in order."""
    return [f.code for f in result.findings]
