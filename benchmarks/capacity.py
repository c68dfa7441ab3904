"""How many people can how many processes carry? A simulation that first has to find what was measured.

A request passes two stations of its process: the script (one at a time, under Python's lock) and the forward pass (one
worker, up to eight texts at once). The times of both are measured ones (`bench_load`, `benchmarks/README.md`); nothing
is fitted but how much they scatter. Run as ``python -m benchmarks.capacity``; it needs simpy and no model.
"""

from __future__ import annotations

import json
import random
import statistics
from dataclasses import dataclass, replace
from typing import Any

import simpy

SCRIPT_MS = 39.0  # of a rerun under the lock: 55 ms of processor, less the forward pass
FORWARD_MS, EACH_MORE_MS = 16.0, 4.0  # of one text alone, and what each further one of a batch adds
TOGETHER = 8
SCATTER = 1.0  # of the time of the script: its standard deviation, as a share of its mean (pages and texts differ)
BYTES = 57_000  # of an answer
FIRST_VIEW_BYTES = 4_000_000  # Streamlit, its fonts, Plotly and ours, once for each browser
MEASURED = {"thinking": {"p50_ms": 101, "p95_ms": 337}, "at_one_instant": {"last_ms": 1859}}  # benchmarks/README.md
MAY_BE_OFF = 0.4  # of the measured, before anything is told of what was not measured


@dataclass(frozen=True)
class Crowd:
    """How many people ask how many processes, how long each thinks, and for how long that goes on."""

    people: int
    processes: int = 1
    think_seconds: float = 3.0
    seconds: float = 120.0
    at_once: bool = False


class Process:
    """One process: a lock for the script, a worker that takes what waits."""

    def __init__(self, env: simpy.Environment, chance: random.Random) -> None:
        self.env, self.chance = env, chance
        self.lock = simpy.Resource(env, 1)
        self.waiting: list[simpy.Event] = []
        self.wake = env.event()
        env.process(self._work())

    def answer(self):
        """Pass both stations."""
        landed = self.env.event()
        self.waiting.append(landed)
        if not self.wake.triggered:
            self.wake.succeed()
        yield landed
        with self.lock.request() as turn:
            yield turn
            yield self.env.timeout(self.chance.gammavariate(1 / SCATTER**2, SCATTER**2) * SCRIPT_MS / 1e3)

    def _work(self):
        while True:
            if not self.waiting:
                self.wake = self.env.event()
                yield self.wake
            batch, self.waiting = self.waiting[:TOGETHER], self.waiting[TOGETHER:]
            yield self.env.timeout((FORWARD_MS + EACH_MORE_MS * (len(batch) - 1)) / 1e3)
            for landed in batch:
                landed.succeed()


def simulated(crowd: Crowd, seed: int = 0) -> dict[str, float]:
    """Return the waiting of a crowd: p50, p95 and the last, in milliseconds, and how many answers a second."""
    env, chance, waits = simpy.Environment(), random.Random(seed), []
    processes = [Process(env, chance) for _ in range(crowd.processes)]

    def person(number: int):
        while env.now < crowd.seconds:
            if not crowd.at_once:
                yield env.timeout(crowd.think_seconds * (0.5 + chance.random()))
            asked = env.now
            yield env.process(processes[number % crowd.processes].answer())
            waits.append(1e3 * (env.now - asked))
            if crowd.at_once:
                return

    for number in range(crowd.people):
        env.process(person(number))
    env.run(until=crowd.seconds + 60)
    waits.sort()
    return {
        "p50_ms": round(statistics.median(waits)),
        "p95_ms": round(waits[int(0.95 * (len(waits) - 1))]),
        "last_ms": round(waits[-1]),
        "answers_a_second": round(len(waits) / crowd.seconds, 1),
    }


def found_again() -> dict[str, Any]:
    """Return the measured points beside the simulated ones, and whether they are near enough."""
    crowds = {"thinking": Crowd(50), "at_one_instant": Crowd(50, at_once=True)}
    rows: dict[str, Any] = {}
    for name, crowd in crowds.items():
        told = simulated(crowd)
        rows[name] = {key: {"measured": value, "simulated": told[key]} for key, value in MEASURED[name].items()}
    offs = [abs(one["simulated"] / one["measured"] - 1) for row in rows.values() for one in row.values()]
    return {**rows, "furthest_off": round(max(offs), 2), "near_enough": max(offs) <= MAY_BE_OFF}


def most_people(processes: int, p95_ms: float = 500) -> int:
    """Return how many people of three seconds' thinking stay below a p95, to the nearest five."""
    people = 5
    while simulated(replace(Crowd(people + 5), processes=processes, seconds=60))["p95_ms"] <= p95_ms and people < 1000:
        people += 5
    return people


def main() -> None:
    """Print the comparison and, where it holds, what follows."""
    again = found_again()
    rows: dict[str, Any] = {"benchmark": "capacity", "found_again": again}
    if again["near_enough"]:
        carried = {count: most_people(count) for count in (1, 2, 4)}
        views_a_day = 1_000_000
        busiest = views_a_day / 86_400 * 4  # views a second, were the busiest hour four times the mean
        rows |= {
            "people_below_500_ms": carried,
            "a_million_views_a_day": {
                "views_a_second_in_the_busiest_hour": round(busiest, 1),
                "processes_at_ten_reruns_a_view": round(busiest * 10 * SCRIPT_MS / 1e3 / 0.6),
                "gigabytes_a_day": round(views_a_day * (FIRST_VIEW_BYTES + 10 * BYTES) / 1e9),
            },
        }
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
