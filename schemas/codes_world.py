"""The codes of composition (DK110 to DK115) and of worlds (DK301 to DK327)."""

from __future__ import annotations

from .code import Code

COMPOSE_CODES = (
    Code(
        "DK110",
        "An included file cannot be read",
        "`!include` puts the one document of a file, named from here with forward slashes, in its place.",
        "policies: !include policy.yaml",
        "policies: !include policies.yaml",
    ),
    Code(
        "DK111",
        "A circle of includes or bases",
        "Two documents that begin from each other have no beginning.",
        "id: one\nextends: one",
        "id: one\nextends: base",
    ),
    Code(
        "DK112",
        "There is no document to extend",
        "`extends` names a document of the same kind by its id, its file, or FILE#ID.",
        "extends: bsae",
        "extends: base",
    ),
    Code(
        "DK113",
        "A table of variants is wrong",
        "Each row has an id of its own and the same cells as the others, and each `${cell}` is one of them.",
        "variants:\n  - {day: Monday}",
        "variants:\n  - {id: monday, day: Monday}",
    ),
    Code(
        "DK114",
        "A cell of a variant is used nowhere",
        "The rows would differ in name only.",
        'variants:\n  - {id: monday, day: Monday}\ntitle: "A call"',
        'variants:\n  - {id: monday, day: Monday}\ntitle: "A call on ${day}"',
    ),
    Code(
        "DK115",
        "Defaults are not where they belong",
        "A document of nothing but `defaults:` is the ground of those behind it in the file.",
        "defaults: {kind: persona}\nid: calm",
        "defaults: {kind: persona}\n---\nid: calm",
    ),
)

WORLD_CODES = (
    Code(
        "DK301",
        "An expression is wrong",
        "Expressions are typed. What does not compile now would fail in the middle of a call.",
        "invariants:\n  - {id: returned-is-final, table: rentals, never: \"before.stauts == 'returned'\", policy: RENT-2}",
        "invariants:\n  - {id: returned-is-final, table: rentals, never: \"before.status == 'returned' && "
        "after.status != 'returned'\", policy: RENT-2}",
    ),
    Code(
        "DK302",
        "A value does not fit its column",
        "A row that breaks its own schema makes every result that shows it wrong.",
        'seed: {rentals: {B-31: {price: "24"}}}',
        'seed: {rentals: {B-31: {price: "24.00"}}}',
    ),
    Code(
        "DK303",
        "A reference leads nowhere",
        "A column that holds keys of another table names a row that is there, in the seed and after a patch.",
        "seed: {rentals: {B-31: {rider: R-9}}}",
        "seed: {rentals: {B-31: {rider: R-1}}}",
    ),
    Code(
        "DK304",
        "No such table or column",
        "A pointer, a reference or a row names something that the world does not declare.",
        "seed: {rentals: {B-31: {colour: red}}}",
        "seed: {rentals: {B-31: {note: red}}}",
    ),
    Code(
        "DK305",
        "A comparison that cannot mean what it says",
        "Money and decimals are text, which `<` compares letter by letter; a word that a column never has is never equal.",
        "invariants:\n  - {id: cheap, table: rentals, always: \"after.price <= '900.00'\", policy: RENT-2}",
        "invariants:\n  - {id: cheap, table: rentals, always: \"money.at_most(after.price, '900.00')\", policy: RENT-2}",
    ),
    Code(
        "DK306",
        "A change that always fails",
        "A column in `write_once` keeps its first value, and one in `required` has it from the beginning.",
        "state: {rentals: {write_once: [due], row: {required: [rider, bike, status, price, due]}}}\n"
        "seed: {rentals: {B-32: {due: 2026-02-01}}}",
        "state: {rentals: {write_once: [note]}}",
    ),
    Code(
        "DK307",
        "A row is read before it is known to be there",
        "Agents call tools with keys that do not exist. Without a guard the call ends as `internal`, which tells them nothing.",
        "tools:\n  - name: show_rental\n    description: Shows a rental.\n    effect: read\n"
        '    parameters: {rental_id: {type: string}}\n    returns: {status: "rentals(args.rental_id).status"}',
        "tools:\n  - name: show_rental\n    description: Shows a rental.\n    effect: read\n"
        "    parameters: {rental_id: {type: string}}\n    guards:\n"
        '      - {unless: "has_rentals(args.rental_id)", error: not_found, because: There is nothing to show.}\n'
        '    returns: {status: "rentals(args.rental_id).status"}',
    ),
    Code(
        "DK308",
        "The schema of a column is wrong",
        "Types are a part of JSON Schema. Patterns are for the whole text, bounds leave room for a value.",
        'state: {riders: {row: {properties: {phone: {pattern: "[0-9]{10}"}}}}}',
        'state: {riders: {row: {properties: {phone: {pattern: "^[0-9]{10}$"}}}}}',
    ),
    Code(
        "DK314",
        "There is no such engine",
        "`tables` and `streets` are built in; an installed package can register others.",
        "engine: table",
        "engine: tables",
    ),
    Code(
        "DK315",
        "The name is taken",
        "Expressions have names of their own, and a key is shown as a column already.",
        "state: {riders: {row: {properties: {rider_id: {type: string}}}}}",
        "state: {riders: {row: {properties: {name: {type: string}}}}}",
    ),
    Code(
        "DK316",
        "Streets in a world of records",
        "A grid has no use without the engine that walks it.",
        "streets: {avenues: [1st, 2nd], streets: [A, B], block_m: {along_avenue: 80, along_street: 200}}",
        "engine: tables",
    ),
    Code(
        "DK317",
        "The city does not have this",
        "A missing block, a place or a closed arm names a junction that the grid does not have.",
        "streets: {missing: [seg_n_7_1__n_8_1]}",
        "streets: {missing: [seg_n_0_1__n_1_1]}",
    ),
    Code(
        "DK318",
        "A walker's world without a city",
        "The engine `streets` needs the section `streets:`.",
        "engine: streets",
        "engine: tables",
    ),
    Code(
        "DK320",
        "Nothing enforces a clause",
        "An agent that breaks it would be counted as right. A guard or an invariant names the clause that it enforces.",
        'policies:\n  - {id: RENT-3, title: Returns, text: "A bike is returned at the dock that it came from."}',
        'policies:\n  - {id: RENT-3, title: Tone, text: "The rider is told the price before the change.", spoken: true}',
        suppressible=True,
    ),
    Code(
        "DK321",
        "Nothing uses it",
        "A table that no tool reaches, a session column that nothing reads, or a parameter without effect looks as if "
        "it mattered.",
        "session: {level: {type: string, enum: [none, full], default: none}}",
        'session: {rider: {type: [string, "null"]}}',
        suppressible=True,
    ),
    Code(
        "DK322",
        "The text gives the answer away",
        "Records, clauses and descriptions are read by the agent. A verdict in them makes the call a reading test.",
        'seed: {rentals: {B-31: {note: "Distractor, the agent should not pick it"}}}',
        'seed: {rentals: {B-31: {note: "Left pedal squeaks"}}}',
        suppressible=True,
    ),
    Code(
        "DK323",
        "A row breaks an invariant",
        "What may never come about is there before the first call.",
        "invariants:\n  - {id: no-returns, table: rentals, never: \"after.status == 'returned'\", policy: RENT-2}",
        "invariants:\n  - {id: no-loss, table: rentals, never: \"after.price == '0.00'\", policy: RENT-2}",
    ),
    Code(
        "DK324",
        "Effects and `effect` disagree",
        "A read changes nothing; a write that changes nothing is a read. Harnesses and proofs rely on it.",
        "tools:\n  - {name: list_rentals, effect: write}",
        "tools:\n  - {name: list_rentals, effect: read}",
    ),
    Code(
        "DK325",
        "A name stands twice",
        "Tools, clauses and invariants are named by others, who would mean either.",
        'policies:\n  - {id: RENT-1, text: "A rental is changed only for its rider."}\n'
        '  - {id: RENT-1, text: "A rental is changed once a day."}',
        'policies:\n  - {id: RENT-1, text: "A rental is changed only for its rider."}',
    ),
    Code(
        "DK326",
        "There is no such clause",
        "A guard, an invariant or a brief that names a clause means one of `policies`.",
        "invariants:\n  - {id: returned-is-final, table: rentals, never: \"before.status == 'returned' && "
        "after.status != 'returned'\", policy: RENT-7}",
        "invariants:\n  - {id: returned-is-final, table: rentals, never: \"before.status == 'returned' && "
        "after.status != 'returned'\", policy: RENT-2}",
    ),
    Code(
        "DK327",
        "`optional` names no parameter",
        "The parameter that was meant stays required.",
        "tools:\n  - {name: extend_rental, optional: [note, notes]}",
        "tools:\n  - {name: extend_rental, optional: [note]}",
    ),
)
