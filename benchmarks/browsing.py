"""A Streamlit server and a Chromium for the benchmarks that end in pixels."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, WebSocket, sync_playwright

from tests.browser.conftest import ROOT, free_port, launch

START_SECONDS = 120

# In the page: querySelectorAll through shadow roots, and "until a condition holds and two frames have been drawn".
TOOLS = """
window.everywhere = (selector, root = document) => {
  const shadows = [...root.querySelectorAll("*")].map((node) => node.shadowRoot).filter(Boolean);
  return [...root.querySelectorAll(selector), ...shadows.flatMap((shadow) => everywhere(selector, shadow))];
};
window.frame = () => new Promise((done) => requestAnimationFrame(done));
window.timed = async (act, drawn) => {
  const begin = performance.now();
  act();
  while (!drawn()) {
    if (performance.now() - begin > 60000) throw new Error("nothing was drawn");
    await frame();
  }
  await frame();
  await frame();
  return performance.now() - begin;
};
"""


@contextlib.contextmanager
def served(script: Path, ready: str, command: list[str] | None = None) -> Iterator[str]:
    """Serve a Streamlit script (or what ``command`` starts) until the block ends; return its address."""
    with serving(script, ready, command) as (url, _):
        yield url


@contextlib.contextmanager
def serving(
    script: Path, ready: str, command: list[str] | None = None, root: Path = ROOT, **environment: str
) -> Iterator[tuple[str, int]]:
    """Serve as `served` does, from a checkout; return the address, and the number of the process."""
    port = free_port()
    start = command or [sys.executable, "-m", "streamlit"]
    process = subprocess.Popen(
        [*start, "run", str(script), "--server.port", str(port), "--server.headless", "true"],
        cwd=root,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://localhost:{port}"
    try:
        wait_for(process, url + ready)
        yield url, process.pid
    finally:
        process.terminate()
        process.wait(10)


def wait_for(process: subprocess.Popen[bytes], address: str) -> None:
    """Wait until a process that was started answers at an address; raise if it ends, or takes too long."""
    end = time.monotonic() + START_SECONDS
    while True:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
            return
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"{address} did not answer")
        time.sleep(0.2)


class Traffic:
    """What went over the websocket of a page: frames sent, bytes received."""

    def __init__(self) -> None:
        self.sent = 0
        self.received = 0

    def watch(self, socket: WebSocket) -> None:
        socket.on("framesent", lambda _: self._send())
        socket.on("framereceived", self._receive)

    def _send(self) -> None:
        self.sent += 1

    def _receive(self, payload: str | bytes) -> None:
        self.received += len(payload)


@contextlib.contextmanager
def browsed() -> Iterator[tuple[Page, Traffic]]:
    """Open one page of 1280 × 900 in Chromium, with `TOOLS` in it, until the block ends."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(TOOLS)
        traffic = Traffic()
        page.on("websocket", traffic.watch)
        yield page, traffic
        browser.close()


def idle(page: Page) -> None:
    """Wait until the page's script has run."""
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'", timeout=120_000
    )
    page.wait_for_timeout(100)
