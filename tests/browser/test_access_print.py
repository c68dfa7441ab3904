"""Pages on paper: light, as wide as a sheet, without controls, and back afterwards."""

import pypdf
import pytest
from playwright.sync_api import expect

from mha.theme import colours
from tests.browser.conftest import settled
from tests.browser.test_access import SHOWN, STATES, State, opened

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PAPER = colours("light")["background"]
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
    *("heads", "heads, a selected word", "readings", "readings, change", "readings, matter", "compare"),
    *("steps", "training", "atlas, this sentence", "atlas, a head"),
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
        assert place.evaluate("node => node.getBoundingClientRect().width") <= SHEET
        assert page.evaluate(REACH) <= SHEET + 1
        background = place.evaluate(
            "node => { const picture = node.closest('.parallax'); "
            "return picture ? getComputedStyle(picture).getPropertyValue('--background') "
            ": getComputedStyle(document.body).backgroundColor; }"
        )
        assert background in (PAPER, f"rgb{tuple(bytes.fromhex(PAPER[1:]))}")
        expect(page.get_by_label("Your text")).to_be_hidden()
        expect(page.get_by_role("button", name="Share", exact=True)).to_be_hidden()
        page.emulate_media(media="screen")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert place.evaluate("node => node.clientWidth") == wide
    finally:
        context.close()


# Texts that lie on one another, each with what it lies on; slanted words and texts in pictures are left out.
OVERLAPS = """() => {
  const texts = [];
  const walk = (root) => {
    for (const node of root.childNodes) {
      if (node.nodeType === 3 && node.textContent.trim()) {
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) texts.push([node.textContent.trim(), box]);
      }
      if (node.nodeType !== 1 || node.matches("svg, style, script, .axis-word, .sentence, .chip")) continue;
      const style = getComputedStyle(node), box = node.getBoundingClientRect();
      const there = style.display === "contents" || (box.width > 1 && box.height > 1);
      if (style.visibility === "hidden" || style.clipPath !== "none" || !(there || node.shadowRoot)) continue;
      if (node.shadowRoot) walk(node.shadowRoot);
      walk(node);
    }
  };
  walk(document.querySelector(".stMainBlockContainer"));
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  return [texts.length, texts.flatMap(([text, box], i) =>
    texts.slice(i + 1).filter(([, other]) => over(box, other)).map(([other]) => `${text} / ${other}`))];
}"""
TWENTY = "The committee met on Thursday and the treasurer reminded the chairman that he had promised to find a company"


@pytest.mark.parametrize(
    "text", ["I saw the man", "The mayor thanked the baker because she was kind", "Serendipity", TWENTY]
)
def test_heads_is_one_sheet_on_which_no_text_lies_on_another(page, server, tmp_path, text):
    opened(page, server, State(f"?text={text}"))
    page.locator(".pinned-heads[data-ready]").wait_for(timeout=60_000)
    chips = page.locator(".sentence .chip").filter(visible=True).count()
    file = tmp_path / "heads.pdf"
    page.pdf(path=file, prefer_css_page_size=True)
    (sheet,) = pypdf.PdfReader(file).pages
    said = " ".join(sheet.extract_text().split())
    assert "All 72 heads" in said
    assert "Looking is not explaining" in said
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    settled(page)
    count, overlaps = page.evaluate(OVERLAPS)
    assert count > 40
    assert overlaps == []
    assert page.locator(".sentence .chip").filter(visible=True).count() == chips


@pytest.mark.parametrize(
    ("sheet", "sheets", "last"),
    [
        ("Plan", 1, "What can I conclude?"),
        ("Worksheet", 2, "It does not show"),
        ("Worksheet with answers", 3, "Likely: It shows where a head looks."),
    ],
)
def test_a_lesson_prints_as_a_plan_on_one_sheet_and_a_worksheet_on_two_sides(
    page, server, tmp_path, sheet, sheets, last
):
    page.goto(f"{server}/lesson?lesson_which=who-is-it&lesson_sheet={sheet}")
    expect(page.locator(".lesson-sheet h1")).to_have_text("Who is it?", timeout=60_000)
    file = tmp_path / "lesson.pdf"
    page.pdf(path=file, prefer_css_page_size=True)
    pages = [one.extract_text() for one in pypdf.PdfReader(file).pages]
    assert len(pages) == sheets
    assert last in " ".join(pages[-1].split())
    assert not any("Print this page" in text or "Download" in text for text in pages)
