"""What in a spoken text is not speech: tags, stage directions, placeholders, labels, addresses."""

from __future__ import annotations

import re
from collections.abc import Collection

_ACTS = (
    "sigh|laugh|chuckle?|giggl|giggle|paus|pause|whisper|mumbl|mumble|mutter|cough|sniff|gasp|groan|yawn|shout"
    "|yell|sing|hum|humm|nod|nodd|shrug|shrugg|breathe?|clear|crie|cry|inhal|inhale|exhal|exhale|beep|ring"
)
_DIRECTIONS = (
    rf"(?:{_ACTS})(?:s|es|ed|ing)?(?:\s[a-z ]+)?|beat|silence|music(?:\splaying)?|aside|inaudible|crosstalk|off"
    r"|to\s\w+|[a-z]+ly|lacht|seufzt|flüstert|hustet|leise|laut|pause"
)
_PIECES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"</?[A-Za-z!][^<>]*>"), "a tag"),
    (re.compile(r"\[[^\[\]]*\]"), "square brackets"),
    (re.compile(r"\$?\{[^{}]*\}"), "curly brackets"),
    (re.compile(r"(?<!\w)\*[^*]+\*(?!\w)|(?<!\w)_[^_]+_(?!\w)|`|~~|\|"), "formatting marks"),
    (re.compile(rf"\((?:{_DIRECTIONS})\)", re.IGNORECASE), "a stage direction"),
    (re.compile(r"\b[a-z][a-z0-9+.-]*://\S*|\bwww\.\S+", re.IGNORECASE), "an address"),
    (re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|io)\b", re.IGNORECASE), "an address"),
    (re.compile(r"[\w.]+@\w[\w.]*"), "an address"),
    (re.compile(r"(?<!\w)#[^\W\d]\w*"), "a hash mark"),
    (re.compile(r"&(?:amp|nbsp|lt|gt|quot|apos|[a-z]{2}dash|hellip|#[0-9]+);"), "a character reference"),
    (re.compile(r"\\[nrtu\"']"), "an escape that is read as it stands"),
    (re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]"), "a control character"),
)
_ROLE = re.compile(
    r"(?:speaker|user|human|assistant|agent|narrator|caller|T|N1|N2|N3|N4_Q|N4_R)(?:[ _]?\d+)?", re.IGNORECASE
)
_LABEL = re.compile(r"\s*([^\W_][\w .-]{0,40}?)\s*:(?!\d)")


_EMOJI = re.compile(r"[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")


def emoji(text: str) -> str | None:
    """What the first emoji of a text is, for a message; None where there is none."""
    found = _EMOJI.search(text)
    return f"an emoji in spoken text: {found.group()!r}" if found else None


def markup(text: str) -> str | None:
    """What the first piece of markup in a text is, for a message; None where there is none."""
    hits = [(m.start(), m.group(), what) for pattern, what in _PIECES if (m := pattern.search(text))]
    if not hits:
        return None
    _, piece, what = min(hits)
    return f"{what} in spoken text: {piece!r}"


def speaker_label(text: str, people: Collection[str]) -> str | None:
    """What the label that the text begins with is, for a message; None where it begins with its words."""
    match = _LABEL.match(text)
    if match is None or not (match.group(1) in people or _ROLE.fullmatch(match.group(1))):
        return None
    return f"a speaker's label in spoken text: {match.group().strip()!r}"
