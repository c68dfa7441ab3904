"""How long do people wait, and what does one of them cost? By Streamlit's own websocket protocol, on a warm server.

One person who types a new sentence of nine words after the other, and clicks on thumbnails; the same on every other
page; twenty and fifty people who think three seconds between their sentences, and fifty of whom ten are on *Next word*;
fifty who do not think at all, and fifty at one instant. No two sentences are equal, and an answer counts only if it
holds its own sentence. *CPU* is of the server's process alone (the visitors are in this one); *bytes* are what a
browser is sent after its first view, *first* what it is sent then. The lower bound, in the same run, is a page with one
text field and nothing else. Run as ``python -m benchmarks.bench_load``, with one core more than the server needs.

``--beside FOLDER`` compares this commit with another one, such as a ``git worktree`` of a release, whose Python is
``FOLDER/.venv/bin/python`` if it has one: each server is started three times in turn, and its row has medians.
*typed* is the processor of a typed sentence, in milliseconds and in bare passes; *typed_and_idle* the same if its
visitor looks at the page for three seconds, with all idle work; *samples_and_idle* the same over 50 sample sentences;
*fifty_after_500* is fifty people again after 500 sentences.
``--sweeps`` is what people wait while twenty visitors of as many addresses ablate every head of SmolLM2; the server
then trusts the addresses that this machine forwards.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.browsing import ROOT, serving
from benchmarks.command import NothingDrawn, answer, parser
from benchmarks.machine import commit
from benchmarks.visitor import LABEL, LABEL_BEFORE, Answer, Visitor
from mha.navigation import ROWS

PAGES = tuple(row.path for row in ROWS if row.path != "lesson")  # addresses; the first is Heads
ROUNDS, TWICE = 12, 2  # of one person; the second number of each line is that of a quick look
PEOPLE, FEWER, FEW = 50, 20, 3
THINK = 3.0  # seconds on average, from half to one and a half of it
SENTENCES, ONCE = 4, 1  # of each of the fifty
SAMPLE_LINES = Path(ROOT / "assets" / "corpus.txt").read_text(encoding="utf-8").splitlines()
WORDS = " ".join(SAMPLE_LINES).replace(".", "").lower().split()
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
    if not (visitor.has(LABEL) or visitor.has(LABEL_BEFORE)):
        return await visitor.again()
    text = sentence(chance)
    answer = await visitor.type(text)
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
        answer = await visitor.trigger("parallax_overview", "head", {"head": head})
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
        await visitor.rest(think * (0.5 + chance.random()))
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
        rows["ten_of_fifty_on_next"] = await with_some_on_next(url, people[FEWER // 2 :])
    count = "few" if quick else "fifty"
    rows[f"{count}_closed_loop"] = await measured(process, lambda: crowd(people, 0.0, ONCE if quick else SENTENCES))
    rows[f"{count}_at_one_instant"] = await measured(process, at_once)
    for visitor, _ in people:
        await visitor.close()
    return rows


async def with_some_on_next(
    url: str, others: Sequence[tuple[Visitor, random.Random]], cookies: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what ten people wait on Next word, and the others on Heads meanwhile; all think three seconds.

    ``cookies`` are those of the ten behind a proxy.
    """
    chance, cookies = random.Random("next"), cookies or [""] * (PEOPLE - len(others))
    people = [(Visitor(url, "next", cookie), random.Random(f"next {number}")) for number, cookie in enumerate(cookies)]
    for visitor, _ in people:
        await visitor.open(text=sentence(chance))
    await new_sentence(*people[0])  # a model may still load
    of_heads, of_next = await asyncio.gather(crowd(others, THINK), crowd(people, THINK))
    for visitor, _ in people:
        await visitor.close()
    return {"heads": summary(of_heads, 0.0), "next": summary(of_next, 0.0)}


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


LOOK = 3.0  # seconds that a visitor looks at a page: its idle work is done by then
MANY = 500  # sentences of one process before fifty people come again
SWEEPS = 20  # visitors who ablate every head meanwhile
TURNS = 3  # of each server
TYPED = 60  # sentences of which each turn measures the processor time: of twelve it varies by a tenth
SAMPLES = 50  # sample sentences


async def typed(url: str, process: Process, texts: Sequence[str], seconds: float = 0.0) -> dict[str, float]:
    """Return the processor milliseconds of each typed text, and to how many bare passes this is equal.

    The visitor looks at each for so many seconds. A bare pass follows each text, because the host's speed varies.
    """
    visitor, passes = Visitor(url), bare_passes()
    await visitor.open()
    await visitor.type(sentence(random.Random(0)))
    await visitor.rest(2 * LOOK)
    before, bare_ms = process.seconds(), []
    for text in texts:
        await visitor.type(text)
        await visitor.rest(seconds)
        bare_ms.append(next(passes))
    milliseconds = 1e3 * (process.seconds() - before) / len(texts)
    await visitor.close()
    return {"cpu_ms": milliseconds, "passes": milliseconds / statistics.mean(bare_ms)}


async def fifty(url: str, process: Process, sentences: int = 0, count: int = PEOPLE) -> dict[str, Any]:
    """Return what fifty people wait who think three seconds, after twenty have typed so many sentences in a row."""
    people = [(Visitor(url), random.Random(f"{sentences} {number}")) for number in range(count)]
    for visitor, _ in people:
        await visitor.open()
    await crowd(people[:FEWER], 0.0, sentences // FEWER)
    row = await measured(process, lambda: crowd(people, THINK))
    for visitor, _ in people:
        await visitor.close()
    return row


async def start_sweeps(url: str, count: int, address: str = "") -> list[Visitor]:
    """Return visitors of Next word with an own text each, whose heads are ablated in turn as idle work."""
    chance = random.Random("sweeps")
    visitors = [Visitor(url, "next", address=address.format(number)) for number in range(count)]
    for visitor in visitors:
        await visitor.open(text=sentence(chance))
    return visitors


async def beside_sweeps(url: str, process: Process, sweeps: int = SWEEPS) -> dict[str, Any]:
    """Return what ten people wait on Heads, and ten on Next word, while others ablate every head of SmolLM2."""
    sweeping, rows = await start_sweeps(url, sweeps, "10.1.0.{}"), {}
    for page in ("", "next"):
        people = [(Visitor(url, page, address=f"10.2.0.{number}"), random.Random(number)) for number in range(10)]
        for visitor, _ in people:
            await visitor.open()
        await new_sentence(*people[0])  # a model may still load
        rows[page or "heads"] = await measured(process, lambda people=people: crowd(people, THINK))
        for visitor, _ in people:
            await visitor.close()
    for visitor in sweeping:
        await visitor.close()
    return rows


def one_turn(root: Path, is_first: bool, quick: bool) -> dict[str, Any]:
    """Return a row of a server that is started from a checkout; the long parts belong to the first turn."""
    python = root / ".venv" / "bin" / "python"
    command = [str(python if python.exists() else sys.executable), "-m", "streamlit"]
    chance = random.Random(7)
    texts = [sentence(chance) for _ in range(TWICE if quick else ROUNDS)]
    many_texts = [sentence(chance) for _ in range(TWICE if quick else TYPED)]
    samples = [line for line in SAMPLE_LINES if len(line.split()) > 4][:SAMPLES]
    with serving(root / "app.py", "/api/ready", command, root, PYTHONPATH=str(root)) as (url, number):
        process = Process(number)
        row = {"fifty": asyncio.run(fifty(url, process, count=FEW if quick else PEOPLE))}
        row["typed"] = asyncio.run(typed(url, process, many_texts))
        row["typed_and_idle"] = asyncio.run(typed(url, process, texts, LOOK))
        if is_first and not quick:
            row["samples_and_idle"] = asyncio.run(typed(url, process, samples, LOOK))
            row["fifty_after_500"] = asyncio.run(fifty(url, process, MANY))
    return row


def bare_passes() -> Iterator[float]:
    """Yield the processor milliseconds of bare forward passes of MiniLM over sentences of nine words, one thread."""
    import torch

    from mha.intervention.subject import subject

    torch.set_num_threads(1)
    experiment, chance = subject("minilm"), random.Random(7)
    inputs = [experiment.inputs([experiment.encoded(sentence(chance))]) for _ in range(ROUNDS)]
    for number, each in enumerate(itertools.cycle(inputs)):
        with torch.inference_mode():
            before = time.thread_time()
            experiment.body(**each)
            milliseconds = 1e3 * (time.thread_time() - before)
        if number >= ROUNDS:  # the first ones warm up
            yield milliseconds


def compared(folder: Path, quick: bool) -> dict[str, Any]:
    """Return the medians of this commit's server and of another one's, each started three times in turn."""
    rows: dict[str, list[dict[str, Any]]] = {"this": [], "other": []}
    for turn in range(1 if quick else TURNS):
        for name, root in (("this", ROOT), ("other", folder)):
            rows[name].append(one_turn(root, turn == 0, quick))
    found: dict[str, Any] = {name: _medians(several) for name, several in rows.items()}
    found["other"]["commit"] = commit(folder)
    return found


def _medians(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the median of each number in several rows."""
    merged: dict[str, Any] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row[name] for row in rows if name in row]
        if isinstance(values[0], dict):
            merged[name] = _medians(values)
        else:
            merged[name] = round(statistics.median(values), 1)
    return merged


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    known = parser(__doc__)
    known.add_argument("--beside", type=Path, metavar="FOLDER", help="compare with the checkout in this folder")
    known.add_argument("--sweeps", action="store_true", help="people beside twenty sweeps of SmolLM2, and nothing else")
    return known


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Serve an empty page, then the app, and be their visitors."""
    if chosen.beside:
        return compared(chosen.beside, chosen.quick)
    if chosen.sweeps:
        with serving(ROOT / "app.py", "/api/ready", PARALLAX_TRUSTED_PROXIES="127.0.0.1") as (url, number):
            return asyncio.run(beside_sweeps(url, Process(number), TWICE if chosen.quick else SWEEPS))
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
