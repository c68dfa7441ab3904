"""Every hostile input in a real browser, as a cold link and, where it can be typed, typed.

One page is used for all of them: a navigation starts a new session, and a new tab would cost three times as much.
Whatever comes in: no exception is shown, no script runs, no other host is asked, the server stays up, the input is
shown letter by letter, and the page says in one sentence what it did with it.
"""

import time
import urllib.request

import pytest

from mha.app.errors import APOLOGY
from mha.errors import InputError
from mha.examples import DEFAULT_TEXT
from mha.words import MAX_CHARACTERS, accept
from tests.browser.conftest import TOLD, settled
from tests.hostile import hostile, outcomes

pytestmark = pytest.mark.browser
TEXTS, LINKS = hostile("text"), hostile("url")
SECONDS = 90  # of a busy machine; the longest texts fill the model
LONGEST_REQUEST = 20_000  # characters of an address; the HTTP server itself refuses those over 64 KiB
TOO_LONG = "P41"  # 600,000 characters: refused before the app sees it
FAST = ("html", "empty", "link")  # kinds that make test looks at in a browser
TYPED = ("P01", "P04", "P08", "P09", "P13", "P21", "P26", "P31")

# The words of the sentence as they are drawn, without the percentage that floats above them.
DRAWN = (
    "(row) => [...row.childNodes].filter((n) => !n.classList?.contains('percent')).map((n) => n.textContent).join('')"
)


class Visitor:
    """One page that remembers every host it was made to ask, every script that threw, and how its last load ended."""

    def __init__(self, browser, url):
        self.url = url
        self.page = browser.new_context(bypass_csp=True, viewport={"width": 1280, "height": 900}).new_page()
        self.problems = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.asked(request.url))

    def asked(self, url):
        if not url.startswith((self.url, "data:", "blob:")):
            self.problems.append(f"asked {url}")

    def open(self, query):
        """Open a link cold; a query too long for HTTP is put into the address before the app reads it there.

        It then travels in one frame, which the middleware accepts up to 128 KiB: so a space is one sign, not three.
        """
        if len(query) <= LONGEST_REQUEST:
            self.page.goto(f"{self.url}/?{query}")
        else:
            self.page.goto(f"{self.url}/api/health")
            self.page.evaluate("(query) => { window.name = query; }", query.replace("%20", "+"))
            self.page.goto(f"{self.url}/#long")
        self.page.locator(".overview[data-ready]").wait_for(timeout=1000 * SECONDS)
        self.page.locator(".st-key-foot").wait_for(timeout=1000 * SECONDS)
        settled(self.page)

    def type(self, text):
        """Type a text and wait until the sentence is the one that it gives."""
        box = self.page.get_by_label("Your text")
        box.fill(text)
        box.press("Enter")
        end = time.monotonic() + SECONDS
        while not same_letters(self.sentence(), used(text)):
            assert time.monotonic() < end, f"the sentence stayed {self.sentence()!r}"
            self.page.wait_for_timeout(20)
        settled(self.page)

    def notices(self):
        """Return what the page says of its text and of its link."""
        return self.page.locator('[class*="st-key-notice_"], [data-testid=stAlert]').all_inner_texts()

    def sentence(self):
        return self.page.locator(".overview .hero .sentence").first.evaluate(DRAWN)

    def box(self):
        return self.page.get_by_label("Your text").input_value()

    def unharmed(self):
        """Check what must hold whatever came in."""
        assert self.page.locator("[data-testid=stException]").count() == 0
        assert APOLOGY not in self.notices()
        assert self.page.evaluate("window.__pwned") is None
        assert self.problems == []
        with urllib.request.urlopen(self.url + "/api/health", timeout=5) as answer:
            assert answer.status == 200


@pytest.fixture(scope="module")
def visitor(browser, server):
    one = Visitor(browser, server)
    one.page.add_init_script(TOLD)
    one.page.add_init_script("if (location.hash === '#long') history.replaceState(null, '', '/?' + window.name);")
    yield one
    one.page.context.close()


def used(text):
    """Return the text that is drawn for what was given."""
    try:
        return accept(text).text
    except InputError:
        return DEFAULT_TEXT


def same_letters(shown, text):
    return "".join(shown.split()) == "".join(text.split())


def of_each_kind(items: list) -> list:
    """Return the items, all but the first of a few kinds for the soak: without a browser, make test runs them all."""
    first = {item.kind: item for item in reversed(items) if item.kind in FAST}.values()
    return [pytest.param(item, id=item.name, marks=[] if item in first else pytest.mark.slow) for item in items]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("item", of_each_kind(TEXTS))
def test_a_text_in_a_cold_link(visitor, item):
    visitor.open(item.query)
    assert outcomes(visitor.notices()) & item.expected, visitor.notices()
    assert same_letters(visitor.sentence(), used(item.text))
    assert same_letters(visitor.box(), item.text[:MAX_CHARACTERS])
    visitor.unharmed()


@pytest.mark.parametrize("item", of_each_kind([link for link in LINKS if link.name != TOO_LONG]))
def test_a_hostile_link(visitor, item):
    visitor.open(item.query)
    assert outcomes(visitor.notices()) & item.expected, visitor.notices()
    assert same_letters(visitor.sentence(), used(visitor.box()))
    visitor.unharmed()


def test_an_address_that_no_server_reads_is_refused_without_a_word_about_the_inside(visitor):
    (item,) = (link for link in LINKS if link.name == TOO_LONG)
    answer = visitor.page.request.get(f"{visitor.url}/?{item.query}")
    assert 400 <= answer.status < 500
    assert len(answer.text()) < 100
    visitor.unharmed()


@pytest.mark.slow
def test_typed_texts_are_shown_letter_by_letter(visitor):
    visitor.open("v=1")
    for item in (item for item in TEXTS if item.name in TYPED):
        visitor.type(item.text)
        assert outcomes(visitor.notices()) & item.expected, (item.name, visitor.notices())
        assert same_letters(visitor.sentence(), used(item.text)), item.name
        visitor.unharmed()
