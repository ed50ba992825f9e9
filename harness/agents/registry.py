"""Which `--agent` makes which agent."""

from __future__ import annotations

from collections.abc import Callable

from ...tts.store import ClipStore
from .base import Agent
from .baselines import ChatterboxAgent, OracleAgent, SilentAgent
from .voice import Voicebox

AGENTS = ("silent", "oracle", "chatterbox")


class UnknownAgent(ValueError):
    """An `--agent` that names nothing. The message lists what there is."""


def agent_factory(spec: str, store: ClipStore) -> Callable[[], Agent]:
    """A maker of fresh agents, one an episode. Raises `UnknownAgent`."""
    if spec == "silent":
        return SilentAgent
    if spec in ("oracle", "chatterbox"):
        voice = Voicebox(store)
        return (lambda: OracleAgent(voice)) if spec == "oracle" else (lambda: ChatterboxAgent(voice))
    raise UnknownAgent(f"unknown agent {spec!r}; one of: {', '.join(AGENTS)}")
