"""The head of a page as a chat reads it, the picture of a link, and paths that are no pages."""

import io
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from html import escape

import pytest
from PIL import Image, ImageChops, ImageStat
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from mha.app import link
from mha.assets import BESIDE
from mha.examples import OPENS_TWO_READINGS
from mha.link.pages import PAGES
from mha.link.view import DEFAULT_TEXT
from mha.readers.links import opened_link
from mha.server import links, picture
from mha.server.drawing import SIZE, can_write, drawn
from mha.server.first import First, first
from mha.server.links import page_of
from mha.server.middleware import bootstrap_hashes
from mha.server.preview import Preview
from mha.streamlit_facts import inline_scripts, own_page
from mha.ui.bound import models
from tools.preview_picture import instead

HEAD = '<head><title>Streamlit</title><link href="./favicon.png"></head>'
ROOT = '<div id="root"></div>'  # where Streamlit draws
HTML = f"<!DOCTYPE html><html lang='x'>{HEAD}<body>{ROOT}</body></html>"


@pytest.fixture
def client(tmp_path):
    file = tmp_path / "index.html"
    file.write_text(HTML)

    async def answer(request):
        return FileResponse(file) if request.query_params.get("file") else HTMLResponse(HTML)

    routes = [
        *links.ROUTES,
        Route("/static/index.js", lambda _: PlainTextResponse("theirs")),
        Route("/api/docs", lambda _: HTMLResponse("<h1>to read</h1>")),
        Route("/api/health", lambda _: PlainTextResponse("alive")),
        Route("/{path:path}", answer),
    ]
    return TestClient(
        Starlette(routes=routes, middleware=[Middleware(links.FirstAnswer)]), base_url="http://parallax.test"
    )


def test_the_opening_page_tells_its_finding_and_names_its_picture(client):
    page = client.get("/").text
    assert "<title>“I saw the man with the telescope” · Heads · Parallax</title>" in page
    assert '<meta property="og:description" content="In head L' in page
    assert 'content="http://parallax.test/preview.png?page="' in page
    assert '<meta name="twitter:card" content="summary_large_image">' in page
    assert '<html lang="en" data-page="">' in page
    assert '<html lang="en" data-page="readings">' in client.get("/readings").text
    assert "./icon.png" in page
    assert client.get("/icon.png").headers["content-type"] == "image/png"


def test_the_opening_page_has_its_sentence_and_its_finding_before_a_script_has_run(client):
    words = client.get("/").text.partition(ROOT)[2]
    assert words.startswith('<div class="parallax-first"><p>Parallax · Heads</p>')
    assert f'<p class="text" dir="auto">{DEFAULT_TEXT}</p><p dir="auto">{escape(PAGES[""].about)}' in words


@pytest.mark.parametrize("page", [page for page in PAGES if page])
def test_every_page_says_what_it_opens_with_before_a_script_has_run(client, page):
    words = client.get(f"/{page}").text.partition(ROOT)[2]
    row = PAGES[page]
    assert words.startswith(f'<div class="parallax-first"><p>Parallax · {escape(row.title)}</p>')
    answer = first(opened_link(page, {}, models())[0])
    for text in answer.texts:
        assert f'dir="auto">{escape(text)}</p>' in words
    assert words.count("<p") == 2 + len(answer.texts)
    assert words.endswith(f'<p dir="auto">{escape(answer.sentence)}</p></div></body></html>')


def test_two_readings_begins_with_its_own_sentence_unless_the_link_is_of_another(client):
    assert OPENS_TWO_READINGS in client.get("/readings").text.partition(ROOT)[2]
    assert OPENS_TWO_READINGS not in client.get("/readings?readings_pivot=3").text
    assert ">Time flies like an arrow</p>" in client.get("/readings?text=Time+flies+like+an+arrow").text


def test_a_long_link_is_read_to_its_end(client):
    """Sixty heads that are switched off, and two thousand letters that an address writes in nine characters each."""
    off = "&".join(f"off=L{layer}H{head}" for layer in range(6) for head in range(12))
    assert DEFAULT_TEXT in client.get(f"/?{off}").text.partition(ROOT)[2]
    words = client.get("/", params={"text": "漢" * 2000}).text.partition(ROOT)[2]
    assert f'<p class="text long" dir="auto">{"漢" * 2000}</p>' in words


def test_bare_address_previews_the_model_it_opens_with(client, monkeypatch):
    assert 'content="In head L0' in client.get("/?v=1").text
    monkeypatch.setenv("PARALLAX_OPENS_WITH", "toy")
    assert 'content="In head L0' not in client.get("/").text  # the toy's text has not been recorded


def test_the_first_words_of_a_teachers_link_give_nothing_away(client):
    words = client.get("/?reveal=0").text.partition(ROOT)[2]
    assert "I saw the man with the telescope" in words
    assert "Guess first: where will the heads look?" in words
    assert "L0" not in words
    assert "Guess first: where will the heads look?" in client.get("/readings?reveal=0").text.partition(ROOT)[2]
    assert "heads count as" not in client.get("/atlas?reveal=0").text


FORWARDED = {"X-Forwarded-Proto": "https, http", "X-Forwarded-Host": "example.org"}


@pytest.mark.parametrize(
    ("proxies", "address"),
    [
        ("", "http://parallax.test/"),
        ("10.0.0.0/8", "http://parallax.test/"),
        ("10.0.0.0/8, 127.0.0.0/8", "https://example.org/"),
    ],
)
def test_what_is_forwarded_is_taken_from_a_trusted_proxy_alone(client, monkeypatch, proxies, address):
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", proxies)
    through = TestClient(client.app, base_url="http://parallax.test", client=("127.0.0.1", 50000))
    assert f'<meta property="og:url" content="{address}">' in through.get("/", headers=FORWARDED).text
    assert '<meta property="og:url" content="http://parallax.test/">' in through.get("/").text


@pytest.mark.parametrize("said", [{"X-Forwarded-Proto": "javascript"}, {"X-Forwarded-Host": 'a"><b>'}])
def test_what_a_trusted_proxy_says_is_a_host_and_a_scheme_or_nothing(client, monkeypatch, said):
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", "127.0.0.1")
    through = TestClient(client.app, base_url="http://parallax.test", client=("127.0.0.1", 50000))
    assert '<meta property="og:url" content="/">' in through.get("/", headers=said).text


def test_a_short_link_to_a_stop_leads_to_its_page_before_anything_is_said(client):
    there = client.get("/?lesson=who-is-it&stop=3", follow_redirects=False)
    assert there.status_code == 307
    assert there.headers["location"].startswith("./readings?v=1&")
    assert {"reveal=0", "lesson=who-is-it", "stop=3"} < set(there.headers["location"].split("&"))
    assert client.get("/?lesson=nowhere&stop=3", follow_redirects=False).status_code == 200
    assert client.get(there.headers["location"][1:], follow_redirects=False).status_code == 200


@pytest.mark.parametrize("page", [page for page in PAGES if page])
def test_every_page_has_its_own_title(client, page):
    answer = client.get(f"/{page}")
    assert answer.status_code == 200
    assert f"<title>{PAGES[page].title} · Parallax</title>" in answer.text


def test_every_page_has_its_row_and_every_row_its_page():
    scripts = {file.name for file in (BESIDE / "pages").glob("*.py")} - {"frame.py"}
    assert {row.file for row in PAGES.values()} == scripts
    for path, row in PAGES.items():
        if path in link.PAGES:
            continue
        assert f'show("{path}")' in (BESIDE / "pages" / row.file).read_text(encoding="utf-8")


NO_PAGES = ["/nothing", "/readings/more", "/heads.php", "/wp-admin/", "/frame", "/static/gone.js", "/static/index.html"]


@pytest.mark.parametrize("path", [*NO_PAGES, "/_stcore/nothing", "/x/api/y", "/" + "a" * 5000, "/" + "a/" * 2500 + "a"])
def test_a_wrong_path_is_told_so(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "There is no such page" in answer.text
    assert 'href="/readings"' in answer.text


def test_the_opening_page_is_found_by_its_name_too(client):
    answer = client.get("/heads?text=a+b&pins=L0H1", follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["location"] == "./?text=a+b&pins=L0H1"
    assert client.get("/heads").status_code == 200
    assert client.get("/heads/", follow_redirects=False).status_code != 307  # it would lead to itself


def test_what_is_typed_into_a_link_stays_text(client):
    typed = '"><script>alert(1)</script>&reveal=0'
    for path in PAGES:
        words = {"text": typed, "pins": '"><b>', "compare_second": "<b>x</b>", "steps_words": "my sentence"}
        page = client.get(f"/{path}", params=words).text
        assert page.count("<script") == 1, "ours"
        assert "alert(1)</script>" not in page
        assert "<b>" not in page


def test_what_is_no_page_is_left_alone(client):
    assert client.get("/static/index.js").text == "theirs"
    assert client.get("/api/health").text == "alive"
    assert client.get("/api/docs").text == "<h1>to read</h1>"


def test_the_length_is_that_of_what_is_sent_and_nothing_is_half_kept(client):
    answer = client.get("/?file=1", headers={"If-None-Match": "*", "Range": "bytes=0-3", "Accept-Encoding": "br"})
    assert answer.status_code == 200
    assert "etag" not in answer.headers
    assert int(answer.headers["content-length"]) == len(answer.content)
    head = client.head("/?file=1")
    assert head.status_code == 200
    assert head.content == b""


def test_a_host_that_is_none_names_no_picture_elsewhere(client):
    page = client.get("/", headers={"Host": 'evil"><x'}).text
    assert "evil" not in page


def test_the_inline_scripts_of_streamlit_stay_as_their_hashes_say():
    html = own_page()
    changed = links.written(html, Preview("t", "s"), First(), "", "", "")
    assert inline_scripts(changed) == inline_scripts(html)
    assert len(inline_scripts(html)) == len(bootstrap_hashes())


def test_the_picture_is_drawn_once_and_kept(client, monkeypatch):
    calls = []
    monkeypatch.setattr(picture, "drawn", lambda found: calls.append(found) or drawn(found))
    picture._drawn.clear()
    for _ in range(2):
        answer = client.get("/preview.png?page=&pins=L3H1&lock=-1")
    assert len(calls) == 1
    assert answer.headers["cache-control"] == "public, max-age=3600"
    assert Image.open(io.BytesIO(answer.content)).size == SIZE
    assert client.get("/preview.png?page=elsewhere").status_code == 200


def test_a_script_that_the_fonts_lack_is_left_out():
    assert can_write("Ça va, naïve Grüße?")
    assert not can_write("日本語")
    assert drawn(Preview("“日本語” · Heads · Parallax", "Words.", ("日本語",)))


def test_a_page_below_a_folder_is_found(monkeypatch):
    monkeypatch.setattr(links, "base", lambda: "demo")
    assert page_of("/demo/readings/") == "readings"
    assert page_of("/demo") == ""
    assert page_of("/demo/x") is None


@pytest.fixture
def slow(monkeypatch):
    """Draw no picture before it is told to; yield how many are being drawn at once, at most, and that event."""
    going, most, go_on = [], [0], threading.Event()

    def drawing(found):
        going.append(found)
        most[0] = max(most[0], len(going))
        go_on.wait(60)
        going.remove(found)
        return b"drawn"

    picture._drawn.clear()
    monkeypatch.setattr(picture, "drawn", drawing)
    yield most, go_on
    go_on.set()
    picture._drawn.clear()


def asked_for(client, number):
    """Return what a class that pastes different links gets, all asked for at one time."""
    addresses = [f"/preview.png?page={page}&reveal={place % 2}" for place, page in enumerate([*PAGES, *PAGES])][:number]
    with client, ThreadPoolExecutor(number) as many:
        return list(many.map(client.get, addresses))


def test_no_more_than_two_pictures_are_drawn_at_once_and_others_get_the_bundled_one_in_time(client, slow, monkeypatch):
    most, go_on = slow
    monkeypatch.setattr(picture, "PATIENCE", 0.3)
    answers = asked_for(client, 12)
    assert most[0] == picture.AT_ONCE == 2
    for answer in answers:
        assert answer.status_code == 200
        assert answer.content == picture.BUNDLED.read_bytes()
        assert answer.headers["cache-control"] == "no-store"  # the next time it may be drawn
    go_on.set()
    monkeypatch.setattr(picture, "PATIENCE", 60)
    assert {answer.content for answer in asked_for(client, 12)} == {b"drawn"}


def test_a_page_is_told_while_pictures_are_drawn(client, slow, monkeypatch):
    most, go_on = slow
    monkeypatch.setattr(picture, "PATIENCE", 60)
    with client, ThreadPoolExecutor(4) as many:
        drawing = [many.submit(client.get, f"/preview.png?page={page}") for page in ("", "readings", "steps")]
        while most[0] < 2:
            time.sleep(0.01)
        page = many.submit(client.get, "/readings")
        assert "<title>Two readings · Parallax</title>" in page.result(20).text
        assert not any(one.done() for one in drawing)
        go_on.set()
        assert [one.result(20).content for one in drawing] == [b"drawn"] * 3


def test_the_bundled_picture_is_the_one_that_is_drawn_for_it():
    bundled, now = (Image.open(io.BytesIO(content)) for content in (picture.BUNDLED.read_bytes(), instead()))
    assert bundled.size == now.size == SIZE
    assert ImageStat.Stat(ImageChops.difference(bundled, now)).mean == pytest.approx([0, 0, 0], abs=0.5)


@pytest.mark.parametrize("base", ["", "lens", "heads/of"])
def test_api_below_base_path_unchanged(base, monkeypatch):
    monkeypatch.setattr(links, "base", lambda: base)
    below = f"/{base}" if base else ""
    assert links.of_api(f"{below}/api/docs")
    assert links.of_api("/api/docs")
    assert not links.of_api(f"{below}/readings")
