"""A real server with the real model, and a real Chromium: from Debian where it is installed, else Playwright's own."""

import contextlib
import itertools
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Error, expect, sync_playwright

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

expect.set_options(timeout=20_000)  # ms: a busy machine is no fault of the page

# When a page last sent something to its server, and when a run of its script last ended.
TOLD = """(() => {
  const told = (window.told = { sent: 0, ended: 0 });
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...given) { told.sent = performance.now(); return send.apply(this, given); };
  new MutationObserver(([{ target }]) => {
    if (target.dataset.testScriptState === "notRunning") told.ended = performance.now();
  }).observe(document, { subtree: true, attributeFilter: ["data-test-script-state"] });
})()"""
SETTLED = """([look, quiet, hidden]) => {
  const { sent, ended } = window.told ?? { sent: 0, ended: 0 };
  const now = performance.now();
  const state = document.querySelector("[data-testid=stApp]")?.dataset.testScriptState;
  const still = state === "notRunning" && (ended >= sent || now > sent + 1000);  // not all that is sent starts a run
  if (!still || window.settling?.look !== look) window.settling = { look, since: now };
  const stood = now - window.settling.since;
  const coming = '[data-testid="stSkeleton"], [data-testid="stBidiComponentIsolated"]:not([data-drawn])';
  if (!still || stood < quiet) return false;
  return !document.querySelector(coming) || stood > hidden;  // what is hidden may never come
}"""
LOOKS = itertools.count()

SCREENS = [(390, "light"), (1280, "dark"), (390, "dark"), (1280, "light")]  # width and theme


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Look a second time where a look fails: Chromium and a server share two cores. A second look is listed (R)."""
    for item in items:
        if Path(__file__).parent in item.path.parents and not item.get_closest_marker("flaky"):
            item.add_marker(pytest.mark.flaky(reruns=1))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """The app in a process of its own, started as a user starts it; ``environment`` is what that user has set.

    What it says goes into the file ``log``, where one is given.
    """

    def __init__(self, root: Path = ROOT, port: int | None = None, log: Path | None = None, **environment: str) -> None:
        self.port, self.log = port or free_port(), log
        self.url = f"http://localhost:{self.port}"
        command = [sys.executable, "-m", "streamlit", "run", str(root / "app.py")]
        options = ["--server.port", str(self.port), "--server.headless", "true", "--logger.enableRich", "false"]
        with open(log or os.devnull, "ab") as told:
            self.process = subprocess.Popen(
                [*command, *options],
                cwd=root,
                stdout=told,
                stderr=subprocess.STDOUT,
                env=os.environ | {"PARALLAX_COMPRESS": "off"} | environment,
            )

    def said(self, since: int = 0) -> tuple[int, str]:
        """Return how long the log is, in bytes, and what it has from a place on."""
        assert self.log is not None, "this server keeps no log"
        new = self.log.read_bytes()[since:]
        return since + len(new), new.decode(errors="replace")

    def wait(self, path: str = "/api/ready", seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while True:
            try:
                with urllib.request.urlopen(self.url + path, timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                pass
            assert self.process.poll() is None, "the server stopped"
            assert time.monotonic() < end, f"{path} did not answer"
            time.sleep(0.2)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="session")
def house(snapshots, tmp_path_factory):
    """Return a warm server for all tests: one more costs as much as many of them.

    It offers the three tiny models of `tests.models.snapshots` as well, and keeps a log.
    """
    running = Server(
        log=tmp_path_factory.mktemp("house") / "log", PARALLAX_MODELS=",".join(map(str, snapshots.values()))
    )
    try:
        running.wait()
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="session")
def server(house):
    """Return its address."""
    return house.url


@pytest.fixture(scope="session")
def server_with_models(server):
    """Return the same address, for tests that are about the models on offer."""
    return server


def launch(playwright):
    """Start Chromium: the system's if there is one."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    return playwright.chromium.launch(executable_path=path, args=FLAGS)


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


def warm(browser):
    """Yield a context that lives as long as the tests, so that Streamlit's own files are read once and not each time.

    Its first tab is used again and again: a new one would have all scripts translated anew, which is two thirds of
    what opening a page costs.

    It goes around the content security policy, which lets nothing evaluate a text as Playwright does while it waits;
    `test_guard.py` opens the pages under it.
    """
    context = browser.new_context(bypass_csp=True)
    context.add_init_script(TOLD)
    yield context
    context.close()


here, there = (pytest.fixture(scope="session", name=name)(warm) for name in ("here", "there"))


def opened(context, tab=None):
    """Yield a page in a context, as if it were new, which fails the test when a script throws or asks another host."""
    tab = tab or (context.pages[0] if context.pages else context.new_page())
    tab.set_viewport_size({"width": 1280, "height": 900})
    problems, heard, on = [], [], tab.on

    def listening(event, handler):
        heard.append((event, handler))
        on(event, handler)

    tab.on = listening
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("http://localhost", "data:", "blob:"))
            else problems.append(f"asked {request.url}")
        ),
    )
    yield tab
    with contextlib.suppress(Error):  # a page that was left for another place keeps nothing
        tab.evaluate("localStorage.clear(); sessionStorage.clear()")
    for event, handler in heard:
        tab.remove_listener(event, handler)
    del tab.on
    tab.unroute_all(behavior="ignoreErrors")
    tab.goto("about:blank")
    tab.mouse.move(0, 0)
    tab.emulate_media(media="null", color_scheme="null", reduced_motion="null", forced_colors="null", contrast="null")
    for other in context.pages[1:]:
        other.close()
    context.clear_permissions()
    assert problems == []


@pytest.fixture
def page(here):
    """Return a new page."""
    yield from opened(here)


@pytest.fixture
def new_tab(here):
    """Return a page in a tab of its own, whose history begins with it."""
    yield from opened(here, here.new_page())


@pytest.fixture
def elsewhere(there):
    """Return a new page of another visitor."""
    yield from opened(there)


@pytest.fixture
def first_visit(browser):
    """Return a page of somebody who has never been here: nothing is in its cache."""
    context = browser.new_context(bypass_csp=True)
    context.add_init_script(TOLD)
    yield from opened(context)
    context.close()


def settled(page, quiet: int = 100, timeout: float = 60_000, hidden: int = 400) -> None:
    """Wait until the server has answered what was last sent to it, and the page has stood still for ``quiet`` ms.

    What is announced and not drawn, in sight or not, is waited for for ``hidden`` ms.
    """
    page.wait_for_function(SETTLED, arg=[next(LOOKS), quiet, hidden], timeout=timeout)


def wider_than(page, width, scheme="light"):
    """Return how many px a page, drawn, is wider than a screen."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_timeout(400)
    return page.get_by_test_id("stMain").evaluate("(main) => main.scrollWidth - main.clientWidth")
