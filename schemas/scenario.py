"""The source model of a call: who calls, why, what they know and reveal when, and what the right end is."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from .base import Distinct, Flag, Integer, Slug, Spec
from .column import Identifier
from .scene import Spoken, Suppression
from .world import Expression, Side

ConversationType = Literal[
    "single_intent",
    "multi_intent",
    "policy_refusal",
    "record_disambiguation",
    "identity_verification",
    "guided_procedure",
    "mid_call_correction",
    "suspension",
    "narrative_intake",
    "rerouting",
    "all_day_assistance",
]
"""The eleven conversation types (DuplexWorld, arXiv 2608.10716, table 8)."""

Reference = Annotated[
    str,
    Field(
        min_length=1,
        description="An id, or a path relative to this file.",
        examples=["banking", "../world.yaml"],
    ),
]
Literal_ = Any
Factor = Literal["state", "actions", "say", "never_say", "assert", "forbid", "claims"]
FACTORS: tuple[Factor, ...] = ("state", "actions", "say", "never_say", "assert", "forbid", "claims")


class When(Spec):
    """The moment of a line or an event. Exactly one of its keys."""

    start: Flag | None = Field(default=None, description="`true`: the first thing said.")
    asked: Identifier | None = Field(default=None, description="When the agent asks for this fact.")
    after_line: Identifier | None = Field(default=None, description="After this line of the script.")
    after_tool: Identifier | None = Field(default=None, description="After this tool first succeeded.")
    agent_says: tuple[str, ...] | None = Field(
        default=None, strict=False, min_length=1, description="When the agent says one of these."
    )
    at_s: Annotated[Integer | None, Field(ge=0)] = Field(default=None, description="Seconds into the call.")

    @model_validator(mode="after")
    def _exactly_one(self) -> When:
        given = [n for n in type(self).model_fields if getattr(self, n) is not None]
        if len(given) != 1 or self.start is False:
            names = ", ".join(f"`{n}`" for n in type(self).model_fields)
            raise PydanticCustomError(
                "exactly_one", "give exactly one of {names}", {"names": names, "given": given}
            )
        return self


class Fact(Spec):
    """Something that the caller knows."""

    id: Identifier = Field(description="Its name; expressions read `facts.ID`.", examples=["date_of_birth"])
    value: str = Field(min_length=1, description="The value as the world writes it.", examples=["1988-06-13"])
    say: Spoken | None = Field(default=None, description="How the caller says it. Without it: the value.")
    reveal: Literal["opening", "asked", "offered"] = Field(
        default="asked", description="Said in the opening, only when asked, or later of their own accord."
    )
    supersedes: Identifier | None = Field(
        default=None,
        description="The fact that this one takes the place of: the caller was wrong or changed plans.",
    )
    used_by: Distinct[Identifier] = Field(
        default=(),
        strict=False,
        description="Gold actions that rest on this fact without having it as an argument.",
    )
    distractor: Flag = Field(default=False, description="Whether it is part of the story and of no use.")


class DoTool(Spec):
    """What the caller does with their own hands: a tool of the caller's side."""

    tool: Identifier
    arguments: dict[Identifier, Literal_] = Field(default_factory=dict)


class Line(Spec):
    """One thing that the scripted caller says, and when."""

    id: Identifier
    when: When
    say: Spoken = Field(description="The words. `{facts.ID}` stands for how the fact is said.")
    alternatives: tuple[Spoken, ...] = Field(default=(), strict=False, description="Other ways of saying it.")
    tells: Distinct[Identifier] = Field(default=(), strict=False, description="Facts that the words reveal.")
    speaks: Distinct[Identifier] = Field(
        default=(), strict=False, description="Gold actions of the caller's side whose result the words tell."
    )
    does: DoTool | None = Field(default=None, description="A tool that the caller uses while saying it.")
    tag: Literal["N1", "N2", "N3"] | None = Field(
        default=None, description="For speech that is overheard and not meant for the agent."
    )
    hangs_up: Flag = Field(default=False, description="Whether the caller ends the call with it.")


class Event(Spec):
    """Something that happens to the call."""

    id: Identifier
    kind: Literal["correction", "suspension", "distractor", "interruption", "backchannel"]
    when: When
    say: Spoken | None = Field(default=None, description="The words, where the event has some.")
    tells: Distinct[Identifier] = Field(default=(), strict=False, description="Facts that the words reveal.")
    away_s: Annotated[Integer | None, Field(ge=1)] = Field(
        default=None, description="How long the caller is away, for a suspension."
    )
    holds: Distinct[Identifier] = Field(
        default=(),
        strict=False,
        description="Gold actions whose results the agent must keep over a suspension.",
    )

    @model_validator(mode="after")
    def _shape(self) -> Event:
        if self.kind == "suspension" and self.away_s is None:
            raise PydanticCustomError("lacks_partner", "a suspension needs `away_s`", {})
        if self.kind != "suspension" and (self.away_s is not None or self.holds):
            name = "away_s" if self.away_s is not None else "holds"
            raise PydanticCustomError(
                "no_partner",
                "`{name}` belongs to a suspension, not to an event of kind {kind}",
                {"name": name, "kind": self.kind},
            )
        if self.kind in ("correction", "distractor", "interruption", "backchannel") and self.say is None:
            raise PydanticCustomError("say", "an event of kind {kind} needs `say`", {"kind": self.kind})
        return self


class Caller(Spec):
    """The caller: reason, goal, knowledge, script."""

    name: str = Field(min_length=1, description="The caller's name.")
    reason: str = Field(min_length=10, description="Why they call: what they noticed, never the operation.")
    goal: str = Field(min_length=10, description="What they hope for, in their own terms.")
    facts: tuple[Fact, ...] = Field(default=(), strict=False)
    wants: tuple[Expression, ...] = Field(
        default=(), strict=False, description="What must hold of the end state for the caller to be served."
    )
    script: tuple[Line, ...] = Field(
        strict=False, min_length=1, description="The lines of the scripted caller."
    )
    events: tuple[Event, ...] = Field(default=(), strict=False)


class Action(Spec):
    """One call of the reference path."""

    id: Identifier = Field(description="Its name in this file.", examples=["lock"])
    tool: Identifier
    side: Side = Field(default="agent", description="Whose tool it is.")
    arguments: dict[Identifier, Literal_] = Field(default_factory=dict, description="The arguments, by name.")
    required: Flag = Field(
        default=False, description="Whether the run must contain this call (the factor `actions`)."
    )
    compare: Distinct[Identifier] | None = Field(
        default=None,
        strict=False,
        description="The arguments that are compared; all when left out; `[]` compares the tool alone.",
    )
    from_: dict[Identifier, Expression] = Field(
        default_factory=dict,
        alias="from",
        description="How an argument follows from `facts.ID` and `results.ACTION`.",
    )
    fails: Identifier | None = Field(
        default=None, description="The error that this read is meant to meet. A write may not fail."
    )


class Condition_(Spec):
    """A predicate over the end state and the calls that were made."""

    that: Expression
    because: str = Field(min_length=8, description="What it stands for, in words.")


class Slot(Spec):
    """Something typed that the agent says, or must not say."""

    kind: Literal["money", "number", "date", "time", "code", "name", "phrase"]
    value: str = Field(min_length=1, description="The value as the world writes it.")
    about: str | None = Field(default=None, description="What it tells the caller.")


class Forbidden(Spec):
    """A call that must not succeed. Left-out arguments may be anything."""

    tool: Identifier
    arguments: dict[Identifier, Literal_] = Field(default_factory=dict)
    because: str = Field(min_length=8, description="Why it must not happen.")


class Alternate(Spec):
    """Another end state that is right too."""

    because: str = Field(min_length=8, description="Why it is right too.")
    state: dict[str, Any] = Field(description="The difference from the seed, as in `gold.state`.")


class Gold(Spec):
    """The reference path and what counts."""

    actions: tuple[Action, ...] = Field(strict=False, description="One right way, in order.")
    any_order: tuple[Annotated[Distinct[Identifier], Field(min_length=1)], ...] = Field(
        default=(),
        strict=False,
        description="Groups of actions that may come in any order of the groups; inside a group the order stands.",
    )
    state: dict[str, Any] | None = Field(
        default=None,
        description="The end state as the difference from the seed. `duplexkit gold SCENARIO --write` writes it.",
    )
    any_of: tuple[Alternate, ...] = Field(default=(), strict=False, description="Other right end states.")
    assert_: tuple[Condition_, ...] = Field(
        default=(), strict=False, alias="assert", description="Predicates over end state and calls."
    )
    say: tuple[Slot, ...] = Field(default=(), strict=False, description="What the agent must say.")
    never_say: tuple[Slot, ...] = Field(default=(), strict=False, description="What the agent must not say.")
    claims: tuple[str, ...] = Field(default=(), strict=False, description="Statements for a judge.")
    forbid: tuple[Forbidden, ...] = Field(
        default=(), strict=False, description="Calls that must not succeed."
    )
    expects: Literal["no_change"] | None = Field(
        default=None, description="`no_change`: the right end state is the seed."
    )


class Scenario(Spec):
    """A call: one caller and one agent in a world with tools. The end state decides."""

    kind: Literal["scenario"]
    id: Slug
    title: str | None = Field(default=None, description="A line for lists.")
    purpose: str = Field(min_length=10, description="What this call finds out about an agent.")
    tests: Distinct[str] = Field(
        default=(), strict=False, description="Policies of the world that it puts to the test."
    )
    world: Reference
    type: ConversationType
    persona: Reference
    seed: dict[str, Any] = Field(
        default_factory=dict,
        description="What differs from the world's seed: table, key, columns; `null` takes a row away.",
    )
    caller: Caller
    gold: Gold
    reward: tuple[Factor, ...] = Field(
        strict=False, min_length=1, description="The factors that decide, all of which must hold."
    )
    suppress: tuple[Suppression, ...] = Field(default=(), strict=False)


class Requirement(Spec):
    """What must be present in a scenario of a type. Every key that is given is checked."""

    min_writes: Annotated[Integer | None, Field(ge=0)] = Field(
        default=None, description="Least number of gold writes."
    )
    max_writes: Annotated[Integer | None, Field(ge=0)] = Field(
        default=None, description="Largest number of gold writes."
    )
    intents: Annotated[Integer | None, Field(ge=2)] = Field(
        default=None, description="Least number of groups in `any_order`, of which one has an inner order."
    )
    refusal: Flag | None = Field(default=None, description="Something is forbidden, and a clause is tested.")
    matching_rows: Annotated[Integer | None, Field(ge=2)] = Field(
        default=None,
        description="Least number of rows of one table that fit the opening and that an asked fact tells apart.",
    )
    verification: Flag | None = Field(
        default=None,
        description="A tested clause about identity, and a read that fails or a session that is raised.",
    )
    caller_tools: Annotated[Integer | None, Field(ge=1)] = Field(
        default=None, description="Least number of gold actions of the caller's side."
    )
    correction: Flag | None = Field(
        default=None, description="A correction event whose fact supersedes one that gold used before."
    )
    away: Flag | None = Field(default=None, description="A suspension with state to hold.")
    told_facts: Annotated[Integer | None, Field(ge=1)] = Field(
        default=None, description="Least number of facts in the opening that are used."
    )
    distractors: Annotated[Integer | None, Field(ge=1)] = Field(
        default=None, description="Least number of distractor facts."
    )
    closures: Annotated[Integer | None, Field(ge=1)] = Field(
        default=None, description="Least number of closed blocks."
    )
    stops: Annotated[Integer | None, Field(ge=1)] = Field(
        default=None, description="Number of stops of the walk."
    )


class TypeEntry(Spec):
    """One conversation type."""

    id: ConversationType
    title: str = Field(min_length=1)
    definition: str = Field(min_length=20)
    needs: Requirement = Field(default_factory=Requirement)


class Types(Spec):
    """The catalogue of conversation types, with what each needs."""

    kind: Literal["types"]
    id: Slug
    types: tuple[TypeEntry, ...] = Field(strict=False, min_length=1)
