"""What is taken away: pages in one file that open without a network and answer clicks, and pictures."""

import csv
import io
import json
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from mha.maps import AttentionMaps, Token
from mha.views.heads_file import show
from tests.browser.conftest import settled

pytestmark = pytest.mark.browser
SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<img/src=x/onerror=alert(1)>"


# What a page does while it is pointed at, which no busy machine makes more: drawing into canvases, changes of nodes.
WORK = """() => {
  window.work = { drawn: 0, changed: 0 };
  for (const name of ["putImageData", "drawImage", "fillRect"]) {
    const real = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...given) { work.drawn++; return real.apply(this, given); };
  }
  const all = { subtree: true, childList: true, attributes: true };
  new MutationObserver((changes) => (work.changed += changes.length)).observe(document.body, all);
}"""


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
    page.evaluate(WORK)
    for number in range(0, 72, 5):
        heads.nth(number).hover()
    drawn, changed = page.evaluate("[work.drawn, work.changed]")
    assert drawn == 0, "pointing draws none of the maps anew"
    assert changed / 15 < 120, "pointing changes a sentence and a frame, however long the text: 67 nodes as measured"
    heads.nth(40).click()
    expect(page.locator(".head-name")).to_have_text(["L1H2", "L3H4"])
    page.locator("[data-action=head]").first.click()
    expect(page.locator(".head-name")).to_have_text(["L3H4"])
    for number in (1, 2, 3):
        heads.nth(number).click()
    expect(page.get_by_role("status")).to_be_empty()
    heads.nth(4).click()
    expect(page.get_by_role("status")).to_have_text("4 heads can be pinned; L3H4 was released.")
    heads.nth(4).click()
    expect(page.get_by_role("status")).to_be_empty()
    page.get_by_text("Where these numbers come from").click()
    expect(page.locator("footer")).to_contain_text("imported")
    context.close()
    assert problems == []


PAGES = {
    "": ".overview, [data-head]", "readings": ".heads[data-ready]", "compare": ".matrices[data-ready]",
    "steps": ".matrices[data-ready]", "training": ".runs, .js-plotly-plot", "atlas": ".heads[data-ready]",
    "atlas?head=L2H8": ".st-key-connections li", "questions": "h1",
}  # fmt: skip


# How far to the right any picture reaches, from where the page begins.
REACH = """() => Math.max(...[...document.querySelectorAll("svg, canvas, table, img")].map((node) =>
  node.getBoundingClientRect().right)) - document.body.getBoundingClientRect().left"""
SHEET = 703  # px: an A4 sheet is 210 mm, less 12 mm on each side


def checked(name, data):
    """Open a file as another program would; return what it says of where it comes from."""
    ending = name.rpartition(".")[2]
    if ending == "csv":
        (first, *_) = csv.DictReader(io.StringIO(data.decode("utf-8"), newline=""))
        return " ".join(str(value) for value in first.values())
    if ending == "json":
        return json.dumps(json.loads(data)["provenance"])
    if ending == "npz":
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            assert all(stored[one].dtype != object for one in stored.files)
            return stored["provenance"].tobytes().decode()
    if ending == "svg":
        return " ".join(ElementTree.fromstring(data).itertext())
    assert ending == "png"
    with Image.open(io.BytesIO(data)) as picture:
        picture.load()
        assert min(picture.size) > 20
    return "Parallax"  # drawn in the picture, as in the SVG of the same name


@pytest.mark.slow
@pytest.mark.parametrize("where", PAGES)
def test_every_file_of_every_page_opens_elsewhere_and_says_where_it_comes_from(where, page, server, browser):
    page.goto(f"{server}/{where}")
    page.locator(PAGES[where]).first.wait_for(timeout=60_000)
    settled(page)
    page.get_by_role("button", name="Download", exact=True).click()
    dialog = page.get_by_role("dialog")
    has_pictures = "head=" not in where  # the page of a head is text and a table
    (dialog.locator(".export-list li") if has_pictures else dialog.get_by_role("button", name="CSV")).first.wait_for()
    settled(page)
    wrong = []
    tables, sources = set(), set()  # a CSV holds the table alone where its source is a file of its own
    for button in dialog.get_by_role("button").all():
        title = button.inner_text()
        if title not in ("SVG", "PNG", "CSV", "Source of the CSV", "JSON", "NPZ"):
            continue
        page.wait_for_timeout(200)  # Chromium drops what comes faster than ten files a second
        with page.expect_download() as download:
            button.click()
        name = download.value.suggested_filename
        data = download.value.path().read_bytes()
        if name.endswith(".source.json"):
            sources.add(name.removesuffix(".source.json"))
            told = json.dumps(json.loads(data))
        else:
            told = checked(name, data)
        if name.endswith(".csv"):
            tables.add(name.removesuffix(".csv"))
        elif "Parallax" not in told:
            wrong.append((name, told[:200]))
    assert wrong == []
    assert tables == sources
    if where:  # only Heads has a file that opens elsewhere
        return
    with page.expect_download() as download:
        dialog.get_by_role("button", name="HTML").click()
    whole = download.value.path().read_bytes()
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    away = context.new_page()
    problems: list[str] = []
    away.on("pageerror", lambda error: problems.append(str(error)))
    away.on(
        "request",
        lambda asked: asked.url.startswith(("file:", "data:", "blob:", "about:")) or problems.append(asked.url),
    )
    away.set_content(whole.decode("utf-8"))
    away.locator("body[data-ready]").wait_for()
    expect(away.locator("footer")).to_contain_text("Parallax")
    for table in away.locator(".rows").all():
        assert table.locator("tbody tr").count()
        read = table.locator("a").get_attribute("href")
        assert read.startswith("data:text/csv")
    assert away.evaluate("document.documentElement.scrollWidth") <= 390
    away.set_viewport_size({"width": 1280, "height": 900})
    away.emulate_media(media="print")
    away.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert away.evaluate(REACH) <= SHEET + 1, "nothing is cut on A4"
    context.close()
    assert problems == []
