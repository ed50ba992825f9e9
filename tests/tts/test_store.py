"""The clip store: exact round trips, damage detected, atomic writes, concurrent processes, pruning by last use."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duplexkit.tts.bounds import Int16
from duplexkit.tts.clips import ClipRecord
from duplexkit.tts.store import ClipStore, PruneResult, StoreStats, default_root


def key(number: int) -> str:
    return f"{number:064x}"


def clip(number: int, length: int = 1000) -> tuple[Int16, ClipRecord]:
    samples = np.random.default_rng(number).integers(-32768, 32768, length).astype(np.int16)
    record = ClipRecord(
        key(number),
        "tone",
        "low-1",
        f"text {number} é",
        2**62 + number,
        24000,
        length,
        9,
        -20.5,
        1,
        2,
        1.0,
        1,
    )
    return samples, record


def filled(root: Path, count: int) -> ClipStore:
    store = ClipStore(root)
    for number in range(count):
        store.put(key(number), *clip(number))
        os.utime(store.path(key(number)), (1000.0 + number, 1000.0 + number))
    return store


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**64), st.integers(0, 5000))
def test_what_is_put_comes_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, number: int, length: int
) -> None:
    store = ClipStore(tmp_path_factory.mktemp("store"))
    samples, record = clip(number, length)
    store.put(key(number), samples, record)
    back = store.get(key(number))
    assert back is not None and back[0].dtype == np.int16
    assert (back[0] == samples).all() and back[1] == record == store.record(key(number))


def test_an_absent_clip_is_none(tmp_path: Path) -> None:
    store = ClipStore(tmp_path / "nowhere")
    assert store.get(key(1)) is None and store.record(key(1)) is None and store.stats() == StoreStats(0, 0)


def test_any_damage_is_found_and_the_file_removed(tmp_path: Path) -> None:
    store = ClipStore(tmp_path)
    store.put(key(1), *clip(1))
    path = store.path(key(1))
    whole = path.read_bytes()
    damaged = [whole[:n] for n in (0, 5, 30, 60, len(whole) // 2, len(whole) - 1)] + [whole + b"\0"]
    for place in (0, 9, 20, 60, 200, len(whole) - 7):
        damaged.append(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    for data in damaged:
        path.write_bytes(data)
        assert store.get(key(1)) is None
        assert not path.exists()


def test_a_torn_file_has_no_record_either(tmp_path: Path) -> None:
    store = filled(tmp_path, 1)
    path = store.path(key(0))
    path.write_bytes(path.read_bytes()[:-100])
    assert store.record(key(0)) is None and not path.exists()


def test_a_clip_under_another_key_is_not_served(tmp_path: Path) -> None:
    store = filled(tmp_path, 1)
    os.replace(store.path(key(0)), store.path(key(7)))
    assert store.get(key(7)) is None


@pytest.mark.parametrize("bad", ["", "abc", "../" + "a" * 61, "A" * 64, "g" * 64, "a" * 64 + "\n"])
def test_a_key_is_64_hex_digits(tmp_path: Path, bad: str) -> None:
    with pytest.raises(ValueError, match="64"):
        ClipStore(tmp_path).get(bad)


def test_a_record_must_describe_its_samples(tmp_path: Path) -> None:
    samples, record = clip(1)
    store = ClipStore(tmp_path)
    for bad_samples, bad_record in (
        (samples[:-1], record),
        (samples.astype(np.float32), record),
        (samples, replace(record, key=key(2))),
    ):
        with pytest.raises(ValueError):
            store.put(key(1), bad_samples, bad_record)  # type: ignore[arg-type]
    assert store.stats().clips == 0


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError("disk full")

    store = ClipStore(tmp_path)
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        store.put(key(1), *clip(1))
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


HAMMER = """
import sys
from pathlib import Path
from duplexkit.tts.store import ClipStore
import pickle
root, worker = Path(sys.argv[1]), int(sys.argv[2])
clips = pickle.loads(sys.stdin.buffer.read())
store, bad = ClipStore(root), 0
for turn in range(60):
    key, samples, record = clips[(turn * 7 + worker) % 9]
    store.put(key, samples, record)
    key, samples, record = clips[(turn * 7 + 2 * worker) % 9]
    back = store.get(key)
    bad += back is not None and not (back[0] == samples).all()
sys.exit(bad)
"""


def test_processes_share_a_store(tmp_path: Path) -> None:
    clips = pickle.dumps([(key(n), *clip(n, 3000)) for n in range(9)])
    workers = [
        subprocess.Popen([sys.executable, "-c", HAMMER, str(tmp_path), str(n)], stdin=subprocess.PIPE)
        for n in range(2)
    ]
    for worker in workers:
        worker.communicate(clips, timeout=60)
    assert [worker.returncode for worker in workers] == [0, 0]
    assert ClipStore(tmp_path).stats().clips == 9 and not list(tmp_path.rglob("*.tmp"))


def test_prune_removes_the_longest_unused_first(tmp_path: Path) -> None:
    store = filled(tmp_path, 5)
    size = store.stats().bytes // 5
    assert store.get(key(0)) is not None  # now the most recently used
    planned = store.prune(max_bytes=2 * size, dry_run=True)
    assert planned == PruneResult(3, 3 * size, 2, 2 * size) and store.stats().clips == 5
    assert store.prune(max_bytes=2 * size) == planned
    assert [store.record(key(n)) is not None for n in range(5)] == [True, False, False, False, True]


def test_prune_by_age_and_without_limits(tmp_path: Path) -> None:
    store = filled(tmp_path, 3)
    os.utime(store.path(key(2)), (time.time(), time.time()))
    assert store.prune().removed == 0
    assert store.prune(older_than_s=3600).removed == 2
    assert store.prune(max_bytes=0).kept == 0
    with pytest.raises(ValueError, match="negative"):
        store.prune(max_bytes=-1)


def test_prune_clears_files_of_killed_writers(tmp_path: Path) -> None:
    store = filled(tmp_path, 1)
    abandoned, fresh = store.path(key(0)).parent / "a.tmp", store.path(key(0)).parent / "b.tmp"
    abandoned.write_bytes(b"x")
    fresh.write_bytes(b"x")
    os.utime(abandoned, (1.0, 1.0))
    store.prune()
    assert not abandoned.exists() and fresh.exists()


def test_the_default_root_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_root() == tmp_path / "duplexkit" / "clips" == ClipStore().root
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_root() == Path.home() / ".cache" / "duplexkit" / "clips"
