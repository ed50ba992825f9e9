"""A small corpus, compiled and played once for all tests of the command line. Tests copy what they change."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import write_corpus
from .helpers import call


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a clean corpus of two scenes, seed 1, engine tone."""
    return write_corpus(tmp_path_factory.mktemp("source"), seed=1).parent


@pytest.fixture(scope="session")
def spoilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a corpus with three findings in two files."""
    folder = write_corpus(tmp_path_factory.mktemp("spoilt")).parent
    first, second = folder / "scene-0.yaml", folder / "scene-1.yaml"
    text = first.read_text(encoding="utf-8")
    text = text.replace("bucket: middle", "bucket: centre").replace("tag: N3", 'tag: "[/T]"')
    first.write_text(text, encoding="utf-8")
    text = second.read_text(encoding="utf-8")
    second.write_text(text.replace("to: phone", "to: tablet"), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def compiled(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled corpus of `source`."""
    folder = tmp_path_factory.mktemp("compiled") / "small"
    call("compile", source, "-o", folder, "--jobs", "1", "-q")
    return folder


@pytest.fixture(scope="session")
def silent_run(compiled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the silent agent over `compiled`."""
    folder = tmp_path_factory.mktemp("silent") / "run"
    call("run", compiled, "--agent", "silent", "-o", folder, "--jobs", "1", "-q")
    return folder
