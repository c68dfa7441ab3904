"""The pages under the guard's own headers: nothing that they need is forbidden, and what is forbidden stays so."""

import urllib.error
import urllib.request

import pytest

pytestmark = pytest.mark.browser

SHOWN = {"": ".overview[data-ready]", "readings": ".blocks", "training": ".training[data-ready]"}


@pytest.mark.parametrize("path", SHOWN)
def test_a_page_draws_under_its_content_security_policy(browser, server, path):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if "Security Policy" in message.text else None)
    page.goto(f"{server}/{path}")
    page.locator(SHOWN[path]).first.wait_for(timeout=60_000)
    page.wait_for_timeout(1500)
    context.close()
    assert said == []


@pytest.mark.parametrize("path", ["_stcore/upload_file/a/b", "_stcore/metrics"])
def test_routes_that_no_page_needs_are_shut(server, path):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{server}/{path}", timeout=10)
