"""Random walks: a seeded stranger does whatever a page lets be done, and what kills a page is told with its way.

A deed is a row of words: what is done, to which thing (its role, its name, and how many of that name stand before it),
with what. The same seed on the same pages walks the same way. Most deeds are drawn from what is in sight; popovers and
dialogs are opened and closed more often than chance would, for what stands in them is kept by the browser.
"""

from __future__ import annotations

import contextlib
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Error, Page
from playwright.sync_api import TimeoutError as Late

from mha.app.errors import APOLOGY
from mha.examples import examples
from mha.navigation import ROWS
from tests.browser.conftest import TOLD, Server, settled
from tests.hostile import hostile

PAGES = tuple(row.path for row in ROWS if row.path != "lesson")
WIDTHS, THEMES = (390, 1280), ("light", "dark")
KEYS = ("Escape", "Enter", " ", "Tab", "ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "Home", "End", "r", "?")
ORDINARY = (*(example.text for example in examples()), "The cat sat on the mat", "It was the best of times.")
SHORT = ("dog", "a", "", " ", "…", "!!", "[MASK]", "7")
NUMBERS = ("0", "1", "7", "-1", "2.5", "99999999", "1e9", "abc", "")
# And anything else at some place of it.
CLICKED = ("link", "button", "summary", "tab", "option", "gridcell", "radio", "checkbox", "menuitem", "switch", "label")
MOST_TYPED = 3_000  # characters: what is longer is cut, and tests/browser/test_hostile.py types it whole
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
        can: !away && !one.disabled && one.getAttribute("aria-disabled") !== "true" && role !== "file",
        opens: !!one.getAttribute("aria-haspopup") || tag === "summary" || !!one.closest("[data-testid=stPopover]"),
        inside: !dialog || dialog.contains(one) || !!one.closest("[data-baseweb=popover]"),
        path: tag === "a" ? one.pathname : "",
        file: !!one.closest("[data-testid=stDownloadButton], [data-testid=stFileUploader]"),
      });
    }
  };
  walk(document);
  return found;
}"""
IN_SIGHT = f"() => ({THINGS})().filter((thing) => thing.shows && thing.can).map(({{ one, ...said }}) => said)"
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


class Step(NamedTuple):
    """A deed and the address at which it was done."""

    address: str
    deed: Deed


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
            done = DEEDS[deed.what](self, deed)
        except Error:
            done = False
        for other in self.context.pages[1:]:
            other.close()
        if done:
            self.rest()
        return done

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


def _click(stranger: Stranger, deed: Deed) -> bool:
    _thing(stranger, deed).click(timeout=1_000, no_wait_after=True)
    return True


def _point(stranger: Stranger, deed: Deed) -> bool:
    """Click at a place of something that is drawn, given as shares of its width and height, with keys held or not."""
    thing = _thing(stranger, deed)
    across, down, *held = deed.value.split()
    box = thing.bounding_box()
    if box is None:  # gone in between
        return False
    at = {"x": box["width"] * float(across), "y": box["height"] * float(down)}
    thing.click(position=at, modifiers=held, timeout=1_000, no_wait_after=True)
    return True


def _type(stranger: Stranger, deed: Deed) -> bool:
    thing = _thing(stranger, deed)
    thing.fill(deed.value, timeout=1_000)
    thing.press("Control+Enter" if thing.evaluate("(one) => one.tagName === 'TEXTAREA'") else "Enter", timeout=1_000)
    return True


def _choose(stranger: Stranger, deed: Deed) -> bool:
    """Open a list and take what is written in it."""
    _thing(stranger, deed).click(timeout=1_000)
    option = stranger.page.get_by_role("option", name=deed.value, exact=True).first
    try:
        option.click(timeout=1_500, no_wait_after=True)
    except Error:
        stranger.page.keyboard.press("Escape")
        raise
    return True


def _press(stranger: Stranger, deed: Deed) -> bool:
    stranger.page.keyboard.press(deed.value)
    return True


def _slide(stranger: Stranger, deed: Deed) -> bool:
    _thing(stranger, deed).focus()
    for _ in range(3):
        stranger.page.keyboard.press(deed.value)
    return True


def _open(stranger: Stranger, deed: Deed) -> bool:
    stranger.page.goto(f"{stranger.server.url}/{deed.value}", timeout=30_000)
    return True


def _theme(stranger: Stranger, deed: Deed) -> bool:
    stranger.page.emulate_media(color_scheme=deed.value)
    return True


def _width(stranger: Stranger, deed: Deed) -> bool:
    stranger.page.set_viewport_size({"width": int(deed.value), "height": 900})
    return True


def _history(by: int) -> Callable[[Stranger, Deed], bool]:
    def go(stranger: Stranger, _deed: Deed) -> bool:
        page = stranger.page
        (page.go_back if by < 0 else page.go_forward)(timeout=10_000, wait_until="commit")
        if not page.url.startswith(stranger.server.url):  # before the first page
            page.go_forward(timeout=10_000, wait_until="commit")
            return False
        return True

    return go


def _reload(stranger: Stranger, _deed: Deed) -> bool:
    stranger.page.reload(timeout=30_000, wait_until="commit")
    return True


DEEDS: dict[str, Callable[[Stranger, Deed], bool]] = {
    "click": _click, "point": _point, "type": _type, "choose": _choose, "press": _press, "slide": _slide,
    "open": _open, "theme": _theme, "width": _width, "back": _history(-1), "forward": _history(1), "reload": _reload,
}  # fmt: skip


# ---- what comes next


def typed(chance: random.Random) -> str:
    """Return something to type: an ordinary sentence, a word or nothing, or what is hostile."""
    kind = chance.random()
    if kind < 0.5:
        return chance.choice(ORDINARY)
    if kind < 0.75:
        return chance.choice(SHORT)
    return chance.choice(HOSTILE)[:MOST_TYPED]


HOSTILE = tuple(item.text for item in hostile("text") if item.text)


def next_deeds(chance: random.Random, stranger: Stranger) -> list[Deed]:
    """Return what is done next: mostly one deed, or something that is opened and closed, perhaps after a deed in it."""
    fate = chance.random()
    if fate < 0.03:
        return [Deed("reload")]
    if fate < 0.07:
        return [Deed(chance.choice(("back", "back", "forward")))]
    if fate < 0.10:
        return [Deed("theme", value=chance.choice(THEMES))]
    if fate < 0.13:
        return [Deed("width", value=str(chance.choice(WIDTHS)))]
    if fate < 0.19:
        return [Deed("press", value=chance.choice(KEYS))]
    sights = [sight for sight in stranger.sights() if not sight["file"]]
    sights = [sight for sight in sights if sight["path"].strip("/") in PAGES]
    inside = [sight for sight in sights if sight["inside"]]
    if len(inside) < len(sights):  # a dialog stands before the rest
        return (
            [_deed(chance, inside, stranger)] if inside and chance.random() < 0.7 else [Deed("press", value="Escape")]
        )
    if fate < 0.26:
        return [_to_a_page(chance, sights)]
    if fate < 0.31:
        lists = [sight for sight in sights if sight["role"] == "combobox" and "Model" in sight["name"]]
        if lists:
            return [_choice(chance, lists[0], stranger)]
    openers = [sight for sight in sights if sight["opens"] and sight["role"] in ("button", "summary")]
    if fate < 0.50 and openers:
        opener = chance.choice(openers)
        return [Deed("click", opener["role"], opener["name"], opener["nth"]), *_then_closed(chance)]
    return [_deed(chance, sights, stranger)]


def _then_closed(chance: random.Random) -> list[Deed]:
    return [Deed("press", value="Escape")] if chance.random() < 0.6 else []


def _to_a_page(chance: random.Random, sights: Sequence[dict[str, Any]]) -> Deed:
    links = [sight for sight in sights if sight["role"] == "link" and sight["name"]]
    if links and chance.random() < 0.7:
        link = chance.choice(links)
        return Deed("click", "link", link["name"], link["nth"])
    return Deed("open", value=chance.choice(PAGES))


def _deed(chance: random.Random, sights: Sequence[dict[str, Any]], stranger: Stranger) -> Deed:
    """Return a deed with one of the things in sight; each role and name is as likely, however many of it there are."""
    if not sights:
        return Deed("press", value="Escape")
    kinds: dict[str, list[dict[str, Any]]] = {}
    for sight in sights:
        kinds.setdefault(f"{sight['role']} {re.sub(r'[0-9].*', '', sight['name'])[:12]}", []).append(sight)
    sight = chance.choice(kinds[chance.choice(sorted(kinds))])
    role, name, nth = sight["role"], sight["name"], sight["nth"]
    if role == "combobox":
        return _choice(chance, sight, stranger)
    if role == "textbox":
        return Deed("type", role, name, nth, typed(chance))
    if role == "number":
        return Deed("type", role, name, nth, chance.choice(NUMBERS))
    if role == "slider":
        return Deed("slide", role, name, nth, chance.choice(("ArrowRight", "ArrowLeft", "Home", "End")))
    if role not in CLICKED:
        held = chance.choice(("", "", "", " Shift"))
        return Deed("point", role, name, nth, f"{chance.random():.2f} {chance.random():.2f}{held}")
    return Deed("click", role, name, nth)


def _choice(chance: random.Random, sight: dict[str, Any], stranger: Stranger) -> Deed:
    """Return the choice of something in a list, which is opened to see what it has."""
    deed = Deed("choose", sight["role"], sight["name"], sight["nth"])
    options: list[str] = []
    with contextlib.suppress(Error):
        _thing(stranger, deed).click(timeout=1_000)
        stranger.page.get_by_role("option").first.wait_for(timeout=1_500)
        options = stranger.page.get_by_role("option").all_inner_texts()
    with contextlib.suppress(Error):
        stranger.page.keyboard.press("Escape")
    return deed._replace(value=chance.choice(options)) if options else Deed("press", value="Escape")


# ---- walks


def walk(stranger: Stranger, seed: int, deeds: int, until: float = float("inf")) -> Iterator[Step]:
    """Do so many deeds and yield each before it is done, or stop at a time; Death ends the walk."""
    chance = random.Random(seed)
    done, waiting = 0, []
    while done < deeds and time.monotonic() < until:
        waiting = waiting or next_deeds(chance, stranger)
        deed, *waiting = waiting
        yield Step(stranger.address, deed)
        if stranger.do(deed):
            done += 1
        else:
            waiting = []
        stranger.lives()


def walked(browser: Browser, server: Server, seed: int, deeds: int, until: float = float("inf")) -> int:
    """Walk, and return how many steps that took.

    Raises:
        Death: a page died; the message has the seed and the way to it.
    """
    steps: list[Step] = []
    stranger = Stranger(browser, server)
    try:
        stranger.lives()
        for step in walk(stranger, seed, deeds, until):
            steps.append(step)
    except Death as death:
        way = "\n".join(f"{step.address} {step.deed}" for step in steps)
        raise Death(f"{death}\nseed {seed}, step {len(steps)}; the way there:\n{way}") from None
    finally:
        stranger.close()
    return len(steps)
