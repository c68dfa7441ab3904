"""A server that is stopped or killed, whose model cannot be loaded, or that reaches nobody, with a page open; and two
visitors at once."""

import contextlib
import os
import re
import signal
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, Server, free_port

pytestmark = pytest.mark.browser

FAULTS = os.pathsep.join([str(Path(__file__).parent / "faults"), str(ROOT)])
BOX = "Your text"


@contextlib.contextmanager
def running(path="/api/ready", port=None, **environment):
    """Start a server of this test's own."""
    server = Server(port=port, **environment)
    try:
        server.wait(path)
        yield server
    finally:
        server.stop()


def typed(page, text):
    box = page.get_by_label(BOX)
    box.fill(text)
    box.press("Enter")


def words_of(page):
    """Return what the page's address says."""
    return parse_qs(urlsplit(page.url).query)


def shows(page, text):
    """Wait until the page's sentence is this one."""
    sentence = page.locator(".overview .hero .sentence").first
    expect(sentence).to_contain_text(text.split()[-1], timeout=60_000)
    return sentence.inner_text()


def status(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=lambda one: one.name)
def test_a_page_comes_back_as_it_was_when_its_server_does(page, how):
    port = free_port()
    with running(port=port) as server:
        page.goto(f"{server.url}/?text=The+server+went+away&pins=L2H3&pins=L4H5")
        page.locator(".overview[data-ready]").wait_for(timeout=60_000)
        typed(page, "The server went away twice")
        shows(page, "twice")
        expect(page).to_have_url(re.compile("twice"))
        before = words_of(page)
        assert before["pins"] == ["L2H3", "L4H5"]
        server.process.send_signal(how)
        server.process.wait(20)
    with running(port=port):
        typed(page, "and it came back here")
        shows(page, "here")
        expect(page).to_have_url(re.compile("here"))
        assert words_of(page) == before | {"text": ["and it came back here"]}
        assert page.get_by_label(BOX).input_value() == "and it came back here"


DEAD = """(() => {
  const Real = WebSocket, open = new Set();
  window.WebSocket = class extends Real {
    constructor(address, ...more) { super(window.dead ? "ws://127.0.0.1:9/" : address, ...more); open.add(this); }
    send(...said) { if (!window.dead) super.send(...said); }
  };
  window.ends = () => { for (const socket of open) socket.close(); };
})()"""  # a line that takes what is said and brings it nowhere, before it is known to have ended


@pytest.mark.slow
def test_what_is_typed_into_a_dead_line_is_what_the_page_comes_back_with(browser, server):
    context = browser.new_context(bypass_csp=True)
    context.add_init_script(DEAD)
    page = context.new_page()
    page.goto(f"{server}/?text=The+line+went+dead")
    page.locator(".overview[data-ready]").wait_for(timeout=60_000)
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=60_000)
    page.evaluate("window.dead = true")
    typed(page, "and it came back alone")
    page.evaluate("ends()")
    expect(app).not_to_have_attribute("data-test-connection-state", "CONNECTED")
    page.evaluate("window.dead = false")
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=60_000)
    shows(page, "alone")
    expect(page).to_have_url(re.compile("alone"))
    context.close()


@pytest.mark.slow
def test_while_the_server_does_not_answer_the_page_says_so_in_our_words(browser, server):
    context = browser.new_context(bypass_csp=True)
    context.add_init_script(DEAD)
    page = context.new_page()
    page.goto(f"{server}/questions")
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED", timeout=60_000)
    context.route("**/_stcore/**", lambda route: route.abort())
    page.evaluate("window.dead = true; ends()")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Parallax does not answer.", timeout=90_000)
    assert "streamlit" not in dialog.inner_text().lower()
    context.unroute("**/_stcore/**")
    page.evaluate("window.dead = false")
    expect(dialog).to_have_count(0, timeout=90_000)
    context.close()


@pytest.mark.slow
def test_a_model_that_cannot_be_loaded_is_told_and_comes_back_without_anybody_asking(page, tmp_path):
    fault = tmp_path / "fault"
    fault.touch()
    with running("/api/health", PYTHONPATH=FAULTS, FAULT_LOAD=str(fault)) as server:
        page.goto(server.url)
        page.locator(".overview[data-ready]").wait_for(timeout=60_000)  # the example comes with the program
        typed(page, "this one needs the model")
        expect(page.locator(".st-key-finding")).to_contain_text("could not be loaded", timeout=60_000)
        assert "secret" not in page.content()
        assert "Traceback" not in page.content()
        assert page.locator("[data-testid=stException]").count() == 0
        assert status(server.url + "/api/ready") == 503
        assert status(server.url + "/api/health") == 200
        fault.unlink()
        server.wait("/api/ready")  # nobody asks for a sentence meanwhile
        typed(page, "now it has the model")
        shows(page, "model")


@pytest.mark.slow
def test_a_server_that_reaches_nobody_asks_nobody(page, tmp_path):
    asked = tmp_path / "asked"
    with running(PYTHONPATH=FAULTS, FAULT_EGRESS=str(asked)) as server:
        for path in ("", "readings", "steps", "training", "questions", "compare"):
            page.goto(f"{server.url}/{path}")
            expect(page.get_by_test_id("stApp")).to_have_attribute(
                "data-test-script-state", "notRunning", timeout=60_000
            )
        page.goto(server.url)
        page.locator(".overview[data-ready]").wait_for(timeout=60_000)
        typed(page, "nobody outside is asked")
        shows(page, "asked")
        time.sleep(1)
    assert not asked.exists() or asked.read_text() == ""
