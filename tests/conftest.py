"""Shared by all tests: a clip store of their own, Hypothesis profiles, and small corpora to compile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests never read or fill the clip store of the person who runs them."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = before


SCENE = """\
kind: scene
id: {id}
attributes: {{setting: garage, activity: packing, relationship: friends, device: speaker, register: casual}}
devices: [{{id: phone, name: Siri}}]
speakers: [{{id: A, name: Mara}}, {{id: B, name: Jonah}}, {{id: C, name: Priya}}]
bucket: middle
turns:
  - {{id: t1, speaker: A, to: B, tag: N2, text: "{first}"}}
  - {{id: t2, speaker: B, to: A, tag: N2, text: "Thursday, so the last one leaves at quarter past."}}
  - {{id: t3, speaker: C, to: phone, tag: N2, text: "Hey Siri, call the organiser."}}
  - {{id: t4, speaker: A, to: assistant, tag: T}}
  - {{id: t5, speaker: C, to: B, tag: N1, text: "Aria is the only one here who never loses a thing."}}
  - {{id: t6, speaker: C, to: assistant, tag: N4_Q, text: "Aria, is the pitch fee twelve or fourteen?"}}
  - {{id: t7, speaker: A, to: C, tag: N4_R, text: "Thirteen fifty, I have their letter here."}}
  - {{id: t8, speaker: B, tag: N3, text: "Lids, lids, lids."}}
pair:
  turn: t4
  explicit: "Aria, when does our last bus leave today?"
  implicit: "Okay, you there next to the paint tins, when does our last bus leave today?"
  cue: {{turn: t4, words: "you there next to the paint tins"}}
answer: {{text: "Quarter past six.", accept: ["6:15 pm"], support: [t1, t2]}}
"""


def write_corpus(folder: Path, scenes: int = 2, **corpus: object) -> Path:
    """A corpus of small scenes, spoken by the test signal. Gives the corpus file."""
    folder.mkdir(parents=True, exist_ok=True)
    firsts = (
        "The buses go at six something, what day is it?",
        "After six, then. Which day is it again?",
        "Hm.",
    )
    for number in range(scenes):
        text = SCENE.format(id=f"scene-{number}", first=f"{firsts[number % 3]} Bag {number + 1}.")
        (folder / f"scene-{number}.yaml").write_text(text, encoding="utf-8")
    values = {"kind": "corpus", "id": "small", "title": "Small", "engine": "tone", **corpus}
    lines = [f"{key}: {value}" for key, value in values.items()]
    path = folder / "corpus.yaml"
    path.write_text("\n".join([*lines, 'scenes: ["scene-*.yaml"]', ""]), encoding="utf-8")
    return path
