"""Two readings in a real browser: the bare page, choices by click and by keyboard, a contrast, the sweep, the link."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.test_heads import type_text

pytestmark = pytest.mark.browser
OWN = "The cook warned the waiter because he was late"
LONG = " ".join(["The dog saw the cat in the garden behind the house,"] * 24)


def open_page(page, url, path="/readings"):
    page.goto(url + path)
    page.locator(".ambiguity[data-ready]").first.wait_for(timeout=60_000)
    page.locator('[class*="st-key-copy_link"]').wait_for(timeout=60_000)  # the rest follows the first picture
    drawn(page)


def drawn(page):
    settled(page, 200)


def said(page):
    """Return every sentence and number that the components show."""
    return page.evaluate(
        """() => {
          const texts = [];
          const walk = (node) => {
            if (node.shadowRoot) walk(node.shadowRoot);
            for (const child of node.children ?? []) {
              if (child.matches?.('.blocks') && !child.querySelector('.block.caption')) texts.push(child.textContent);
              walk(child);
            }
          };
          walk(document.body);
          return texts.join('\\n').replaceAll('\\u00a0', ' ');
        }"""
    )


def word(page, text):
    return page.locator(".ambiguity .claim .word", has_text=re.compile(f"^{text}$"))


def roles(page, text):
    return word(page, text).first.get_attribute("class")


@pytest.mark.slow
def test_the_link_opens_with_the_same_numbers_in_another_browser(page, server, elsewhere):
    open_page(page, server, "/readings?tab=Does+it+matter?")
    here, link = said(page), page.url
    assert "The score changes by 0.15, from +0.11 with hungry to −0.05 with delicious." in here
    open_page(elsewhere, link, "")
    assert said(elsewhere) == here


@pytest.mark.slow
def test_own_text_its_readings_by_click_and_its_contrast(page, server):
    open_page(page, server)
    type_text(page, OWN)
    page.wait_for_function("() => new URL(location.href).searchParams.get('readings_by') === 'suggested'")
    expect(page.locator(".say-suggested")).to_be_visible()
    page.get_by_role("button", name="Not ambiguous").click()
    expect(page.locator(".prompt")).to_contain_text("Which word is ambiguous? Click it. Often it is he.")
    for text, prompt in (("he", "Which word could he refer to?"), ("cook", "Which other word could it refer to?")):
        word(page, text).click()
        drawn(page)
        expect(page.locator(".prompt")).to_contain_text(prompt)
    word(page, "waiter").click()
    drawn(page)
    page.get_by_role("tab", name="What carries the change").click()
    drawn(page)
    assert "pivot" in roles(page, "he")
    assert "tab=" not in page.url, "the link says nothing of what it opens with"
    field = page.get_by_label("Replace late by")
    field.fill("rude")
    field.press("Enter")
    page.wait_for_function("() => new URL(location.href).searchParams.get('readings_contrast')?.endsWith('was rude')")
    drawn(page)
    assert "The score changes by " in said(page)
    page.get_by_role("button", name="Remove", exact=True).last.click()
    page.wait_for_function("() => new URL(location.href).searchParams.get('readings_contrast') === 'none'")
    drawn(page)
    word(page, "warned").click()  # another pivot, by the menu
    page.get_by_role("button", name="Ambiguous word", exact=True).click()
    drawn(page)
    assert "pivot" in roles(page, "warned")


@pytest.mark.slow
def test_a_sweep_can_be_stopped_and_gone_on_with(page, server):
    link = f"/readings?tab=Does+it+matter?&text={LONG}&readings_pivot=2+saw&readings_a=1+dog&readings_b=4+cat"
    page.goto(server + link)  # and not until it stands still: that is when the sweep is over
    stop = page.locator(".st-key-readings_stop button")  # Streamlit has a Stop of its own
    stop.wait_for(timeout=60_000)
    stop.click()
    page.get_by_role("button", name="Measure the rest").wait_for(timeout=60_000)
    found = re.search(r"Stopped after (\d+) of 60", said(page))
    assert found
    assert int(found[1]) < 60
    page.get_by_role("button", name="Measure the rest").click()
    page.get_by_text("changes the score most").last.wait_for(timeout=90_000)
    page.wait_for_function("() => !document.querySelector('.st-key-readings_stop')", timeout=90_000)
    drawn(page)
    assert "Stopped after" not in said(page)


@pytest.mark.slow
def test_buttons_beside_something_say_all_their_words_at_twice_the_size(page, server):
    page.set_viewport_size({"width": 641, "height": 700})
    open_page(page, server)
    for name in ("Edit readings", "View"):
        button = page.get_by_role("button", name=name)
        assert button.locator(".stMarkdownEllipsis").evaluate("(node) => node.scrollWidth <= node.clientWidth"), name
        assert button.bounding_box()["width"] < 200, name  # beside it, not under it


@pytest.mark.slow
def test_nothing_overflows_on_a_phone(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, server)
    for tab in ("Where heads look", "What carries the change", "Does it matter?"):
        page.get_by_role("tab", name=tab).click()
        drawn(page)
        width = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
        assert width <= 390, tab


@pytest.mark.slow
def test_a_click_on_a_head_silences_it_alone(page, server):
    open_page(page, server, "/readings?tab=Does+it+matter%3F")
    page.locator(".effect_map [data-act=L2H8]").first.click()
    drawn(page)
    assert "Ablating L2H8 (replaced with its average) moves the score from" in said(page)
    page.wait_for_function("() => new URL(location.href).searchParams.get('readings_set') === 'only L2H8'")


@pytest.mark.slow
def test_a_second_word_is_given_and_refused(page, server):
    open_page(page, server, "/readings?text=A+dog+ate+the+food+because+it+was+hungry.&readings_word_a=none")
    page.get_by_role("button", name="another word for dog").click()
    slot = page.get_by_label("another word for dog")
    slot.fill("delicious")
    slot.press("Enter")
    assert "This word is already in use." in said(page)
    slot.fill("thirsty")
    slot.press("Enter")
    page.wait_for_function("() => new URL(location.href).searchParams.get('readings_word_a') === 'thirsty'")
    drawn(page)
    assert "With thirsty: " in said(page)
