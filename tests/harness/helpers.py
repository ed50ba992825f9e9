"""Small items and scripted agents for tests of the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from duplexkit.corpora.windows import item_windows
from duplexkit.harness.agents.base import AgentEvent, Capabilities, Session
from duplexkit.schemas.item import Item, ItemTurn
from duplexkit.tts.placement import Gaps, Int16, place

GAPS = Gaps(12_000, 72_000, 120_000)
TICK = 4_800


def make_item(turns: Sequence[tuple[str, int]], gaps: Gaps = GAPS) -> tuple[Item, Int16]:
    """An item of (tag, length in samples) turns by one speaker, and its mix: a constant 1,000 in each turn."""
    spans = place(turns, gaps)
    records = tuple(
        ItemTurn.model_validate(
            {
                "id": f"t{n}",
                "speaker": "A",
                "tag": tag,
                "to": "assistant" if tag in ("T", "N4_Q") else None,
                "text": "x",
                "spoken_text": "x",
                "start": span.start,
                "end": span.end,
                "clip": "0" * 64,
            }
        )
        for n, ((tag, _), span) in enumerate(zip(turns, spans, strict=True), start=1)
    )
    windows = item_windows(records, gaps.response_samples)
    end = max(records[-1].end + gaps.ordinary_samples, *(w.end for w in windows))
    mix = np.zeros(end, np.int16)
    for span in spans:
        mix[span.start : span.end] = 1_000
    item = Item.model_validate(
        {
            "kind": "scene",
            "id": "s.explicit",
            "scene": "s",
            "pair": "s",
            "condition": "explicit",
            "bucket": "middle",
            "language": "en-US",
            "attributes": {},
            "sample_rate": 24_000,
            "num_samples": end,
            "audio": "audio/s.explicit.flac",
            "stems": {"A": "stems/s.explicit/A.flac"},
            "peaks": "peaks/s.explicit.i8",
            "gain": 1.0,
            "speakers": [{"id": "A", "name": "Ana", "voice": "v"}],
            "assistant": {"name": "Aria", "aliases": []},
            "turns": [t.model_dump() for t in records],
            "windows": [w.model_dump() for w in windows],
            "answer": {"text": "yes", "accept": [], "support": ["t1"]},
            "varied": ["t2"],
            "hold_point": next(t.end for t in records if t.tag == "T"),
            "plan": "0" * 64,
        }
    )
    return item, mix


TURNS = [("N2", 30_000), ("T", 40_123), ("N1", 20_000), ("N3", 15_001)]


class ScriptedAgent:
    """Sends what a function of (heard samples, t) gives, and keeps what it heard."""

    sees_gold = False

    def __init__(self, script: Callable[[Int16, int], list[AgentEvent]]) -> None:
        self.script = script
        self.heard: list[Int16] = []
        self.played_samples = 0
        self.closed = False

    def open(self, session: Session) -> Capabilities:
        self.session = session
        return Capabilities("scripted")

    def step(self, samples: Int16, t: int) -> list[AgentEvent]:
        self.heard.append(samples.copy())
        return self.script(samples, t)

    def played(self, num_samples: int) -> None:
        self.played_samples += num_samples

    def close(self) -> None:
        self.closed = True
