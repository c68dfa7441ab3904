"""A class at once: a teacher's link with ``reveal=0`` is opened by 40 phones within ten seconds.

How long each waits for the first view of the page, and how many forward passes all of them cost: one, for it is one
sentence. Run as ``python -m benchmarks.bench_class``.
"""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

from benchmarks.machine import machine
from benchmarks.visitor import Visitor
from tests.browser.conftest import COUNTS, Server, counted

PHONES, WITHIN = 40, 10.0
PAGES = ("", "readings")
TEXT = "the teacher saw the pupil with the long telescope number"


async def opened(url: str, page: str, text: str, phones: int, within: float) -> list[float]:
    """Return the seconds that each phone waits for its first view, in order."""
    chance = random.Random(page)

    async def phone() -> float:
        await asyncio.sleep(within * chance.random())
        visitor = Visitor(url, page)
        answer = await visitor.open(text=text, reveal="0", v="1")
        await visitor.close()
        if text.split()[-1].encode() not in answer.content:
            raise RuntimeError("the view does not hold its sentence")
        return answer.seconds

    return sorted(await asyncio.gather(*(phone() for _ in range(phones))))


def measured(url: str, page: str, text: str, phones: int = PHONES, within: float = WITHIN) -> dict[str, Any]:
    """Return what a class waits, and the forward passes that it costs."""
    before = counted(url, "parallax_passes")
    seconds = asyncio.run(opened(url, page, text, phones, within))
    row = {"p50_ms": seconds[len(seconds) // 2], "p95_ms": seconds[int(0.95 * len(seconds))], "last_ms": seconds[-1]}
    rounded = {name: round(1e3 * one) for name, one in row.items()}
    return {"phones": phones, **rounded, "passes": counted(url, "parallax_passes") - before}


def main() -> None:
    """Print what was measured."""
    running = Server(PARALLAX_METRICS_TOKEN=COUNTS)
    try:
        running.wait()
        asyncio.run(opened(running.url, "", f"{TEXT} zero", 2, 0))  # what a server's first visitor brings about
        rows = {page or "heads": measured(running.url, page, f"{TEXT} {page or 'heads'}") for page in PAGES}
    finally:
        running.stop()
    print(json.dumps({"benchmark": "class", "machine": machine(), **rows}, indent=1))


if __name__ == "__main__":
    main()
