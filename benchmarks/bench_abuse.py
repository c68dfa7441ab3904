"""What does one hostile client of each kind cost five honest ones, and how long does the server take to say it lives?

The honest ones type sentences of nine words, a moment apart, on a warm server: alone, beside one kind
(`tests/browser/abuse.py`, in a process of its own, as others' machines are), alone, beside the next, and so on, so that
what else the machine does meets both. *ratio* is their p95 to the mean of what it was alone before and after. Run as
``python -m benchmarks.bench_abuse [KIND …]``.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import random
import statistics
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from benchmarks.bench_load import SWEEPS, sentence, start_sweeps
from benchmarks.command import NothingDrawn, answer, parser
from benchmarks.visitor import Visitor
from tests.browser.abuse import HOLD, KINDS
from tests.browser.conftest import Server

PEOPLE, SENTENCES, THINK = 5, 8, 0.5
COUNTS = {"foreign origins": 20, "idle": 55, "large frames": 5, "leaves": 40, "git_info": 300, "flood": 1500}
COUNTS |= {"half-open": 1100, "slow bodies": 300, "sweeps": SWEEPS}
MESSAGES = 200  # of the others
QUICK, FEW, ONCE = ("garbage",), 1, 10  # kinds, sentences and messages


async def honest(url: str, number: int, sentences: int = SENTENCES) -> list[float]:
    """Return the seconds that one honest visitor waits for each sentence."""
    chance, visitor, seconds = random.Random(number), Visitor(url), []
    await visitor.open()
    for _ in range(sentences):
        await asyncio.sleep(THINK * (0.5 + chance.random()))
        text = sentence(chance)
        answer = await visitor.type(text)
        if text.split()[-1].encode() not in answer.drawn:
            raise NothingDrawn("an answer does not hold its sentence")
        seconds.append(answer.seconds)
    await visitor.close()
    return seconds


def lives(url: str) -> float:
    """Return the seconds until the server says that it lives."""
    begin = time.perf_counter()
    with urllib.request.urlopen(f"{url}/api/health", timeout=30):
        return time.perf_counter() - begin


async def sweeps(url: str, count: int) -> Counter[str]:
    """Let so many visitors of one address ablate every head, and stay for a while."""
    visitors = await start_sweeps(url, count)
    await asyncio.sleep(HOLD)
    for visitor in visitors:
        await visitor.close()
    return Counter(pressed=len(visitors))


ALL_KINDS = KINDS | {"sweeps": sweeps}


def hostile(url: str, kind: str, count: int) -> Counter[str]:
    """Return how a kind of hostile client fared, which did so many things."""
    return asyncio.run(_as(url, kind, count))


async def _as(url: str, kind: str, count: int) -> Counter[str]:
    return await ALL_KINDS[kind](url, count)


async def beside(url: str, kind: str | None, seed: int, apart: ProcessPoolExecutor, quick: bool) -> dict[str, Any]:
    """Return how honest people fare beside a kind of hostile client, or alone."""
    count = ONCE if quick else COUNTS.get(kind or "", MESSAGES)
    abuse = asyncio.get_running_loop().run_in_executor(apart, hostile, url, kind, count) if kind else None
    done, health = asyncio.Event(), [0.0]

    async def looking() -> None:
        while not done.is_set():
            health.append(await asyncio.to_thread(lives, url))
            await asyncio.sleep(0.1)

    looks = asyncio.create_task(looking())
    sentences = FEW if quick else SENTENCES
    rows = await asyncio.gather(*(honest(url, seed * PEOPLE + number, sentences) for number in range(PEOPLE)))
    fared = await abuse if abuse else {}
    if kind and not fared:
        raise NothingDrawn(f"the hostile client did nothing: {kind}")
    done.set()
    await looks
    seconds = sorted(second for row in rows for second in row)
    p95 = seconds[int(0.95 * len(seconds))]
    return {"p95_ms": round(1e3 * p95), "health_ms": round(1e3 * max(health)), "fared": dict(fared)}


async def measured(url: str, kinds: Sequence[str], quick: bool) -> dict[str, Any]:
    """Return a row for each kind beside honest people, and those for honest people alone before, between and after."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as apart:
        apart.submit(hostile, url, "foreign origins", 1).result()  # what a process has to import
        if not quick:
            await beside(url, None, 0, apart, quick)  # warm
        alone, rows = [await beside(url, None, 1, apart, quick)], {}
        for seed, kind in enumerate(kinds, 1):
            row = await beside(url, kind, 2 * seed, apart, quick)
            await asyncio.sleep(0 if quick else 2)
            alone.append(await beside(url, None, 2 * seed + 1, apart, quick))
            usual = statistics.mean(one["p95_ms"] for one in alone[-2:])
            rows[kind] = {**row, "ratio": round(row["p95_ms"] / usual, 2)}
    return {"alone": [{name: row[name] for name in ("p95_ms", "health_ms")} for row in alone], **rows}


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(ALL_KINDS))
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Start a server and let them loose on it."""
    running = Server(PARALLAX_SOCKETS_PER_CLIENT="120")
    try:
        running.wait()
        return asyncio.run(
            measured(running.url, chosen.kinds or (QUICK if chosen.quick else list(ALL_KINDS)), chosen.quick)
        )
    finally:
        running.stop()


if __name__ == "__main__":
    answer("abuse", arguments(), run)
