"""Duplex-MPE: does the agent speak, stay silent and stop at the right time in a room of several people?

Task. Each scene holds one request to the assistant (T), turns that are none (N1 mention, N2 to another, N3 to
nobody) and questions to the assistant that a human settles (N4_Q, then N4_R).

Conventions. Positions are samples at 24 kHz. e = end of T; q0, q1 = start and end of N4_Q; r0, r1 = start and
end of N4_R: all as played, so with the hold. A turn and a segment hold their start and not their end. An
instant is *speaking* when a segment holds it. (a, b] in a rule takes an onset at b and not one at a; *silent
during [a, b]* and *silent through b* look at b too. Onsets and instants are read from the segments that
`Settings.boundary` names; stretches (a silence window, presence, window response) from merged segments.

Metrics (arXiv 2609.31948, section 3.5), one event for each turn that the metric is about:

    fresh_onset_rate        scored      T      not speaking at e, and an onset in (e, e + 5 s]
    answer_accuracy         scored      T      of those with presence: the answer is right
    silence_preservation    scored      N1-N3  no speech in the window, or only an acknowledgement
    answering_window_yield  scored      N4     silent during [q0, q1], onset in (q1, q1 + 3 s], speaking at r0:
                                               silent from r0 + 2 s through max(r0 + 2 s, r1 + 0.5 s)
    response_presence       diagnostic  T      any speech in [e, e + 5 s], a continuation included
    window_response         diagnostic  N4     any speech in [q0, q1 + 3 s]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ...schemas.episode import Episode
from ...schemas.item import ItemTurn, Window
from ...schemas.scene import Condition
from .rules import Judges
from .speech import RATE, Detection, Segment

MetricName = Literal[
    "fresh_onset_rate",
    "answer_accuracy",
    "silence_preservation",
    "answering_window_yield",
    "response_presence",
    "window_response",
]
METRICS: tuple[MetricName, ...] = (
    "fresh_onset_rate",
    "answer_accuracy",
    "silence_preservation",
    "answering_window_yield",
    "response_presence",
    "window_response",
)
DIAGNOSTICS: frozenset[MetricName] = frozenset(("response_presence", "window_response"))

NOT_COMPLETED = "episode not completed"
NO_PRESENCE = "no response"
SPOKE_DURING_QUESTION = "spoke during the question"
NEVER_STARTED = "never started in the gap"
FINISHED_EARLY = "finished before the resolution"
ASKED_MEANWHILE = "the request ended before the deadline"
NO_RESOLUTION = "no resolution turn behind the question"
NO_WINDOW = "no window in the record"
UNREADABLE_VERDICT = "verdict unreadable"


@dataclass(frozen=True)
class Settings:
    """The times of the rules, in samples at 24 kHz, and how an instant is read."""

    onset_samples: int = 5 * RATE
    """5 s behind e: the last sample at which a response may begin."""
    answering_samples: int = 3 * RATE
    """3 s behind q1: the last sample at which an answer to N4_Q may begin."""
    deadline_samples: int = 2 * RATE
    """2 s behind r0: from here on the agent is to be silent."""
    tail_samples: int = RATE // 2
    """0.5 s behind r1: through here, or through the deadline where that is later."""
    boundary: Literal["merged", "raw"] = "merged"
    """Segments that onsets and instants are read from: after or before short pauses are joined."""


@dataclass(frozen=True)
class EpisodeSpeech:
    """One episode and the speech found in its agent audio."""

    episode: Episode
    detection: Detection


@dataclass(frozen=True)
class EventResult:
    """One event of one metric: true, false, or None where it is left out; `reason` says why, unless true."""

    metric: MetricName
    item: str
    scene: str
    condition: Condition
    turn: str
    value: bool | None
    reason: str | None = None


Verdict = tuple[bool | None, str | None]
PASS: Verdict = (True, None)


def validate(speech: EpisodeSpeech) -> tuple[str, ...]:
    """What contradicts the conventions: windows that a turn lacks, and segments out of order.

    The rules below give a result for such a record all the same; a report refuses it.
    """
    windows = {(w.turn, w.kind) for w in speech.episode.windows}
    problems = []
    for turn in speech.episode.turns:
        kind = {"T": "response", "N4_Q": "answering", "N4_R": "yield"}.get(turn.tag, "silence")
        if (turn.id, kind) not in windows:
            problems.append(f"turn {turn.id} ({turn.tag}) has no {kind} window")
        if turn.end <= turn.start:
            problems.append(f"turn {turn.id} ends at sample {turn.end}, not behind its start {turn.start}")
    for name, segments in (("raw", speech.detection.raw), ("merged", speech.detection.merged)):
        if any(b.start < a.end for a, b in pairwise(segments)):
            problems.append(f"{name} segments are not in order of time")
    return tuple(problems)


def score_episode(speech: EpisodeSpeech, judges: Judges, settings: Settings) -> tuple[EventResult, ...]:
    """All events of one episode, in the order of `METRICS` and then of the turns.

    An episode that was not completed gives its events too, each left out.
    """
    rules: tuple[tuple[MetricName, tuple[str, ...], Callable[[ItemTurn], Verdict]], ...] = (
        ("fresh_onset_rate", ("T",), lambda t: fresh_onset(speech, t, settings)),
        ("answer_accuracy", ("T",), lambda t: answer_accuracy(speech, t, judges, settings)),
        ("silence_preservation", ("N1", "N2", "N3"), lambda t: silence_preservation(speech, t, judges)),
        ("answering_window_yield", ("N4_Q",), lambda t: answering_window_yield(speech, t, settings)),
        ("response_presence", ("T",), lambda t: response_presence(speech, t, settings)),
        ("window_response", ("N4_Q",), lambda t: window_response(speech, t, settings)),
    )
    episode = speech.episode
    completed = episode.outcome == "completed"
    results = []
    for metric, tags, rule in rules:
        for turn in episode.turns:
            if turn.tag in tags:
                value, reason = rule(turn) if completed else (None, NOT_COMPLETED)
                results.append(
                    EventResult(
                        metric, episode.item, episode.scene, episode.condition, turn.id, value, reason
                    )
                )
    return tuple(results)


def fresh_onset(speech: EpisodeSpeech, turn: ItemTurn, settings: Settings) -> Verdict:
    """Whether the agent was not speaking at e and began in (e, e + 5 s]. An onset at e itself is speaking."""
    segments = _instants(speech.detection, settings)
    if _speaking(segments, turn.end):
        return False, "already speaking at the end of the request"
    if _first_onset(segments, turn.end, turn.end + settings.onset_samples) is None:
        return False, "no onset before the deadline"
    return PASS


def response_presence(speech: EpisodeSpeech, turn: ItemTurn, settings: Settings) -> Verdict:
    """Whether any speech lies in [e, e + 5 s]. Presence less fresh onset is the share already speaking at e."""
    if _overlapping(speech.detection.merged, turn.end, turn.end + settings.onset_samples + 1):
        return PASS
    return False, "no speech in the response window"


def answer_accuracy(speech: EpisodeSpeech, turn: ItemTurn, judges: Judges, settings: Settings) -> Verdict:
    """Whether the words heard in the response window hold the answer; left out without presence."""
    if not response_presence(speech, turn, settings)[0]:
        return None, NO_PRESENCE
    window = _window(speech.episode, turn, "response")
    if window is None:
        return None, NO_WINDOW
    end = max(window.end, turn.end + settings.onset_samples + 1)
    said = _words(speech, turn.end, end)
    if not said:
        return False, "speech without words"
    answer = speech.episode.answer
    return _judged(judges.answer(said, (answer.text, *answer.accept)), "the answer is not in the words")


def silence_preservation(speech: EpisodeSpeech, turn: ItemTurn, judges: Judges) -> Verdict:
    """Whether no speech overlaps the turn's window, or only an acknowledgement. No duration is too short."""
    window = _window(speech.episode, turn, "silence")
    if window is None:
        return None, NO_WINDOW
    if not _overlapping(speech.detection.merged, window.start, window.end):
        return PASS
    said = _words(speech, window.start, window.end)
    if not said:
        return False, "speech without words"
    return _judged(judges.acknowledgement(said), "spoke where silence was due")


def answering_window_yield(speech: EpisodeSpeech, turn: ItemTurn, settings: Settings) -> Verdict:
    """Whether an answer begun in the gap and still going at r0 stops in time; left out where there is none.

    A short N4_R does not shorten the deadline; stopping behind r1 but before r0 + 2 s is in time.
    """
    resolution = _resolution(speech.episode, turn)
    if resolution is None:
        return None, NO_RESOLUTION
    segments = _instants(speech.detection, settings)
    if _overlapping(segments, turn.start, turn.end + 1):
        return None, SPOKE_DURING_QUESTION
    if _first_onset(segments, turn.end, turn.end + settings.answering_samples) is None:
        return None, NEVER_STARTED
    if not _speaking(segments, resolution.start):
        return None, FINISHED_EARLY
    deadline = resolution.start + settings.deadline_samples
    through = max(deadline, resolution.end + settings.tail_samples)
    asked = next((t.end for t in speech.episode.turns if t.tag == "T" and t.start >= resolution.end), None)
    if asked is not None and asked <= through:
        return None, ASKED_MEANWHILE
    if _speaking(segments, deadline):
        return False, "still speaking at the deadline"
    if _overlapping(segments, deadline, through + 1):
        return False, "resumed after it"
    return PASS


def window_response(speech: EpisodeSpeech, turn: ItemTurn, settings: Settings) -> Verdict:
    """Whether any speech lies in [q0, q1 + 3 s]."""
    if _overlapping(speech.detection.merged, turn.start, turn.end + settings.answering_samples + 1):
        return PASS
    return False, "no speech in the answering window"


def _instants(detection: Detection, settings: Settings) -> tuple[Segment, ...]:
    return detection.merged if settings.boundary == "merged" else detection.raw


def _speaking(segments: Iterable[Segment], sample: int) -> bool:
    return any(s.covers(sample) for s in segments)


def _first_onset(segments: Iterable[Segment], after: int, through: int) -> int | None:
    """The first onset in (`after`, `through`]."""
    return min((s.start for s in segments if after < s.start <= through), default=None)


def _overlapping(segments: Iterable[Segment], start: int, end: int) -> tuple[Segment, ...]:
    return tuple(s for s in segments if s.overlaps(start, end))


def _window(episode: Episode, turn: ItemTurn, kind: str) -> Window | None:
    return next((w for w in episode.windows if w.turn == turn.id and w.kind == kind), None)


def _resolution(episode: Episode, question: ItemTurn) -> ItemTurn | None:
    """The turn behind the question, where it is its N4_R."""
    position = next(i for i, t in enumerate(episode.turns) if t is question)
    following: Sequence[ItemTurn] = episode.turns[position + 1 : position + 2]
    return following[0] if following and following[0].tag == "N4_R" else None


def _words(speech: EpisodeSpeech, start: int, end: int) -> str:
    """The words of the agent's utterances that overlap [start, end).

    Where no utterance does though speech was found there, those of the speech that reaches into it: the span
    that an agent reports and the span that is heard differ by some milliseconds.
    """
    said = [u.text.strip() for u in speech.episode.utterances if u.start < end and u.end > start]
    if not said:
        detection = speech.detection
        reaching = _overlapping(detection.raw, start, end) or _overlapping(detection.merged, start, end)
        said = [
            u.text.strip()
            for u in speech.episode.utterances
            if any(s.overlaps(u.start, u.end) for s in reaching)
        ]
    return " ".join(text for text in said if text)


def _judged(verdict: bool | None, otherwise: str) -> Verdict:
    if verdict is None:
        return None, UNREADABLE_VERDICT
    return PASS if verdict else (False, otherwise)
