"""Compile time as a ratio to the floor: the engine making the same clips, and FLAC of the same audio.

Both sides use the same number of fresh processes and start with an empty clip store. The floor does nothing
but `engine.synthesize` and the FLAC encoding with its write; it neither trims, checks, places, proves, hashes,
nor writes peaks and records. Run by hand, or with --small in CI. Ends with one line of JSON:
ratio_to_floor, hours, peak_worker_mb (resident set of the largest worker), and what they were made from.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from duplexkit.authoring.sources import corpus_sources, shipped_corpus
from duplexkit.corpora.audio import decode_flac, encode_flac, encoder_version
from duplexkit.corpora.compile import compile_corpus
from duplexkit.corpora.plan import ClipRequest, Plan, make_plan
from duplexkit.tts.registry import engine_fingerprint, known_voices, load_engine
from duplexkit.tts.store import ClipStore

_engine: Any = None


def _load(name: str) -> None:
    global _engine
    _engine = load_engine(name)


def _synthesize(requests: list[ClipRequest]) -> int:
    return sum(len(_engine.synthesize(r.spoken_text, r.voice, r.seed)) for r in requests)


def _encode(task: tuple[str, str]) -> int:
    source, target = task
    data = encode_flac(np.load(source))
    Path(target).write_bytes(data)
    return len(data)


def _floor(plan: Plan, corpus: Path, scratch: Path, jobs: int) -> tuple[float, float]:
    """Wall seconds of (synthesis, encoding) with `jobs` fresh processes."""
    ranked = sorted(plan.clips, key=lambda c: -len(c.spoken_text))
    batches = [ranked[n : n + 6] for n in range(0, len(ranked), 6)]
    tasks = []
    for number, path in enumerate(sorted(corpus.rglob("*.flac"))):
        np.save(scratch / f"{number}.npy", decode_flac(path))
        tasks.append((str(scratch / f"{number}.npy"), str(scratch / f"{number}.flac")))
    context = multiprocessing.get_context("spawn")
    began = time.perf_counter()
    with ProcessPoolExecutor(jobs, context, initializer=_load, initargs=(plan.engine,)) as pool:
        list(pool.map(_synthesize, batches))
        middle = time.perf_counter()
        list(pool.map(_encode, tasks, chunksize=4))
        end = time.perf_counter()
    return middle - began, end - middle


def _plan(engine: str, small: bool) -> Plan:
    sources = corpus_sources(shipped_corpus())
    if sources.corpus is None:
        raise SystemExit("the shipped corpus has findings; run `duplexkit check corpora/scenes`")
    return make_plan(
        sources.corpus,
        sources.scenes[:3] if small else sources.scenes,
        engine=engine,
        voices=known_voices(engine),
        fingerprint=engine_fingerprint(engine),
        seed=sources.corpus.seed,
        encoder=encoder_version(),
        suppressed=sources.suppressed,
    )


def main() -> None:
    """Measure, print a line for people, and end with one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="three scenes instead of all")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--engine", default="hibari")
    parser.add_argument("--rounds", type=int, default=1, help="repetitions; the median ratio is given")
    options = parser.parse_args()
    plan = _plan(options.engine, options.small)
    rows = []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            began = time.perf_counter()
            result = compile_corpus(
                plan, root / "corpus", store=ClipStore(root / "store"), jobs=options.jobs, version="bench"
            )
            wall = time.perf_counter() - began
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
            (root / "scratch").mkdir()
            synthesis, encoding = _floor(plan, root / "corpus", root / "scratch", options.jobs)
            rows.append(
                (wall / (synthesis + encoding), wall, synthesis, encoding, peak, result.manifest["hours"])
            )
    ratio, wall, synthesis, encoding, peak, hours = sorted(rows)[len(rows) // 2]
    print(f"compile {wall:.2f} s; floor {synthesis:.2f} s synthesis + {encoding:.2f} s encoding")
    print(
        json.dumps(
            {
                "ratio_to_floor": round(ratio, 3),
                "hours": hours,
                "peak_worker_mb": round(peak, 1) if options.jobs > 1 else None,
                "wall_s": round(wall, 2),
                "floor_s": round(synthesis + encoding, 2),
                "jobs": options.jobs,
                "clips": len(plan.clips),
                "items": len(plan.items),
            }
        )
    )


if __name__ == "__main__":
    main()
