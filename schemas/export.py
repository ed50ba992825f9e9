"""The JSON Schemas of all kinds of file, for editors and for readers in other languages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .kinds import SCHEMA_KINDS, SOURCE_KINDS

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a kind of file. Raises `KeyError` for an unknown kind."""
    model = SCHEMA_KINDS[kind]
    schema = model.model_json_schema(by_alias=True)
    _use_keywords(schema)
    _close(schema)
    if kind in SOURCE_KINDS:
        schema = _with_composition(schema)
    return {**schema, "$schema": DIALECT, "$id": f"urn:duplexkit:schema:{kind}", "title": f"duplexkit {kind}"}


_KEYWORDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}


def _use_keywords(node: Any) -> None:
    """Rename the bounds that pydantic leaves under its own names where a validator runs before the type."""
    if isinstance(node, list):
        for item in node:
            _use_keywords(item)
    if not isinstance(node, dict):
        return
    if node.get("type") in ("integer", "number"):
        for ours, keyword in _KEYWORDS.items():
            if ours in node:
                node[keyword] = node.pop(ours)
    for value in node.values():
        _use_keywords(value)


def _close(node: Any) -> None:
    """Let no key through where keys have a pattern."""
    for value in node if isinstance(node, list) else node.values() if isinstance(node, dict) else ():
        _close(value)
    if isinstance(node, dict) and "patternProperties" in node:
        node.setdefault("additionalProperties", False)


_COMPOSITION: dict[str, Any] = {
    "extends": {
        "description": "Begin from another document of this kind: its id, its file, or FILE#ID.",
        "type": "string",
        "minLength": 1,
        "examples": ["base-call"],
    },
    "template": {"description": "`true`: only there to be extended.", "type": "boolean"},
    "variants": {
        "description": "A document for each row; `${cell}` stands for the row's cell.",
        "type": "array",
        "minItems": 1,
        "items": {"type": "object", "required": ["id"]},
        "examples": [[{"id": "monday", "day": "Monday"}]],
    },
    "defaults": {"description": "The ground for the documents behind this one.", "type": "object"},
}


def _with_composition(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with the keys that share and repeat; a document that builds on another may leave keys out."""
    required = schema.pop("required")
    schema["properties"] = {**schema["properties"], **_COMPOSITION}
    builds_on = [{"required": [key]} for key in ("extends", "template", "defaults")]
    return {**schema, "if": {"anyOf": builds_on}, "then": {}, "else": {"required": required}}


def schema_text(kind: str) -> str:
    """The schema as it stands in its file: sorted keys, two spaces, one line break at the end."""
    return json.dumps(json_schema(kind), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def schema_file(kind: str) -> str:
    """The name of the schema's file."""
    return f"{kind}.schema.json"


def write_schemas(folder: Path) -> list[Path]:
    """Write all schemas into `folder`; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in sorted(SCHEMA_KINDS):
        path = folder / schema_file(kind)
        path.write_text(schema_text(kind), encoding="utf-8", newline="\n")
        written.append(path)
    return written
