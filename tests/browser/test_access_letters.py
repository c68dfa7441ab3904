"""Letters that are set otherwise once a page is drawn: by a style of the reader's own, or by a font that comes late."""

from itertools import pairwise

import pytest

from tests.browser.conftest import settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# What WCAG 2 asks a page to bear (1.4.12), everywhere as the browser's own settings would have it.
SPACED = """() => {
  const sheet = new CSSStyleSheet();
  const rules = ["line-height: 1.5", "letter-spacing: .12em", "word-spacing: .16em"];
  sheet.replaceSync(`* { ${rules.map((rule) => `${rule} !important`).join(";")} }`);
  const walk = (root) => {
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    for (const node of root.querySelectorAll("*")) if (node.shadowRoot) walk(node.shadowRoot);
  };
  walk(document);
}"""


def gaps(words):
    """Return the px between each word of a line and the next."""
    boxes = [word.bounding_box() for word in words.all()]
    return [after["x"] - before["x"] - before["width"] for before, after in pairwise(boxes) if after["x"] > before["x"]]


def test_words_that_a_reader_sets_apart_stay_beside_each_other(page, server):
    page.goto(f"{server}/?text=The+old+dogs+bark.")
    words = page.locator(".hero.line .piece")
    words.first.wait_for(timeout=60_000)
    settled(page)
    size = words.first.bounding_box()["width"]
    page.evaluate(SPACED)
    page.wait_for_timeout(500)
    assert words.first.bounding_box()["width"] != size
    assert min(gaps(words)) > -1, "a full stop touches its word"
