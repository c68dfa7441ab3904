"""Random walks: a seeded stranger does whatever a page lets be done, and what kills a page is told with its way.

A deed is a row of words: what is done, to which thing (its role, its name, and how many of that name stand before it),
with what. The same seed on the same pages walks the same way.
"""

from __future__ import annotations

import contextlib
import random
import re
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Error, Page
from playwright.sync_api import TimeoutError as Late

from mha.app.errors import APOLOGY
from mha.examples import examples
from mha.navigation import ROWS
from tests.browser.conftest import TOLD, Server, settled
from tests.hostile import hostile

PAGES = tuple(row.path for row in ROWS if row.path != "lesson")
KEYS = ("Escape", "Enter", " ", "Tab", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Home", "End", "r", "?")
ORDINARY = (*(example.text for example in examples()), "The cat sat on the mat", "It was the best of times.")
SHORT = ("dog", "a", "", " ", "…", "!!", "[MASK]", "7")
HOSTILE = tuple(item.text for item in hostile("text") if item.text)
MOST_TYPED = 3_000  # characters
PATIENCE = 6.0  # seconds until a page that does not stand still is let be: a training goes on
EMPTY = 60.0  # seconds until a page on which nothing is drawn is dead
DRAWN = "[data-testid=stMain] [data-testid=stElementContainer]"

# What can be done something with, in the order of the page, in shadow roots too: its role, its name, its number.
THINGS = """() => {
  const wanted = [
    "a[href]", "button", "input", "textarea", "summary", "canvas", "[role=tab]", "[role=option]", "[role=slider]",
    "[role=gridcell]", "[role=radio]", "[role=checkbox]", "[role=combobox]", "[role=menuitem]", "[role=button]",
    "label[data-baseweb]", "[tabindex='0']", "[contenteditable=true]",
  ].join(",");
  const dialogs = "[role=dialog][aria-modal=true], [data-testid=stDialog] [role=dialog]";
  const dialog = [...document.querySelectorAll(dialogs)].pop();
  const seen = new Map(), found = [];
  const tags = { a: "link", textarea: "textbox" };
  const types = { checkbox: "checkbox", radio: "radio", range: "slider", number: "number", file: "file" };
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      if (!one.matches(wanted)) continue;
      const tag = one.tagName.toLowerCase();
      const role = one.getAttribute("role") || (tag === "input" ? types[one.type] || "textbox" : tags[tag] || tag);
      const said = one.getAttribute("aria-label") || one.labels?.[0]?.innerText || one.innerText || one.title || "";
      const name = said.replace(/\\s+/g, " ").trim().slice(0, 60);
      const known = `${role} ${name}`, nth = seen.get(known) ?? 0;
      seen.set(known, nth + 1);
      const box = one.getBoundingClientRect();
      const style = getComputedStyle(one);
      const away = tag === "a" && (one.host !== location.host || one.hasAttribute("download"));
      found.push({
        one, role, name, nth,
        shows: box.width > 2 && box.height > 2 && style.visibility !== "hidden" && one.checkVisibility?.() !== false,
        can: !away && !one.disabled && one.getAttribute("aria-disabled") !== "true" && role !== "file" &&
          !one.closest("[data-testid=stDownloadButton], [data-testid=stFileUploader]"),
        inside: !dialog || dialog.contains(one) || !!one.closest("[data-baseweb=popover]"),
      });
    }
  };
  walk(document);
  return found;
}"""
IN_SIGHT = (
    f"() => ({THINGS})().filter((thing) => thing.shows && thing.can && thing.inside).map(({{ one, ...said }}) => said)"
)
FOUND = f"""([role, name, nth]) =>
  ({THINGS})().find((thing) => thing.role === role && thing.name === name && thing.nth === nth)?.one ?? null"""
DEAD = """() => {
  const texts = (what) => [...document.querySelectorAll(what)].map((one) => one.innerText);
  return {
    boxes: texts("[data-testid=stException], [data-testid=stAlertContentError]"),
    notices: texts("[data-testid=stText]"),
    apps: document.querySelectorAll("[data-testid=stApp]").length,
  };
}"""


class Deed(NamedTuple):
    """One thing that is done: ``what``, to the ``nth`` thing of a role and a name, with a value."""

    what: str
    role: str = ""
    name: str = ""
    nth: int = 0
    value: str = ""

    def __str__(self) -> str:
        thing = f" {self.role} {self.name!r}" if self.role else ""
        return (
            f"{self.what}{thing}{f' ({self.nth})' if self.nth else ''}{f' {self.value[:80]!r}' if self.value else ''}"
        )


class Death(AssertionError):
    """A page that died: of what."""


class Stranger:
    """A visitor in a browser of their own, whose page is watched: after every deed it must live."""

    def __init__(self, browser: Browser, server: Server, address: str = "/") -> None:
        self.server, self.threw = server, []
        self.context = browser.new_context(bypass_csp=True, viewport={"width": 1280, "height": 900})
        self.context.add_init_script(TOLD)
        self.context.add_init_script("window.print = () => {};")
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(1_500)
        self.page.on("pageerror", lambda error: self.threw.append(str(error)))
        self.page.on("crash", lambda _page: self.threw.append("the tab crashed"))
        self.page.on("dialog", lambda dialog: dialog.dismiss())
        self.read = server.said()[0]
        self.page.goto(server.url + address, timeout=60_000)
        self.rest()

    @property
    def address(self) -> str:
        """Return where the page stands, without its host."""
        return self.page.url.removeprefix(self.server.url)

    def rest(self) -> None:
        """Wait until the page is drawn, and for a while until it stands still."""
        with contextlib.suppress(Error):
            self.page.locator(DRAWN).first.wait_for(state="attached", timeout=30_000)
            settled(self.page, quiet=50, timeout=PATIENCE * 1000, hidden=100)  # a stranger does not wait

    def do(self, deed: Deed) -> bool:
        """Do a deed; return False where it cannot be done: the thing is not there, or something stands before it."""
        try:
            _do(self, deed)
        except Error:
            return False
        finally:
            for other in self.context.pages[1:]:
                other.close()
        self.rest()
        return True

    def sights(self) -> list[dict[str, Any]]:
        """Return what can be done something with now."""
        try:
            return self.page.evaluate(IN_SIGHT)
        except Error:  # between two pages
            return []

    def lives(self) -> None:
        """Raise Death if the page has died, or its server has."""
        __tracebackhide__ = True
        end, log = self.server.said(self.read)
        self.read = end
        if "Traceback" in log:
            raise Death(f"a traceback in the log: {_last(log)}")
        if self.server.process.poll() is not None:
            raise Death("the server stopped")
        if self.threw:
            raise Death(f"a script threw: {self.threw[0]}")
        try:
            found = self.page.evaluate(DEAD)
        except Error:  # on its way to another page
            return
        if found["boxes"]:
            raise Death(f"a box of Streamlit's: {found['boxes'][0]}")
        if any(APOLOGY[:40] in text for text in found["notices"]):
            raise Death("the apology")
        if found["apps"]:
            try:
                self.page.locator(DRAWN).first.wait_for(state="attached", timeout=EMPTY * 1000)
            except Late:
                raise Death("an empty page") from None

    def close(self) -> None:
        """Leave."""
        self.context.close()


def _last(log: str) -> str:
    """Return the end of the first traceback in a log."""
    lines = log[log.index("Traceback") :].splitlines()
    end = next((at for at, line in enumerate(lines) if at and line[:1].strip()), len(lines) - 1)
    return " | ".join(line.strip() for line in lines[max(1, end - 6) : end + 1])


# ---- deeds


def _thing(stranger: Stranger, deed: Deed) -> Any:
    thing = stranger.page.evaluate_handle(FOUND, [deed.role, deed.name, deed.nth]).as_element()
    if thing is None:
        raise Error("not there")
    thing.scroll_into_view_if_needed(timeout=1_000)
    return thing


def _do(stranger: Stranger, deed: Deed) -> None:
    """Do a deed.

    Raises:
        Error: The thing is not there, or something stands before it.
    """
    page = stranger.page
    match deed.what:
        case "click":
            _thing(stranger, deed).click(timeout=1_000, no_wait_after=True)
        case "type":
            thing = _thing(stranger, deed)
            thing.fill(deed.value, timeout=1_000)
            lines = thing.evaluate("(one) => one.tagName === 'TEXTAREA'")
            thing.press("Control+Enter" if lines else "Enter", timeout=1_000)
        case "press":
            page.keyboard.press(deed.value)
        case "open":
            page.goto(f"{stranger.server.url}/{deed.value}", timeout=30_000)
        case "width":
            page.set_viewport_size({"width": int(deed.value), "height": 900})
        case "back":
            page.go_back(timeout=10_000, wait_until="commit")
            if not page.url.startswith(stranger.server.url):  # before the first page
                page.go_forward(timeout=10_000, wait_until="commit")
        case "reload":
            page.reload(timeout=30_000, wait_until="commit")


def typed(chance: random.Random) -> str:
    """Return something to type: an ordinary sentence, a word or nothing, or what is hostile."""
    return chance.choice(chance.choice((ORDINARY, SHORT, HOSTILE)))[:MOST_TYPED]


def next_deed(chance: random.Random, stranger: Stranger) -> Deed:
    """Return what is done next: a key, a step in the history, another page, or something to a thing in sight."""
    away = {
        "reload": lambda: "",
        "back": lambda: "",
        "width": lambda: chance.choice(("390", "1280")),
        "press": lambda: chance.choice(KEYS),
        "open": lambda: chance.choice(PAGES),
    }
    sights = stranger.sights()
    if chance.random() < 0.2 or not sights:
        what = chance.choice(sorted(away))
        return Deed(what, value=away[what]())
    kinds: dict[str, list[dict[str, Any]]] = {}  # each role and name is as likely, however many of it there are
    for sight in sights:
        kinds.setdefault(f"{sight['role']} {re.sub(r'[0-9].*', '', sight['name'])[:12]}", []).append(sight)
    sight = chance.choice(kinds[chance.choice(sorted(kinds))])
    writes = sight["role"] in ("textbox", "number")
    value = typed(chance) if writes else ""
    return Deed("type" if writes else "click", sight["role"], sight["name"], sight["nth"], value)


# ---- walks


def walked(browser: Browser, server: Server, seed: int, deeds: int) -> int:
    """Do so many deeds, and return how many steps that took.

    Raises:
        Death: a page died; the message has the seed and the way to it.
    """
    chance, way, done = random.Random(seed), [], 0
    stranger = Stranger(browser, server)
    try:
        stranger.lives()
        while done < deeds:
            deed = next_deed(chance, stranger)
            way.append(f"{stranger.address} {deed}")
            done += stranger.do(deed)
            stranger.lives()
    except Death as death:
        lines = "\n".join(way)
        raise Death(f"{death}\nseed {seed}, step {len(way)}; the way there:\n{lines}") from None
    finally:
        stranger.close()
    return len(way)
