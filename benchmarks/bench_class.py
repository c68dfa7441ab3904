"""A class at once: a teacher's link with ``reveal=0`` is opened by 40 phones within ten seconds.

How long does each wait for the first view of the page? The link of Two readings says the readings, for without them its
page measures nothing. Then thirty and forty ask for Heads at one instant, open it, and each types a sentence of its own
within the next ten seconds. Run as
``python -m benchmarks.bench_class``.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode

from benchmarks.command import NothingDrawn, answer, parser
from benchmarks.visitor import Visitor
from tests.browser.conftest import Server

PHONES, WITHIN = 40, 10.0
CLASSES = (30, 40)  # phones that open a stop at one instant
WITH = {"readings_pivot": "5 with", "readings_a": "2 saw", "readings_b": "4 pupil"}
PAGES: dict[str, dict[str, str]] = {"": {}, "readings": WITH}  # what their links say beside the text
FEW, AT_ONCE = 4, 0.5  # phones of one quick look, and the seconds in which they come
TEXT = "the teacher saw the pupil with the long telescope number"


async def opened(url: str, page: str, text: str, phones: int, within: float, **link: str) -> list[float]:
    """Return the seconds that each phone waits for its first view, in order."""
    chance = random.Random(page)

    async def phone() -> float:
        await asyncio.sleep(within * chance.random())
        visitor = Visitor(url, page)
        answer = await visitor.open(text=text, reveal="0", v="1", **link)
        await visitor.close()
        if text.split()[-1].encode() not in answer.drawn:
            raise NothingDrawn("the view does not hold its sentence")
        return answer.seconds

    return sorted(await asyncio.gather(*(phone() for _ in range(phones))))


def measured(url: str, page: str, text: str, phones: int = PHONES, within: float = WITHIN) -> dict[str, Any]:
    """Return the seconds that a class waits."""
    seconds = asyncio.run(opened(url, page, text, phones, within, **PAGES[page]))
    return {"phones": phones, **_told(seconds)}


def first_answers(url: str, phones: int) -> dict[str, int]:
    """Return what each phone of a class waits for the page's first answer, all asking at one instant."""
    query = urlencode({"v": "1", "reveal": "0", "text": f"{TEXT} q{phones}"})

    def asked(_: int) -> float:
        start = time.perf_counter()
        with urllib.request.urlopen(f"{url}/?{query}") as answered:
            if f"q{phones}".encode() not in answered.read():
                raise NothingDrawn("the first answer does not hold its sentence")
        return time.perf_counter() - start

    with ThreadPoolExecutor(phones) as pool:
        return _told(list(pool.map(asked, range(phones))))


async def lesson(url: str, phones: int, within: float) -> dict[str, Any]:
    """Return what each phone of a class waits for Heads, opened at one instant, and for one sentence of its own."""
    chance = random.Random(phones)
    visitors = [Visitor(url) for _ in range(phones)]
    views = await asyncio.gather(*(one.open(text=f"{TEXT} q{phones}", reveal="0", v="1") for one in visitors))

    async def types(number: int, visitor: Visitor) -> float:
        await asyncio.sleep(within * chance.random())
        word = f"q{phones}x{number}"
        answer = await visitor.type(f"{TEXT} {word}")
        if word.encode() not in answer.drawn:
            raise NothingDrawn("a view does not hold its own sentence")
        return answer.seconds

    typed = await asyncio.gather(*(types(number, visitor) for number, visitor in enumerate(visitors)))
    for visitor in visitors:
        await visitor.close()
    return {"phones": phones, "first_view": _told([one.seconds for one in views]), "sentence": _told(typed)}


def _told(seconds: Sequence[float]) -> dict[str, int]:
    ordered = sorted(seconds)
    row = {"p50_ms": ordered[len(ordered) // 2], "p95_ms": ordered[int(0.95 * len(ordered))], "last_ms": ordered[-1]}
    return {name: round(1e3 * one) for name, one in row.items()}


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    return parser(__doc__)


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Start a server and let a class come to it."""
    pages, size = ([""], (FEW, AT_ONCE)) if chosen.quick else (list(PAGES), (PHONES, WITHIN))
    running = Server()
    try:
        running.wait()
        asyncio.run(opened(running.url, "", f"{TEXT} qzero", 2, 0))  # what a server's first visitor brings about
        rows = {page or "heads": measured(running.url, page, f"{TEXT} q{page or 'heads'}", *size) for page in pages}
        at_once = [
            {"first_answer": first_answers(running.url, phones), **asyncio.run(lesson(running.url, phones, size[1]))}
            for phones in ((FEW,) if chosen.quick else CLASSES)
        ]
    finally:
        running.stop()
    return {**rows, "at_one_instant": at_once}


if __name__ == "__main__":
    answer("class", arguments(), run)
