"""Worker processes: order, bounded work, deaths, interrupts, and no orphans."""

from __future__ import annotations

import math
import operator
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from duplexkit.corpora.pool import AHEAD, WorkerDied, WorkerPool, ordered_map


def test_results_come_in_order_and_all_of_them() -> None:
    for jobs in (1, 2, 8):
        assert list(ordered_map(math.factorial, list(range(20)), jobs)) == [
            math.factorial(n) for n in range(20)
        ]
    assert list(ordered_map(math.factorial, [], 4)) == []
    with WorkerPool(2) as pool:
        assert sorted(pool.unordered(math.factorial, range(20))) == [math.factorial(n) for n in range(20)]


def test_no_more_tasks_are_drawn_than_are_in_flight() -> None:
    drawn = 0

    def tasks() -> Iterator[int]:
        nonlocal drawn
        for n in range(100):
            drawn += 1
            yield n

    with WorkerPool(2) as pool:
        results = pool.ordered(partial(operator.mul, 2), tasks())
        assert next(results) == 0
        assert drawn <= 2 * AHEAD
        assert list(results) == [2 * n for n in range(1, 100)]


def test_a_worker_that_dies_is_told_of() -> None:
    with WorkerPool(1) as pool, pytest.raises(WorkerDied, match="run the command again"):
        list(pool.unordered(os._exit, [3]))


def test_an_error_of_a_task_reaches_the_caller() -> None:
    with WorkerPool(2) as pool, pytest.raises(ValueError, match="factorial"):
        list(pool.ordered(math.factorial, [1, -1, 2]))


SLEEPERS = """
import sys, time
from duplexkit.corpora.pool import WorkerPool
if __name__ == "__main__":
    with WorkerPool(2) as pool:
        print("up", flush=True)
        for _ in pool.unordered(time.sleep, [float(sys.argv[1])] * 4):
            pass
"""


def children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(p) for p in listed.read_text(encoding="utf-8").split()]


def start(tmp_path: Path, seconds: str) -> subprocess.Popen[str]:
    script = tmp_path / "sleepers.py"
    script.write_text(SLEEPERS, encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, str(script), seconds],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc to list processes")
def test_a_killed_driver_leaves_no_orphans(tmp_path: Path) -> None:
    with start(tmp_path, "30") as driver:
        assert driver.stdout is not None and driver.stdout.readline() == "up\n"
        deadline = time.monotonic() + 10
        while len(children(driver.pid)) < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        workers = children(driver.pid)
        assert len(workers) >= 2
        driver.kill()
    deadline = time.monotonic() + 10
    while any(alive(p) for p in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [p for p in workers if alive(p)]


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("delay_s", [0.0, 0.1, 0.3, 0.8])
def test_an_interrupt_of_the_whole_group_is_the_drivers_alone(tmp_path: Path, delay_s: float) -> None:
    with start(tmp_path, "0.2") as driver:
        assert driver.stdout is not None and driver.stdout.readline() == "up\n"
        time.sleep(delay_s)
        os.killpg(driver.pid, signal.SIGINT)
        _, errors = driver.communicate(timeout=30)
    assert errors.count("Traceback") <= 1, errors
    assert "Process SpawnProcess" not in errors
