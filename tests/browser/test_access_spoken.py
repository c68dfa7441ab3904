"""What a screen reader is told of what changes away from where its reader is, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.test_heads import type_text
from tests.browser.test_readings import open_page as open_readings
from tests.browser.test_steps import open_steps

pytestmark = pytest.mark.browser
VOICE = "body > [role=status]"


# What was said is gone a few seconds later, which may be before the page stands still: so it is written down.
LISTENS = f"""
window.heard = [];
new MutationObserver(() => {{
  const said = document.querySelector("{VOICE}")?.textContent;
  if (said && said !== window.heard.at(-1)) window.heard.push(said);
}}).observe(document, {{ subtree: true, childList: true }});
"""


@pytest.mark.slow
def test_a_notice_is_said_and_what_a_page_opens_with_is_not(page, server):
    page.add_init_script(LISTENS)
    open_readings(page, server, "/readings?model=nonesuch&tab=What+carries+it&readings_word_a=delicious")
    page.wait_for_function("window.heard.length")
    assert page.evaluate("window.heard") == ["“delicious” is already in use. Type another word."]
    expect(page.get_by_role("alert")).to_contain_text("Problem in this link: model")


@pytest.mark.slow
def test_the_finding_of_another_sentence_and_the_name_of_another_page_are_said(page, server):
    page.add_init_script(LISTENS)
    open_readings(page, server)
    type_text(page, "The trophy does not fit into the suitcase because it is too small")
    page.wait_for_function("window.heard.some((said) => said.includes('trophy'))")
    page.get_by_role("link", name="Step by step", exact=True).first.click()
    page.wait_for_function("window.heard.some((said) => said.includes('Step by step · Parallax'))")


def test_a_button_that_can_no_more_be_pressed_passes_the_focus_on(page, server):
    open_steps(page, server, "?toy=eight+heads&toy_step=2")
    button = page.get_by_role("button", name="Back")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_be_disabled(timeout=60_000)
    page.wait_for_function("document.activeElement !== document.body && !document.activeElement.disabled")
