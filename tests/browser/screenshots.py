"""Pictures of the running app: ``python -m tests.browser.screenshots`` makes the one in the README.

With ``--all``, also the whole Heads page at both widths in both themes, into build/screenshots, to be looked at.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.conftest import ROOT, Server, launch

README_PICTURE = ROOT / "assets" / "images" / "next.png"
README_LINK = "/next?text=My+grandmother%27s+name+is+Ruth.+Everyone+calls+her"
README_MARGIN = 24  # px below the grid of heads, where its picture ends
README_BYTES = 250_000  # what a README may weigh
FOLDER = ROOT / "build" / "screenshots"
WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
TALLEST = 9000  # px
QUIET = 800  # ms without a change, after which a page counts as drawn


def main(everything: bool) -> None:
    server = Server()
    try:
        server.wait()
        with sync_playwright() as playwright:
            browser = launch(playwright)
            picture(browser, server.url + README_LINK, README_PICTURE, 1280, "light", down_to=".heads .cells")
            size = README_PICTURE.stat().st_size
            if size > README_BYTES:
                sys.exit(f"{README_PICTURE} has {size:,} bytes; a README may carry {README_BYTES:,}")
            for width in WIDTHS if everything else ():
                for scheme in SCHEMES:
                    picture(browser, server.url, FOLDER / f"heads_{width}_{scheme}.png", width, scheme)
            browser.close()
    finally:
        server.stop()


def picture(browser: Browser, url: str, file: Path, width: int, scheme: str, down_to: str | None = None) -> None:
    """Write a page as PNG, the whole of it or down to the end of an element."""
    context = browser.new_context(bypass_csp=True, viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(url)
    page.locator("[data-ready]").first.wait_for(timeout=60_000)
    drawn(page)
    box = page.locator(down_to).bounding_box() if down_to else None
    tall = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") + 80
    height = round(box["y"] + box["height"]) + README_MARGIN if box else min(tall, TALLEST)
    page.set_viewport_size({"width": width, "height": height})  # the page scrolls inside itself
    drawn(page)
    file.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=file)
    context.close()
    print(f"{file.relative_to(ROOT)}  {file.stat().st_size:,} bytes")


def drawn(page: Page) -> None:
    """Wait until nothing on the page has changed for a while."""
    page.evaluate(
        """(quiet) => new Promise((done) => {
          let timer = setTimeout(finish, quiet);
          const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(finish, quiet); });
          function finish() { observer.disconnect(); done(); }
          observer.observe(document.body, { subtree: true, childList: true, attributes: true });
        })""",
        QUIET,
    )


if __name__ == "__main__":
    main(everything="--all" in sys.argv[1:])
