"""The command line: parse, call, render. Every command's work is done by the package behind it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import __version__
from . import _render as render

if TYPE_CHECKING:
    from .corpora.plan import Plan
    from .harness.scoring.report import ScoreReport

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


def _whole(value: str | int, least: int) -> int:
    """A number in plain decimal digits, as in the source files: no `1.0`, `1_000`, `010` or spaces.

    A default is handed in as the number that it is.
    """
    text = str(value)
    plain = text.isascii() and text.isdecimal() and (text == "0" or text[0] != "0")
    if not plain or int(text) < least:
        raise typer.BadParameter(f"{text!r} is no whole number of at least {least}")
    return int(text)


def _from_0(value: str) -> int:
    return _whole(value, 0)


def _from_1(value: str) -> int:
    return _whole(value, 1)


Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, nothing else there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", parser=_from_1, metavar="N", help="Processes (default: one a core)."),
]
Force = Annotated[bool, typer.Option("--force", help="Do all the work again.")]


class Stop(Exception):
    """Ends a command with a message on stderr and an exit code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


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
    from .schemas.diagnostics import findings_json
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
    if style == "json":
        render.out(findings_json(result.files, result.findings, result.suppressed))
    else:
        for finding in result.findings:
            render.out(finding.github() if style == "github" else finding.text())
        render.err(_summary(result.files, len(result.findings), result.suppressed))
    raise typer.Exit(FINDINGS if result.findings else GOOD)


def _summary(files: int, findings: int, suppressed: dict[str, int]) -> str:
    hidden = f", {sum(suppressed.values())} suppressed" if suppressed else ""
    return f"{_count(files, 'file')}, {_count(findings, 'finding')}{hidden}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


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
        int | None, typer.Option(parser=_from_0, metavar="N", help="Seed instead of the corpus' own.")
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
    from .corpora.proof import ProofFailure
    from .corpora.workers import WorkerDied
    from .tts.engine import EngineError
    from .tts.placement import PlacementError
    from .tts.store import ClipStore

    plan = _plan(corpus, engine, seed)
    folder = out or Path("build") / plan.corpus.id
    store = ClipStore()
    if dry_run:
        _show_forecast(forecast(plan, folder, store), folder, as_json)
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
    _show_compiled(result, as_json)


def _plan(corpus: Path | None, engine: str | None, seed: int | None) -> Plan:
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
        for finding in sources.findings:
            render.err(finding.text())
        raise Stop(FINDINGS, f"{_count(len(sources.findings), 'finding')}; mend them, then compile again")
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


def _show_forecast(forecast: Any, folder: Path, as_json: bool) -> None:
    from dataclasses import asdict

    if as_json:
        render.out_json({"dry_run": True, "out": str(folder), **asdict(forecast)})
        return
    state = "up to date, nothing to do" if forecast.up_to_date else "would be written"
    render.out(
        render.facts(
            {
                "folder": f"{folder} ({state})",
                "items": f"{forecast.items} with {forecast.turns} turns",
                "clips": f"{forecast.clips}, {forecast.clips_in_store} in the store already",
                "to speak": f"{forecast.characters_to_speak} characters",
                "audio": f"about {forecast.estimated_hours} h (estimated from the text)",
            }
        )
    )


def _show_compiled(result: Any, as_json: bool) -> None:
    manifest = result.manifest
    if as_json:
        counts = ("up_to_date", "clips_made", "clips_reused", "items_made", "items_reused")
        document = {
            "corpus": str(result.folder),
            **{c: getattr(result, c) for c in counts},
            "manifest": manifest,
        }
        render.out_json(document)
        return
    work = (
        "already up to date"
        if result.up_to_date
        else f"made {result.items_made} items ({result.items_reused} kept), {result.clips_made} clips "
        f"({result.clips_reused} from the store)"
    )
    proven = "mix = sum of stems, silence outside turns, speech within 10 ms of every boundary, exact gaps"
    render.out(
        render.facts(
            {
                "corpus": f"{manifest['id']}: {manifest['items']} items, {manifest['pairs']} pairs, "
                f"{manifest['hours']:.3f} h of audio",
                "work": work,
                "audio": f"{result.folder / 'audio'}",
                "items": f"{result.folder / 'items.jsonl'}",
                "proof": f"{result.folder / 'audio-proof.json'}: {proven}",
                "next": f"duplexkit verify {result.folder}",
            }
        )
    )


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
    from .corpora.verify import NotACorpus, verify_corpus

    try:
        with render.Progress(quiet=quiet or as_json) as progress:
            verdict = verify_corpus(
                folder, jobs=jobs or _cores(), progress=lambda done, n: progress.reached(done, n, 0, "items")
            )
    except NotACorpus as error:
        raise Stop(USAGE, str(error)) from None
    if as_json:
        render.out_json(verdict.to_json())
    elif verdict.proof is None:
        for fault in verdict.faults:
            render.out(fault.text())
        render.err(f"{folder}: {len(verdict.faults)} faults in {verdict.items} items")
    else:
        proof = verdict.proof
        laws = {f"law {n}": law for n, law in enumerate(proof["laws"], start=1)}
        edges = f"{proof['max_onset_error_samples']} samples at onsets, {proof['max_offset_error_samples']} at offsets"
        render.out(
            render.facts(
                {
                    "proven": f"{verdict.items} items, {proof['turns']} turns, {verdict.hours:.3f} h, "
                    f"{verdict.files} files with equal checksums, pairs equal outside the request and its cue",
                    **laws,
                    "edges": f"at most {edges}",
                    "proof": str(folder / "audio-proof.json"),
                }
            )
        )
    raise typer.Exit(FINDINGS if verdict.faults else GOOD)


@app.command(epilog="Example: duplexkit run build/quickstart --agent oracle -o build/oracle")
def run(
    folder: Annotated[Path, typer.Argument(help="A compiled corpus.")],
    agent: Annotated[str, typer.Option(help="silent, oracle or chatterbox.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder of the run.")],
    jobs: Jobs = None,
    seed: Annotated[int, typer.Option(parser=_from_0, metavar="N", help="Seed of the run.")] = 0,
    limit: Annotated[
        int | None, typer.Option(parser=_from_0, metavar="N", help="Only the first N items.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play every item to an agent in 200 ms ticks and write what it did.

    Each episode gets agent.flac, ticks.jsonl and transcript.json. A run that was stopped goes on.
    """
    from .corpora.audio import AudioFault
    from .corpora.read import CorpusError
    from .harness.agents.registry import UnknownAgent
    from .harness.run import RunError, run_corpus
    from .tts.engine import EngineError
    from .tts.store import ClipStore

    try:
        with render.Progress(quiet=quiet or as_json) as progress:
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
    except (AudioFault, EngineError) as error:
        raise Stop(OUTSIDE, str(error)) from None
    manifest = result.manifest
    if as_json:
        counts = {"run": str(out), "played": result.played, "reused": result.reused}
        render.out_json({**counts, "manifest": manifest.model_dump(mode="json")})
    else:
        hours = result.audio_samples / 24_000 / 3_600
        render.out(
            render.facts(
                {
                    "run": f"{agent} on {manifest.corpus}: {manifest.completed} of {manifest.planned} episodes, "
                    f"{hours:.3f} h ({result.reused} kept)",
                    "episodes": str(out / "episodes"),
                    "next": f"duplexkit score {out}",
                }
            )
        )
        for item, reason in manifest.failed.items():
            render.err(f"{item}: {reason}")
    raise typer.Exit(OUTSIDE if manifest.failed else GOOD)


@app.command(epilog="Example: duplexkit score build/oracle --json")
def score(
    folder: Annotated[Path, typer.Argument(help="A run.")],
    detector: Annotated[str, typer.Option(help="Speech detector: silero or energy.")] = "silero",
    seed: Annotated[int, typer.Option(parser=_from_0, metavar="N", help="Seed of the bootstrap.")] = 0,
    resamples: Annotated[
        int, typer.Option(parser=_from_1, metavar="N", help="Resamples of the bootstrap.")
    ] = 10_000,
    jobs: Jobs = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Score a run from its files: each metric with its numerator, denominator, exclusions and interval."""
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
    if as_json:
        render.out_json(report.to_json())
    else:
        _show_score(report)


def _show_score(report: ScoreReport) -> None:
    rows = []
    for metric in report.metrics:
        interval = "" if metric.low is None else f"[{render.rate(metric.low)}, {render.rate(metric.high)}]"
        left_out = "; ".join(f"{reason}: {n}" for reason, n in metric.excluded.items())
        counts = f"{metric.numerator}/{metric.denominator}"
        name = metric.name if metric.kind == "scored" else f"({metric.name})"
        rows.append([name, metric.condition, render.rate(metric.value), counts, interval, left_out])
    render.out(render.table(rows, ["metric", "condition", "value", "counts", "95 %", "left out"]))
    render.out("metrics in brackets are diagnostic; intervals are percentile bootstraps over scenes")
    pairs, episodes = report.pairs, report.episodes
    p_value = "null" if pairs.p is None else f"{pairs.p:.3f}"
    render.out(
        f"{pairs.metric}, explicit against implicit on {pairs.pairs} pairs: {pairs.explicit_only} only explicit, "
        f"{pairs.implicit_only} only implicit, McNemar p {p_value}"
    )
    render.out(f"episodes: {episodes.planned} planned, {episodes.scored} scored")
    for item, reason in episodes.failed.items():
        render.out(f"failed: {item}: {reason}")
    for label in ("missing", "unplanned", "without_words"):
        for item in getattr(episodes, label):
            render.out(f"{label.replace('_', ' ')}: {item}")
    if not episodes.finished:
        render.out("the run did not come to its end: run it again to go on, then score again")
    for note in sorted({m.note for m in report.metrics if m.note}):
        render.out(f"note: {note}")
    render.out(f"signature: {report.signature}")


@app.command(epilog="Example: duplexkit schema scene > scene.schema.json")
def schema(
    kind: Annotated[str | None, typer.Argument(help="scene, corpus, item, manifest, episode or run.")] = None,
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


@app.command(epilog="Example: duplexkit explain DK105")
def explain(
    code: Annotated[str, typer.Argument(help="A code that `check` printed.")],
    as_json: Json = False,
) -> None:
    """Say what a code means, why it matters, and what to write instead."""
    from .schemas.codes import CODES
    from .schemas.diagnostics import did_you_mean

    found = CODES.get(code.upper())
    if found is None:
        near = did_you_mean(code.upper(), CODES)
        guess = f"did you mean {near}? " if near else ""
        raise Stop(USAGE, f"unknown code {code!r}; {guess}one of: {', '.join(sorted(CODES))}")
    if as_json:
        from dataclasses import asdict

        render.out_json(asdict(found))
        return
    render.out(f"{found.code}: {found.title}\n\n{found.why}\n\nInstead of:\n{_indented(found.bad)}")
    render.out(f"\nwrite:\n{_indented(found.good)}")


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


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
        typer.Option(parser=_from_0, metavar="N", help="Keep at most this much, the last used first."),
    ] = None,
    older_than_days: Annotated[
        int | None, typer.Option(parser=_from_0, metavar="N", help="Remove clips not used for so long.")
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


def main() -> None:
    """Entry point of the `duplexkit` command."""
    render.safe_streams()
    code = _invoke(_command_line)
    render.flush()
    sys.exit(code)


if __name__ == "__main__":
    main()
