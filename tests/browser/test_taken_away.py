"""What is taken away: pages in one file that open without a network and answer clicks, and pictures."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from playwright.sync_api import expect

from mha.maps import AttentionMaps, Token
from mha.ui.standalone import show
from tests.browser.test_heads import settled

pytestmark = pytest.mark.browser
SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<img/src=x/onerror=alert(1)>"


def long_maps(count: int = 512) -> AttentionMaps:
    tokens = tuple(Token(EVIL if n == 3 else f"w{n}", word=n) for n in range(count))
    weights = np.random.default_rng(4).dirichlet(np.full(count, 0.02), size=(6, 12, count))
    return AttentionMaps(weights, tokens, text="", model="MiniLM", origin="imported", units="words")


@pytest.mark.slow
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


def test_a_page_is_taken_away_as_pictures_and_as_one_file(page, server, browser, tmp_path):
    page.goto(f"{server}/readings")
    page.get_by_text("Is any lean unusual for these words?").wait_for()
    settled(page)
    page.get_by_role("button", name="Take away").click()
    dialog = page.get_by_role("dialog")
    dialog.locator(".away-list li").nth(2).wait_for()

    def taken(button):
        with page.expect_download() as download:
            button.click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        return file

    picture = ElementTree.parse(taken(dialog.get_by_role("button", name="Where every head leans as SVG"))).getroot()
    written = " ".join("".join(node.itertext()) for node in picture.iter(f"{SVG}text"))
    assert "more with A" in written
    assert "MiniLM (sha256" in written, "where it comes from stands under it"
    assert len(list(picture.iter(f"{SVG}circle"))) > 20
    drawn = taken(dialog.get_by_role("button", name="Where every head leans as PNG")).read_bytes()
    assert drawn.startswith(b"\x89PNG")
    assert len(drawn) > 20_000

    button = dialog.get_by_role("button", name="Where every head leans as PNG").element_handle()
    whole = taken(dialog.get_by_role("button", name="This page as one HTML file"))
    assert button.evaluate("node => node.isConnected"), "a button that is drawn anew loses the click that is under way"
    table = dialog.get_by_role("button", name="CSV")
    taken(table.first)
    expect(table.first).to_be_enabled()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)

    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    away = context.new_page()
    away.goto(whole.as_uri())
    away.locator("body[data-ready]").wait_for()
    expect(away.get_by_role("heading", name="Where every head leans")).to_be_visible()
    expect(away.get_by_text("two heads give dog more than half")).to_be_visible()
    assert away.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()
