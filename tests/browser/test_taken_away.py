"""A page in one file, opened without a network: it draws, follows the pointer, and pins what is clicked."""

import numpy as np
import pytest
from playwright.sync_api import expect

from mha.maps import AttentionMaps, Token
from mha.ui.standalone import show

pytestmark = pytest.mark.browser
EVIL = "<img/src=x/onerror=alert(1)>"


def long_maps(count: int = 512) -> AttentionMaps:
    tokens = tuple(Token(EVIL if n == 3 else f"w{n}", word=n) for n in range(count))
    weights = np.random.default_rng(4).dirichlet(np.full(count, 0.02), size=(6, 12, count))
    return AttentionMaps(weights, tokens, text="", model="MiniLM", origin="imported", units="words")


def test_a_long_page_opens_offline_and_answers_the_pointer(browser, tmp_path):
    file = show(long_maps(), pins=["L1H2"]).save(tmp_path / "page.html")
    context = browser.new_context(offline=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.on(
        "request", lambda request: request.url.startswith(("file:", "data:", "blob:")) or problems.append(request.url)
    )
    page.goto(file.as_uri())
    page.locator("body[data-ready]").wait_for()
    heads = page.locator("[data-head]")
    expect(heads).to_have_count(72)
    for number in (0, 17, 40, 71):
        heads.nth(number).hover()
        expect(page.locator(".finding")).to_contain_text(f"L{number // 12}H{number % 12}")
    heads.nth(40).click()
    expect(page.locator(".head-name")).to_have_text(["L1H2", "L3H4"])
    page.locator("[data-action=unpin]").first.click()
    expect(page.locator(".head-name")).to_have_text(["L3H4"])
    page.get_by_text("Where these numbers come from").click()
    expect(page.locator("footer")).to_contain_text("imported")
    context.close()
    assert problems == []
