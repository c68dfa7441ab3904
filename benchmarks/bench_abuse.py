"""What does one hostile client of each kind cost five honest ones, and how long does the server take to say it lives?

The honest ones type sentences of nine words, a moment apart, on a warm server: alone, beside one kind
(`tests/browser/abuse.py`, in a process of its own, as others' machines are), alone, beside the next, and so on, so that
what else the machine does meets both. *ratio* is their p95 to the mean of what it was alone before and after. Run as
``python -m benchmarks.bench_abuse [KIND …]``.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import random
import statistics
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from benchmarks.bench_load import LABEL, sentence
from benchmarks.machine import machine
from benchmarks.visitor import Visitor
from tests.browser.abuse import KINDS
from tests.browser.conftest import Server

PEOPLE, SENTENCES, THINK = 5, 8, 0.5
COUNTS = {"foreign origins": 20, "idle": 55, "large frames": 5, "leaves": 40, "git_info": 300, "flood": 1500}
MESSAGES = 200  # of the others


async def honest(url: str, number: int) -> list[float]:
    """Return the seconds that one honest visitor waits for each sentence."""
    chance, visitor, seconds = random.Random(number), Visitor(url), []
    await visitor.open()
    for _ in range(SENTENCES):
        await asyncio.sleep(THINK * (0.5 + chance.random()))
        text = sentence(chance)
        answer = await visitor.type(LABEL, text)
        if text.split()[-1].encode() not in answer.content:
            raise RuntimeError("an answer does not hold its sentence")
        seconds.append(answer.seconds)
    await visitor.close()
    return seconds


def lives(url: str) -> float:
    """Return the seconds until the server says that it lives."""
    begin = time.perf_counter()
    with urllib.request.urlopen(f"{url}/api/health", timeout=30):
        return time.perf_counter() - begin


def hostile(url: str, kind: str) -> Counter[str]:
    """Return how a kind of hostile client fared."""
    return asyncio.run(_as(url, kind))


async def _as(url: str, kind: str) -> Counter[str]:
    return await KINDS[kind](url, COUNTS.get(kind, MESSAGES))


async def beside(url: str, kind: str | None, seed: int, apart: ProcessPoolExecutor) -> dict[str, Any]:
    """Return how honest people fare beside a kind of hostile client, or alone."""
    abuse = asyncio.get_running_loop().run_in_executor(apart, hostile, url, kind) if kind else None
    done, health = asyncio.Event(), [0.0]

    async def looking() -> None:
        while not done.is_set():
            health.append(await asyncio.to_thread(lives, url))
            await asyncio.sleep(0.1)

    looks = asyncio.create_task(looking())
    rows = await asyncio.gather(*(honest(url, seed * PEOPLE + number) for number in range(PEOPLE)))
    fared = await abuse if abuse else {}
    done.set()
    await looks
    seconds = sorted(second for row in rows for second in row)
    p95 = seconds[int(0.95 * len(seconds))]
    return {"p95_ms": round(1e3 * p95), "health_ms": round(1e3 * max(health)), "fared": dict(fared)}


async def measured(url: str, kinds: Sequence[str]) -> dict[str, Any]:
    """Return a row for each kind beside honest people, and those for honest people alone before, between and after."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as apart:
        apart.submit(hostile, url, "foreign origins").result()  # what a process has to import
        await beside(url, None, 0, apart)  # warm
        alone, rows = [await beside(url, None, 1, apart)], {}
        for seed, kind in enumerate(kinds, 1):
            row = await beside(url, kind, 2 * seed, apart)
            await asyncio.sleep(2)
            alone.append(await beside(url, None, 2 * seed + 1, apart))
            usual = statistics.mean(one["p95_ms"] for one in alone[-2:])
            rows[kind] = {**row, "ratio": round(row["p95_ms"] / usual, 2)}
    return {"alone": [{name: row[name] for name in ("p95_ms", "health_ms")} for row in alone], **rows}


def main() -> None:
    """Print what was measured."""
    running = Server(PARALLAX_HANDSHAKE_BURST="1000", PARALLAX_SOCKETS_PER_CLIENT="120")
    try:
        running.wait()
        rows = asyncio.run(measured(running.url, sys.argv[1:] or list(KINDS)))
    finally:
        running.stop()
    print(json.dumps({"benchmark": "abuse", "machine": machine(), **rows}, indent=1))


if __name__ == "__main__":
    main()
