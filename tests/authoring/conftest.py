"""The example scene of the documentation, changed by fragments, and what check says of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from duplexkit.authoring.check import CheckResult, check_text

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scene-format.md"


def example_text() -> str:
    text = PAGE.read_text(encoding="utf-8")
    return text.split("```yaml\n", 1)[1].split("```", 1)[0]


def merged(base: Any, fragment: Any) -> Any:
    """`fragment` laid over `base`: mappings key by key, lists of things with ids by id, all else replaced."""
    if isinstance(base, dict) and isinstance(fragment, dict):
        return {**base, **{k: merged(base.get(k), v) for k, v in fragment.items()}}
    if isinstance(base, list) and fragment and all(isinstance(f, dict) and "id" in f for f in fragment):
        by_id = {f["id"]: f for f in fragment}
        kept = [by_id.pop(b["id"], b) for b in base]
        return [*kept, *by_id.values()]
    return fragment


@pytest.fixture(scope="session")
def example() -> dict[str, Any]:
    """The example as plain data."""
    data = yaml.load(example_text(), yaml.BaseLoader)
    assert isinstance(data, dict)
    return data


@pytest.fixture(scope="session")
def example_yaml() -> str:
    """The example as it stands on the page."""
    return example_text()


@pytest.fixture(scope="session")
def changed(example: dict[str, Any]) -> Callable[[str], dict[str, Any]]:
    """The example with a YAML fragment laid over it."""

    def change(fragment: str) -> dict[str, Any]:
        data = merged(example, yaml.load(fragment, yaml.BaseLoader) or {})
        assert isinstance(data, dict)
        return data

    return change


@pytest.fixture(scope="session")
def check_changed(changed: Callable[[str], dict[str, Any]]) -> Callable[[str], CheckResult]:
    """What check says of the example with a fragment laid over it."""

    def check(fragment: str) -> CheckResult:
        return check_text(json.dumps(changed(fragment), ensure_ascii=False), "scene.json")

    return check


@pytest.fixture(scope="session")
def check_tags() -> Callable[[str], CheckResult]:
    """What check says of a scene with these tags, in which all else is right."""

    def check(tags: str) -> CheckResult:
        return check_text(json.dumps(scene_with_tags(tags.split())), "scene.json")

    return check


def scene_with_tags(tags: list[str]) -> dict[str, Any]:
    """A scene of two people whose turns have `tags`."""
    to = {"T": "assistant", "N4_Q": "assistant"}
    say = {
        "N1": "I asked Aria that on Monday.",
        "N4_Q": "Aria, is it far?",
        "N4_R": "No, the map says ten minutes.",
    }
    turns = []
    for number, tag in enumerate(tags, start=1):
        turn = {"id": f"t{number}", "speaker": "AB"[number % 2], "tag": tag}
        turn |= {"to": to[tag]} if tag in to else {"to": "BA"[number % 2]} if tag == "N2" else {}
        turn |= {} if tag == "T" else {"text": say.get(tag, "The lids go in the yellow bin.")}
        turns.append(turn)
    place = tags.index("T") if "T" in tags else 1
    inner, third = len(tags) - 2, (len(tags) - 2) // 3
    bucket = "early-middle" if place <= third else "late-middle" if place > inner - third else "middle"
    words = {
        "explicit": "Aria, where is the lamp?",
        "implicit": "You there on the shelf, where is the lamp?",
    }
    return {
        "kind": "scene",
        "id": "tags",
        "attributes": dict.fromkeys(("setting", "activity", "relationship", "device", "register"), "plain"),
        "speakers": [{"id": "A", "name": "Ana"}, {"id": "B", "name": "Bo"}],
        "bucket": bucket,
        "turns": turns,
        "pair": {
            "turn": f"t{place + 1}",
            **words,
            "cue": {"turn": f"t{place + 1}", "words": "you there on the shelf"},
        },
        "answer": {"text": "In the yellow box.", "support": ["t1"] if place else []},
    }
