"""What a link shows where it is pasted, and its first answer: what is known, and nothing that is hidden."""

import io
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image, ImageChops, ImageStat
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from mha.engine.bundled import bundled
from mha.examples import EXAMPLES, OPENS_HEADS
from mha.link.pages import PAGES, page_row
from mha.link.view import DEFAULT_TEXT
from mha.screens.guessing import QUESTION
from mha.server import previews
from mha.server.previews import HEIGHT, LONGEST, WIDTH, Preview, can_write, draw_preview, preview_of
from tools.preview_picture import instead


@pytest.fixture(autouse=True)
def bundled_recordings_only(monkeypatch):
    """Hide recordings that other tests of this process have made."""
    monkeypatch.setattr(previews.engine, "known", lambda request: bundled(request.text, request.model))


def arc_words(preview):
    text = preview.texts[0]
    return [(head, text[query[0] : query[1]], text[key[0] : key[1]]) for head, query, key, _ in preview.arcs]


def test_preview_of_bare_address_is_of_its_own_sentence():
    preview = preview_of("", "")
    assert preview.texts == (OPENS_HEADS,)
    assert ("L3H1", "they", "sailors") in arc_words(preview)


def test_preview_of_opening_has_its_finding():
    preview = preview_of("", "v=1")
    assert preview.title == f"“{DEFAULT_TEXT}” · Heads · Parallax"
    assert preview.description.startswith("In head L")
    assert preview.texts == (DEFAULT_TEXT,)
    assert {head for head, *_ in arc_words(preview)} <= {"L0H1", "L0H10"}
    assert {key for _, _, key in arc_words(preview)} == {"telescope"}
    assert all(part in preview.description for part in arc_words(preview)[0])


def test_preview_has_the_pins_of_the_link():
    assert [head for head, *_ in preview_of("", "pins=L3H1&pins=L2H1&lock=-1").arcs] == ["L3H1", "L2H1"]
    assert preview_of("", "pins=none").arcs == ()


def test_preview_arcs_join_words_whatever_the_units():
    plain = preview_of("", "pins=L3H1&lock=-1").arcs
    assert preview_of("", "pins=L3H1&lock=-1&units=tokens").arcs == plain
    words = DEFAULT_TEXT.split()
    for _, query, key in arc_words(preview_of("", "pins=L0H0&sinks=false&lock=-1")):
        assert {query, key} <= set(words)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.text)
def test_preview_description_asks_for_no_click(example):
    assert "{" not in preview_of("", f"text={example.text}").description


@pytest.mark.parametrize("page", [path for path, row in PAGES.items() if row.of_text])
def test_preview_of_a_guess_names_no_head(page):
    preview = preview_of(page, "reveal=0")
    assert preview.arcs == ()
    assert preview.sentence == preview.description == QUESTION
    assert "L0" not in preview.title


@pytest.mark.parametrize("query", ["text=Nobody+knows+this", "text=…", "text=" + "a+" * LONGEST, "model=toy"])
def test_preview_of_unrecorded_text_describes_the_page(query):
    preview = preview_of("", query)
    assert preview.arcs == ()
    assert preview.description == PAGES[""].about


@pytest.mark.parametrize("page", PAGES)
def test_preview_of_each_page_has_title_and_sentence(page):
    preview = preview_of(page, "")
    assert PAGES[page].title in preview.title
    assert preview.description.endswith(".")


def test_preview_of_other_page_describes_it_and_names_the_text():
    preview = preview_of("readings", f"text={EXAMPLES[0].text}")
    assert EXAMPLES[0].text in preview.title
    assert preview.description == PAGES["readings"].about


HEBREW = "ראיתי את האיש עם הטלסקופ"
TEXTS = [
    ("", "", (OPENS_HEADS,)),
    ("", "v=1", (DEFAULT_TEXT,)),
    ("", "text=All+is+well", ("All is well",)),
    ("", f"text={HEBREW}", (HEBREW,)),
    ("", "text=…", ()),
    ("", "model=copier&text=I+saw+the+man", ("I saw the man",)),  # with the default model, since pages lack Copier
    ("", "layer=99&pins=L9H9&units=nonsense", (DEFAULT_TEXT,)),
    ("readings", "text=Time+flies+like+an+arrow", ("Time flies like an arrow",)),
    ("compare", "text=The+dog+barked&second=The+cat+barked", ("The dog barked", "The cat barked")),
    ("compare", "text=The+dog+barked&compare_second=The+cat+barked", ("The dog barked", "The cat barked")),
    ("compare", "text=The+dog+barked&second=…", ("The dog barked",)),
    ("questions", "text=All+is+well", ()),
    ("about", "", ()),
]


@pytest.mark.parametrize(("page", "query", "texts"), TEXTS)
def test_first_answer_has_the_texts_of_the_link(page, query, texts):
    preview = preview_of(page, query)
    assert preview.texts == texts
    assert preview.sentence == page_row(page).about


@pytest.fixture
def client():
    with TestClient(Starlette(routes=[Route("/preview.png", previews.answer_picture)])) as opened:
        yield opened


def test_picture_is_drawn_once(client, monkeypatch):
    monkeypatch.setattr(previews, "PATIENCE", 60)
    draw_preview.cache_clear()
    pictures = {client.get("/preview.png?page=&pins=L3H1&lock=-1").content for _ in range(2)}
    assert draw_preview.cache_info().misses == 1
    (picture,) = pictures
    assert Image.open(io.BytesIO(picture)).size == (WIDTH, HEIGHT)
    answer = client.get("/preview.png?page=elsewhere")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "public, max-age=3600")


def test_picture_has_an_arc_for_each_head():
    """Each arc adds pixels of the accent, one above the text and one below."""
    preview = preview_of("", "pins=L3H1&pins=L2H1&lock=-1")
    one, two = (
        Image.open(io.BytesIO(draw_preview(Preview(preview.title, "", preview.texts, "", preview.arcs[:count]))))
        for count in (1, 2)
    )
    box = ImageChops.difference(one, two).getbbox()
    assert box is not None
    assert box[1] > previews.BASELINE


def test_picture_omits_scripts_without_letters():
    assert can_write("Ça va, naïve Grüße?")
    assert not can_write("日本語")
    lost = draw_preview(Preview("“日本語” · Heads · Parallax", "日本語", ("日本語",)))
    assert lost == draw_preview(Preview("“漢字” · Heads · Parallax", "漢字", ("漢字",)))


@pytest.mark.parametrize("text", ["one " * 100, "a" * 400, ""])
def test_picture_of_any_title_is_drawn(text):
    picture = draw_preview(Preview(f"“{text}” · Heads · Parallax", text, (text,)))
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

    monkeypatch.setattr(previews, "picture_of", draw_slowly)
    monkeypatch.setattr(previews, "PATIENCE", 0.3)
    with ThreadPoolExecutor(6) as many:
        answers = list(many.map(client.get, [f"/preview.png?page={page}" for page in list(PAGES)[:6]]))
        assert most[0] == 1
        assert {(answer.content, answer.headers["cache-control"]) for answer in answers} == {
            (previews.BUNDLED.read_bytes(), "no-store")
        }
        may_draw.set()
        monkeypatch.setattr(previews, "PATIENCE", 60)
        assert client.get("/preview.png?page=").content == b"drawn"


def test_picture_without_fonts_is_the_bundled_one(client, monkeypatch, tmp_path):
    monkeypatch.setattr(previews, "ASSETS", tmp_path)
    draw_preview.cache_clear()
    assert client.get("/preview.png?page=").content == previews.BUNDLED.read_bytes()


def test_bundled_picture_is_current():
    bundled_picture, now = (Image.open(io.BytesIO(content)) for content in (previews.BUNDLED.read_bytes(), instead()))
    assert bundled_picture.size == now.size == (WIDTH, HEIGHT)
    assert ImageStat.Stat(ImageChops.difference(bundled_picture, now)).mean == pytest.approx([0, 0, 0], abs=0.5)
