"""How many people can how many processes carry? A simulation that first has to find what was measured.

A request passes two stations of its process: the script (one at a time, under Python's lock) and the forward pass (one
worker, up to eight texts at once). The times of both are measured ones; nothing is fitted but how much they scatter.
`MEASURED` is the one table of what was measured: whoever measures anew changes it, and lets
``python -m benchmarks.capacity --write`` put what follows into docs/deploy.md. ``python -m benchmarks.capacity FILE``
prints the same for what `bench_load` printed on another machine. It needs simpy and no model.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import simpy

from benchmarks.command import answer
from mha.assets import BESIDE as ROOT

# On one idle machine of two cores: what `bench_load` says of several, `bench_record` of passes, `bench_first_view` of
# bytes.
MEASURED: dict[str, dict[str, float]] = {
    "twenty_thinking": {"p50_ms": 40, "p95_ms": 89},
    "fifty_thinking": {"p50_ms": 59, "p95_ms": 193, "cpu_ms_each": 38.2, "bytes_each": 17_669},
    "fifty_closed_loop": {"p50_ms": 1_534, "p95_ms": 1_676},
    "fifty_at_one_instant": {"p50_ms": 774, "last_ms": 1_404},
    "forward_pass": {"alone_ms": 12, "each_more_ms": 4, "in_a_crowd_ms": 8},  # the last: of two or three at once, each
    "first_view": {"bytes": 1_168_000, "ours": 265_000},  # once for each browser
}
TOGETHER = 8
SCATTER = 0.5  # of the time of the script: its standard deviation, as a share of its mean (pages and texts differ)
MAY_BE_OFF = 0.4  # of the measured, before anything is told of what was not measured
MOST_MS = 500  # what people may wait at most, nineteen of twenty of them
PROCESSES = (1, 2, 4)
VIEWS_A_DAY, RERUNS_A_VIEW, BUSIEST = 1_000_000, 10, 4  # the last: the busiest hour, in means
AT_WORK = 0.6  # of a process's time, where people are still answered at once
DEPLOY, BEGIN, END = ROOT / "docs" / "deploy.md", "<!-- capacity -->\n", "<!-- end -->"


@dataclass(frozen=True)
class Crowd:
    """How many people ask how many processes, how long each thinks, and for how long that goes on.

    ``script_ms`` is a rerun under the lock: its processor time, less the forward pass. ``forward_pass`` has the
    milliseconds of one text alone, and what each further one of a batch adds.
    """

    people: int
    script_ms: float
    forward_pass: tuple[float, float]
    processes: int = 1
    think_seconds: float = 3.0
    seconds: float = 120.0
    at_once: bool = False


class Process:
    """One process: a lock for the script, a worker that takes what waits."""

    def __init__(self, env: simpy.Environment, chance: random.Random, crowd: Crowd) -> None:
        self.env, self.chance, self.crowd = env, chance, crowd
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
            yield self.env.timeout(self.chance.gammavariate(1 / SCATTER**2, SCATTER**2) * self.crowd.script_ms / 1e3)

    def _work(self):
        while True:
            if not self.waiting:
                self.wake = self.env.event()
                yield self.wake
            batch, self.waiting = self.waiting[:TOGETHER], self.waiting[TOGETHER:]
            alone, each_more = self.crowd.forward_pass
            yield self.env.timeout((alone + each_more * (len(batch) - 1)) / 1e3)
            for landed in batch:
                landed.succeed()


def simulated(crowd: Crowd, seed: int = 0) -> dict[str, float]:
    """Return the waiting of a crowd: p50, p95 and the last, in milliseconds, and how many answers a second."""
    env, chance, waits = simpy.Environment(), random.Random(seed), []
    processes = [Process(env, chance, crowd) for _ in range(crowd.processes)]

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


def stations(measured: dict[str, dict[str, float]]) -> tuple[float, tuple[float, float]]:
    """Return the times of both: how long the script of a rerun holds the lock, and a forward pass as `Crowd` has it."""
    one = measured["forward_pass"]
    return measured["fifty_thinking"]["cpu_ms_each"] - one["in_a_crowd_ms"], (one["alone_ms"], one["each_more_ms"])


def found_again(measured: dict[str, dict[str, float]]) -> dict[str, Any]:
    """Return the measured points beside the simulated ones, and whether they are near enough."""
    times = stations(measured)
    crowds = {
        "twenty_thinking": Crowd(20, *times),
        "fifty_thinking": Crowd(50, *times),
        "fifty_closed_loop": Crowd(50, *times, think_seconds=0.0, seconds=30.0),
        "fifty_at_one_instant": Crowd(50, *times, at_once=True),
    }
    rows: dict[str, Any] = {}
    for name, crowd in crowds.items():
        told, known = simulated(crowd), measured[name]
        rows[name] = {
            key: {"measured": known[key], "simulated": told[key]}
            for key in ("p50_ms", "last_ms" if crowd.at_once else "p95_ms")
            if key in known
        }
    offs = [abs(one["simulated"] / one["measured"] - 1) for row in rows.values() for one in row.values()]
    return {**rows, "points": len(offs), "furthest_off": round(max(offs), 2), "near_enough": max(offs) <= MAY_BE_OFF}


def most_people(processes: int, measured: dict[str, dict[str, float]]) -> int:
    """Return how many people of three seconds' thinking wait no longer than they may, to the nearest five."""
    people, times = 5, stations(measured)
    while people < 1000:
        if simulated(Crowd(people + 5, *times, processes, seconds=60))["p95_ms"] > MOST_MS:
            break
        people += 5
    return people


def reckoned(measured: dict[str, dict[str, float]]) -> dict[str, Any]:
    """Return the comparison and, where it holds, what follows."""
    again, (script, _) = found_again(measured), stations(measured)
    rows: dict[str, Any] = {"script_ms": round(script, 1), "found_again": again}
    if not again["near_enough"]:
        return rows
    a_second = VIEWS_A_DAY / 86_400 * BUSIEST
    bytes_a_view = measured["first_view"]["bytes"] + RERUNS_A_VIEW * measured["fifty_thinking"]["bytes_each"]
    return rows | {
        "people": {processes: most_people(processes, measured) for processes in PROCESSES},
        "views_a_second_in_the_busiest_hour": round(a_second),
        "processes": round(a_second * RERUNS_A_VIEW * script / 1e3 / AT_WORK),
        "terabytes_a_day": round(VIEWS_A_DAY * bytes_a_view / 1e12, 1),
        "gigabytes_a_thousand_views": round(1e3 * bytes_a_view / 1e9, 1),
        "core_seconds_a_thousand_views": round(RERUNS_A_VIEW * measured["fifty_thinking"]["cpu_ms_each"]),
    }


def told(measured: dict[str, dict[str, float]]) -> str:
    """Return what docs/deploy.md says of it."""
    rows, fifty, first = reckoned(measured), measured["fifty_thinking"], measured["first_view"]
    again = rows["found_again"]
    off = f"{again['furthest_off']:.0%}".replace("%", " %")
    text = (
        f"Two cores need {fifty['cpu_ms_each']:.0f} ms of processor and {fifty['bytes_each'] / 1e3:.0f} kB a rerun "
        f"with fifty people at once (`benchmarks/README.md`); a browser loads {first['bytes'] / 1e6:.1f} MB once, of "
        f"which {first['ours'] / 1e6:.1f} MB are ours. A simulation of one process with these times reproduces "
        f"{again['points']} measured numbers within {off}"
    )
    if not again["near_enough"]:
        return f"{text}: too far to reckon with.\n"
    one, two, four = rows["people"].values()
    seconds = rows["core_seconds_a_thousand_views"]
    cells = {
        f"people who pause 3 s between clicks, 95 % of reruns done within {MOST_MS} ms": (
            f"{one} with one process, {two} with two, {four} with four; a process uses slightly more than one core"
        ),
        f"a million views a day, {RERUNS_A_VIEW} reruns each, busiest hour {BUSIEST} times the mean": (
            f"{rows['views_a_second_in_the_busiest_hour']} views a second, about {rows['processes']} processes, "
            f"{rows['terabytes_a_day']} TB of traffic a day without a cache before them"
        ),
        "a thousand views": (
            f"{1000 * RERUNS_A_VIEW:,} reruns, {seconds} s of one core ({seconds / 3600:.2f} core-hours), "
            f"{rows['gigabytes_a_thousand_views']} GB"
        ),
    }
    table = "".join(f"| {name} | {cell} |\n" for name, cell in cells.items())
    file = (
        "`python -m benchmarks.capacity FILE` repeats this with the numbers that `bench_load` prints on your machine."
    )
    return f"{text}. Its estimates:\n\n| | |\n|---|---|\n{table}\n{file}\n"


def written(document: str) -> str:
    """Return a document with its part about capacity as it is now."""
    before, rest = document.split(BEGIN)
    return f"{before}{BEGIN}{told(MEASURED)}{END}{rest.partition(END)[2]}"


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("file", nargs="?", type=Path, metavar="FILE", help="what `bench_load` printed")
    found.add_argument("--write", action="store_true", help="write it into docs/deploy.md")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the comparison and what follows, and write it where that is asked for."""
    if chosen.write:
        DEPLOY.write_text(written(DEPLOY.read_text(encoding="utf-8")), encoding="utf-8")
    several = json.loads(chosen.file.read_text(encoding="utf-8"))["several"] if chosen.file else {}
    measured = MEASURED | several
    return {"measured": measured, **reckoned(measured)}


if __name__ == "__main__":
    answer("capacity", arguments(), run)
