"""What do two processes behind one address give? `parallax --workers 2`, which starts nginx before them.

Twenty and fifty people who think three seconds between their sentences, as in `bench_load`, at one process and then at
two. Each loads the page first, as a browser does, and has the cookie from it by which the proxy brings them to the
process of their session; *reruns* says how many each process had. Run as
``python -m benchmarks.bench_workers [COUNT …]``, with one core more than the processes need; it takes nginx
(``apt install nginx-light``).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.bench_load import FEWER, PEOPLE, THINK, crowd, summary
from benchmarks.browsing import ROOT, wait_for
from benchmarks.machine import machine
from benchmarks.visitor import Visitor
from tests.browser.conftest import COUNTS, counted, free_port

TOLD = ("answers", "p50_ms", "p95_ms")


@contextlib.contextmanager
def workers(count: int) -> Iterator[tuple[str, list[str]]]:
    """Start so many processes until the block ends; return the address of all, and that of each."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    each = [url] if count == 1 else [f"http://127.0.0.1:{port + 1 + number}" for number in range(count)]
    started = subprocess.Popen(
        [sys.executable, "-m", "mha", "--port", str(port), "--workers", str(count)],
        cwd=ROOT,
        env=os.environ | {"PARALLAX_METRICS_TOKEN": COUNTS},
        stdout=subprocess.DEVNULL,  # what goes wrong, as without nginx, is told
    )
    try:
        for address in (*each, url):
            wait_for(started, f"{address}/api/ready")
        yield url, each
    finally:
        started.terminate()
        started.wait(30)


def cookie(url: str) -> str:
    """Return the cookie that somebody has once the page is loaded, "" without a proxy."""
    with urllib.request.urlopen(url, timeout=30) as answer:
        return str(answer.headers.get("Set-Cookie", "")).partition(";")[0]


async def waits(url: str) -> dict[str, Any]:
    """Return what twenty and fifty people wait."""
    people = [(Visitor(url, cookie=cookie(url)), random.Random(number)) for number in range(PEOPLE)]
    for visitor, _ in people:
        await visitor.open()
    rows = {}
    for name, count in {"twenty_thinking": FEWER, "fifty_thinking": PEOPLE}.items():
        told = summary(await crowd(people[:count], THINK), float("nan"))
        rows[name] = {key: told[key] for key in TOLD}
    for visitor, _ in people:
        await visitor.close()
    return rows


def measured(count: int) -> dict[str, Any]:
    """Return what people wait at so many processes, and how many reruns each of these had."""
    with workers(count) as (url, each):
        time.sleep(2)  # what the start has left to do
        rows = asyncio.run(waits(url))
        return {**rows, "reruns": [round(counted(one, "parallax_reruns_total")) for one in each]}


def main(counts: Sequence[str]) -> None:
    """Print what was measured for each number of processes."""
    rows = {count: measured(int(count)) for count in counts or ("1", "2")}
    print(json.dumps({"benchmark": "workers", "machine": machine(), "processes": rows}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
