"""On a projector nothing is smaller than 18 px: navigation, labels of maps, names of heads, keys, charts."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser
LEAST = 18  # px, at 1920 × 1080
DOG = "text=A+dog+ate+the+food+because+it+was+hungry."
PAGES = {
    "heads": "?text=I+saw+the+man+with+the+telescope",
    "readings": f"readings?{DOG}",
    "readings, change": f"readings?{DOG}&tab=What+carries+it",
    "readings, matter": f"readings?{DOG}&tab=Does+it+matter",
    "next": "next?ablate=L23H4",
    "write": "write",
    "matters": "matters?guess=none",
    "compare": "compare",
    "steps": "steps",
    "steps, a toy": "steps?toy=dog+or+food&toy_step=7",
    "training": "training",
    "atlas": "atlas",
    "questions": "questions",
    "lesson": "lesson",
    "a stop": "?lesson=who-is-it&stop=3",
}
# Every visible text with its size on the screen, those of pictures as their transform makes them; an index below or
# above the line is a part of its word.
SMALL = """least => {
  const found = [];
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) walk(node.shadowRoot);
      const own = [...node.childNodes].filter((one) => one.nodeType === 3);
      const text = own.map((one) => one.textContent.trim()).join(" ").trim();
      if (!text || node.closest("sub, sup, .say-sub, .msupsub")) continue;
      if (!node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      const box = node.getBoundingClientRect(), style = getComputedStyle(node);
      if (box.width < 3 || box.height < 3 || style.clipPath !== "none" || style.clip !== "auto") continue;
      const matrix = node instanceof SVGElement && node.getScreenCTM?.();
      const size = parseFloat(style.fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
      if (size < least - 0.05) found.push(`${text.slice(0, 40)} (${size.toFixed(1)} px)`);
    }
  };
  walk(document);
  return found;
}"""


@pytest.mark.slow
@pytest.mark.parametrize("link", PAGES.values(), ids=PAGES)
def test_nothing_on_a_projector_is_small(page, server, link):
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{server}/{link}{'&' if '?' in link else '?'}large=true")
    expect(page.locator("html.projector")).to_be_attached(timeout=60_000)
    expect(page.locator("[data-drawn]").last).to_be_attached(timeout=60_000)
    settled(page)
    page.wait_for_timeout(1500)  # charts come after the script has run
    assert page.evaluate(SMALL, LEAST) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["next", "heads"])
def test_download_does_not_lie_on_share(page, server, name):
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{server}/{PAGES[name]}{'&' if '?' in PAGES[name] else '?'}large=true")
    download, share = (page.get_by_role("button", name=label, exact=True) for label in ("Download", "Share"))
    expect(download).to_be_visible(timeout=60_000)
    settled(page)
    left, right = share.bounding_box(), download.bounding_box()
    assert left["x"] + left["width"] <= right["x"]
    assert left["y"] == right["y"]
