"""Replays: how many times a second a scenario's gold is replayed and its end state hashed, on one core.

The world is a shop of orders, made from a seed: 2.8 MB of rows (the size of a published retail world), and 0.1, 1
and 10 MB to show that untouched rows cost nothing. The scenario has three reads and three writes in the largest
table, each with two guards and two results; arguments are validated, invariants hold, reads are proven pure by
hashing, and nothing is kept from one replay to the next. Then the share of each step is measured alone.

Ends with one line of JSON: replays_per_s (at 2.8 MB), seed_mb, flat (slowest over fastest size), by_mb, step_us, and
tau2_tasks_per_s with ratio where the peer is installed (`tools/peers/tau2.sh`), else null.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from duplexkit.harness.world.calls import CallScenario, load_call, replay
from duplexkit.harness.world.loading import load_world
from duplexkit.schemas.parse import parse
from duplexkit.schemas.scenario import Scenario
from duplexkit.schemas.source import load_text
from duplexkit.schemas.world import World

ROOT = Path(__file__).resolve().parents[1]
PEER = ROOT / "build" / "peers" / "tau2" / "bin" / "python"
SIZES_MB = (0.1, 1.0, 2.8, 10.0)

WORLD = """
kind: world
id: shop
title: Orders of a shop
regime: contract
now: "2026-03-02T09:15:00Z"
brief: You answer the phone of a shop that sells by post.
policies:
  - {id: SHOP-1, text: "Orders are told and changed only for the customer who placed them."}
  - {id: SHOP-2, text: "A delivered order is not changed."}
state:
  customers:
    key: customer_id
    row:
      required: [name, postcode]
      properties: {name: {type: string}, postcode: {type: string, pattern: "^[0-9]{5}$"}}
  orders:
    key: order_id
    references: {customer: customers}
    free_text: [note]
    row:
      required: [customer, status, total]
      properties:
        customer: {type: string}
        status: {type: string, enum: [pending, sent, delivered, cancelled]}
        total: {type: string, format: money}
        address: {type: string, maxLength: 200}
        items: {type: array, items: {type: string}}
        note: {type: string}
session:
  customer: {type: [string, "null"]}
tools:
  - name: find_customer
    description: Finds a customer by number and postcode.
    effect: read
    parameters: {customer_id: {type: string, pattern: "^C-[0-9]+$"}, postcode: {type: string, pattern: "^[0-9]{5}$"}}
    guards:
      - {unless: "has_customers(args.customer_id)", error: not_found, because: "There is nobody of that number."}
      - {unless: "customers(args.customer_id).postcode == args.postcode", error: not_verified, policy: SHOP-1}
    returns: {name: "customers(args.customer_id).name", orders: "size(orders_by_customer(args.customer_id))"}
  - name: list_orders
    description: Lists the orders of a customer.
    effect: read
    parameters: {customer_id: {type: string, pattern: "^C-[0-9]+$"}}
    guards:
      - {unless: "has_customers(args.customer_id)", error: not_found, because: "There is nobody of that number."}
      - {when: "size(orders_by_customer(args.customer_id)) == 0", error: no_orders, because: "There is nothing to list."}
    returns:
      count: "size(orders_by_customer(args.customer_id))"
      orders:
        for_each: "orders_by_customer(args.customer_id)"
        as: order
        give: {order_id: "order.order_id", status: "order.status", total: "order.total"}
  - name: show_order
    description: Shows an order.
    effect: read
    parameters: {order_id: {type: string, pattern: "^W-[0-9]+$"}}
    guards:
      - {unless: "has_orders(args.order_id)", error: not_found, because: "There is no such order."}
      - {when: "orders(args.order_id).status == 'cancelled'", error: gone, because: "Cancelled orders are closed."}
    returns: {status: "orders(args.order_id).status", total: "orders(args.order_id).total"}
  - name: change_address
    description: Sends an order to another address.
    effect: write
    parameters: {order_id: {type: string, pattern: "^W-[0-9]+$"}, address: {type: string, maxLength: 200}}
    guards:
      - {unless: "has_orders(args.order_id)", error: not_found, because: "There is no such order."}
      - {when: "orders(args.order_id).status == 'delivered'", error: delivered, policy: SHOP-2}
    effects:
      - {set: "/orders/{args.order_id}/address", to: "args.address"}
    returns: {order_id: "args.order_id", address: "orders(args.order_id).address"}
  - name: lower_price
    description: Takes a percentage off an order.
    effect: write
    parameters: {order_id: {type: string, pattern: "^W-[0-9]+$"}, percent: {type: string, format: decimal}}
    guards:
      - {unless: "has_orders(args.order_id)", error: not_found, because: "There is no such order."}
      - {when: "orders(args.order_id).status == 'delivered'", error: delivered, policy: SHOP-2}
    effects:
      - set: "/orders/{args.order_id}/total"
        to: "money.sub(orders(args.order_id).total, money.percent(orders(args.order_id).total, args.percent))"
    returns: {order_id: "args.order_id", total: "orders(args.order_id).total"}
  - name: cancel_order
    description: Cancels an order.
    effect: write
    parameters: {order_id: {type: string, pattern: "^W-[0-9]+$"}, note: {type: string}}
    guards:
      - {unless: "has_orders(args.order_id)", error: not_found, because: "There is no such order."}
      - {unless: "orders(args.order_id).status == 'pending'", error: too_late, policy: SHOP-2}
    effects:
      - {set: "/orders/{args.order_id}/status", to: "'cancelled'"}
      - {set: "/orders/{args.order_id}/note", to: "args.note"}
    returns: {order_id: "args.order_id", status: "orders(args.order_id).status"}
invariants:
  - {id: delivered-stays, table: orders, never: "before.status == 'delivered' && after.status != 'delivered'", policy: SHOP-2}
  - {id: never-negative, table: orders, never: "money.less(after.total, '0.00')"}
"""

SCENARIO = """
kind: scenario
id: shop-call
purpose: What is measured is the replay of this gold.
world: shop
type: multi_intent
persona: nobody
caller:
  name: Ana
  reason: "Something about my orders is not right."
  goal: "Have the orders put right."
  script: [{id: opening, when: {start: true}, say: "Hello."}]
gold:
  actions:
    - {id: find, tool: find_customer, arguments: {customer_id: C-7, postcode: "10007"}}
    - {id: list, tool: list_orders, arguments: {customer_id: C-7}}
    - {id: show, tool: show_order, arguments: {order_id: W-21}}
    - {id: move, tool: change_address, arguments: {order_id: W-21, address: 12 Mill Lane}}
    - {id: lower, tool: lower_price, arguments: {order_id: W-22, percent: "12.5"}}
    - {id: cancel, tool: cancel_order, arguments: {order_id: W-23, note: ordered twice}}
reward: [state]
"""


def seed_of(size_mb: float, draw: random.Random) -> tuple[dict[str, Any], float]:
    """Rows of about this size as JSON, and their exact size in MB: three orders a customer."""
    words = "lamp kettle chair rope basket mirror clock ladder blanket teapot drawer bottle".split()
    customers: dict[str, Any] = {}
    orders: dict[str, Any] = {}
    size = 0
    while size < size_mb * 1e6:
        number = len(customers)
        customers[f"C-{number}"] = {"name": f"Customer {number}", "postcode": f"{10000 + number % 90000}"}
        for n in range(number * 3, number * 3 + 3):
            row = {
                "customer": f"C-{number}",
                "status": "pending" if number == 7 else draw.choice(["pending", "sent", "delivered"]),
                "total": f"{draw.randrange(500, 90000) / 100:.2f}",
                "address": f"{draw.randrange(1, 300)} {draw.choice(words).title()} Street, Town {draw.randrange(99)}",
                "items": [
                    f"{draw.choice(words)}-{draw.randrange(10**6)}" for _ in range(draw.randrange(1, 6))
                ],
            }
            orders[f"W-{n}"] = row
            size += len(json.dumps(row)) + 10
    seed = {"customers": customers, "orders": orders}
    return seed, len(json.dumps(seed)) / 1e6


def scenario_in(size_mb: float) -> tuple[CallScenario, float, float]:
    """The call in a world of this size, the world's exact size, and the seconds that loading took."""
    seed, exact_mb = seed_of(size_mb, random.Random(f"shop-{size_mb}"))
    source = json.dumps({**yaml.safe_load(WORLD), "seed": seed})
    began = time.perf_counter()
    (document,), findings = load_text(source, "world.json")
    world, shape = parse(document)
    assert isinstance(world, World) and not findings and not shape, (findings, shape)
    runtime, problems = load_world(document, world)
    assert runtime is not None and not problems, problems[:3]
    loaded_s = time.perf_counter() - began
    (document,), _ = load_text(SCENARIO, "call.yaml")
    scenario, shape = parse(document)
    assert isinstance(scenario, Scenario), shape
    call, problems = load_call(document, scenario, runtime)
    assert call is not None and not problems, problems
    return call, exact_mb, loaded_s


def once(call: CallScenario) -> str:
    """One replay with the hash of its end state."""
    done = replay(call)
    assert not done.failures()
    return done.digest


def per_second(work: Callable[[], object], budget_s: float) -> float:
    """How often a second some work is done: the median of seven rounds after one that is thrown away."""
    began, count = time.perf_counter(), 0
    while time.perf_counter() - began < budget_s / 8:
        work()
        count += 1
    rates = []
    for _ in range(7):
        began = time.perf_counter()
        for _ in range(count):
            work()
        rates.append(count / (time.perf_counter() - began))
    return median(rates)


def steps(call: CallScenario, budget_s: float) -> dict[str, float]:
    """Microseconds of each part of a replay, each measured alone."""
    runtime, made = call.runtime, {s.action.id: s for s in call.steps}

    def called(name: str) -> Callable[[], object]:
        step = made[name]

        def work() -> object:
            view = call.start()
            return runtime.call(view, step.action.tool, step.arguments, step.action.side)

        return work

    end = replay(call).end
    start_us = 1e6 / per_second(call.start, budget_s)
    found = {"start": start_us}
    for name in made:
        found[f"call_{name}"] = 1e6 / per_second(called(name), budget_s) - start_us
    tool = runtime.tools["change_address"]
    found["validate_arguments"] = 1e6 / per_second(lambda: tool.arguments(made["move"].arguments), budget_s)
    found["hash_untouched"] = 1e6 / per_second(lambda: call.start().digest(), budget_s) - start_us
    found["hash_end_again"] = 1e6 / per_second(end.digest, budget_s)
    return {name: round(us, 1) for name, us in found.items()}


def tau2_rate(small: bool) -> float | None:
    """Gold replays a second of the peer's retail tasks, each in a fresh environment as its evaluator makes it."""
    if not PEER.exists():
        return None
    script = ROOT / "benchmarks" / "peers" / "tau2_replay.py"
    done = subprocess.run(
        [str(PEER), str(script), "8" if small else "40"], capture_output=True, text=True, check=True
    )
    return float(json.loads(done.stdout.splitlines()[-1])["tasks_per_s"])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help="shorter rounds, and no 10 MB world")
    small = parser.parse_args().small
    budget_s = 0.8 if small else 4.0
    rates, exact, step_us = {}, {}, {}
    for size in SIZES_MB[:3] if small else SIZES_MB:
        call, exact[size], loaded_s = scenario_in(size)
        first, again = once(call), once(call)
        assert first == again, "two replays give two hashes"
        rates[size] = per_second(lambda c=call: once(c), budget_s)  # type: ignore[misc]
        print(f"{exact[size]:6.2f} MB: {rates[size]:8.0f} replays a second; loading took {loaded_s:.2f} s")
        if size == 2.8:
            step_us = steps(call, budget_s / 4)
    for name, us in step_us.items():
        print(f"    {name:24} {us:8.1f} us")
    theirs = tau2_rate(small)
    print(
        json.dumps(
            {
                "replays_per_s": round(rates[2.8]),
                "seed_mb": round(exact[2.8], 2),
                "flat": round(max(rates.values()) / min(rates.values()), 2),
                "by_mb": {str(round(exact[s], 2)): round(r) for s, r in rates.items()},
                "step_us": step_us,
                "tau2_tasks_per_s": theirs,
                "ratio": None if theirs is None else round(rates[2.8] / theirs, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
