"""What does somebody on a phone wait for on a first visit? By page, on the slow line that Chromium emulates.

1.6 Mbit/s down, 150 ms to the server and a processor four times slower, both emulated by Chromium itself (DevTools
protocol), nothing in its cache, the server warm. *Paint* is the first thing that is not blank, *sentence* the text that
the page opens with, in its first answer or drawn, *picture* the first picture, *all* the last byte and the last change
of the layout; *shift* is Chromium's layout shift (https://web.dev/articles/cls, all windows added up) with the elements
that moved most. Bytes are as they travelled. *shift_desk* is the shift of the same visit in a window of 1280 × 800. Run
as ``python -m benchmarks.bench_first_view [PAGE …]``; with ``--shift`` of the shifts alone, at both widths. A quick
look is at one page on a phone with a fast line, the processor as it is.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.browsing import ROOT, TOOLS, launch, serving
from benchmarks.command import NothingDrawn, answer, parser

LINE = {"offline": False, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8, "latency": 150}
SLOWER = 4  # the processor
FAST = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1, "latency": 0}  # DevTools: -1 is no limit
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True,
}  # fmt: skip
DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
QUIET, SOON = 5.0, 1.0  # seconds without a request or a shift that end a visit, and a quick look
LONGEST = 120.0
PAGES = {  # page: what shows that its sentence and its picture are there
    "": (".hero", ".overview[data-ready]"),
    "readings": (".next-sentence[data-ready]", ".heads[data-ready]"),
    "compare": (".versions[data-ready]", ".heads[data-ready]"),
    "steps": (".next-sentence[data-ready]", ".matrices[data-ready]"),
    "training": (".runs .hero", ".runs[data-ready]"),
    "atlas": ("h1", ".heads[data-ready]"),
    "questions": ("h1", ".main-svg"),
}
AIMS = {"words_s": 2, "paint_s": 5, "sentence_s": 7, "all_s": 12, "shift": 0.1, "shift_desk": 0.1}

# In the page: when each thing was first seen, and what moved. A component is looked for through its shadow root.
WATCH = """
window.seen = {};
window.shifts = [];
const kept = (node) => {
  for (let at = node; at; at = at.parentNode || at.host) {
    const name = at.dataset?.testid || [...(at.classList || [])].find((part) => part.startsWith("st-key-"));
    if (name) return name;
  }
  return node?.nodeName || "gone";
};
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    const moved = entry.sources.map(({ node, previousRect: was, currentRect: now }) =>
      `${kept(node)} ${Math.round(now.y - was.y)} px down, ${Math.round(now.height - was.height)} px taller`);
    shifts.push({ at: entry.startTime, value: entry.value, moved });
  }
}).observe({ type: "layout-shift", buffered: true });
window.look = (selectors) => {
  for (const [name, selector] of Object.entries(selectors)) {
    const there = everywhere(selector).some((node) =>
      node.getBoundingClientRect().height > 4 && node.checkVisibility({ visibilityProperty: true }));
    if (!(name in seen) && there) seen[name] = performance.now();
  }
  setTimeout(() => look(selectors), 100);
};
"""


class Wire:
    """What came over the wire, by the address it came from."""

    def __init__(self, session: Any, origin: str) -> None:
        self.bytes: Counter[str] = Counter()
        self.requests = 0
        self.last = time.monotonic()
        self.files: list[tuple[float, str, int]] = []  # seconds, path, bytes
        self._origin, self._begin = origin, self.last
        self._paths: dict[str, str] = {}
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.dataReceived", lambda _: self._now())
        session.on("Network.loadingFinished", self._came)
        session.on("Network.webSocketFrameReceived", self._frame)

    def _now(self) -> None:
        self.last = time.monotonic()

    def _asked(self, event: dict[str, Any]) -> None:
        self.requests += 1
        self._paths[event["requestId"]] = event["request"]["url"].removeprefix(self._origin)
        self._now()

    def _came(self, event: dict[str, Any]) -> None:
        path, size = self._paths.get(event["requestId"], ""), int(event["encodedDataLength"])
        self.bytes[whose(path)] += size
        self.files.append((time.monotonic() - self._begin, path, size))
        self._now()

    def _frame(self, event: dict[str, Any]) -> None:
        data = event["response"]["payloadData"]
        self.bytes["websocket"] += len(data) * 3 // 4 if event["response"]["opcode"] == 2 else len(data)  # base64
        self._now()


def whose(path: str) -> str:
    """Return whose bytes an address brings.

    >>> whose("/static/js/PlotlyChart.x.js"), whose("/static/js/index.y.js"), whose("/parallax/abc/js/heads.js")
    ('plotly', 'streamlit', 'ours')
    """
    if "/plotly" in path.lower():
        return "plotly"
    return "ours" if path.startswith(("/parallax/", "/media/", "/api/")) else "streamlit"


def visit(browser: Browser, url: str, page: str, screen: dict[str, Any] = PHONE, quick: bool = False) -> dict[str, Any]:
    """Return what one first visit to a page took.

    Raises:
        NothingDrawn: the page's sentence or its picture did not come.
    """
    context = browser.new_context(**screen)
    opened = context.new_page()
    session = context.new_cdp_session(opened)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", FAST if quick else LINE)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1 if quick else SLOWER})
    sentence, picture = PAGES[page]
    selectors = {
        "words": ".first-words h1, [data-testid=stMain] *",
        "sentence": sentence,
        "picture": picture,
    }
    opened.add_init_script(f"{TOOLS}\n{WATCH}\nlook({json.dumps(selectors)});")
    wire = Wire(session, url)
    begin = time.monotonic()
    opened.goto(f"{url}/{page}", wait_until="commit", timeout=1e3 * LONGEST)
    _until_quiet(opened, wire, begin, SOON if quick else QUIET)
    row = _read(opened, wire, begin)
    context.close()
    lacking = [name for name in ("sentence", "picture") if f"{name}_s" not in row]
    if lacking:
        raise NothingDrawn(f"/{page} did not show its {' and its '.join(lacking)} within {LONGEST:.0f} s")
    return row


def _until_quiet(opened: Page, wire: Wire, begin: float, quiet: float) -> None:
    while time.monotonic() - begin < LONGEST:
        opened.wait_for_timeout(500)
        running = opened.evaluate("document.querySelector('[data-testid=stApp]')?.dataset.testScriptState")
        if running == "notRunning" and time.monotonic() - wire.last > quiet:
            return


def _read(opened: Page, wire: Wire, begin: float) -> dict[str, Any]:
    paint, seen, shifts = opened.evaluate(
        "[performance.getEntriesByName('first-contentful-paint')[0]?.startTime, seen, shifts]"
    )
    came = max(wire.last - begin, *(shift["at"] / 1e3 for shift in shifts), *(at / 1e3 for at in seen.values()), 0)
    seconds = {f"{name}_s": round(at / 1e3, 1) for name, at in {"paint": paint or 0, **seen}.items()}
    before = [(size, path) for at, path, size in wire.files if at <= seen.get("picture", 0) / 1e3]
    worst = sorted(shifts, key=lambda shift: -shift["value"])[:4]
    return {
        "requests": wire.requests,
        "bytes": dict(wire.bytes),
        **seconds,
        "all_s": round(came, 1),
        "shift": round(sum(shift["value"] for shift in shifts), 3),
        "moved": [f"{shift['value']:.3f} at {shift['at'] / 1e3:.1f} s: {'; '.join(shift['moved'])}" for shift in worst],
        "before_the_picture": [f"{size // 1000} kB {path}" for size, path in sorted(before, reverse=True)[:8]],
    }


def both(browser: Browser, url: str, page: str, alone: bool, quick: bool) -> dict[str, Any]:
    """Return what a first visit took on a phone, and how far things moved on a desk; ``alone``, only what moved."""
    if quick:
        return visit(browser, url, page, quick=True)
    row, desk = (visit(browser, url, page, screen) for screen in (PHONE, DESK))
    row |= {"shift_desk": desk["shift"], "moved_desk": desk["moved"]}
    if alone:
        return {name: row[name] for name in ("shift", "moved", "shift_desk", "moved_desk")}
    return row | {"missed": [name for name, aim in AIMS.items() if row.get(name, LONGEST) > aim]}


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("pages", nargs="*", metavar="PAGE", help=", ".join(page or "heads" for page in PAGES))
    found.add_argument("--shift", action="store_true", help="of the shifts alone")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Start a server and visit its pages."""
    pages = [page.replace("heads", "") for page in chosen.pages] or list(PAGES)[: 1 if chosen.quick else None]
    with serving(ROOT / "app.py", "/api/ready") as (url, _), sync_playwright() as playwright:
        browser = launch(playwright)
        if not chosen.quick:
            visit(browser, url, "")  # the server's own first time: what it compresses once
        rows = {page or "heads": both(browser, url, page, chosen.shift, chosen.quick) for page in pages}
        browser.close()
    return {"line": FAST if chosen.quick else LINE, "pages": rows}


if __name__ == "__main__":
    answer("first_view", arguments(), run)
