"""What each command prints of its result: text for people, or the one JSON document of `--json`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import _render as render

if TYPE_CHECKING:
    from .authoring.check import CheckResult
    from .authoring.sources import CorpusSources
    from .corpora.compile import CompileResult, Forecast
    from .corpora.verify import Verdict
    from .harness.run import RunResult
    from .harness.scoring.report import ScoreReport
    from .schemas.codes import Code


def findings(result: CheckResult, style: str) -> None:
    """The findings of a check in one of its formats."""
    from .schemas.diagnostics import findings_json

    if style == "json":
        render.out(findings_json(result.files, result.findings, result.suppressed))
        return
    for finding in result.findings:
        render.out(finding.github() if style == "github" else finding.text())
    render.err(_summary(result.files, len(result.findings), result.suppressed))


def refused(sources: CorpusSources, as_json: bool) -> None:
    """The findings that keep a corpus from being compiled; as `check` gives them."""
    from .schemas.diagnostics import findings_json

    if as_json:
        render.out(findings_json(sources.files, sources.findings, sources.suppressed))
        return
    for finding in sources.findings:
        render.err(finding.text())


def count(number: int, word: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _summary(files: int, findings: int, suppressed: dict[str, int]) -> str:
    hidden = f", {sum(suppressed.values())} suppressed" if suppressed else ""
    return f"{count(files, 'file')}, {count(findings, 'finding')}{hidden}"


def forecast(told: Forecast, folder: Path, as_json: bool) -> None:
    """What a compile would do."""
    from dataclasses import asdict

    if as_json:
        render.out_json({"dry_run": True, "out": str(folder), **asdict(told)})
        return
    state = "up to date, nothing to do" if told.up_to_date else "would be written"
    render.out(
        render.facts(
            {
                "folder": f"{folder} ({state})",
                "items": f"{told.items} with {told.turns} turns",
                "clips": f"{told.clips}, {told.clips_in_store} in the store already",
                "to speak": f"{told.characters_to_speak} characters",
                "audio": f"about {told.estimated_hours} h (estimated from the text)",
            }
        )
    )


def compiled(result: CompileResult, as_json: bool) -> None:
    """What a compile did."""
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
    if result.up_to_date:
        proven = "what held when it was written"
    render.out(
        render.facts(
            {
                "corpus": f"{manifest['id']}: {count(manifest['items'], 'item')}, {count(manifest['pairs'], 'pair')}, "
                f"{manifest['hours']:.3f} h of audio",
                "work": work,
                "audio": f"{result.folder / 'audio'}",
                "items": f"{result.folder / 'items.jsonl'}",
                "proof": f"{result.folder / 'audio-proof.json'}: {proven}",
                "next": f"duplexkit verify {result.folder}",
            }
        )
    )


def verdict(found: Verdict, as_json: bool) -> None:
    """What verifying a corpus found."""
    if as_json:
        render.out_json(found.to_json())
        return
    if found.proof is None:
        for fault in found.faults:
            render.out(fault.text())
        render.err(f"{found.folder}: {count(len(found.faults), 'fault')} in {count(found.items, 'item')}")
        return
    proof = found.proof
    laws = {f"law {n}": law for n, law in enumerate(proof["laws"], start=1)}
    edges = f"{proof['max_onset_error_samples']} samples at onsets, {proof['max_offset_error_samples']} at offsets"
    proven = (
        f"{found.items} items, {proof['turns']} turns, {found.hours:.3f} h, "
        f"{found.files} files with equal checksums, pairs equal outside the request and its cue"
    )
    where = str(found.folder / "audio-proof.json")
    render.out(render.facts({"proven": proven, **laws, "edges": f"at most {edges}", "proof": where}))


def ran(result: RunResult, as_json: bool) -> None:
    """What a run did; the episodes that failed go to stderr."""
    manifest, folder = result.manifest, result.folder
    if as_json:
        counts = {"run": str(folder), "played": result.played, "reused": result.reused}
        render.out_json({**counts, "manifest": manifest.model_dump(mode="json")})
        return
    hours = result.audio_samples / 24_000 / 3_600
    done = (
        f"{manifest.agent} on {manifest.corpus}: {manifest.completed} of {manifest.planned} episodes, "
        f"{hours:.3f} h ({result.reused} kept)"
    )
    facts = {"run": done, "episodes": str(folder / "episodes"), "next": f"duplexkit score {folder}"}
    render.out(render.facts(facts))
    for item, reason in manifest.failed.items():
        render.err(f"{item}: {reason}")


def code(found: Code, as_json: bool) -> None:
    """What a code means, with its bad and its good example."""
    if as_json:
        from dataclasses import asdict

        render.out_json(asdict(found))
        return
    render.out(f"{found.code}: {found.title}\n\n{found.why}\n\nInstead of:\n{_indented(found.bad)}")
    render.out(f"\nwrite:\n{_indented(found.good)}")


def score(report: ScoreReport, as_json: bool) -> None:
    """The scores of a run."""
    if as_json:
        render.out_json(report.to_json())
        return
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
        f"{pairs.metric}, explicit against implicit on {count(pairs.pairs, 'pair')}: {pairs.explicit_only} only explicit, "
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
        about = sorted({m.name for m in report.metrics if m.note == note})
        render.out(f"note: {note} ({', '.join(about)})")
    for judge in sorted({str(m.settings["judge"]) for m in report.metrics if m.settings.get("judge")}):
        about = sorted({m.name for m in report.metrics if m.settings.get("judge") == judge})
        render.out(f"judged: {judge} ({', '.join(about)})")
    render.out(f"signature: {report.signature}")


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())
