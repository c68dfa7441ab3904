"""How many people can how many processes carry? A simulation that first has to find what was measured.

A request passes two stations of its process: the script (one at a time, under Python's lock) and the forward pass (one
worker, up to eight texts at once). The times of both are measured ones (`bench_load`, `benchmarks/README.md`); nothing
is fitted but how much they scatter. Run as ``python -m benchmarks.capacity [FILE]``, FILE what `bench_load` printed on
the machine that is asked about; it needs simpy and no model.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import simpy

FORWARD_MS, EACH_MORE_MS = 16.0, 4.0  # of one text alone, and what each further one of a batch adds
IN_A_CROWD_MS = 8.0  # of one text where several wait: a batch of two or three
TOGETHER = 8
SCATTER = 0.5  # of the time of the script: its standard deviation, as a share of its mean (pages and texts differ)
FIRST_VIEW_BYTES = 4_000_000  # Streamlit, its fonts, Plotly and ours, once for each browser
MAY_BE_OFF = 0.4  # of the measured, before anything is told of what was not measured
# What `bench_load` measured last on an idle machine: processor and bytes of an answer, and how long people waited.
MEASURED: dict[str, dict[str, float]] = {
    "twenty_thinking": {"p50_ms": 104, "p95_ms": 219},
    "fifty_thinking": {"p50_ms": 362, "p95_ms": 689, "cpu_ms_each": 68.4, "bytes_each": 55_069},
    "fifty_closed_loop": {"p50_ms": 2_574, "p95_ms": 4_910},
    "fifty_at_one_instant": {"p50_ms": 2_528, "last_ms": 3_563},
}
WAITS = ("p50_ms", "p95_ms", "last_ms")


@dataclass(frozen=True)
class Crowd:
    """How many people ask how many processes, how long each thinks, and for how long that goes on.

    ``script_ms`` is a rerun under the lock: its processor time, less the forward pass.
    """

    people: int
    script_ms: float
    processes: int = 1
    think_seconds: float = 3.0
    seconds: float = 120.0
    at_once: bool = False


class Process:
    """One process: a lock for the script, a worker that takes what waits."""

    def __init__(self, env: simpy.Environment, chance: random.Random, script_ms: float) -> None:
        self.env, self.chance, self.script_ms = env, chance, script_ms
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
            yield self.env.timeout(self.chance.gammavariate(1 / SCATTER**2, SCATTER**2) * self.script_ms / 1e3)

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
    processes = [Process(env, chance, crowd.script_ms) for _ in range(crowd.processes)]

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


def script_ms(measured: dict[str, dict[str, float]]) -> float:
    """Return how long the script of a rerun holds the lock, by what was measured."""
    return measured["fifty_thinking"]["cpu_ms_each"] - IN_A_CROWD_MS


def found_again(measured: dict[str, dict[str, float]]) -> dict[str, Any]:
    """Return the measured points beside the simulated ones, and whether they are near enough."""
    script = script_ms(measured)
    crowds = {
        "twenty_thinking": Crowd(20, script),
        "fifty_thinking": Crowd(50, script),
        "fifty_closed_loop": Crowd(50, script, think_seconds=0.0, seconds=30.0),
        "fifty_at_one_instant": Crowd(50, script, at_once=True),
    }
    rows: dict[str, Any] = {}
    for name, crowd in crowds.items():
        told, known = simulated(crowd), measured[name]
        rows[name] = {
            key: {"measured": known[key], "simulated": told[key]}
            for key in WAITS
            if key in known and not (crowd.at_once and key == "p95_ms")
        }
    offs = [abs(one["simulated"] / one["measured"] - 1) for row in rows.values() for one in row.values()]
    return {**rows, "furthest_off": round(max(offs), 2), "near_enough": max(offs) <= MAY_BE_OFF}


def most_people(processes: int, script: float, p95_ms: float = 500) -> int:
    """Return how many people of three seconds' thinking stay below a p95, to the nearest five."""
    people = 5
    while simulated(Crowd(people + 5, script, processes, seconds=60))["p95_ms"] <= p95_ms and people < 1000:
        people += 5
    return people


def main() -> None:
    """Print the comparison and, where it holds, what follows."""
    measured = MEASURED
    if sys.argv[1:]:
        measured = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["several"]
    again = found_again(measured)
    script, bytes_each = script_ms(measured), measured["fifty_thinking"]["bytes_each"]
    rows: dict[str, Any] = {"benchmark": "capacity", "script_ms": round(script, 1), "found_again": again}
    if again["near_enough"]:
        views_a_day = 1_000_000
        busiest = views_a_day / 86_400 * 4  # views a second, were the busiest hour four times the mean
        rows |= {
            "people_below_500_ms": {count: most_people(count, script) for count in (1, 2, 4)},
            "a_million_views_a_day": {
                "views_a_second_in_the_busiest_hour": round(busiest, 1),
                "processes_at_ten_reruns_a_view": round(busiest * 10 * script / 1e3 / 0.6),
                "gigabytes_a_day": round(views_a_day * (FIRST_VIEW_BYTES + 10 * bytes_each) / 1e9),
            },
        }
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
