"""What a link shows where it is pasted: title, description and a picture, and nothing that is hidden."""

import io
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image, ImageChops, ImageStat
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from mha.examples import DEFAULT_TEXT, OPENS_HEADS, examples
from mha.figures.preview import HEIGHT, WIDTH, can_write, preview_picture
from mha.navigation import ABOUT, NAME, PAGES
from mha.server import first_answers
from mha.server.first_answers import LONGEST, preview_of
from tools.preview_picture import picture


@pytest.mark.parametrize("page", PAGES)
def test_preview_of_each_page_has_title_and_sentence(page):
    preview = preview_of(page, "")
    text = f"“{OPENS_HEADS}” · " if page == "" else ""
    assert preview.title == f"{text}{PAGES[page].title} · Parallax"
    assert preview.description == PAGES[page].about


def test_preview_names_the_cuts_of_pages_that_cut():
    query = "cut=L24H4:9-5&cut=L23H0:9-5&cut=%3Cb%3E"
    for page in ("next", "matters"):
        assert preview_of(page, query).description == f"L24H4:9-5 cut. L23H0:9-5 cut. {PAGES[page].about}"
    assert preview_of("compare", query).description == PAGES["compare"].about


@pytest.mark.parametrize(
    ("page", "query", "text"),
    [
        ("", "text=All+is+well", "“All is well”"),
        ("", "v=1", f"“{DEFAULT_TEXT}”"),
        ("", "page=", f"“{OPENS_HEADS}”"),
        ("", "text=ראיתי את האיש עם הטלסקופ", "“ראיתי את האיש עם הטלסקופ”"),
        ("", "text=…", ""),
        ("", "text=" + "a+" * LONGEST, ""),
        ("readings", f"text={examples()[0].text}", f"“{examples()[0].text}”"),
        ("questions", "text=All+is+well", ""),
    ],
)
def test_title_names_the_text_of_the_link(page, query, text):
    assert preview_of(page, query).text == text


@pytest.fixture
def client():
    with TestClient(Starlette(routes=[Route("/preview.png", first_answers.answer_picture)])) as opened:
        yield opened


def test_picture_is_drawn_once(client, monkeypatch):
    monkeypatch.setattr(first_answers, "PATIENCE", 60)
    preview_picture.cache_clear()
    pictures = {client.get("/preview.png?page=&text=All+is+well").content for _ in range(2)}
    assert preview_picture.cache_info().misses == 1
    (picture,) = pictures
    assert Image.open(io.BytesIO(picture)).size == (WIDTH, HEIGHT)
    answer = client.get("/preview.png?page=elsewhere")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "public, max-age=3600")


def test_picture_omits_scripts_without_letters():
    assert can_write("Ça va, naïve Grüße?")
    assert not can_write("日本語")
    lost = preview_picture(NAME, "Heads", ("“日本語”", "Heads"), ("日本語", ABOUT))
    assert lost == preview_picture(NAME, "Heads", ("Heads",), (ABOUT,))


@pytest.mark.parametrize("text", ["one " * 100, "a" * 400, ""])
def test_picture_of_any_title_is_drawn(text):
    picture = preview_picture(NAME, "Heads", (text,), (text,))
    assert Image.open(io.BytesIO(picture)).size == (WIDTH, HEIGHT)


def test_late_pictures_are_the_bundled_one(client, monkeypatch):
    """Pictures are drawn one at a time; a waiting request gets the bundled picture, which is not cached."""
    may_draw, active, most = threading.Event(), [], [0]

    def draw_slowly(page, query):
        active.append(page)
        most[0] = max(most[0], len(active))
        may_draw.wait(60)
        active.remove(page)
        return b"drawn"

    monkeypatch.setattr(first_answers, "picture_of", draw_slowly)
    monkeypatch.setattr(first_answers, "PATIENCE", 0.3)
    with ThreadPoolExecutor(6) as many:
        answers = list(many.map(client.get, [f"/preview.png?page={page}" for page in list(PAGES)[:6]]))
        assert most[0] == 1
        assert {(answer.content, answer.headers["cache-control"]) for answer in answers} == {
            (first_answers.BUNDLED.read_bytes(), "no-store")
        }
        may_draw.set()
        monkeypatch.setattr(first_answers, "PATIENCE", 60)
        assert client.get("/preview.png?page=").content == b"drawn"


def test_bundled_picture_is_current():
    bundled_picture, now = (
        Image.open(io.BytesIO(content)) for content in (first_answers.BUNDLED.read_bytes(), picture())
    )
    assert bundled_picture.size == now.size == (WIDTH, HEIGHT)
    assert ImageStat.Stat(ImageChops.difference(bundled_picture, now)).mean == pytest.approx([0, 0, 0], abs=0.5)
