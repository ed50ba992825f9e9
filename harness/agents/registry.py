"""Which `--agent` makes which agent."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from ...tts.store import ClipStore
from .base import Agent
from .baselines import ChatterboxAgent, OracleAgent, SilentAgent
from .voice import Voicebox

AGENTS = ("silent", "oracle", "chatterbox")
PYTHON = "python:"
_NEEDED = ("open", "step", "played", "close")


class UnknownAgent(ValueError):
    """An `--agent` that names nothing that can be run. The message says what there is, or what is missing."""


def agent_factory(spec: str, store: ClipStore) -> Callable[[], Agent]:
    """A maker of fresh agents, one an episode. Raises `UnknownAgent`.

    `spec` is the name of a baseline agent, or `python:MODULE:CLASS` for a class of the user's that is made
    without arguments; the module is looked for in the current folder and wherever Python looks.
    """
    if spec == "silent":
        return SilentAgent
    if spec in ("oracle", "chatterbox"):
        voice = Voicebox(store)
        return (lambda: OracleAgent(voice)) if spec == "oracle" else (lambda: ChatterboxAgent(voice))
    if spec.startswith(PYTHON):
        return _python_agent(spec)
    raise UnknownAgent(f"unknown agent {spec!r}; one of: {', '.join(AGENTS)}, or python:MODULE:CLASS")


def _python_agent(spec: str) -> Callable[[], Agent]:
    module_name, colon, class_name = spec.removeprefix(PYTHON).partition(":")
    if not module_name or not colon or not class_name:
        raise UnknownAgent(
            f"{spec!r} is not of the form python:MODULE:CLASS, such as python:my_agent:MyAgent"
        )
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = getattr(importlib.import_module(module_name), class_name, None)
    except Exception as error:
        raise UnknownAgent(
            f"{spec}: importing {module_name} failed: {type(error).__name__}: {error}"
        ) from error
    if found is None:
        raise UnknownAgent(f"{spec}: {module_name} has no {class_name}")
    missing = [name for name in _NEEDED if not callable(getattr(found, name, None))]
    if missing or not callable(found):
        raise UnknownAgent(
            f"{spec}: {class_name} lacks {', '.join(missing) or 'a way to be made'}; see docs/agents.md"
        )
    return lambda: _made(found)


def _made(maker: Any) -> Agent:
    agent: Any = maker()
    if not hasattr(agent, "sees_gold"):
        agent.sees_gold = False
    return agent  # type: ignore[no-any-return]
