"""Every page in Firefox, where one is installed: it draws, and no script fails.

Playwright drives only a Firefox of its own, which no registry has. Any Firefox speaks WebDriver BiDi by itself, over a
socket that it opens when asked: https://www.w3.org/TR/webdriver-bidi/.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.browser.conftest import free_port
from tests.browser.test_access import SHOWN

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
SECONDS = 90
pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(FIREFOX is None, reason="no Firefox is installed (Debian: apt-get install firefox-esr)"),
]
# Whether a selector finds something, as Playwright reads it: also in the shadows of components, at each of its steps.
FINDS = """(selector) => {
  const all = (root, part) => [...root.querySelectorAll("*")].flatMap((node) =>
    [...(node.matches(part) ? [node] : []), ...(node.shadowRoot ? all(node.shadowRoot, part) : [])]);
  const under = (node, part) => [...all(node, part), ...(node.shadowRoot ? all(node.shadowRoot, part) : [])];
  return selector.split(" ").reduce((found, part) => found.flatMap((node) => under(node, part)), [document]).length > 0;
}"""
# What is no fault: Firefox tells that a size changed twice in a frame, and that Streamlit may not try WebAssembly.
HARMLESS = re.compile("ResizeObserver loop|blocked WebAssembly")


class Firefox:
    """One tab of a Firefox without a window, by WebDriver BiDi; ``errors`` are what its scripts failed with."""

    def __init__(self, profile: str) -> None:
        port = free_port()
        command = [str(FIREFOX), "--headless", "--no-remote", "--profile", profile]
        self.process = subprocess.Popen(
            [*command, f"--remote-debugging-port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.errors: list[str] = []
        self._number = 0
        self._closing = ExitStack()
        self._socket = self._reached(f"ws://127.0.0.1:{port}/session")
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        self._tab = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def _reached(self, address: str) -> ClientConnection:
        end = time.monotonic() + SECONDS
        while True:
            try:
                return self._closing.enter_context(connect(address, max_size=None, open_timeout=SECONDS))
            except OSError:
                assert self.process.poll() is None, "Firefox stopped"
                assert time.monotonic() < end, "Firefox opened no socket"
                time.sleep(0.2)

    def ask(self, method: str, **params: Any) -> Any:
        """Send a command and return its result; keep the errors that are told meanwhile."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            told = json.loads(self._socket.recv(timeout=SECONDS))
            if told.get("method") == "log.entryAdded":
                entry = told["params"]
                if entry["level"] == "error" and entry["type"] == "javascript":
                    self.errors.append(entry["text"])
            elif told.get("id") == self._number:
                assert told["type"] == "success", told
                return told["result"]

    def open(self, address: str) -> None:
        """Go to an address."""
        self.ask("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def call(self, function: str, *texts: str) -> Any:
        """Return what a function of the page says of some texts."""
        told = self.ask(
            "script.callFunction",
            functionDeclaration=function,
            arguments=[{"type": "string", "value": text} for text in texts],
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert told["type"] == "success", told
        return told["result"].get("value")

    def wait(self, selector: str) -> None:
        """Wait until something is there."""
        end = time.monotonic() + SECONDS
        while not self.call(FINDS, selector):
            assert time.monotonic() < end, f"{selector} is not there"
            time.sleep(0.2)

    def stop(self) -> None:
        """End the browser."""
        self._closing.close()
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    running = Firefox(str(tmp_path_factory.mktemp("firefox")))
    yield running
    running.stop()


@pytest.mark.parametrize("path", SHOWN)
def test_a_page_draws_in_firefox_and_no_script_fails(firefox, server, path):
    firefox.errors.clear()
    firefox.open(f"{server}/{path}")
    firefox.wait(SHOWN[path])
    time.sleep(2)  # for what is drawn after the first
    assert firefox.call("() => document.title").endswith(" · Parallax")
    assert firefox.call(FINDS, "h1")
    assert [error for error in firefox.errors if not HARMLESS.search(error)] == []
