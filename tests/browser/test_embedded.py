"""The code that Share gives, pasted into a page of another origin: the frame draws there and takes a sentence."""

import http.server
import threading

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import free_port

pytestmark = [pytest.mark.browser, pytest.mark.slow]

COURSE = "<!doctype html><html lang=en><title>A course</title><h1>Lesson 3</h1><p>Look at it:</p>{code}<p>More.</p>"


@pytest.fixture
def course():
    """Return a function that serves a page with some code in it, on an origin of its own, and says where."""
    said = {"page": b""}

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(said["page"])

        def log_message(self, *_):
            pass

    port = free_port()
    serving = http.server.ThreadingHTTPServer(("127.0.0.1", port), Page)
    threading.Thread(target=serving.serve_forever, daemon=True).start()

    def serve(code):
        said["page"] = COURSE.format(code=code).encode()
        return f"http://127.0.0.1:{port}/lesson"

    yield serve
    serving.shutdown()
    serving.server_close()


def test_the_shared_code_draws_and_takes_a_sentence_in_a_page_of_others(browser, server, page, course):
    page.goto(f"{server}/?text=The+old+man+the+boat&pins=L2H3")
    page.locator(".overview[data-ready]").wait_for(timeout=60_000)
    page.get_by_role("button", name="Share").click()
    code = page.get_by_test_id("stCode").filter(has_text="<iframe").inner_text()
    context = browser.new_context(viewport={"width": 1000, "height": 1000})  # under the pages' own policy
    lesson = context.new_page()
    said: list[str] = []
    lesson.on("console", lambda message: said.append(message.text) if "Security Policy" in message.text else None)
    lesson.goto(course(code))
    frame = lesson.frame_locator("iframe")
    lesson.locator("iframe").scroll_into_view_if_needed()
    frame.locator(".overview[data-ready]").wait_for(timeout=60_000)
    sentence = frame.locator(".overview .hero .sentence").first
    expect(sentence).to_contain_text("boat")
    box = frame.get_by_label("Your text")
    box.fill("The horse raced past the barn fell")
    box.press("Enter")
    expect(sentence).to_contain_text("barn")
    expect(frame.get_by_role("link", name="Open in Parallax")).to_be_visible()
    context.close()
    assert said == []
