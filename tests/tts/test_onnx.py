"""The network runtime keeps to itself: no device id, no event store, nothing to send."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SPEAK = """
from duplexkit.tts.registry import load_engine
load_engine("hibari").synthesize("Hello there.", "medium-1", 1)
"""
LISTEN = """
import numpy as np
from duplexkit.harness.scoring.detect import make_detector
make_detector("silero").detect(np.random.default_rng(0).integers(-9000, 9000, 24000).astype(np.int16))
"""


def test_speaking_and_listening_leave_nothing_behind(tmp_path: Path) -> None:
    env = {k: v for k, v in os.environ.items() if k != "ORT_DISABLE_TELEMETRY"}
    env |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HOME": str(tmp_path / "home")}
    for script in (SPEAK, LISTEN):
        subprocess.run([sys.executable, "-c", script], env=env, check=True, capture_output=True)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []
