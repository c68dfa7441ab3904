"""From a click on a thumbnail to the pixels of its heatmap: how long, and does the model run for it?

The real app, a typed sentence. *Pin* is from the click to two frames after the pinned head is drawn large; *release*
takes it away; *switch* is a pill of the layer, until its heatmap has left the plotly figure; *hover* is from pointing
at a thumbnail to two frames after its sentence stands there. The floor, in the same run: a rerun of a page that holds
nothing but a component with a number in it. Every forward pass of the server's BERT is counted from outside, and every
websocket frame the page sends; the run fails if a hover sends one, or if pinning, releasing or switching runs the
model. That the counter counts is seen on the typed sentence. Run as ``python -m benchmarks.bench_toggle``.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from benchmarks.bench_overview import PAGE, pixels
from benchmarks.browsing import ROOT, Traffic, browsed, idle, served
from benchmarks.machine import machine

SENTENCE = "The cat sat on the mat and looked at the moon"  # not one of the examples, whose recordings are bundled
ROUNDS = 12
HOVERED = range(3, 71, 3)  # heads, counted through
PINNED = 41  # L3H5

# Started instead of Streamlit: writes one byte to a file for each forward pass, whatever engine asks for it.
COUNTED = """
import sys, threading, time
def count(path):
    while not hasattr(sys.modules.get("transformers.models.bert.modeling_bert"), "BertModel"):
        time.sleep(0.002)
    model = sys.modules["transformers.models.bert.modeling_bert"].BertModel
    forward = model.forward
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


def typed(page: Page, counter: Counter) -> int:
    """Type the sentence and return how often the model ran for it."""
    before = counter.runs
    box = page.get_by_label("Your sentence")
    box.fill(SENTENCE)
    box.press("Enter")
    page.get_by_role("gridcell").first.wait_for()
    page.wait_for_function("() => everywhere('.hero .sentence').some((row) => row.textContent.includes('moon'))")
    idle(page)
    return counter.runs - before


def hovering(page: Page, traffic: Traffic, counter: Counter) -> dict[str, Any]:
    """Point at one thumbnail after another."""
    sent, runs, times = traffic.sent, counter.runs, []
    for head in HOVERED:
        point = f"{HEAD.format(n=head)}.dispatchEvent({OVER})"
        said = f"everywhere('.finding')[0].textContent.includes('In head {name(head)},')"
        times.append(timed(page, point, said))
    page.mouse.move(5, 5)
    return {**summary(times), "frames_sent": traffic.sent - sent, "model_runs": counter.runs - runs}


def toggling(page: Page, traffic: Traffic, counter: Counter) -> dict[str, Any]:
    """Pin and release a head, and switch one off and on again."""
    sent, runs = traffic.sent, counter.runs
    times: dict[str, list[float]] = {"pin": [], "release": [], "switch_off": [], "switch_on": []}
    press, named = f"{HEAD.format(n=PINNED)}.click()", NAMED.format(name=name(PINNED))
    pill = "[...document.querySelectorAll('button')].find((button) => button.textContent.trim() === 'H7').click()"
    maps = "document.querySelectorAll('.js-plotly-plot .hm').length"
    for _ in range(ROUNDS):
        times["pin"].append(timed(page, press, named))
        times["release"].append(timed(page, press, f"!{named}"))
    page.locator(".js-plotly-plot .hm").first.wait_for(state="attached")
    for _ in range(ROUNDS):
        times["switch_off"].append(timed(page, pill, f"{maps} === 11"))
        times["switch_on"].append(timed(page, pill, f"{maps} === 12"))
    clicks = 4 * ROUNDS
    return {
        **{way: summary(own) for way, own in times.items()},
        "clicks": clicks,
        "frames_sent": traffic.sent - sent,
        "model_runs": counter.runs - runs,
    }


def summary(times: list[float]) -> dict[str, float]:
    """Return minimum and median in milliseconds."""
    return {"min_ms": round(min(times), 1), "median_ms": round(statistics.median(times), 1)}


def measure(folder: Path) -> dict[str, Any]:
    """Return the times of the app, and of the floor."""
    counter, counted, floor = Counter(folder / "runs"), folder / "counted.py", folder / "floor_page.py"
    counted.write_text(COUNTED, encoding="utf-8")
    floor.write_text(PAGE.format(root=str(ROOT)), encoding="utf-8")
    with browsed() as (page, traffic):
        with served(floor, "/_stcore/health") as url:
            lowest = pixels(page, traffic, url, (6, 12, 9), ["floor"])["floor"]
        command = [sys.executable, str(counted), str(counter.file)]
        with served(ROOT / "app.py", "/api/ready", command) as url:
            page.goto(url)
            page.locator(".js-plotly-plot .hm").first.wait_for(state="attached", timeout=60_000)
            idle(page)
            typed_runs = typed(page, counter)
            return {
                "floor": lowest,
                "model_runs_for_the_typed_sentence": typed_runs,
                "hover": hovering(page, traffic, counter),
                "toggle": toggling(page, traffic, counter),
            }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder))
    result["holds"] = {
        "the counter counts": result["model_runs_for_the_typed_sentence"] == 1,
        "hovering sends nothing": result["hover"]["frames_sent"] == 0,
        "hovering runs no model": result["hover"]["model_runs"] == 0,
        "toggling runs no model": result["toggle"]["model_runs"] == 0,
        "a click is one frame": result["toggle"]["frames_sent"] == result["toggle"]["clicks"],
    }
    print(json.dumps({"benchmark": "toggle", "machine": machine(), "results": result}, indent=1))
    if not all(result["holds"].values()):
        sys.exit("; ".join(f"not so: {what}" for what, holds in result["holds"].items() if not holds))


if __name__ == "__main__":
    main()
