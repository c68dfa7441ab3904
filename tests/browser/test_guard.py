"""The pages under their security headers: everything that they need is allowed, closed routes stay closed."""

import time
import urllib.error
import urllib.request

import pytest

from tests.browser.conftest import TOLD, Server, settled

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


def is_idle(process, seconds=1.0):
    """Return whether a process uses less than a fifth of a core."""
    return process.cpu_percent(seconds) < 20


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.mark.slow
def test_training_ends_with_its_page(browser):
    psutil = pytest.importorskip("psutil")
    running = Server()
    try:
        running.wait()
        process, context = psutil.Process(running.process.pid), browser.new_context(bypass_csp=True)
        until(lambda: is_idle(process))
        page = context.new_page()
        page.goto(f"{running.url}/training?training_heads_left=4&training_steps=3600&training_seed=77")
        page.locator(".training[data-ready]").wait_for(timeout=60_000)
        page.wait_for_timeout(2000)
        assert not is_idle(process), "it trains"
        context.close()
        until(lambda: is_idle(process), 20)
    finally:
        running.stop()


@pytest.mark.parametrize("path", ["_stcore/metrics", "_stcore/script-health-check"])
def test_unused_routes_are_closed(server, path):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{server}/{path}", timeout=10)
