"""What an engine on Ray Serve gives, and what people see of its faults.

The engine is started with two replicas: seconds until it answers, megabytes of all its processes. Then answers a second
at 32 clients, there and in one process. Then one app with a page open in Chromium, which asks that engine: a new
sentence as it is; with a replica killed while 40 sentences are under way; with every process of the engine stopped for
five seconds; with the engine ended, and started again. What counts is how long each takes until the page has its
sentence or says that it cannot. Run as
``python -m benchmarks.bench_serve [rates|faults]``, where Ray is (`make serve` brings it). A quick look is at the rates
of one replica; the start of Ray alone takes longer than any other quick look.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from benchmarks.bench_load import Process
from benchmarks.browsing import ROOT, browsed, idle
from benchmarks.command import Missing, NothingDrawn, answer, parser
from mha.engine.recordings import Request
from mha.engine.remote import Cluster, Dispatcher
from mha.errors import Busy, MHAError
from tests.browser.conftest import Server, free_port

TOKEN = "benchmark"
CLIENTS, TEXTS, FEW = 32, 320, 32
START_SECONDS = 120
NO_RAY = "Ray is not here: `make serve` brings it."
RAY = ROOT / ".venv-ray" / "bin" / "python"  # where `make serve` puts it


def python_with_ray() -> str | None:
    """Return a Python that has Ray; None where there is none."""
    if importlib.util.find_spec("ray"):
        return sys.executable
    return str(RAY) if RAY.exists() and RAY.with_name("serve").exists() else None


class Engine:
    """The engine on Ray Serve, with every process that it starts."""

    def __init__(self, port: int, replicas: int = 2) -> None:
        begin = time.monotonic()
        command = [str(python_with_ray()), "-m", "mha.engine.serve", "--port", str(port)]
        self.process = subprocess.Popen(
            [*command, "--replicas", str(replicas), str(replicas)],
            cwd=ROOT,
            env=os.environ | {"PARALLAX_ENGINE_TOKEN": TOKEN},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.address = f"127.0.0.1:{port}"
        cluster = Cluster(self.address, TOKEN)
        cluster.join()
        while not cluster.joined.wait(0.2):
            if time.monotonic() - begin > START_SECONDS or self.process.poll() is not None:
                self.stop()
                raise RuntimeError("the engine did not start")
        self.start_seconds = time.monotonic() - begin
        self.engine = Asking(cluster)

    def processes(self, name: str = "") -> list[int]:
        """Return the processes that this one started, and theirs, whose command holds a name."""
        parents: dict[int, int] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError, ValueError, IndexError):
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        found = {self.process.pid}
        while more := {child for child, parent in parents.items() if parent in found} - found:
            found |= more
        return sorted(one for one in found if name in _command(one))

    def megabytes(self) -> int:
        """Return what all of them hold in memory."""
        return sum(Process(one).megabytes() or 0 for one in self.processes())

    def tell(self, what: signal.Signals, *processes: int) -> None:
        """Send some processes a signal."""
        for one in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, what)

    def stop(self) -> None:
        """End all of it."""
        every = self.processes()
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.tell(signal.SIGKILL, *every[1:])


def _command(number: int) -> str:
    try:
        return (Path("/proc") / str(number) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


class Asking:
    """The engine as a page without a model of its own asks it: again where an answer broke off."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._ways = Dispatcher({"PARALLAX_ENGINE_FALLBACK": "off"})
        self._ways.cluster = cluster
        self.record = self._ways.engine(_nobody, lambda: None)["run"]


def _nobody(_request: Request) -> Any:
    raise Busy("no model may be loaded here")


@contextlib.contextmanager
def started(port: int, replicas: int = 2) -> Iterator[Engine]:
    """Start the engine until the block ends."""
    running = Engine(port, replicas)
    try:
        yield running
    finally:
        running.stop()


def texts(kind: str, count: int) -> list[Request]:
    """Return so many texts of nine words that nobody else asks for."""
    return [Request(f"the {kind} man saw bird {number} by the old bank") for number in range(count)]


def outcome(engine: Any, request: Request) -> tuple[str, float]:
    """Return how a request ends, and after how many seconds."""
    begin = time.monotonic()
    try:
        found = "ok" if engine.record(request).maps.text == request.text else "WRONG"
    except MHAError as error:
        found = type(error).__name__
    return found, time.monotonic() - begin


def asked(engine: Any, requests: Sequence[Request], act: Any = None) -> dict[str, Any]:
    """Return how requests of 32 clients end, with something done in the midst of them."""
    with ThreadPoolExecutor(CLIENTS) as clients:
        begin = time.monotonic()
        under_way = [clients.submit(outcome, engine, request) for request in requests]
        if act:
            time.sleep(0.3)
            act()
        ends = [one.result() for one in under_way]
        seconds = time.monotonic() - begin
    counts = Counter(end for end, _ in ends)
    longest = max(took for _, took in ends)
    return {"ends": dict(counts), "a_second": round(counts["ok"] / seconds, 1), "longest_s": round(longest, 2)}


RUNS = """() => {
  const app = document.querySelector("[data-testid=stApp]");
  window.runs = 0;
  window.watching?.disconnect();
  window.watching = new MutationObserver(() => { window.runs += app.dataset.testScriptState === "notRunning"; });
  window.watching.observe(app, { attributeFilter: ["data-test-script-state"] });
}"""


def typed(page: Page, text: str, seconds: float = 30) -> dict[str, Any]:
    """Type a sentence on Heads; return what stands there then, its own words or a sentence about it, and when."""
    page.evaluate(RUNS)
    begin = time.monotonic()
    box = page.get_by_label("Your text").first
    box.fill(text)
    box.press("Enter")
    last = text.split()[-1]
    sees = f"""() => {{
      if (!window.runs) return false;
      if (document.body.innerText.includes("does not answer")) return "busy";
      return everywhere(".overview, .words, .word, text").some((node) => node.textContent.includes("{last}"))
        && "sentence";
    }}"""
    found = page.wait_for_function(sees, timeout=1e3 * seconds).json_value()
    return {"stands": found, "seconds": round(time.monotonic() - begin, 2)}


def faults(port: int) -> dict[str, Any]:
    """Return what a page shows while its engine is killed in part, stopped, ended and started again."""
    found: dict[str, Any] = {}
    with started(port) as running, browsed() as (page, _):
        settings = {"PARALLAX_ENGINE": running.address, "PARALLAX_ENGINE_TOKEN": TOKEN}
        app = Server(**settings)
        try:
            app.wait()
            found["app_mb"] = Process(app.process.pid).megabytes()
            page.goto(app.url)
            idle(page)
            found["as_it_is"] = typed(page, "she kept an old boat by the quiet harbourone")
            killed = running.processes("ray::ServeReplica")[0]
            found["replica_killed"] = asked(
                running.engine, texts("killed", 160), lambda: running.tell(signal.SIGKILL, killed)
            )
            found["page_then"] = typed(page, "she kept an old boat by the quiet harbourtwo")
            every = running.processes()
            running.tell(signal.SIGSTOP, *every)
            begin = time.monotonic()
            found["all_stopped"] = typed(page, "she kept an old boat by the quiet harbourthree")
            time.sleep(max(0, 5 - (time.monotonic() - begin)))
            running.tell(signal.SIGCONT, *every)
            found["going_on"] = typed(page, "she kept an old boat by the quiet harbourfour")
            running.stop()
            time.sleep(45)  # the model here has loaded since, on a busy machine as well
            found["ended"] = typed(page, "she kept an old boat by the quiet harbourfive")
            with started(port) as again:
                time.sleep(21)  # the longest that the page waits to ask again
                found["started_again"] = typed(page, "she kept an old boat by the quiet harboursix")
                found["kept_there"] = again.engine.cluster.joined.is_set()
        finally:
            app.stop()
    return found


def round_trips(engine: Any, count: int = 40) -> list[float]:
    """Return the median and the 95th percentile of a question whose answer is kept there, in milliseconds."""
    took = sorted(1e3 * outcome(engine, Request("good morning to you"))[1] for _ in range(count))
    return [round(took[count // 2], 1), round(took[count * 95 // 100], 1)]


def rates(replicas: int = 2, count: int = TEXTS) -> dict[str, Any]:
    """Return how many answers a second there are with some replicas, and in one process."""
    from mha.engine import recordings

    with started(free_port(), replicas) as running:
        running.engine.record(Request("good morning to you"))
        asked(running.engine, texts("first", 64))
        there = {
            "round_trip_ms": round_trips(running.engine),
            "start_s": round(running.start_seconds, 1),
            "mb": running.megabytes(),
            "replicas": replicas,
            "answers": asked(running.engine, texts("there", count)),
        }
    recordings.start()
    while recordings.health().phase != "ready":
        time.sleep(0.2)
    asked(recordings, texts("first", 64))
    here = asked(recordings, texts("here", count))
    if not (there["answers"]["ends"].get("ok") and here["ends"].get("ok")):
        raise NothingDrawn("an engine answered nothing")
    return {"ray": there, "in_process": here}


PARTS = {"rates": rates, "faults": lambda: faults(free_port())}


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return both parts, or those that are named."""
    python = python_with_ray()
    if python is None:
        raise Missing(NO_RAY)
    if python != sys.executable:  # who asks joins the cluster, and needs Ray as well
        command = [python, "-m", "benchmarks.bench_serve", *(["--quick"] if chosen.quick else []), *chosen.parts]
        found = json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)
        return {name: found[name] for name in PARTS if name in found}
    if chosen.quick:
        return {"rates": rates(1, FEW)}
    return {name: PARTS[name]() for name in chosen.parts or PARTS}


if __name__ == "__main__":
    answer("serve", arguments(), run)
