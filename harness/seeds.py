"""Seeds of a run: what each episode may draw from, by the run's seed and the item's id."""

from __future__ import annotations

import hashlib
import json


def episode_seed(seed: int, item_id: str) -> int:
    """The seed of one episode, from SHA-256 of the run's seed and the item's id; 63 bits."""
    raw = hashlib.sha256(json.dumps([seed, item_id]).encode()).digest()
    return int.from_bytes(raw[:8], "big") >> 1
