"""Start-up: wall seconds of whole commands, as a person waits for them. Medians of several runs.

Ends with one line of JSON: help_s for `duplexkit --help`, check_s for `duplexkit check` of the quickstart,
check_all_s for that of all shipped sources, and python_s for an interpreter that does nothing, to compare with.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median


def _seconds(command: list[str], runs: int) -> float:
    times = []
    for _ in range(runs + 1):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return round(median(times[1:]), 3)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="3 runs instead of 11")
    runs = 3 if parser.parse_args().small else 11
    from duplexkit.authoring.sources import shipped_corpus

    command = str(Path(sys.executable).with_name("duplexkit"))
    scenes = str(shipped_corpus().parent)
    sources = str(shipped_corpus().parents[2])
    print(
        json.dumps(
            {
                "help_s": _seconds([command, "--help"], runs),
                "check_s": _seconds([command, "check", scenes], runs),
                "check_all_s": _seconds([command, "check", sources], runs),
                "python_s": _seconds([sys.executable, "-c", "pass"], runs),
                "files": len(list(Path(scenes).glob("*.yaml"))),
            }
        )
    )


if __name__ == "__main__":
    main()
