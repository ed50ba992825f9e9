"""The command line: parse, call, render. Every command's work is done by the package behind it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import __version__
from . import _render as render
from . import _show as show
from ._calls import add_to
from ._options import Force, Jobs, Json, Quiet, Stop, from_0, from_1

if TYPE_CHECKING:
    from .corpora.plan import Plan

GOOD, FINDINGS, USAGE, OUTSIDE, INTERRUPTED = 0, 1, 2, 3, 130

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Declare, prove, speak and score benchmark scenarios for full-duplex voice agents.\n\n"
    "\b\nExample:\n  duplexkit compile -o build/quickstart\n"
    "  duplexkit run build/quickstart --agent oracle -o build/oracle\n"
    "  duplexkit score build/oracle",
)
cache_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Show or prune the store of speech clips.\n\nExample: duplexkit cache show",
)
app.add_typer(cache_app, name="cache")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _version(value: bool) -> None:
    if value:
        render.out(f"duplexkit {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command(
    epilog="Example: duplexkit check corpora/scenes --format github",
)
def check(
    paths: Annotated[list[str], typer.Argument(help="Files or folders; - reads YAML from stdin.")],
    format_: Annotated[str, typer.Option("--format", help="text, json or github.")] = "text",
    as_json: Json = False,
) -> None:
    """Find all mistakes of all files in one run, one line each, with what to write instead.

    Exit code: 0 clean, 1 findings, 2 usage or unreadable input.
    """
    from .authoring.check import check_paths, check_text
    from .schemas.source import UnreadableInput

    style = "json" if as_json else format_
    if style not in ("text", "json", "github"):
        raise Stop(USAGE, f"unknown format {style!r}; one of: text, json, github")
    try:
        if paths == ["-"]:
            raw = sys.stdin.buffer.read()
            result = check_text(raw.decode("utf-8", "surrogateescape"), "stdin.yaml")
        elif "-" in paths:
            raise Stop(USAGE, "- (stdin) stands alone; check files and folders in another call")
        else:
            result = check_paths([Path(p) for p in paths])
    except UnreadableInput as error:
        raise Stop(USAGE, str(error)) from None
    show.findings(result, style)
    if result.unreadable:
        raise Stop(USAGE, "\nduplexkit: ".join(result.unreadable))
    raise typer.Exit(FINDINGS if result.findings else GOOD)


@app.command(
    name="compile", epilog="Example: duplexkit compile corpora/scenes/quickstart -o build/quickstart --jobs 2"
)
def compile_(
    corpus: Annotated[
        Path | None,
        typer.Argument(help="A corpus file, or a folder with corpus.yaml (default: the quickstart)."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder to write (default: build/ID).")
    ] = None,
    engine: Annotated[str | None, typer.Option(help="Speech engine: hibari, espeak or tone.")] = None,
    jobs: Jobs = None,
    seed: Annotated[
        int | None, typer.Option(parser=from_0, metavar="N", help="Seed instead of the corpus' own.")
    ] = None,
    force: Force = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check the sources, speak every turn, and write audio with exact boundaries and a proof.

    A compile that was stopped goes on where it was. The same sources give the same bytes with any --jobs.
    """
    from .corpora.compile import CompileError, compile_corpus, forecast
    from .corpora.folder import FolderError
    from .corpora.pool import WorkerDied
    from .corpora.proof import ProofFailure
    from .tts.engine import EngineError
    from .tts.placement import PlacementError
    from .tts.store import ClipStore

    plan = _plan(corpus, engine, seed, as_json)
    folder = out or Path("build") / plan.corpus.id
    store = ClipStore()
    if dry_run:
        show.forecast(forecast(plan, folder, store), folder, as_json)
        return
    try:
        with render.Progress(quiet=quiet or as_json) as progress:
            result = compile_corpus(
                plan,
                folder,
                store=store,
                jobs=jobs or _cores(),
                version=__version__,
                force=force,
                watcher=progress,
            )
    except FolderError as error:
        raise Stop(USAGE, str(error)) from None
    except (CompileError, EngineError, WorkerDied, PlacementError, ProofFailure) as error:
        raise Stop(OUTSIDE, str(error)) from None
    show.compiled(result, as_json)


def _plan(corpus: Path | None, engine: str | None, seed: int | None, as_json: bool) -> Plan:
    """The plan of the command's corpus; findings and unknown engines end the command."""
    from .authoring.sources import corpus_sources, shipped_corpus
    from .corpora.audio import encoder_version
    from .corpora.plan import PlanError, make_plan
    from .schemas.source import UnreadableInput
    from .tts.engine import EngineError
    from .tts.registry import engine_fingerprint, engine_names, known_voices

    try:
        sources = corpus_sources(corpus or shipped_corpus())
    except UnreadableInput as error:
        raise Stop(USAGE, str(error)) from None
    if sources.findings or sources.corpus is None:
        show.refused(sources, as_json)
        raise Stop(FINDINGS, f"{show.count(len(sources.findings), 'finding')}; mend them, then compile again")
    name = engine if engine is not None else sources.corpus.engine
    if name not in engine_names():
        raise Stop(USAGE, f"unknown engine {name!r}; one of: {', '.join(engine_names())}")
    try:
        return make_plan(
            sources.corpus,
            sources.scenes,
            engine=name,
            voices=known_voices(name),
            fingerprint=engine_fingerprint(name),
            seed=seed if seed is not None else sources.corpus.seed,
            encoder=encoder_version(),
            suppressed=sources.suppressed,
        )
    except PlanError as error:
        raise Stop(FINDINGS, str(error)) from None
    except EngineError as error:
        raise Stop(OUTSIDE, str(error)) from None


@app.command(epilog="Example: duplexkit verify build/quickstart")
def verify(
    folder: Annotated[Path, typer.Argument(help="A compiled corpus.")],
    jobs: Jobs = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Prove a compiled corpus from its files alone: the audio is decoded, the manifest is not believed.

    Exit code: 0 all holds, 1 something does not, 2 no compiled corpus.
    """
    from .corpora.pool import WorkerDied
    from .corpora.verify import NotACorpus, verify_corpus

    try:
        with render.Progress(quiet=quiet or as_json) as progress:
            verdict = verify_corpus(
                folder, jobs=jobs or _cores(), progress=lambda done, n: progress.reached(done, n, 0, "items")
            )
    except NotACorpus as error:
        raise Stop(USAGE, str(error)) from None
    except WorkerDied as error:
        raise Stop(OUTSIDE, str(error)) from None
    show.verdict(verdict, as_json)
    raise typer.Exit(FINDINGS if verdict.faults else GOOD)


@app.command(epilog="Example: duplexkit run build/quickstart --agent oracle -o build/oracle")
def run(
    folder: Annotated[Path, typer.Argument(help="A compiled corpus.")],
    agent: Annotated[str, typer.Option(help="silent, oracle, chatterbox, or python:MODULE:CLASS.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the run.")],
    jobs: Jobs = None,
    seed: Annotated[int, typer.Option(parser=from_0, metavar="N", help="Seed of the run.")] = 0,
    limit: Annotated[
        int | None, typer.Option(parser=from_0, metavar="N", help="Only the first N items.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play every item to an agent in 200 ms ticks and write what it did.

    Each episode gets agent.flac, ticks.jsonl and transcript.json. A run that was stopped goes on.
    """
    from .corpora.audio import AudioFault
    from .corpora.pool import WorkerDied
    from .corpora.read import CorpusError
    from .harness.agents.registry import UnknownAgent
    from .harness.run import RunError, run_corpus
    from .tts.engine import EngineError
    from .tts.store import ClipStore

    try:
        # What an agent prints must not meet the document on stdout.
        with render.Progress(quiet=quiet or as_json) as progress, redirect_stdout(sys.stderr):
            result = run_corpus(
                folder,
                agent,
                out,
                store=ClipStore(),
                version=__version__,
                seed=seed,
                jobs=jobs or _cores(),
                limit=limit,
                force=force,
                progress=lambda done, n, samples: progress.reached(done, n, samples, "episodes"),
            )
    except (CorpusError, RunError, UnknownAgent) as error:
        raise Stop(USAGE, str(error)) from None
    except (AudioFault, EngineError, WorkerDied) as error:
        raise Stop(OUTSIDE, str(error)) from None
    show.ran(result, as_json)
    raise typer.Exit(OUTSIDE if result.manifest.failed else GOOD)


@app.command(epilog="Example: duplexkit score build/oracle --json")
def score(
    folder: Annotated[Path, typer.Argument(help="A run.")],
    detector: Annotated[str, typer.Option(help="Speech detector: silero or energy.")] = "silero",
    seed: Annotated[int, typer.Option(parser=from_0, metavar="N", help="Seed of the bootstrap.")] = 0,
    resamples: Annotated[
        int, typer.Option(parser=from_1, metavar="N", help="Resamples of the bootstrap.")
    ] = 10_000,
    jobs: Jobs = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score a run from its files: each metric with its numerator, denominator, exclusions and interval."""
    from .corpora.pool import WorkerDied
    from .harness.scoring.report import ScoreError, score_run

    if detector not in ("silero", "energy"):
        raise Stop(USAGE, f"unknown detector {detector!r}; one of: silero, energy")
    try:
        with render.Progress(quiet=quiet or as_json) as progress:
            report = score_run(
                folder,
                detector=detector,
                seed=seed,
                resamples=resamples,
                jobs=jobs or _cores(),
                progress=lambda done, n: progress.reached(done, n, 0, "episodes"),
            )
    except ScoreError as error:
        raise Stop(USAGE, str(error)) from None
    except WorkerDied as error:
        raise Stop(OUTSIDE, str(error)) from None
    show.score(report, as_json)


@app.command(epilog="Example: duplexkit schema scene > scene.schema.json")
def schema(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="world, scenario, persona, types, scene, corpus, item, manifest, episode or run."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the JSON Schema of a kind of file, or list the kinds."""
    from .schemas.export import json_schema
    from .schemas.kinds import SCHEMA_KINDS

    if kind is None:
        if as_json:
            render.out_json({"kinds": sorted(SCHEMA_KINDS)})
        else:
            render.out("\n".join(sorted(SCHEMA_KINDS)))
        return
    if kind not in SCHEMA_KINDS:
        raise Stop(USAGE, f"unknown kind {kind!r}; one of: {', '.join(sorted(SCHEMA_KINDS))}")
    if as_json:
        render.out_json(json_schema(kind))
    else:
        import json

        render.out(json.dumps(json_schema(kind), indent=2, sort_keys=True))


add_to(app)


@app.command(epilog="Example: duplexkit explain DK105")
def explain(
    code: Annotated[str, typer.Argument(help="A code that `check` printed.")],
    as_json: Json = False,
) -> None:
    """Say what a code means, why it matters, and what to write instead."""
    from .schemas.codes import CODES

    found = CODES.get(code.upper())
    if found is None:
        raise Stop(USAGE, f"unknown code {code!r}; one of: {', '.join(sorted(CODES))}")
    show.code(found, as_json)


@cache_app.command("show", epilog="Example: duplexkit cache show")
def cache_show(as_json: Json = False) -> None:
    """Show where the clips are, how many, and their size."""
    from .tts.store import ClipStore

    store = ClipStore()
    stats = store.stats()
    if as_json:
        render.out_json({"root": str(store.root), "clips": stats.clips, "bytes": stats.bytes})
    else:
        render.out(
            render.facts(
                {"store": str(store.root), "clips": str(stats.clips), "size": render.size(stats.bytes)}
            )
        )


@cache_app.command("prune", epilog="Example: duplexkit cache prune --max-mb 500 --dry-run")
def cache_prune(
    max_mb: Annotated[
        int | None,
        typer.Option(parser=from_0, metavar="N", help="Keep at most this much, the last used first."),
    ] = None,
    older_than_days: Annotated[
        int | None, typer.Option(parser=from_0, metavar="N", help="Remove clips not used for so long.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count, remove nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Remove clips that were not used lately. A later compile makes again what it needs."""
    from .tts.store import ClipStore

    if max_mb is None and older_than_days is None:
        raise Stop(USAGE, "say what to remove: --max-mb N, --older-than-days N, or both (0 removes all)")
    result = ClipStore().prune(
        max_bytes=None if max_mb is None else max_mb * 1_000_000,
        older_than_s=None if older_than_days is None else older_than_days * 86_400.0,
        dry_run=dry_run,
    )
    if as_json:
        render.out_json(
            {"dry_run": dry_run, "removed_clips": result.removed, "removed_bytes": result.freed_bytes}
        )
    else:
        verb = "would remove" if dry_run else "removed"
        render.out(f"{verb} {result.removed} clips, {render.size(result.freed_bytes)}")


def _invoke(call: Callable[[], object]) -> int:
    """The exit code of a command; no error of a command shows a traceback or a local variable."""
    try:
        code = call()
        render.flush()
    except Stop as stop:
        render.err(f"duplexkit: {render.redacted(str(stop))}")
        return stop.code
    except KeyboardInterrupt:
        code = INTERRUPTED
    except SystemExit as done:
        code = done.code if done.code is None or isinstance(done.code, int) else 1
    except typer.Abort:
        code = INTERRUPTED
    except Exception as error:
        if render.usage_error(error):
            return USAGE
        return _outside(error)
    if code == INTERRUPTED:
        render.err("duplexkit: stopped; run the same command to go on")
    return code if isinstance(code, int) else GOOD


def _outside(error: Exception) -> int:
    """Say what failed that no command foresaw: the operating system, or ourselves."""
    if os.environ.get("DUPLEXKIT_DEBUG") == "1":
        import traceback

        render.err(render.redacted("".join(traceback.format_exception(error))).rstrip())
        return OUTSIDE
    kind = "cannot read or write" if isinstance(error, OSError) else f"internal error: {type(error).__name__}"
    render.err(f"duplexkit: {kind}: {render.redacted(str(error))}")
    cause = "" if isinstance(error, OSError) else "this is a defect; "
    render.err(f"duplexkit: {cause}DUPLEXKIT_DEBUG=1 shows where")
    return OUTSIDE


def _command_line() -> object:
    """Run the command of `sys.argv`. Typer gives the code of an `Exit` back, and 130 when interrupted."""
    return app(prog_name="duplexkit", standalone_mode=False)


def _leave(code: int) -> None:
    """End at once: waiting for workers would meet a second Ctrl-C with a traceback. They end by themselves."""
    os._exit(code)


def main() -> None:
    """Entry point of the `duplexkit` command."""
    render.safe_streams()
    code = _invoke(_command_line)
    try:
        render.flush()
    except OSError as error:
        # A full disk is met again when Python closes stdout, so there is nothing left to close.
        sys.stdout = None
        code = code if code == OUTSIDE else _outside(error)
    if code == INTERRUPTED:
        _leave(code)
    sys.exit(code)


if __name__ == "__main__":
    main()
