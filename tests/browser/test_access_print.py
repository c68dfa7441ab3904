"""Pages on paper: light, as wide as a sheet, without controls, and back afterwards."""

import pypdf
import pytest
from playwright.sync_api import expect

from mha.theme import colours
from tests.browser.test_access import SHOWN, STATES, opened

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SHEET = 703  # px: an A4 sheet is 210 mm, less 12 mm on each side
# How far to the right any picture reaches, in whatever component it is.
REACH = """() => {
  let reach = 0;
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.matches("svg, canvas, table, img")) reach = Math.max(reach, node.getBoundingClientRect().right);
      if (node.shadowRoot) walk(node.shadowRoot);
    }
  };
  walk(document.querySelector(".stMainBlockContainer"));
  return reach - document.querySelector(".stMainBlockContainer").getBoundingClientRect().left;
}"""


PRINTED = [
    *("heads", "heads, one cell", "heads, a word asked", "heads, writing", "heads, crossing"),
    *("readings", "readings, look", "readings, matter", "compare", "compare, variants", "compare, the twin"),
    *("steps", "training", "questions, a figure", "atlas", "atlas, this sentence", "atlas, a sheet", "about"),
]


@pytest.mark.parametrize("name", PRINTED)
def test_a_page_fits_a_sheet_in_the_light_theme(browser, server, name):
    context = browser.new_context(bypass_csp=True, viewport={"width": 1280, "height": 900}, color_scheme="dark")
    try:
        page = context.new_page()
        opened(page, server, STATES[name])
        place = page.locator(SHOWN[STATES[name].path.split("?")[0]]).first
        wide = place.evaluate("node => node.clientWidth")
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert place.evaluate("node => node.clientWidth") <= SHEET
        assert page.evaluate(REACH) <= SHEET + 1
        said = place.evaluate(
            "node => getComputedStyle(node.closest('.parallax') ?? node).getPropertyValue('--background')"
        )
        assert said == colours("light")["background"]
        expect(page.get_by_label("Your sentence")).to_be_hidden()
        expect(page.get_by_role("button", name="Copy link")).to_be_hidden()
        page.emulate_media(media="screen")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert place.evaluate("node => node.clientWidth") == wide
    finally:
        context.close()


@pytest.mark.parametrize(
    ("sheet", "sheets", "last"),
    [
        ("Plan", 1, "What can I conclude?"),
        ("Worksheet", 2, "A head of your own"),
        ("Worksheet with answers", 3, "Answers: Who is it?"),
    ],
)
def test_a_lesson_prints_as_a_plan_on_one_sheet_and_a_worksheet_on_two_sides(
    page, server, tmp_path, sheet, sheets, last
):
    page.goto(f"{server}/lesson?lesson_which=who-is-it&lesson_sheet={sheet}")
    expect(page.locator(".lesson_sheet h1")).to_have_text("Who is it?", timeout=60_000)
    file = tmp_path / "lesson.pdf"
    page.pdf(path=file, prefer_css_page_size=True)
    pages = [one.extract_text() for one in pypdf.PdfReader(file).pages]
    assert len(pages) == sheets
    assert last in " ".join(pages[-1].split())
    assert not any("Print lesson plan" in text or "Download" in text for text in pages)
