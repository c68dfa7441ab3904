"""How much does the server grow over many different texts? Three people on Heads, texts of 5 to 300 words.

*ready* is what a server has before any page, of which *ready_files* are pages of programs that lie in files. *most* is
the furthest above the start at any moment between two texts, *rest* after the last; *files* is what of the rest are
pages of programs, read since. Run as ``python -m benchmarks.bench_memory [TEXTS]``; without a
number, 150 texts, with `make soak` 2,000.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from typing import Any

from benchmarks.bench_load import WORDS, Process
from benchmarks.browsing import ROOT, serving
from benchmarks.command import NothingDrawn, answer, parser
from benchmarks.visitor import Visitor

TEXTS, FEW = 150, 6
PEOPLE = 3
SHORTEST, LONGEST = 5, 300  # words


async def grown(url: str, process: Process, texts: int = TEXTS) -> dict[str, Any]:
    """Return the megabytes at the start, and how many came on top, at most and at the end."""
    people = [Visitor(url) for _ in range(PEOPLE)]
    for visitor in people:
        await visitor.open()
    start, files = process.megabytes() or 0, process.megabytes("RssFile") or 0
    chance, seen = random.Random(1), []

    async def one(visitor: Visitor) -> None:
        for _ in range(texts // PEOPLE):
            text = " ".join(chance.choice(WORDS) for _ in range(chance.randint(SHORTEST, LONGEST)))
            answered = await visitor.type(text[:2000])
            if "parallax_overview" not in answered.by_element:
                raise NothingDrawn("a text was not drawn")
            seen.append(process.megabytes() or 0)

    await asyncio.gather(*(one(visitor) for visitor in people))
    for visitor in people:
        await visitor.close()
    above = {"most_mb": max(seen) - start, "rest_mb": seen[-1] - start}
    return {"texts": len(seen), "start_mb": start, **above, "files_mb": (process.megabytes("RssFile") or 0) - files}


def measured(texts: int = TEXTS) -> dict[str, Any]:
    """Return what a server of its own grows by."""
    with serving(ROOT / "app.py", "/api/ready") as (url, number):
        time.sleep(2)  # what the start has left to do
        process = Process(number)
        return ready(process) | asyncio.run(grown(url, process, texts))


def ready(process: Process) -> dict[str, Any]:
    """Return what a process has in memory, and how much of it lies in files: megabytes."""
    return {"ready_mb": process.megabytes() or 0, "ready_files_mb": process.megabytes("RssFile") or 0}


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("texts", nargs="?", type=int, metavar="TEXTS", help=f"how many; {TEXTS} unless said")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return what a server of its own grows by."""
    return measured(chosen.texts or (FEW if chosen.quick else TEXTS))


if __name__ == "__main__":
    answer("memory", arguments(), run)
