"""A real server with the real model, and a real Chromium: from Debian where it is installed, else Playwright's own."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

SCREENS = [  # width and theme; every one is looked at, half of them in make soak
    (390, "light"),
    (1280, "dark"),
    pytest.param(390, "dark", marks=pytest.mark.slow),
    pytest.param(1280, "light", marks=pytest.mark.slow),
]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """The app in a process of its own, started as a user starts it; ``environment`` is what that user has set."""

    def __init__(self, root: Path = ROOT, port: int | None = None, **environment: str) -> None:
        self.port = port or free_port()
        self.url = f"http://localhost:{self.port}"
        command = [sys.executable, "-m", "streamlit", "run", str(root / "app.py")]
        options = ["--server.port", str(self.port), "--server.headless", "true"]
        self.process = subprocess.Popen(
            [*command, *options],
            cwd=root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PARALLAX_COMPRESS": "off"} | environment,  # tests/ui/test_compressed.py looks at that
        )

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
def server():
    """Return the address of a warm server."""
    running = Server()
    try:
        running.wait()
        yield running.url
    finally:
        running.stop()


@pytest.fixture(scope="session")
def server_with_models(snapshots):
    """Return the address of a warm server that offers the three tiny models of `tests.models.snapshots` as well."""
    running = Server(PARALLAX_MODELS=",".join(map(str, snapshots.values())))
    try:
        running.wait()
        yield running.url
    finally:
        running.stop()


@pytest.fixture
def fresh_server():
    """Return the address of a server that was started for this test alone."""
    running = Server()
    try:
        running.wait()
        yield running.url
    finally:
        running.stop()


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


@pytest.fixture
def page(browser):
    """Return a fresh page that fails the test when a script throws or another host is asked.

    It goes around the content security policy, which lets nothing evaluate a text as Playwright does while it waits;
    `test_guard.py` opens the pages under it.
    """
    context = browser.new_context(bypass_csp=True, viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on(
        "request",
        lambda request: (
            None
            if request.url.startswith(("http://localhost", "data:", "blob:"))
            else problems.append(f"asked {request.url}")
        ),
    )
    yield opened
    context.close()
    assert problems == []
