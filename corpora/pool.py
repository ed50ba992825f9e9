"""Worker processes: bounded work in flight, no orphans, quiet on Ctrl-C, and a clear word when one dies."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

AHEAD = 3
"""Tasks in flight for each process: enough to keep it busy, few enough that memory stays flat."""


class WorkerDied(Exception):
    """A worker process ended without an answer. The message says what to do."""

    def __init__(self) -> None:
        super().__init__(
            "a worker process died (out of memory, or killed); what was finished is kept: "
            "run the command again, with a lower --jobs if memory is short"
        )


class WorkerPool:
    """`jobs` fresh processes. `setup(*arguments)` runs once in each, before its first task."""

    def __init__(
        self, jobs: int, setup: Callable[..., object] | None = None, arguments: tuple[Any, ...] = ()
    ):
        import multiprocessing

        self.jobs = jobs
        self._pool = ProcessPoolExecutor(
            jobs,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(os.getpid(), setup, arguments),
        )

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes; tasks that were not begun are dropped."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def unordered(self, function: Callable[[_Task], _Result], tasks: Iterable[_Task]) -> Iterator[_Result]:
        """The results as they are finished. Raises `WorkerDied`."""
        running: set[Future[_Result]] = set()
        with _telling_of_deaths():
            for task in tasks:
                running.add(self._submit(function, task))
                if len(running) >= AHEAD * self.jobs:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)

    def ordered(self, function: Callable[[_Task], _Result], tasks: Iterable[_Task]) -> Iterator[_Result]:
        """The results in the order of the tasks. Raises `WorkerDied`."""
        running: deque[Future[_Result]] = deque()
        with _telling_of_deaths():
            for task in tasks:
                running.append(self._submit(function, task))
                if len(running) >= AHEAD * self.jobs:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()

    def _submit(self, function: Callable[[_Task], _Result], task: _Task) -> Future[_Result]:
        # A submit may start a process, which inherits what it ignores: Ctrl-C is for the driver alone.
        with _interrupts_ignored():
            return self._pool.submit(function, task)


def ordered_map(function: Callable[[_Task], _Result], tasks: list[_Task], jobs: int) -> Iterator[_Result]:
    """`map` over `jobs` processes, in order; in this process for one job or one task."""
    if jobs <= 1 or len(tasks) < 2:
        yield from map(function, tasks)
        return
    with WorkerPool(min(jobs, len(tasks))) as pool:
        yield from pool.ordered(function, tasks)


def _start(parent: int, setup: Callable[..., object] | None, arguments: tuple[Any, ...]) -> None:
    """Set up a worker process, and end it when its parent is gone: a killed command leaves no orphans."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The driver's stdout may be one JSON document: whatever code in a worker prints goes to stderr.
    sys.stdout.flush()
    os.dup2(2, 1)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    if setup is not None:
        setup(*arguments)


@contextmanager
def _telling_of_deaths() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool:
        raise WorkerDied from None


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
