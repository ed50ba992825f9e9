"""The source model of a world: tables, seed, tools with guards and effects, policies and invariants."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from .base import Distinct, Flag, Slug, Spec
from .column import Column, Identifier, RowSchema
from .scene import Suppression
from .streets import StreetGrid

Regime = Literal["statutory", "contract", "privacy", "institutional", "scope", "spatial"]
"""What decides correctness in a world (DuplexWorld, arXiv 2608.10716, section 3)."""

Side = Literal["agent", "caller"]
Expression = Annotated[
    str,
    Field(
        min_length=1,
        description="An expression in CEL, in double quotes.",
        examples=["cards(args.card_id).status == 'active'"],
    ),
]
Pointer = Annotated[
    str,
    Field(
        pattern=r"^/[^\n]*$",
        description="A JSON Pointer; parts in braces are expressions.",
        examples=["/cards/{args.card_id}/status"],
    ),
]
PolicyId = Annotated[
    str, Field(pattern=r"^[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*$", max_length=40, examples=["CARD-11"])
]
ErrorCode = Annotated[Identifier, Field(description="Code of the error that the caller of the tool gets.")]


class Policy(Spec):
    """One clause of the rules. The agent finds it with `search_policy`; it is not in the brief."""

    id: PolicyId = Field(description="The clause's name.")
    title: str | None = Field(default=None, description="A few words for lists and for the search.")
    text: str = Field(min_length=10, description="The clause, as the agent reads it.")
    spoken: Flag = Field(
        default=False,
        description="Whether the clause is about what is said, so that no guard can enforce it.",
    )


class Table(Spec):
    """A table: rows by key."""

    key: Identifier = Field(description="Name of the key; rows show it as a column.", examples=["card_id"])
    row: RowSchema = Field(description="JSON Schema of a row, without its key.")
    description: str | None = Field(default=None, description="What a row is.")
    references: dict[Identifier, Identifier] = Field(
        default_factory=dict,
        description="Columns that hold a key of another table.",
        examples=[{"owner": "customers"}],
    )
    free_text: Distinct[Identifier] = Field(
        default=(), strict=False, description="Columns of free wording: never compared, never hashed."
    )
    write_once: Distinct[Identifier] = Field(
        default=(), strict=False, description="Columns that cannot be changed once they have a value."
    )
    new_key: str | None = Field(
        default=None,
        description="How keys of new rows are made: `{n}` is the next number, `{n:4}` with four digits.",
        examples=["DSP-{n:4}"],
    )
    graded: Flag = Field(default=True, description="Whether the end state is compared in this table.")


class Guard(Spec):
    """A condition that stops a call with an error. Guards are tried in order."""

    unless: Expression | None = Field(default=None, description="The call is stopped unless this holds.")
    when: Expression | None = Field(default=None, description="The call is stopped when this holds.")
    error: ErrorCode = Field(examples=["not_verified"])
    message: str | None = Field(
        default=None, description="What the one who called the tool is told. Without it: the code in words."
    )
    policy: PolicyId | None = Field(default=None, description="The clause that the guard enforces.")
    because: str | None = Field(
        default=None, min_length=8, description="Why the guard is there, where no clause says so."
    )

    @model_validator(mode="after")
    def _exactly_one(self) -> Guard:
        _one_of(self, "unless", "when")
        _one_of(self, "policy", "because")
        return self


class Effect(Spec):
    """One change of the state. Exactly one of set, insert, remove, append, increment or for_each."""

    set: Pointer | None = Field(default=None, description="Give a column the value of `to`.")
    to: Expression | None = Field(
        default=None, description="The new value; `null` empties a column that may be empty."
    )
    insert: Pointer | None = Field(
        default=None,
        description="Add a row at this key; `{new.TABLE}` is the next key of a table with `new_key`.",
        examples=["/disputes/{new.disputes}"],
    )
    row: dict[Identifier, Expression] | None = Field(default=None, description="The columns of the new row.")
    remove: Pointer | None = Field(default=None, description="Take a row away.")
    append: Pointer | None = Field(default=None, description="Add the value of `value` to a list column.")
    value: Expression | None = Field(default=None, description="The item that `append` adds.")
    increment: Pointer | None = Field(default=None, description="Add `by` to a whole-number column.")
    by: Expression | None = Field(default=None, description="How much `increment` adds; `1` when left out.")
    for_each: Expression | None = Field(
        default=None, description="A list; `effects` happen once for each item."
    )
    as_: Identifier | None = Field(default=None, alias="as", description="The item's name in `effects`.")
    effects: tuple[Effect, ...] | None = Field(
        default=None, strict=False, description="What happens for each item."
    )
    when: Expression | None = Field(default=None, description="The effect happens only when this holds.")

    @model_validator(mode="after")
    def _shape(self) -> Effect:
        verb = _one_of(self, "set", "insert", "remove", "append", "increment", "for_each")
        needs = {
            "set": ("to",),
            "insert": ("row",),
            "append": ("value",),
            "for_each": ("as_", "effects"),
        }.get(verb, ())
        may = {*needs, *(("by",) if verb == "increment" else ())}
        for name in ("to", "row", "value", "by", "as_", "effects"):
            shown = name.rstrip("_")
            if name in needs and getattr(self, name) is None:
                raise PydanticCustomError(
                    "lacks_partner", "`{verb}` needs `{name}`", {"verb": verb, "name": shown}
                )
            if name not in may and getattr(self, name) is not None:
                raise PydanticCustomError(
                    "no_partner", "`{name}` does not belong to `{verb}`", {"verb": verb, "name": shown}
                )
        return self


class ReturnList(Spec):
    """A list in a tool's result."""

    for_each: Expression = Field(description="The list, such as `cards_by_owner(args.customer_id)`.")
    as_: Identifier = Field(alias="as", description="The item's name in `give`.")
    give: dict[Identifier, Expression] = Field(min_length=1, description="What is told of each item.")


class Tool(Spec):
    """A tool: what it takes, what stops it, what it changes, what it tells."""

    name: Identifier = Field(description="Name of the tool.", examples=["lock_card"])
    description: str = Field(min_length=1, description="What the one who may call it reads about it.")
    side: Side = Field(
        default="agent", description="Who has it: the agent, or the caller with their own hands."
    )
    effect: Literal["read", "write"] = Field(description="Whether it changes the state.")
    parameters: dict[Identifier, Column] = Field(
        default_factory=dict, description="JSON Schemas of the arguments, by name."
    )
    optional: Distinct[Identifier] = Field(
        default=(),
        strict=False,
        description="Parameters that may be left out. One with a `default` may be too.",
    )
    guards: tuple[Guard, ...] = Field(default=(), strict=False)
    effects: tuple[Effect, ...] = Field(default=(), strict=False)
    returns: dict[Identifier, Expression | ReturnList] = Field(
        default_factory=dict, description="The result: a value or a list by name, read after the effects."
    )


class Invariant(Spec):
    """What may never come about in a table, whatever is called. Exactly one of never and always."""

    id: Slug = Field(description="Its name in messages.", examples=["blocked-is-final"])
    table: Identifier = Field(description="The table whose changed rows are looked at.")
    never: Expression | None = Field(
        default=None, description="What may not hold of `before`, `after`, `inserted` and `removed`."
    )
    always: Expression | None = Field(default=None, description="What must hold of them.")
    policy: PolicyId | None = Field(default=None, description="The clause that it enforces.")

    @model_validator(mode="after")
    def _exactly_one(self) -> Invariant:
        _one_of(self, "never", "always")
        return self


class World(Spec):
    """A world: everything that a call can be about, and what tools do to it."""

    kind: Literal["world"]
    id: Slug
    title: str = Field(min_length=1, description="A line for lists.")
    regime: Regime = Field(description="What decides correctness.")
    engine: Slug = Field(
        default="tables", description="The dynamics: `tables`, `streets`, or a registered one."
    )
    now: Annotated[
        str,
        Field(
            pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:Z|[+-][0-9]{2}:[0-9]{2})$",
            description="The world's clock. It stands still.",
            examples=["2026-03-02T09:15:00Z"],
        ),
    ]
    brief: str = Field(min_length=20, description="All that the agent under test is told.")
    policies: tuple[Policy, ...] = Field(
        default=(), strict=False, description="Clauses, found by `search_policy`."
    )
    state: dict[Identifier, Table] = Field(default_factory=dict, description="The tables, by name.")
    session: dict[Identifier, Column] = Field(
        default_factory=dict,
        description="Columns of the one ungraded row that lasts for a call, such as who is verified.",
    )
    seed: dict[str, Any] = Field(
        default_factory=dict,
        description="The rows before any call: table, key, row.",
        examples=[{"cards": {"CRD-7731": {"owner": "C-104", "status": "active"}}}],
    )
    tools: tuple[Tool, ...] = Field(default=(), strict=False)
    invariants: tuple[Invariant, ...] = Field(default=(), strict=False)
    streets: StreetGrid | None = Field(default=None, description="The city of the engine `streets`.")
    suppress: tuple[Suppression, ...] = Field(default=(), strict=False)


def _one_of(model: Spec, *names: str) -> str:
    given = [n for n in names if getattr(model, n) is not None]
    if len(given) != 1:
        raise PydanticCustomError(
            "exactly_one",
            "give exactly one of {names}",
            {"names": ", ".join(f"`{n.rstrip('_')}`" for n in names), "given": given},
        )
    return given[0]
