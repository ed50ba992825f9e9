"""The commands for calls and worlds: replay, gold, play and new. Added to the app by `add_to`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import _render as render
from ._options import Json, Stop

if TYPE_CHECKING:
    from .harness.world.calls import CallScenario, Replay

GOOD, FINDINGS, USAGE = 0, 1, 2

Scenario = Annotated[str, typer.Argument(help="A scenario file; FILE#ID picks one of several.")]


def add_to(app: typer.Typer) -> None:
    """Give the app these commands."""
    app.command(epilog="Example: duplexkit replay corpora/worlds/banking/scenarios/banking-lost-card.yaml")(
        replay
    )
    app.command(
        epilog="Example: duplexkit gold corpora/worlds/banking/scenarios/banking-lost-card.yaml --write"
    )(gold)
    app.command(epilog="Example: duplexkit play corpora/worlds/banking/scenarios/banking-lost-card.yaml")(
        play
    )
    app.command(epilog="Example: duplexkit new world my-desk && duplexkit check my-desk")(new)


def _load(scenario: str, as_json: bool) -> tuple[Path, CallScenario]:
    """The scenario that an argument names; its findings are shown as `check` shows them."""
    from .authoring.library import CallProblem, load_scenario
    from .schemas.diagnostics import findings_json
    from .schemas.source import UnreadableInput

    file, _, wanted = scenario.partition("#")
    try:
        return Path(file), load_scenario(Path(file), wanted or None)
    except UnreadableInput as error:
        raise Stop(USAGE, str(error)) from None
    except CallProblem as error:
        if as_json and error.findings:
            render.out(findings_json(1, error.findings, {}))
        for finding in error.findings if not as_json else ():
            render.out(finding.text())
        raise Stop(FINDINGS if error.findings else USAGE, str(error)) from None


def replay(scenario: Scenario, as_json: Json = False) -> None:
    """Do what gold says, and print each result, what became different, and the hash of the end state.

    Exit code: 0 as gold says, 1 an action did otherwise or the frozen state is another, 2 usage.
    """
    from .harness.world.calls import replay as run

    _, call = _load(scenario, as_json)
    done = run(call)
    facts = _facts(call, done)
    if as_json:
        render.out_json(facts)
    else:
        _show(done, facts)
    raise typer.Exit(GOOD if facts["sound"] else FINDINGS)


def _facts(call: CallScenario, done: Replay) -> dict[str, Any]:
    """What a replay shows, as plain JSON."""
    from .harness.world.reward import reward

    failed = {step.action.id for step, _ in done.failures()}
    calls = [
        {
            "id": step.action.id,
            "tool": made.tool,
            "side": made.side,
            "arguments": dict(made.arguments),
            "result": made.result,
            "as_meant": step.action.id not in failed,
            **({"detail": made.detail} if made.detail else {}),
        }
        for step, made in zip(done.call.steps, done.calls, strict=True)
    ]
    verdict = reward(call, done.end, done.calls, None)
    frozen = bool(call.goals) and call.goal_view(call.goals[0]).digest() == done.end.digest()
    return {
        "scenario": call.scenario.id,
        "world": call.runtime.world.id,
        "calls": calls,
        "changes": done.changes(),
        "start": done.start.digest().hex(),
        "end": done.digest,
        "frozen": frozen if call.goals else None,
        "reward": verdict.to_json(),
        "sound": not failed and frozen,
    }


def _show(done: Replay, facts: dict[str, Any]) -> None:
    from .harness.world.diff import lines

    for call in facts["calls"]:
        given = ", ".join(f"{n}={json.dumps(v, ensure_ascii=False)}" for n, v in call["arguments"].items())
        who = "caller " if call["side"] == "caller" else ""
        mark = (
            ""
            if call["as_meant"]
            else "   <- not as gold says" + (f": {call['detail']}" if "detail" in call else "")
        )
        render.out(f"{call['id']}: {who}{call['tool']}({given})")
        render.out(f"    {json.dumps(call['result'], ensure_ascii=False)}{mark}")
    told = lines(facts["changes"], done.start)
    render.out("\nwhat became different" if told else "\nnothing became different")
    for line in told:
        render.out(f"  {line}")
    frozen = {True: "the end is the frozen one", False: "the frozen end is another", None: "no end is frozen"}
    hint = (
        ""
        if facts["frozen"]
        else f": run `duplexkit gold {done.call.document.name} --write` if gold is right"
    )
    words = {True: "holds", False: "fails", None: "not decided here"}
    factors = [f"{n} {words[f['value']]}" for n, f in facts["reward"]["factors"].items()]
    render.out(
        "\n"
        + render.facts(
            {"end": facts["end"], "gold.state": frozen[facts["frozen"]] + hint, "reward": ", ".join(factors)}
        )
    )


def gold(
    scenario: Scenario,
    write: Annotated[bool, typer.Option("--write", help="Put the end state into the file.")] = False,
    as_json: Json = False,
) -> None:
    """Print the end state of gold as it is frozen in a scenario; with --write, freeze it there.

    Only the lines of `gold.state` change; comments and layout stay. A scenario whose gold fails is left alone.
    """
    from .authoring.gold import GoldError, sound_replay, state_yaml, write_gold

    path, call = _load(scenario, as_json)
    try:
        done = sound_replay(call)
        changed = write_gold(path, call, done.changes()) if write else False
    except GoldError as error:
        raise Stop(FINDINGS, str(error)) from None
    if as_json:
        render.out_json(
            {"scenario": call.scenario.id, "state": done.changes(), "end": done.digest, "written": changed}
        )
    elif write:
        render.out(f"{path}: " + ("wrote gold.state" if changed else "gold.state is right already"))
    else:
        render.out(state_yaml(done.changes()).rstrip("\n"))


def play(scenario: Scenario, as_json: Json = False) -> None:
    """Call the tools of a scenario by hand, one a line, and get what you did as gold.

    Reads lines from stdin; `help` shows what can be typed. Nothing is written.
    """
    from .authoring.play import HELP, Table

    _, call = _load(scenario, as_json)
    table = Table(call)
    asks = sys.stdin.isatty()
    if asks:
        render.err(
            f"{call.scenario.id} in {call.runtime.world.id}\n{call.scenario.caller.reason}\n\n{HELP}\n"
        )
    while not table.done:
        if asks:
            print("> ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            break
        told = table.do(line)
        if told:
            (render.err if as_json else render.out)(told)
    if as_json:
        render.out_json({"scenario": call.scenario.id, **table.gold()})
    else:
        render.out(table.yaml())


def new(
    kind: Annotated[str, typer.Argument(help="world, scenario, scene or persona.")],
    name: Annotated[str, typer.Argument(help="Its id; names the file.")],
    folder: Annotated[Path, typer.Option("--folder", help="Where to write.")] = Path("."),
    world: Annotated[
        str | None,
        typer.Option("--world", help="For a scenario: a world's id, or its path from the new file."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a first file that passes `check`, with comments that teach. Nothing is overwritten."""
    from .authoring.scaffold import KINDS, ScaffoldError, make

    if kind not in KINDS:
        raise Stop(USAGE, f"unknown kind {kind!r}; one of: {', '.join(KINDS)}")
    if world is not None and kind != "scenario":
        raise Stop(USAGE, f"--world is for a scenario, not for a {kind}")
    try:
        made = make(kind, name, folder, world=world)
    except ScaffoldError as error:
        raise Stop(USAGE, str(error)) from None
    if as_json:
        render.out_json({"files": [str(p) for p in made.files]})
        return
    render.out("\n".join(f"wrote {p}" for p in made.files))
    render.out(f"next: duplexkit check {made.files[0]}")
