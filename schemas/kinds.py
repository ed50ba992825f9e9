"""Which model reads which `kind:` of file."""

from __future__ import annotations

from .base import Spec
from .corpus import Corpus
from .episode import Episode, RunManifest
from .item import Item, Manifest
from .persona import Persona
from .scenario import Scenario, Types
from .scene import Scene
from .world import World

SOURCE_KINDS: dict[str, type[Spec]] = {
    "corpus": Corpus,
    "persona": Persona,
    "scenario": Scenario,
    "scene": Scene,
    "types": Types,
    "world": World,
}
"""Kinds that people write."""

SCHEMA_KINDS: dict[str, type[Spec]] = {
    **SOURCE_KINDS,
    "item": Item,
    "manifest": Manifest,
    "episode": Episode,
    "run": RunManifest,
}
"""Kinds that have an exported JSON Schema."""
