"""The pages under the guard's own headers: nothing that they need is forbidden, and what is forbidden stays so."""

import time
import urllib.error
import urllib.request

import pytest

from tests.browser.conftest import COUNTS, TOLD, Server, counted, settled

pytestmark = pytest.mark.browser

SHOWN = {"": ".overview[data-ready]", "readings": ".blocks", "training": ".training[data-ready]"}


@pytest.fixture(scope="module")
def under_the_policy(browser):
    """Return a page that keeps to what the pages forbid themselves, and the list of what it is kept from."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(TOLD)
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text) if "Security Policy" in message.text else None)
    yield page, said
    context.close()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("path", SHOWN)
def test_a_page_draws_under_its_content_security_policy(under_the_policy, server, path):
    page, said = under_the_policy
    said.clear()
    page.goto(f"{server}/{path}")
    page.locator(SHOWN[path]).first.wait_for(timeout=60_000)
    settled(page, 500)
    assert said == []


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.mark.slow
def test_a_training_ends_when_its_visitor_closes_the_page(browser):
    running = Server(PARALLAX_METRICS_TOKEN=COUNTS)
    try:
        running.wait()
        context = browser.new_context(bypass_csp=True)
        page = context.new_page()
        page.goto(f"{running.url}/training?training_heads_left=4&training_steps=3600&training_seed=77")
        until(lambda: counted(running.url, "parallax_jobs") > 0)
        context.close()
        until(lambda: counted(running.url, "parallax_jobs") == 0, 20)
    finally:
        running.stop()


@pytest.mark.parametrize("path", ["_stcore/upload_file/a/b", "_stcore/metrics"])
def test_routes_that_no_page_needs_are_shut(server, path):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{server}/{path}", timeout=10)
