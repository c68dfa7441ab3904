"""What travels: each file once, data only where it changed, at whatever address the app stands and through updates."""

import shutil

import pytest

from tests.browser.conftest import ROOT, Server, settled

pytestmark = pytest.mark.browser

READY = ".st-key-foot"  # the last of Heads
PAGES = {"": READY, "readings": ".next-sentence[data-ready]", "steps": ".matrices[data-ready]"}
SENTENCE = "This page was updated, or its server is away."
DOG = "?text=The+dog+chased+the+cat"


def wait(page, selector=READY, seconds=60):
    page.locator(selector).first.wait_for(timeout=1000 * seconds)


def served(page):
    """Return the list to which every answer from below ``parallax/`` will be added: address and status."""
    found = []
    page.on(
        "response", lambda answer: found.append((answer.url, answer.status)) if "/parallax/" in answer.url else None
    )
    return found


@pytest.mark.slow
def test_every_file_is_asked_for_once_and_then_never_again(first_visit, server):
    page, found = first_visit, served(first_visit)
    page.goto(server)
    wait(page)
    settled(page)
    page.get_by_role("gridcell").nth(7).click()
    settled(page)
    page.wait_for_timeout(2000)
    addresses = [address for address, _ in found]
    assert len(addresses) == len(set(addresses)) > 20
    assert {status for _, status in found} == {200}


@pytest.mark.parametrize(
    ("path", "most"),
    [("", 40_000), *(pytest.param(path, 60_000, marks=pytest.mark.slow) for path in ("readings", "steps"))],
)
def test_a_rerun_carries_what_changed(page, server, path, most):
    received = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    page.goto(f"{server}/{path}")
    wait(page, PAGES[path])
    settled(page)
    for _ in range(2):  # the second time around the browser knows what stays
        received.clear()
        if path:
            page.keyboard.press("r")
        else:
            page.get_by_role("gridcell").nth(7).click()
        settled(page, 500)
    assert 500 < sum(received) < most


@pytest.mark.slow
def test_the_app_below_a_path_of_its_own(page):
    running = Server(STREAMLIT_SERVER_BASE_URL_PATH="lab/lens")
    try:
        running.wait()
        for path, selector in PAGES.items():
            page.goto(f"{running.url}/lab/lens/{path}")
            wait(page, selector)
        page.goto(f"{running.url}/lab/lens")
        wait(page)
    finally:
        running.stop()


@pytest.mark.slow
def test_a_server_that_comes_back_with_new_files_while_a_page_is_open(page, tmp_path):
    for name in ("mha", "pages", "assets", ".streamlit"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml", "docs", "CHANGELOG.md"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tmp_path / name)
    running = Server(root=tmp_path)
    try:
        running.wait()
        found = served(page)
        page.goto(running.url + "/" + DOG)
        wait(page)
        settled(page)
        before = {address.split("/parallax/")[1][:12] for address, _ in found}
        running.stop()
        connected = page.locator('[data-test-connection-state="CONNECTED"]')
        connected.wait_for(state="detached")
        with (tmp_path / "assets" / "css" / "overview.css").open("a") as css:
            css.write(".overview .finding { letter-spacing: 3px; }\n")
        running = Server(root=tmp_path, port=running.port)
        running.wait()
        connected.wait_for(state="attached", timeout=60_000)  # what is done while a page is not, is lost
        page.wait_for_timeout(1000)  # the old drawing stays until something is asked of the new server
        page.get_by_role("gridcell").nth(7).click()
        page.wait_for_function(
            """() => { const find = (root) => [...root.querySelectorAll("*")].some((node) =>
                 (node.matches(".overview .finding") && getComputedStyle(node).letterSpacing === "3px") ||
                 (node.shadowRoot && find(node.shadowRoot))); return find(document); }""",
            timeout=90_000,
        )
        after = {address.split("/parallax/")[1][:12] for address, status in found if status == 200} - before
        assert (len(before), len(after)) == (1, 1)
        assert page.get_by_text(SENTENCE).count() == 0
        assert page.locator(".overview").count() == 1  # in the place of the old one
    finally:
        running.stop()
