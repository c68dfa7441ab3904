"""What do two processes behind one address give? `parallax --workers 2`, which starts nginx before them.

Twenty and fifty people who think three seconds between their sentences, then fifty of whom ten are on *Next word*, as
in `bench_load`, at one process and then at two. Each loads the page first, as a browser does, and has the cookie from
it by which the proxy brings them to the process of their session. Run as
``python -m benchmarks.bench_workers [COUNT …]``, with one core more than the processes need; it takes nginx
(``apt install nginx-light``).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

from benchmarks.bench_load import FEW, FEWER, ONCE, PEOPLE, SENTENCES, THINK, crowd, summary, with_some_on_next
from benchmarks.browsing import ROOT, wait_for
from benchmarks.command import Missing, answer, parser
from benchmarks.visitor import Visitor
from tests.browser.conftest import free_port

NO_NGINX = "Two processes need nginx before them, which is not here: apt install nginx-light."
CROWDS = {"twenty_thinking": (FEWER, THINK, SENTENCES), "fifty_thinking": (PEOPLE, THINK, SENTENCES)}
QUICK = {"few_at_once": (FEW, 0.0, ONCE)}  # people, seconds of thinking, sentences
ON_NEXT = 10  # people of the fifty who are then on Next word
TOLD = ("answers", "p50_ms", "p95_ms")


@contextlib.contextmanager
def workers(count: int) -> Iterator[str]:
    """Start so many processes until the block ends; return their common address."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    each = [url] if count == 1 else [f"http://127.0.0.1:{port + 1 + number}" for number in range(count)]
    started = subprocess.Popen(
        [sys.executable, "-m", "mha", "--port", str(port), "--workers", str(count)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,  # what goes wrong, as without nginx, is told
    )
    try:
        for address in (*each, url):
            wait_for(started, f"{address}/api/ready")
        yield url
    finally:
        started.terminate()
        started.wait(30)


def cookie(url: str) -> str:
    """Return the cookie that somebody has once the page is loaded, "" without a proxy."""
    with urllib.request.urlopen(url, timeout=30) as answer:
        return str(answer.headers.get("Set-Cookie", "")).partition(";")[0]


async def waits(url: str, crowds: dict[str, tuple[int, float, int]]) -> dict[str, Any]:
    """Return what people wait, by the name of their crowd."""
    most = max(count for count, _, _ in crowds.values())
    people = [(Visitor(url, cookie=cookie(url)), random.Random(number)) for number in range(most)]
    for visitor, _ in people:
        await visitor.open()
    rows: dict[str, Any] = {}
    for name, (count, think, sentences) in crowds.items():
        told = summary(await crowd(people[:count], think, sentences), float("nan"))
        rows[name] = {key: told[key] for key in TOLD}
    if most == PEOPLE:
        cookies = [cookie(url) for _ in range(ON_NEXT)]
        told_by_page = await with_some_on_next(url, people[ON_NEXT:], cookies)
        rows["ten_of_fifty_on_next"] = {page: {key: told[key] for key in TOLD} for page, told in told_by_page.items()}
    for visitor, _ in people:
        await visitor.close()
    return rows


def measured(count: int, quick: bool) -> dict[str, Any]:
    """Return what people wait at so many processes."""
    with workers(count) as url:
        time.sleep(0 if quick else 2)  # what the start has left to do
        return asyncio.run(waits(url, QUICK if quick else CROWDS))


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("counts", nargs="*", type=int, metavar="COUNT", help="how many processes; 1 and 2 unless said")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return a row for each number of processes."""
    counts = chosen.counts or ([2] if chosen.quick else [1, 2])
    if max(counts) > 1 and not (shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")):
        raise Missing(NO_NGINX)
    return {"processes": {count: measured(count, chosen.quick) for count in counts}}


if __name__ == "__main__":
    answer("workers", arguments(), run)
