"""Draw one compiled item as an SVG: a lane for each speaker with its waveform, tags, and the windows below.

python tools/timeline_svg.py build/quickstart ferry-tickets.explicit docs/images/timeline.svg
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

import numpy as np

from duplexkit.corpora.read import open_corpus
from duplexkit.schemas.item import Item

WIDTH, LANE, LEFT, TOP = 1160, 46, 74, 34
COLOURS = {
    "T": "#c2410c",
    "N1": "#64748b",
    "N2": "#334155",
    "N3": "#94a3b8",
    "N4_Q": "#7c3aed",
    "N4_R": "#0f766e",
}
WINDOWS = {"response": "#fdba74", "silence": "#e2e8f0", "answering": "#c4b5fd", "yield": "#5eead4"}


def draw(item: Item, peaks: bytes) -> str:
    """The SVG text of one item."""
    scale = (WIDTH - LEFT - 10) / item.num_samples
    frames = -(-item.num_samples // 240)
    rows = np.frombuffer(peaks, np.int8).reshape(len(item.stems), frames, 2).astype(int)
    names = {s.id: s.name for s in item.speakers}
    height = TOP + LANE * (len(item.stems) + 1) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="10" y="18" font-size="13">{escape(item.id)}: {item.num_samples / 24_000:.1f} s</text>',
    ]
    lanes = {speaker: TOP + LANE * n for n, speaker in enumerate(item.stems)}
    for n, (speaker, top) in enumerate(lanes.items()):
        parts.append(f'<text x="10" y="{top + LANE / 2 + 4}">{escape(names.get(speaker, speaker))}</text>')
        parts.append(_wave(rows[n], top, scale))
    for turn in item.turns:
        x, top = LEFT + turn.start * scale, lanes[turn.speaker]
        colour = COLOURS[turn.tag]
        width = (turn.end - turn.start) * scale
        parts.append(
            f'<rect x="{x:.1f}" y="{top + 2}" width="{width:.1f}" height="{LANE - 6}" fill="{colour}" opacity="0.16"/>'
            f'<text x="{x + 2:.1f}" y="{top + 12}" font-size="9" fill="{colour}">{turn.tag}</text>'
        )
    bottom = TOP + LANE * len(item.stems)
    parts.append(f'<text x="10" y="{bottom + 22}">windows</text>')
    for window in item.windows:
        x, width = LEFT + window.start * scale, max((window.end - window.start) * scale, 2)
        parts.append(
            f'<rect x="{x:.1f}" y="{bottom + 8}" width="{width:.1f}" height="20" fill="{WINDOWS[window.kind]}"/>'
        )
    x = LEFT
    for kind, colour in WINDOWS.items():
        parts.append(f'<rect x="{x}" y="{bottom + 40}" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{x + 16}" y="{bottom + 50}">{kind}</text>')
        x += 110
    return "\n".join([*parts, "</svg>", ""])


def _wave(row: np.ndarray, top: int, scale: float) -> str:  # type: ignore[type-arg]
    middle, half = top + LANE / 2, LANE / 2 - 4
    step = 4
    count = len(row) // step
    low = row[: count * step, 0].reshape(count, step).min(axis=1)
    high = row[: count * step, 1].reshape(count, step).max(axis=1)
    bars = [
        f"M{LEFT + n * step * 240 * scale:.1f} {middle - high[n] / 128 * half:.1f}V{middle - low[n] / 128 * half:.1f}"
        for n in np.flatnonzero(high - low)
    ]
    return f'<path d="{"".join(bars)}" stroke="#0f172a" stroke-width="0.8" fill="none"/>'


def main() -> None:
    """Draw the item that the command line names."""
    folder, item_id, target = sys.argv[1:]
    corpus = open_corpus(Path(folder))
    item = next(i for i in corpus.items() if i.id == item_id)
    Path(target).write_text(draw(item, (Path(folder) / item.peaks).read_bytes()), encoding="utf-8")


if __name__ == "__main__":
    main()
