"""The pages under their security headers: everything that they need is allowed, closed routes stay closed."""

import pytest

from tests.browser.conftest import TOLD, settled

pytestmark = pytest.mark.browser

SHOWN = {"": ".overview[data-ready]", "readings": ".next-sentence[data-ready]", "training": ".runs[data-ready]"}


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
