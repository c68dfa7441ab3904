"""How long do people wait, and what does one of them cost? By Streamlit's own websocket protocol, on a warm server.

One person who types a new sentence of nine words after the other, and clicks on thumbnails; the same on every other
page; twenty and fifty people who think three seconds between their sentences; fifty who do not think at all, and fifty
at one instant. No two sentences are equal, and an answer counts only if it holds its own sentence. *CPU* is of the
server's process alone (the visitors are in this one); *bytes* are what a browser is sent after its first view, *first*
what it is sent then. The lower bound, in the same run, is a page with one text field and nothing else. Run as
``python -m benchmarks.bench_load``, with one core more than the server needs.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.browsing import ROOT, serving
from benchmarks.command import NothingDrawn, answer, parser
from benchmarks.visitor import Answer, Visitor
from mha.link.pages import HIDDEN, ROWS

LABEL = "Your sentence"
PAGES = tuple(row.path for row in ROWS if row.stands != HIDDEN)  # addresses; the first is Heads
ROUNDS, TWICE = 12, 2  # of one person; the second number of each line is that of a quick look
PEOPLE, FEWER, FEW = 50, 20, 3
THINK = 3.0  # seconds on average, from half to one and a half of it
SENTENCES, ONCE = 4, 1  # of each of the fifty
WORDS = Path(ROOT / "assets" / "corpus.txt").read_text(encoding="utf-8").replace(".", "").lower().split()
EMPTY = f"""
import streamlit as st
st.write(st.text_input("{LABEL}", key="text", bind="query-params"))
"""


def sentence(chance: random.Random) -> str:
    """Return nine words, the last of which nobody else has."""
    own = "".join(chance.choice("bcdfghjkmnpqrstvwxz") for _ in range(9))
    return " ".join([*(chance.choice(WORDS) for _ in range(8)), own])


class Process:
    """The server's process: processor time and memory, where the system tells."""

    def __init__(self, number: int) -> None:
        self._folder = Path("/proc") / str(number)

    def seconds(self) -> float:
        """Return the processor seconds it has used."""
        try:
            after_name = (self._folder / "stat").read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            return float("nan")
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")

    def megabytes(self, line: str = "VmRSS") -> int | None:
        """Return what it holds in memory, or with ``VmHWM`` the most that it held."""
        try:
            text = (self._folder / "status").read_text()
        except FileNotFoundError:
            return None
        return int(next(row for row in text.splitlines() if row.startswith(line)).split()[1]) // 1024


def summary(answers: Sequence[Answer], cpu: float) -> dict[str, Any]:
    """Return what a row of answers took: waiting, processor and bytes each, and what the bytes were."""
    seconds = sorted(answer.seconds for answer in answers)
    elements = sum((answer.by_element for answer in answers), start=type(answers[0].by_element)())
    return {
        "answers": len(answers),
        "p50_ms": round(1e3 * statistics.median(seconds)),
        "p95_ms": round(1e3 * seconds[min(len(seconds) - 1, int(0.95 * len(seconds)))]),
        "last_ms": round(1e3 * seconds[-1]),
        "cpu_ms_each": round(1e3 * cpu / len(answers), 1),
        "bytes_each": round(statistics.mean(answer.bytes for answer in answers)),
        "bytes_by_element": {name: round(size / len(answers)) for name, size in elements.most_common(6)},
    }


async def measured(process: Process, act: Callable[[], Awaitable[Sequence[Answer]]]) -> dict[str, Any]:
    """Return the summary of what somebody does."""
    before = process.seconds()
    answers = await act()
    return summary(answers, process.seconds() - before)


async def new_sentence(visitor: Visitor, chance: random.Random) -> Answer:
    """Type a new sentence where the page has the field, else let it run again; check that the answer is one's own."""
    if not visitor.has(LABEL):
        return await visitor.again()
    text = sentence(chance)
    answer = await visitor.type(LABEL, text)
    if text.split()[-1].encode() not in answer.drawn:
        raise NothingDrawn("the answer does not hold its sentence")
    return answer


async def alone(url: str, process: Process, page: str = "", rounds: int = ROUNDS) -> dict[str, Any]:
    """Return what a first view, and then each of one person's sentences, takes on a page."""
    chance, visitor = random.Random(page), Visitor(url, page)
    first = await visitor.open()
    await new_sentence(visitor, chance)
    row = await measured(process, lambda: _in_turn([lambda: new_sentence(visitor, chance)] * rounds))
    await visitor.close()
    return {"first_bytes": first.bytes, **row}


async def clicks(url: str, process: Process, rounds: int = ROUNDS) -> dict[str, Any]:
    """Return what each click on a thumbnail takes: a head is pinned, then released; check that it is."""
    visitor = Visitor(url)
    await visitor.open()

    async def click(number: int) -> Answer:
        head = f"L4H{number // 2}"
        answer = await visitor.trigger("parallax_overview", "picked", {"head": head})
        pinned = re.search(rb'"pins":\[([^\]]*)\]', answer.drawn)
        # What is drawn after a release was drawn before: then the browser has it and is only told which it is.
        there = pinned is not None and f'"{head}"'.encode() in pinned[1]
        if there != (number % 2 == 0):
            raise NothingDrawn(f"a click did not {'release' if number % 2 else 'pin'} {head}")
        return answer

    row = await measured(process, lambda: _in_turn([lambda number=number: click(number) for number in range(rounds)]))
    await visitor.close()
    return row


async def _in_turn(acts: Sequence[Callable[[], Awaitable[Answer]]]) -> list[Answer]:
    return [await act() for act in acts]


async def typing(visitor: Visitor, chance: random.Random, think: float, sentences: int = SENTENCES) -> list[Answer]:
    """Type sentences, after thinking about so many seconds each time."""
    answers = []
    for _ in range(sentences):
        await asyncio.sleep(think * (0.5 + chance.random()))
        answers.append(await new_sentence(visitor, chance))
    return answers


async def crowd(
    people: Sequence[tuple[Visitor, random.Random]], think: float, sentences: int = SENTENCES
) -> list[Answer]:
    """Let all of them type."""
    return list(itertools.chain(*await asyncio.gather(*(typing(*person, think, sentences) for person in people))))


async def several(url: str, process: Process, quick: bool) -> dict[str, Any]:
    """Return what people wait who type now and then, twenty and fifty of them, at once, and one after the other."""
    people = [(Visitor(url), random.Random(number)) for number in range(FEW if quick else PEOPLE)]
    for visitor, _ in people:
        await visitor.open()

    async def at_once() -> list[Answer]:
        return await asyncio.gather(*(new_sentence(*person) for person in people))

    rows = {}
    if not quick:
        rows["twenty_thinking"] = await measured(process, lambda: crowd(people[:FEWER], THINK))
        rows["fifty_thinking"] = await measured(process, lambda: crowd(people, THINK))
    count = "few" if quick else "fifty"
    rows[f"{count}_closed_loop"] = await measured(process, lambda: crowd(people, 0.0, ONCE if quick else SENTENCES))
    rows[f"{count}_at_one_instant"] = await measured(process, at_once)
    for visitor, _ in people:
        await visitor.close()
    return rows


async def app(url: str, process: Process, quick: bool) -> dict[str, Any]:
    """Return everything that is measured of the app."""
    memory, rounds = process.megabytes(), TWICE if quick else ROUNDS
    pages = {page or "heads": await alone(url, process, page, rounds) for page in PAGES[: 1 if quick else None]}
    rows = {
        "one_person": pages,
        "click": await clicks(url, process, rounds),
        "several": await several(url, process, quick),
    }
    return rows | {"memory_mb": {"at_start": memory, "most": process.megabytes("VmHWM"), "now": process.megabytes()}}


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    return parser(__doc__)


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Serve an empty page, then the app, and be their visitors."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "empty_page.py"
        script.write_text(EMPTY, encoding="utf-8")
        with serving(script, "/_stcore/health") as (url, number):
            floor = asyncio.run(alone(url, Process(number), rounds=TWICE if chosen.quick else ROUNDS))
    with serving(ROOT / "app.py", "/api/ready") as (url, number):
        time.sleep(0 if chosen.quick else 2)  # what the start has left to do
        rows = asyncio.run(app(url, Process(number), chosen.quick))
    return {"empty_page": floor, **rows}


if __name__ == "__main__":
    answer("load", arguments(), run)
