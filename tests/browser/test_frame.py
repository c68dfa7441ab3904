"""The frame in a real browser: the bar's mark, the drawer of pages on a phone."""

import pytest
from playwright.sync_api import expect

from tests.browser.test_access import accessible
from tests.browser.test_heads import open_page

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_a_phones_menu_closes_after_a_tap_and_the_bar_names_the_page(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, server)
    accessible(page)
    page.get_by_test_id("stExpandSidebarButton").click()
    expect(page.locator(".st-key-share")).to_be_hidden()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Questions").click()
    expect(page.get_by_test_id("stExpandSidebarButton")).to_be_visible()
    expect(page.locator(".st-key-share")).to_be_visible()
    expect(page.locator(".parallax-brand .here")).to_have_text("Questions")
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Watch heads learn").click()
    here = page.locator(".parallax-brand .here")
    expect(here).to_have_text("Watch heads learn")
    expect(page.locator(".st-key-share")).to_be_visible()
    name, buttons = here.bounding_box(), page.locator(".st-key-share").bounding_box()
    assert name["x"] + name["width"] <= buttons["x"]


@pytest.mark.slow
@pytest.mark.parametrize("width", [800, 855])
def test_no_page_of_the_bar_lies_below_share(new_tab, server, width):
    new_tab.set_viewport_size({"width": width, "height": 600})
    new_tab.goto(server)
    share = new_tab.locator(".st-key-share").get_by_role("button", name="Share")
    expect(share).to_be_visible()
    new_tab.wait_for_function(
        """(left) => document.querySelector("[data-testid=stTopNav]").getBoundingClientRect().right <= left""",
        arg=share.bounding_box()["x"],
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_the_field_of_the_text_stands_below_the_bar(page, server, width):
    page.set_viewport_size({"width": width, "height": 800})
    open_page(page, server)
    bar = page.locator(".parallax-brand").bounding_box()
    field = page.locator(".st-key-text textarea")
    expect(field).to_be_visible()
    label = page.locator(".st-key-text label").bounding_box() if width > 640 else field.bounding_box()
    assert label["y"] >= bar["y"] + bar["height"]
