"""From a click on a thumbnail to the pixels of its heatmap: how long, and does the model run for it?

The real app, a typed sentence. *Pin* is from the click to two frames after the pinned head is drawn large; *release*
takes it away; *hover* is from pointing at a thumbnail to two frames after its sentence stands there. The floor, in the
same run: a rerun of a page that holds nothing but a component with a number in it. Every forward pass of the server's
BERT is counted from outside, and every websocket frame the page sends; the run fails if a hover sends one, or if
pinning or releasing runs the model. That the counter counts is seen on the typed sentence. Run as
``python -m benchmarks.bench_toggle``; a quick look is without the floor, which that of `bench_overview` has.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from benchmarks.bench_overview import app_of_page, pixels
from benchmarks.browsing import ROOT, Traffic, browsed, idle, served
from benchmarks.command import NothingDrawn, answer, parser

SENTENCE = "The cat sat on the mat and looked at the moon"  # not one of the examples, whose recordings are bundled
ROUNDS = 12
HOVERED = range(3, 71, 3)  # heads, counted through
FEW = range(3, 6, 3)  # of a quick look
PINNED = 41  # L3H5

# Started instead of Streamlit: writes one byte to a file for each forward pass, whatever engine asks for it.
COUNTED = """
import functools, sys, threading, time
def count(path):
    while not hasattr(sys.modules.get("transformers.models.bert.modeling_bert"), "BertModel"):
        time.sleep(0.002)
    model = sys.modules["transformers.models.bert.modeling_bert"].BertModel
    forward = model.forward
    @functools.wraps(forward)  # the program reads from its parameters what a model takes
    def counted(*args, **options):
        with open(path, "ab") as file:
            file.write(b".")
        return forward(*args, **options)
    model.forward = counted
threading.Thread(target=count, args=(sys.argv.pop(1),), daemon=True).start()
from streamlit.web.cli import main
main()
"""

OVER = "new PointerEvent('pointerover', {pointerType: 'mouse', bubbles: true})"
HEAD = "everywhere(\"[data-head='{n}']\")[0]"
SAID = (
    "/\\b{name}\\b.*Click to (pin|unpin)/s.test(everywhere('.finding')[0].textContent)"  # of a head that is pointed at
)
NAMED = "everywhere('.pinned-heads .head-name').some((node) => node.textContent === '{name}')"


class Counter:
    """How often the model has run so far."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @property
    def runs(self) -> int:
        return self.file.stat().st_size if self.file.exists() else 0


def name(head: int) -> str:
    """Return the name of a head counted through all layers of twelve."""
    return f"L{head // 12}H{head % 12}"


def timed(page: Page, act: str, drawn: str) -> float:
    """Return milliseconds from an action to two frames after a condition holds."""
    took = page.evaluate(f"timed(() => {act}, () => {drawn})")
    idle(page)
    return took


def quiet(page: Page, traffic: Traffic, counter: Counter) -> None:
    """Wait until the shuffled sentences have been measured: no model run and no frame sent for three seconds."""
    before, now = None, (counter.runs, traffic.sent)
    while now != before:
        page.wait_for_timeout(3_000)
        before, now = now, (counter.runs, traffic.sent)


def typed(page: Page, traffic: Traffic, counter: Counter) -> int:
    """Type the sentence and return how often the model ran for it and for its control, the shuffled sentences."""
    quiet(page, traffic, counter)
    before = counter.runs
    box = page.get_by_label("Your text")
    box.fill(SENTENCE)
    box.press("Enter")
    page.get_by_role("gridcell").first.wait_for()
    page.wait_for_function("() => everywhere('.hero .sentence').some((row) => row.textContent.includes('moon'))")
    quiet(page, traffic, counter)
    return counter.runs - before


def hovering(page: Page, traffic: Traffic, counter: Counter, heads: range) -> dict[str, Any]:
    """Point at one thumbnail after another."""
    sent, runs, times = traffic.sent, counter.runs, []
    for head in heads:
        point = f"{HEAD.format(n=head)}.dispatchEvent({OVER})"
        said = SAID.format(name=name(head))
        times.append(timed(page, point, said))
    page.mouse.move(5, 5)
    return {**summary(times), "frames_sent": traffic.sent - sent, "model_runs": counter.runs - runs}


def toggling(page: Page, traffic: Traffic, counter: Counter, rounds: int) -> dict[str, Any]:
    """Pin and release a head."""
    sent, runs = traffic.sent, counter.runs
    times: dict[str, list[float]] = {"pin": [], "release": []}
    press, named = f"{HEAD.format(n=PINNED)}.click()", NAMED.format(name=name(PINNED))
    for _ in range(rounds):
        times["pin"].append(timed(page, press, named))
        times["release"].append(timed(page, press, f"!{named}"))
    clicks = 2 * rounds
    return {
        **{way: summary(own) for way, own in times.items()},
        "clicks": clicks,
        "frames_sent": traffic.sent - sent,
        "model_runs": counter.runs - runs,
    }


def summary(times: list[float]) -> dict[str, float]:
    """Return minimum and median in milliseconds."""
    return {"min_ms": round(min(times), 1), "median_ms": round(statistics.median(times), 1)}


def floor(folder: Path, page: Page, traffic: Traffic) -> dict[str, Any]:
    """Return what a rerun takes of a page that holds nothing but a number."""
    with served(app_of_page(folder), "/_stcore/health") as url:
        return pixels(page, traffic, url, (6, 12, 9), ["floor"], ROUNDS)["floor"]


def measure(folder: Path, quick: bool) -> dict[str, Any]:
    """Return the times of the app, and of the floor."""
    counter, counted = Counter(folder / "runs"), folder / "counted.py"
    counted.write_text(COUNTED, encoding="utf-8")
    rounds = 1 if quick else ROUNDS
    with browsed() as (page, traffic):
        lowest = {} if quick else floor(folder, page, traffic)
        command = [sys.executable, str(counted), str(counter.file)]
        with served(ROOT / "app.py", "/api/ready", command) as url:
            page.goto(url)
            page.get_by_role("gridcell").first.wait_for(timeout=60_000)
            idle(page)
            typed_runs = typed(page, traffic, counter)
            return {
                "floor": lowest,
                "model_runs_for_the_typed_sentence": typed_runs,
                "hover": hovering(page, traffic, counter, FEW if quick else HOVERED),
                "toggle": toggling(page, traffic, counter, rounds),
            }


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    return parser(__doc__)


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return what was measured; raise where a hover or a click did what it should not."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), chosen.quick)
    holds = {
        "the counter counts": found["model_runs_for_the_typed_sentence"] > 0,
        "hovering sends nothing": found["hover"]["frames_sent"] == 0,
        "hovering runs no model": found["hover"]["model_runs"] == 0,
        "toggling runs no model": found["toggle"]["model_runs"] == 0,
        "a click is one frame": found["toggle"]["frames_sent"] == found["toggle"]["clicks"],
    }
    if not all(holds.values()):
        print(found, file=sys.stderr)
        raise NothingDrawn("; ".join(f"not so: {what}" for what, so in holds.items() if not so))
    return {"results": found}


if __name__ == "__main__":
    answer("toggle", arguments(), run)
