"""Every page keeps to its number of words, two first screens to their controls, and a phone to its finding."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled
from tests.browser.visible_words import HEIGHT, visible_words

DOG = "readings?v=1&text=A+dog+ate+the+food+because+it+was+hungry."
TYPED = "?text=The+clerk+thanked+the+guest+because+he+waited"
BUDGETS = {  # by address: how many words at most
    "": 320,
    TYPED: 320,
    "?text=Snow+fell+in+the+old+valley": 320,
    "readings?tab=Where+they+look": 155,
    "readings?text=The+clerk+thanked+the+guest+because+he+waited": 155,
    f"{DOG}&tab=What+carries+it": 290,
    f"{DOG}&tab=Does+it+matter%3F": 160,
    "next": 200,
    "compare": 235,
    "steps": 260,
    "steps?toy=Money+Bank,+full&toy_step=10": 260,
    "training": 220,
    "atlas": 200,
    "atlas?head=L1H8": 380,
    "questions": 480,
}
FEWEST = 40  # a page that says less has not been drawn
HEAD_PAGE = "atlas?model=smollm2&head=L23H4"
CONTROLS = {
    "": 18,
    "readings": 18,
    "questions": 18,
    "steps": 18,
    "steps?toy=eight+heads": 18,
    "atlas": 18,
    HEAD_PAGE: 18,
    "translate": 18,
    f"{DOG}&tab=Does+it+matter%3F": 18,
    "next": 18,
    "next?ablate=L23H4": 18,
    "matters?guess=none": 18,
}  # by address: most controls of the first screen
HIGHEST = 420  # px: a finding begins above
FINDINGS = [
    "?text=I+saw+the+man+with+the+telescope&ablate=L1H8",
    "readings",
    "next?text=My+grandmother%27s+name+is+Ruth.+Everyone+calls+her",
    "compare",
    "matters",
    "matters?guess=none",
    "write",
    "translate",
    "training",
]
PHONE = {"width": 390, "height": 844}
LATER = [pytest.param(address, marks=pytest.mark.slow) for address in list(CONTROLS)[1:]]


@pytest.mark.slow
@pytest.mark.parametrize("address", BUDGETS)
def test_a_page_keeps_to_its_words(page, server, address):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{server}/{address}")
    settled(page, quiet=800)
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').innerText.includes('Download')")
    settled(page, quiet=800)
    page.mouse.wheel(0, 9000)  # what waits for its turn stands once the reader does something
    settled(page, quiet=2500)
    count, _ = visible_words(page)
    assert FEWEST < count <= BUDGETS[address], f"{count} words"


# Controls of the main area on the first screen: what the Tab key reaches, and every tab; a picture counts once.
FIRST_CONTROLS = """() => {
  const CONTROL =
    "a[href], button, input, select, textarea, summary, [role=tab], [tabindex]:not([tabindex='-1'])";
  const PICTURE = "svg, canvas, [role=grid], [role=img], [data-testid=stDataFrame], .js-plotly-plot, .claim";
  const found = new Map();
  const main = document.querySelector("[data-testid=stMain]");
  const pictureOf = (node) => {
    let outermost = null;
    for (let at = node; at && at !== main; at = at.parentNode ?? at.host)
      if (at instanceof Element && at.matches(PICTURE)) outermost = at;
    return outermost;
  };
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) walk(node.shadowRoot);
      if (!node.matches(CONTROL) || node.disabled || node.type === "hidden") continue;
      if (node.tabIndex < 0 && node.getAttribute("role") !== "tab") continue;
      const { width, height, top, bottom, left, right } = node.getBoundingClientRect();
      const onScreen = width > 1 && height > 1 && bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
      if (!onScreen || !node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const unit = pictureOf(node) ?? node;
      found.set(unit, (node.getAttribute("aria-label") || node.textContent || node.tagName).trim().slice(0, 40));
    }
  };
  walk(main);
  return [...found.values()];
}"""


def first_controls(page):
    """Return the names of the controls on the first screen of the main area, at 1280 × 900 with popovers closed."""
    return page.evaluate(FIRST_CONTROLS)


@pytest.mark.parametrize("address", ["", *LATER])
def test_a_first_screen_keeps_to_its_controls(page, server, address):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{server}/{address}")
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').innerText.includes('Download')")
    settled(page, quiet=2500)
    controls = first_controls(page)
    assert 5 <= len(controls) <= CONTROLS[address], f"{len(controls)}: {controls}"
    if address == "":
        row = page.locator("[data-head='0'] canvas").bounding_box()
        assert row["y"] + row["height"] <= HEIGHT, "the first row of heads"


@pytest.mark.slow
@pytest.mark.parametrize("address", FINDINGS)
def test_a_finding_begins_on_the_first_screen(page, server, address):
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{server}/{address}")
    finding = page.locator(".st-key-finding h1, .finding").first
    expect(finding).to_be_visible(timeout=60_000)
    settled(page, quiet=1500)
    assert finding.bounding_box()["y"] <= HIGHEST


@pytest.mark.sampled(2)
@pytest.mark.parametrize("link", ["", TYPED])
def test_a_phone_shows_the_sentence_and_the_finding_first(page, server, link):
    page.set_viewport_size(PHONE)
    page.goto(f"{server}/{link}")
    finding = page.locator(".finding").first
    expect(finding).to_contain_text("of its attention", timeout=60_000)
    settled(page)
    box = finding.bounding_box()
    assert box["y"] + box["height"] <= PHONE["height"]
    assert page.locator(".hero").first.bounding_box()["y"] > 0
