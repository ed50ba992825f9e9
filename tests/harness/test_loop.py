"""The loop: every sample of the item is heard once, the wait follows its rule, faults end in a record."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duplexkit.harness.agents.base import AgentEvent, Capabilities, Say, Session, Stop
from duplexkit.harness.agents.baselines import SilentAgent
from duplexkit.harness.feed import HoldRule
from duplexkit.harness.loop import AgentFault, Recording, failed_episode, play_item
from duplexkit.schemas.episode import Episode
from duplexkit.tts.placement import Gaps

from .helpers import TICK, TURNS, ScriptedAgent, make_item

RATE = 24_000
ITEM, MIX = make_item(TURNS)
E = ITEM.hold_point
SPEECH = np.full(3 * RATE, 2_000, np.int16)


def play(
    script: Callable[..., list[AgentEvent]], rule: HoldRule | None = None
) -> tuple[Recording, ScriptedAgent]:
    agent = ScriptedAgent(script)
    return play_item(ITEM, MIX, agent, agent_name="scripted", seed=0, rule=rule or HoldRule()), agent


def say_at(sample: int, speech: object = SPEECH, text: str = "yes") -> Callable[..., list[AgentEvent]]:
    """Speech whose first sample is `sample`."""

    def script(samples: object, t: int) -> list[AgentEvent]:
        due = t + TICK <= sample < t + 2 * TICK
        return [Say(speech, text, sample)] if due else []  # type: ignore[arg-type]

    return script


def test_a_silent_agent_hears_the_item_and_nothing_else() -> None:
    recording, agent = play(lambda samples, t: [])
    heard = np.concatenate(agent.heard)
    assert np.array_equal(heard[: len(MIX)], MIX)
    assert not heard[len(MIX) :].any()
    assert recording.episode.hold_samples == 0
    assert recording.episode.num_samples == len(heard) == len(recording.agent)
    assert recording.episode.turns == ITEM.turns
    assert recording.episode.windows == ITEM.windows
    assert not recording.agent.any()
    assert agent.closed


def test_an_onset_is_kept_to_the_sample() -> None:
    onset = E + 7_777
    recording, _ = play(say_at(onset))
    assert np.flatnonzero(recording.agent)[0] == onset
    assert (recording.episode.utterances[0].start, recording.episode.utterances[0].end) == (
        onset,
        onset + 3 * RATE,
    )


def test_a_late_answer_is_waited_for_until_two_seconds_of_silence() -> None:
    onset = E + 4 * RATE
    recording, agent = play(say_at(onset))
    hold = recording.episode.hold_samples
    silence = recording.episode.turns[2].start - (onset + 3 * RATE)
    assert 2 * RATE <= silence < 2 * RATE + TICK
    heard = np.concatenate(agent.heard)
    cut = E + 120_000
    assert np.array_equal(heard[:cut], MIX[:cut])
    assert not heard[cut : cut + hold].any()
    assert np.array_equal(heard[cut + hold : len(MIX) + hold], MIX[cut:])
    response = recording.episode.windows[1]
    assert (response.start, response.end) == (E, E + 120_000 + hold)
    assert {t.source for t in recording.ticks} == {"item", "hold"}


def test_a_quick_answer_needs_no_wait() -> None:
    recording, _ = play(say_at(E + 1_000, SPEECH[:RATE]))
    assert recording.episode.hold_samples == 0


def test_an_agent_that_never_stops_is_waited_for_until_the_cap() -> None:
    recording, _ = play(say_at(E + RATE, np.full(200 * RATE, 2_000, np.int16)))
    waited = recording.episode.turns[2].start - E
    assert 60 * RATE <= waited < 60 * RATE + TICK


def test_speech_that_began_before_the_request_counts_as_speaking() -> None:
    recording, _ = play(say_at(24_000, np.full(E + 4 * RATE - 24_000, 2_000, np.int16)))
    end = E + 4 * RATE
    assert 2 * RATE <= recording.episode.turns[2].start - end < 2 * RATE + TICK


def test_speech_still_queued_at_the_end_is_heard() -> None:
    burst = np.full(5 * TICK + TICK // 2, 2_000, np.int16)
    recording, _ = play(say_at(len(MIX) - TICK, burst))
    assert int(np.count_nonzero(recording.agent)) == len(burst)
    assert recording.episode.unheard_samples == 0
    assert recording.ticks[-1].source == "drain"
    assert recording.episode.num_samples % TICK == 0


def test_endless_speech_ends_and_the_rest_is_counted() -> None:
    recording, agent = play(say_at(len(MIX) - TICK, np.full(100 * RATE, 2_000, np.int16)))
    episode = recording.episode
    assert episode.unheard_samples > 0
    assert episode.unheard_samples + agent.played_samples == 100 * RATE


def test_a_stop_cuts_what_is_queued() -> None:
    def script(samples: object, t: int) -> list[AgentEvent]:
        return [Say(SPEECH, "one two three")] if t == 0 else [Stop()] if t == 5 * TICK else []

    recording, _ = play(script)
    assert recording.episode.utterances[0].end == 6 * TICK
    assert recording.episode.utterances[0].interrupted
    assert not recording.agent[6 * TICK :].any()


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (Say(SPEECH, "x", 0), "sample 0, which is over"),
        (Stop(0), "sample 0, which is over"),
        (Say(SPEECH.astype(np.float32), "x"), "one row of int16"),  # pyright: ignore[reportArgumentType]
        (Say(np.zeros((2, 5), np.int16), "x"), "one row of int16"),
        (Say([1, 2], "x"), "one row of int16"),  # type: ignore[arg-type]
        ("hello", "an event of type str"),
        (Say(SPEECH, "x", 1.5), "positions are whole samples"),  # type: ignore[arg-type]
        (Say(SPEECH, None), "text must be a string"),  # type: ignore[arg-type]
        (None, "an event of type NoneType"),
    ],
)
def test_what_an_agent_may_not_send_is_a_fault_of_the_agent(event: AgentEvent, message: str) -> None:
    with pytest.raises(AgentFault, match=message):
        play(lambda samples, t: [event])


def test_an_agent_that_writes_into_what_it_hears_is_stopped() -> None:
    def script(samples: np.ndarray[tuple[int], np.dtype[np.int16]], t: int) -> list[AgentEvent]:
        samples[0] = 5
        return []

    with pytest.raises(AgentFault, match="read-only"):
        play(script)


def test_an_agent_that_reuses_its_buffer_does_not_change_what_was_sent() -> None:
    buffer = np.full(RATE, 2_000, np.int16)

    def script(samples: object, t: int) -> list[AgentEvent]:
        if t == 0:
            return [Say(buffer, "x")]
        buffer[:] = 9
        return []

    recording, _ = play(script)
    assert set(np.unique(recording.agent)) == {0, 2_000}


def test_an_agent_that_raises_is_named_with_its_tick() -> None:
    def script(samples: object, t: int) -> list[AgentEvent]:
        if t == 3 * TICK:
            raise ZeroDivisionError("oops")
        return []

    with pytest.raises(AgentFault, match="tick 3: the agent raised ZeroDivisionError: oops"):
        play(script)
    episode = failed_episode(ITEM, "scripted", 0, "oops")
    assert Episode.model_validate_json(episode.model_dump_json()) == episode
    assert (episode.outcome, episode.reason, episode.num_samples) == ("agent-error", "oops", 0)


def test_empty_speech_is_noted_and_harmless() -> None:
    recording, _ = play(lambda samples, t: [Say(np.zeros(0, np.int16), "")] if t == 0 else [])
    assert recording.ticks[0].events[0].type == "empty_speech"
    assert recording.episode.utterances == ()


@given(st.integers(0, 2**32 - 1))
def test_nothing_is_lost_and_the_same_agent_gives_the_same_record(seed: int) -> None:
    def make() -> Callable[..., list[AgentEvent]]:
        rng = np.random.default_rng(seed)

        def script(samples: object, t: int) -> list[AgentEvent]:
            draw = rng.integers(0, 10)
            if draw < 2:
                count = int(rng.integers(1, 4 * TICK))
                return [Say(np.full(count, 2_000, np.int16), "a b", t + TICK + int(rng.integers(0, TICK)))]
            return [Stop(t + TICK + int(rng.integers(0, TICK)))] if draw == 2 else []

        return script

    one, agent = play(make())
    two, _ = play(make())
    assert one.episode == two.episode
    assert one.ticks == two.ticks
    assert np.array_equal(one.agent, two.agent)
    heard = np.concatenate(agent.heard)
    hold = one.episode.hold_samples
    cut = E + 120_000
    assert np.array_equal(np.concatenate([heard[:cut], heard[cut + hold : len(MIX) + hold]]), MIX)
    assert int(np.count_nonzero(one.agent)) == agent.played_samples == sum(t.heard_samples for t in one.ticks)
    assert sum(u.end - u.start for u in one.episode.utterances) == agent.played_samples


@pytest.mark.parametrize(
    "turns",
    [
        [("N2", 10_000), ("T", 9_000), ("N4_Q", 12_000), ("N4_R", 3_000)],
        [("N4_Q", 10_000), ("N4_R", 2_000), ("T", 2_000), ("N2", 9_000)],
        [("N2", 10_000), ("T", 9_000), ("N4_Q", 12_000), ("N4_R", 3_000), ("N4_Q", 9_000), ("N4_R", 9_000)],
    ],
)
def test_every_window_lies_inside_the_episode(turns: list[tuple[str, int]]) -> None:
    item, mix = make_item(turns)
    recording = play_item(item, mix, SilentAgent(), agent_name="silent", seed=0, rule=HoldRule())
    assert all(0 <= w.start <= w.end <= recording.episode.num_samples for w in recording.episode.windows)


@pytest.mark.parametrize("late", [116_000, 118_000, 119_999, 120_000])
def test_an_onset_up_to_five_seconds_is_waited_for_wherever_it_falls_in_a_tick(late: int) -> None:
    for shift in range(0, TICK, 1_111):
        item, mix = make_item([("N2", 30_000 + shift), *TURNS[1:]])
        onset = item.hold_point + late
        agent = ScriptedAgent(say_at(onset))
        recording = play_item(item, mix, agent, agent_name="scripted", seed=0, rule=HoldRule())
        silence = recording.episode.turns[2].start - (onset + 3 * RATE)
        assert 2 * RATE - 240 <= silence < 2 * RATE + TICK, (shift, silence)


def test_an_onset_behind_five_seconds_is_not_waited_for() -> None:
    recording, _ = play(say_at(E + 120_000 + 240))
    assert recording.episode.hold_samples == 0


def test_a_turn_directly_behind_the_request_moves_with_the_wait() -> None:
    gaps = Gaps(0, 72_000, 0)
    item, mix = make_item([("N2", 30_000), ("T", 40_123), ("N4_Q", 20_000), ("N4_R", 15_001)], gaps)
    agent = ScriptedAgent(say_at(item.hold_point + RATE))
    episode = play_item(item, mix, agent, agent_name="scripted", seed=0, rule=HoldRule()).episode
    assert episode.hold_samples > 0
    question, resolution = episode.turns[2:]
    assert (question.start, question.end - question.start) == (item.hold_point + episode.hold_samples, 20_000)
    assert resolution.start - question.end == 72_000
    heard = np.concatenate(agent.heard)
    assert heard[question.start] == heard[question.end - 1] == 1_000


@pytest.mark.parametrize("error", [SystemExit(5), RuntimeError("half \ud800")])
def test_whatever_an_agent_raises_is_its_fault_in_words_that_can_be_written(error: BaseException) -> None:
    def script(samples: object, t: int) -> list[AgentEvent]:
        raise error

    with pytest.raises(AgentFault) as caught:
        play(script)
    assert str(caught.value).encode("utf-8")


def test_text_with_half_a_character_is_refused() -> None:
    with pytest.raises(AgentFault, match="lone surrogate"):
        play(lambda samples, t: [Say(SPEECH, "a \ud800")])


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (None, "open\\(\\) gave NoneType"),
        (Capabilities("x", "realtime"), "asks for the clock 'realtime'"),
        (Capabilities("x", settings={"n": 1}), "must be texts by name"),  # type: ignore[dict-item]
    ],
)
def test_what_an_agent_says_of_itself_is_checked(found: Capabilities, message: str) -> None:
    class Odd(ScriptedAgent):
        def open(self, session: Session) -> Capabilities:
            return found

    with pytest.raises(AgentFault, match=message):
        play_item(ITEM, MIX, Odd(lambda s, t: []), agent_name="odd", seed=0, rule=HoldRule())


def test_the_settings_of_the_agent_stand_in_the_record() -> None:
    class Set(ScriptedAgent):
        def open(self, session: Session) -> Capabilities:
            return Capabilities("set", settings={"patience": "3"})

    agent = Set(lambda s, t: [])
    episode = play_item(ITEM, MIX, agent, agent_name="set", seed=7, rule=HoldRule()).episode
    assert (episode.agent_settings, episode.seed, episode.plan) == ({"patience": "3"}, 7, ITEM.plan)
