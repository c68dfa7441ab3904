"""What a notebook shows, in the frames that notebooks put it into: without an origin of its own, and under policies."""

import html

import pytest
from playwright.sync_api import expect

import mha
from mha import outputs
from mha.views.heads_file import HEIGHT

pytestmark = pytest.mark.browser
COLAB = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob: https:"
VS_CODE = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' https: http: data:; font-src 'self' https:; connect-src https:; child-src https: data:"
)
NO_SCRIPT = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


@pytest.fixture(scope="module")
def shown():
    page = mha.show(mha.attend("All is well", model="toy"))
    return outputs.framed(page.html, HEIGHT, page._repr_mimebundle_())


@pytest.fixture
def tab(browser):
    context = browser.new_context(viewport={"width": 1000, "height": 1300})
    tab = context.new_page()
    tab.thrown = []
    tab.on("pageerror", lambda error: tab.thrown.append(str(error)))
    yield tab
    context.close()


def cell(tab, shown, policy: str, classes: str):
    """Put the outputs of a cell into a sandboxed frame, each in an element of its own, and return the frame."""
    still, live = shown
    picture = f'<img src="data:image/png;base64,{still["image/png"]}">'
    each = "".join(f'<div class="{classes}">{inner}</div>' for inner in (picture, live["text/html"]))
    source = f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{policy}"><div>{each}</div>'
    frame = f'<iframe sandbox="allow-scripts" style="width:980px;height:1200px" srcdoc="{html.escape(source)}">'
    tab.set_content(f"{frame}</iframe>")
    return tab.frame_locator("iframe")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("classes", ["jp-OutputArea-child", "output_area", "output_subarea"])
def test_a_page_takes_the_place_of_its_picture_in_a_frame_without_an_origin(tab, shown, classes):
    notebook = cell(tab, shown, COLAB, classes)
    page = notebook.frame_locator("iframe")
    expect(page.locator("body[data-ready]")).to_be_visible()
    expect(notebook.locator("img")).to_be_hidden()
    expect(notebook.get_by_text(outputs.LEFT)).to_have_count(0)
    assert notebook.locator("iframe").bounding_box()["height"] == HEIGHT
    pinned = page.get_by_text("Unpin", exact=True)
    before = pinned.count()
    pinned.first.click()
    expect(pinned).to_have_count(before - 1)
    assert tab.thrown == []


@pytest.mark.slow
@pytest.mark.parametrize("policy", [VS_CODE, NO_SCRIPT], ids=["vs code", "no script"])
def test_the_picture_stays_where_a_policy_keeps_the_page_from_being_drawn(tab, shown, policy):
    notebook = cell(tab, shown, policy, "jp-OutputArea-child")
    expect(notebook.get_by_text(outputs.LEFT)).to_be_visible()
    tab.wait_for_timeout(1500)
    expect(notebook.locator("img")).to_be_visible()
    expect(notebook.get_by_text(outputs.LEFT)).to_be_visible()
    frame = notebook.locator("iframe")
    assert frame.count() == 0 or frame.bounding_box()["height"] < 3, "no empty space below it"
    assert tab.thrown == []
