"""While another text is on its way: what is of the one before is marked at once."""

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import settled
from tests.browser.test_heads import thumbnail

pytestmark = pytest.mark.browser
OTHER = "The old man fed the birds"
MARKED = (
    ":is([data-before=all] .stElementContainer, [data-before=stale] [data-stale=true])"
    ":not(:has(:is(button, input, textarea, [data-testid=stPageLink])))"
)
PAGES = {  # path: what on it is of the sentence
    "": ".st-key-overview",
    "readings": "[class*='st-key-page_'] .stElementContainer",
    "compare": "[class*='st-key-page_'] .stElementContainer",
    "steps": "[class*='st-key-page_'] .stElementContainer",
}
END = ".st-key-download, [data-testid=stLinkButton]"  # what stands last on a page
LOOKS = """([marked, page]) => ({
  dimmed: [...document.querySelectorAll(marked)].map((part) => Number(getComputedStyle(part).opacity)),
  busy: [...document.querySelectorAll(marked)].every((part) => part.closest("[aria-busy=true]")),
  elsewhere: [...document.querySelectorAll(marked)].filter((part) => !part.closest(page)).length,
})"""
BOXES = """() =>
  [...document.querySelectorAll("[class*='st-key-page_'] .stElementContainer, .st-key-text, .st-key-examples")]
  .map((part) => { const { x, y, width, height } = part.getBoundingClientRect(); return [x, y, width, height]; })"""


class Held:
    """The messages of a page's server, which may be held back; made before the page is opened."""

    def __init__(self, page: Page) -> None:
        self._holds = False
        self._messages: list[str | bytes] = []
        page.route_web_socket("**/_stcore/stream", self._between)

    def _between(self, socket: WebSocketRoute) -> None:
        self._page = socket
        socket.connect_to_server().on_message(self._came)

    def _came(self, message: str | bytes) -> None:
        if self._holds:
            self._messages.append(message)
        else:
            self._page.send(message)

    def hold(self) -> None:
        """Let nothing through any more."""
        self._holds = True

    def go(self) -> None:
        """Let everything through again."""
        self._holds = False
        while self._messages:
            self._page.send(self._messages.pop(0))


@pytest.fixture
def held(new_tab):
    """Return the messages of a page's server, which can be held back."""
    return Held(new_tab)


def stands(page, address):
    """Open a page and wait until it stands."""
    page.goto(address)
    page.locator(END).last.wait_for(timeout=60_000)
    settled(page, 400)
    expect(page.locator("[data-before]")).to_have_count(0)


def take(page, text):
    """Take a text without waiting for what comes of it."""
    box = page.locator(".st-key-text textarea")
    box.fill(text)
    box.press("Enter")


def let_go(page, held):
    """Let everything through, and check that nothing stays marked."""
    held.go()
    settled(page)
    expect(page.locator("[data-before]")).to_have_count(0)


@pytest.mark.parametrize("path", [pytest.param(path, marks=[] if path == "" else pytest.mark.slow) for path in PAGES])
def test_what_is_of_the_text_before_is_marked_before_the_server_speaks(new_tab, held, server, path):
    stands(new_tab, f"{server}/{path}")
    boxes = new_tab.evaluate(BOXES)
    held.hold()
    take(new_tab, OTHER)
    new_tab.wait_for_function(
        "([marked, part]) => [...document.querySelectorAll(marked)].some((one) => one.matches(part))",
        arg=[MARKED, PAGES[path]],
    )
    looks = new_tab.evaluate(LOOKS, [MARKED, "[class*='st-key-page_']"])
    assert set(looks["dimmed"]) == {0.4}
    assert looks["busy"]
    assert looks["elsewhere"] == 0
    assert new_tab.evaluate(BOXES) == boxes
    controls = new_tab.locator(".st-key-text, .st-key-model, :is(.st-key-examples, .st-key-toy), .stAppHeader")
    assert controls.evaluate_all("(all) => all.map((one) => getComputedStyle(one).opacity)") == ["1"] * 4
    let_go(new_tab, held)
    expect(new_tab.locator("[aria-busy]")).to_have_count(0)


@pytest.mark.slow
def test_what_is_marked_answers_neither_click_nor_key_and_then_does(new_tab, held, server):
    stands(new_tab, server)
    pins = new_tab.locator(".pinned-heads .head-name, .pinned-heads h3").all_inner_texts()
    head = thumbnail(new_tab, "L2H2")
    head.focus()
    held.hold()
    take(new_tab, OTHER)
    expect(new_tab.locator("[data-before] .st-key-overview")).to_be_visible()
    sent = new_tab.evaluate("told.sent")
    box = head.bounding_box()
    new_tab.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    head.focus()
    for key in ("Enter", " "):
        new_tab.keyboard.press(key)
    new_tab.wait_for_timeout(200)
    assert new_tab.evaluate("told.sent") == sent
    assert new_tab.locator(".pinned-heads .head-name, .pinned-heads h3").all_inner_texts() == pins
    held.go()
    settled(new_tab)
    thumbnail(new_tab, "L2H2").click()
    settled(new_tab)
    assert "pins=L2H2" in new_tab.url


# ---- the bar
