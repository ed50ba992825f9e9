"""Gold replays a second of tau2's retail tasks, run inside the peer's own environment (`tools/peers/tau2.sh`).

For each task the loop does what the peer's evaluator does for its gold state: a fresh environment, each gold action
through `make_tool_call`, and the hashes of both databases. Ends with one line of JSON.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import time


def main() -> None:
    """Measure the number of tasks that the first argument says."""
    wanted = int(sys.argv[1])
    with contextlib.redirect_stdout(io.StringIO()):
        from loguru import logger
        from tau2.domains.retail.environment import get_environment, get_tasks

        logger.remove()
        tasks = [t for t in get_tasks() if t.evaluation_criteria and t.evaluation_criteria.actions][:wanted]
        get_environment()
    calls, failed = 0, 0
    began = time.perf_counter()
    for task in tasks:
        environment = get_environment()
        for action in task.evaluation_criteria.actions:
            calls += 1
            try:
                environment.make_tool_call(
                    tool_name=action.name, requestor=action.requestor, **action.arguments
                )
            except Exception:
                failed += 1
        environment.get_db_hash()
        environment.get_user_db_hash()
    seconds = time.perf_counter() - began
    print(
        json.dumps(
            {
                "tasks_per_s": round(len(tasks) / seconds, 2),
                "tasks": len(tasks),
                "calls": calls,
                "failed_calls": failed,
            }
        )
    )


if __name__ == "__main__":
    main()
