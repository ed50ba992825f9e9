"""Rules on a corpus file: its patterns match scenes, its engine exists, its preamble can be spoken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...schemas.corpus import Corpus
from ...schemas.diagnostics import Finding
from ...schemas.source import SUFFIXES, Document
from ...tts.spoken import is_speakable
from .markup import markup
from .speech import cut_by_comment, unknown_engine, unspeakable


def corpus_findings(document: Document, corpus: Corpus) -> Iterator[Finding]:
    """All findings of a corpus document."""
    for index, pattern in enumerate(corpus.scenes):
        found = _pattern(document, index, pattern)
        if found is not None:
            yield found
    # The default is not asked for, so that a plain corpus is checked without loading the engines' list.
    if corpus.engine != Corpus.model_fields["engine"].default:
        engine = unknown_engine(document, ("engine",), corpus.engine)
        if engine is not None:
            yield engine
    if corpus.preamble is not None:
        yield from _preamble(document, corpus.preamble)


def matches(file: Path, pattern: str) -> list[Path]:
    """The source files that a pattern of the corpus `file` means, sorted; the corpus file itself is none.

    Raises `ValueError` for what is no relative pattern.
    """
    if not pattern.strip() or "\\" in pattern or pattern.startswith(("/", "~")) or ":" in pattern:
        raise ValueError("not a relative path or pattern with forward slashes")
    own = file.resolve()
    found = sorted(p for p in file.parent.glob(pattern) if p.is_file() and p.suffix in SUFFIXES)
    return [p for p in found if p.resolve() != own]


def _pattern(document: Document, index: int, pattern: str) -> Finding | None:
    place = ("scenes", index)
    if "\\" in pattern:
        hint = f"write {pattern.replace(chr(92), '/')}"
        return document.finding(place, "DK271", f"a backslash in the path {pattern!r}", hint)
    if document.path is None:
        message = "paths are relative to the corpus file, and this text has no place"
        return document.finding(place, "DK271", message, "give the corpus by its path")
    try:
        found = matches(document.path, pattern)
    except ValueError as error:
        hint = 'write a path or a pattern such as "scenes/*.yaml", relative to this file'
        return document.finding(place, "DK271", f"the pattern {pattern!r} cannot be used: {error}", hint)
    if found:
        return None
    message = f"no scene file matches {pattern!r} in {document.path.parent}"
    return document.finding(place, "DK270", message, "paths are relative to the corpus file")


def _preamble(document: Document, text: str) -> Iterator[Finding]:
    if not is_speakable(text):
        yield unspeakable(document, ("preamble",), text)
        return
    if (piece := markup(text)) is not None:
        yield document.finding(("preamble",), "DK261", piece, "write only what is said, as it is said")
    if (cut := cut_by_comment(document, ("preamble",))) is not None:
        yield cut
