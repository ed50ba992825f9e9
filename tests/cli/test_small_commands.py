"""`duplexkit schema`, `explain` and `cache`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from jsonschema.validators import validator_for

from duplexkit.schemas.codes import CODES

from .helpers import call_here as call
from .helpers import contents

KINDS = "corpus episode item manifest persona run scenario scene types world".split()


def test_schema_lists_the_kinds() -> None:
    assert call("schema").out.split() == KINDS
    assert call("schema", "--json").json() == {"kinds": KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_a_valid_schema(kind: str) -> None:
    text = call("schema", kind)
    schema = json.loads(text.out)
    validator_for(schema, default=jsonschema.Draft202012Validator).check_schema(schema)
    assert schema == call("schema", kind, "--json").json() and text.err == ""


def test_the_schemas_describe_what_is_written(source: Path, compiled: Path, silent_run: Path) -> None:
    files = {
        "scene": source / "scene-0.yaml",
        "corpus": source / "corpus.yaml",
        "manifest": compiled / "corpus.json",
        "run": silent_run / "run.json",
        "episode": silent_run / "episodes" / "scene-0.explicit" / "transcript.json",
    }
    for kind, path in files.items():
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
        jsonschema.validate(value, call("schema", kind, "--json").json())
    schema = call("schema", "item", "--json").json()
    for line in (compiled / "items.jsonl").read_text(encoding="utf-8").splitlines():
        jsonschema.validate(json.loads(line), schema)


def test_explain_gives_title_reason_and_both_examples() -> None:
    code = CODES["DK235"]
    text = call("explain", "dk235")
    for part in (f"DK235: {code.title}\n", code.why, "Instead of:\n    ", "write:\n    "):
        assert part in text.out
    document = call("explain", "DK235", "--json").json()
    assert (document["bad"], document["good"]) == (code.bad, code.good)


@pytest.fixture
def cache(source: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a clip store that one compile has filled."""
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    call("compile", source, "-o", tmp_path / "out", "--jobs", "1", "-q", env=env)
    return env


def test_cache_show_counts_what_is_there(cache: dict[str, str], tmp_path: Path) -> None:
    document = call("cache", "show", "--json", env=cache).json()
    manifest = json.loads((tmp_path / "out" / "corpus.json").read_text(encoding="utf-8"))
    assert document["root"] == str(tmp_path / "cache" / "duplexkit" / "clips")
    assert document["clips"] == manifest["distinct_clips"] and document["bytes"] > 10_000
    assert f"clips  {document['clips']}\n" in call("cache", "show", env=cache).out


def test_cache_show_of_no_store_makes_none(tmp_path: Path) -> None:
    env = {"XDG_CACHE_HOME": str(tmp_path / "none")}
    assert call("cache", "show", "--json", env=env).json()["clips"] == 0
    assert call("cache", "prune", "--max-mb", "0", "--json", env=env).json()["removed_clips"] == 0
    assert list(tmp_path.iterdir()) == []


def test_cache_prune_removes_what_was_asked(cache: dict[str, str], tmp_path: Path) -> None:
    store = tmp_path / "cache"
    before = contents(store)
    clips = call("cache", "show", "--json", env=cache).json()["clips"]
    assert "--max-mb" in call("cache", "prune", env=cache, expect=2).err
    for option in (["--max-mb", "1000"], ["--older-than-days", "1"], ["--max-mb", "0", "--dry-run"]):
        document = call("cache", "prune", *option, "--json", env=cache).json()
        assert document["removed_clips"] == (clips if "--dry-run" in option else 0)
        assert contents(store) == before
    text = call("cache", "prune", "--max-mb", "0", env=cache)
    assert text.out.startswith(f"removed {clips} clips, ")
    assert call("cache", "show", "--json", env=cache).json()["clips"] == 0


def test_cache_prune_older_than_no_day_removes_all(cache: dict[str, str]) -> None:
    clips = call("cache", "show", "--json", env=cache).json()["clips"]
    document = call("cache", "prune", "--older-than-days", "0", "--json", env=cache).json()
    assert document["removed_clips"] == clips > 0 and document["removed_bytes"] > 0
