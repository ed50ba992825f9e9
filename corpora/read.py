"""Reading a compiled corpus: its manifest, its items, and their audio."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ..schemas.item import Item, Manifest
from ..tts.placement import Int16
from .audio import decode_flac
from .folder import ITEMS, MANIFEST


class CorpusError(Exception):
    """A folder that cannot be read as a compiled corpus. The message says where and what to do."""


@dataclass(frozen=True)
class CompiledCorpus:
    """A compiled folder, opened. Items are read when asked for."""

    folder: Path
    manifest: Manifest

    def items(self) -> Iterator[Item]:
        """The items in their order. Raises `CorpusError` at a line that is no item."""
        path = self.folder / ITEMS
        try:
            with path.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, start=1):
                    yield _item(path, number, line)
        except (OSError, UnicodeDecodeError) as error:
            raise CorpusError(f"{path}: cannot be read ({error}); compile the corpus again") from None

    def mix(self, item: Item) -> Int16:
        """The item's mix. Raises `AudioFault` or `CorpusError` where it is not as the record says."""
        samples = decode_flac(self.folder / item.audio)
        if len(samples) != item.num_samples:
            path = self.folder / item.audio
            raise CorpusError(f"{path}: {len(samples)} samples, the item says {item.num_samples}; run verify")
        return samples


def _item(path: Path, number: int, line: str) -> Item:
    try:
        return Item.model_validate_json(line)
    except ValidationError as error:
        one = error.errors(include_url=False)[0]
        where = ".".join(str(s) for s in one["loc"])
        raise CorpusError(f"{path}:{number}: {where}: {one['msg']}; compile the corpus again") from None


def open_corpus(folder: Path) -> CompiledCorpus:
    """Open a compiled folder. Raises `CorpusError` where it is none, or not whole."""
    path = folder / MANIFEST
    if not path.is_file():
        raise CorpusError(
            f"{folder}: no {MANIFEST}; give the folder that `duplexkit compile` wrote to its end"
        )
    try:
        return CompiledCorpus(folder, Manifest.model_validate_json(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise CorpusError(f"{path}: not a corpus manifest ({error}); compile the corpus again") from None
