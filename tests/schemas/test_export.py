"""The exported JSON Schemas: in step, whole, closed, anchored, and true of the shipped sources."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from duplexkit.schemas.export import json_schema, schema_file, schema_text, write_schemas
from duplexkit.schemas.kinds import SCHEMA_KINDS

ROOT = Path(__file__).resolve().parents[2]
KINDS = sorted(SCHEMA_KINDS)
KEYWORDS = {
    *("$defs", "$id", "$ref", "$schema", "additionalProperties", "anyOf", "const", "default", "description"),
    *("discriminator", "enum", "examples", "format", "items", "maxItems", "maxLength", "maximum", "minItems"),
    *("minLength", "minimum", "exclusiveMinimum", "exclusiveMaximum", "oneOf", "pattern", "prefixItems"),
    *("properties", "propertyNames", "required", "title", "type", "uniqueItems", "allOf"),
    *("patternProperties", "minProperties", "if", "then", "else"),
}


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema inside a schema, itself included."""
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword in ("$defs", "properties", "patternProperties"):
        for inner in schema.get(keyword, {}).values():
            yield from parts(inner)
    for keyword in ("items", "additionalProperties", "propertyNames", "if", "then", "else"):
        yield from parts(schema.get(keyword))
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for inner in schema.get(keyword, []):
            yield from parts(inner)


@pytest.mark.parametrize("kind", KINDS)
def test_file_is_in_step(kind: str) -> None:
    text = (ROOT / "schemas" / "json" / schema_file(kind)).read_text(encoding="utf-8")
    assert text == schema_text(kind)
    assert text.endswith("}\n")


def test_folder_holds_no_other_schema(tmp_path: Path) -> None:
    written = {p.name for p in write_schemas(tmp_path)}
    assert {p.name for p in (ROOT / "schemas" / "json").iterdir()} == written


@pytest.mark.parametrize("kind", KINDS)
def test_schema_is_valid_and_uses_known_keywords(kind: str) -> None:
    schema = json_schema(kind)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["$id"] == f"urn:duplexkit:schema:{kind}"
    assert schema["title"] and schema["description"]
    for part in parts(schema):
        assert set(part) <= KEYWORDS, set(part) - KEYWORDS


@pytest.mark.parametrize("kind", KINDS)
def test_objects_are_closed_and_patterns_anchored(kind: str) -> None:
    for part in parts(json_schema(kind)):
        if "properties" in part or "patternProperties" in part:
            assert part["additionalProperties"] is False, part.get("title")
        if "pattern" in part:
            assert part["pattern"].startswith("^") and part["pattern"].endswith("$")


def test_bounds_are_kept() -> None:
    gap = json_schema("corpus")["properties"]["gap_ms"]
    assert (gap["minimum"], gap["maximum"]) == (0, 600_000)


def test_aliases_are_the_names_in_files() -> None:
    assert "register" in json_schema("scene")["$defs"]["Attributes"]["properties"]


def test_unknown_kind() -> None:
    with pytest.raises(KeyError):
        json_schema("scenes")


def test_shipped_sources_validate() -> None:
    files = sorted((ROOT / "corpora" / "scenes").rglob("*.yaml"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        kind = yaml.safe_load(text)["kind"]
        read = yaml.safe_load(text) if kind == "corpus" else yaml.load(text, yaml.BaseLoader)
        jsonschema.Draft202012Validator(json_schema(kind)).validate(json.loads(json.dumps(read)))


@pytest.mark.parametrize("change", [{"extra": "x"}, {"bucket": "late"}, {"turns": []}, {"id": "Hut Morning"}])
def test_wrong_scenes_do_not_validate(change: dict[str, Any]) -> None:
    file = next(iter(sorted((ROOT / "corpora" / "scenes").rglob("allotment*.yaml"))))
    read = yaml.load(file.read_text(encoding="utf-8"), yaml.BaseLoader)
    assert not jsonschema.Draft202012Validator(json_schema("scene")).is_valid({**read, **change})
