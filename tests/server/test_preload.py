"""A page's first answer names what draws it, so that a browser asks for all of it at once."""

import re
from pathlib import Path

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from mha.ui import preloaded, served
from mha.ui.preloaded import EVERYWHERE, OF_PAGE, PARTS, SHEETS, Preloaded, first_scripts, links, needed, of_page

STATIC = Path(streamlit.__file__).parent / "static"
WHOLE = (STATIC / "index.html").read_text(encoding="utf-8")

PAGE = "<!doctype html><title>Streamlit</title><script src=theirs></script><p>é"


@pytest.fixture
def client():
    routes = [
        Route("/api/health", lambda _: PlainTextResponse("alive")),
        Route("/file.html", lambda _: HTMLResponse(WHOLE, headers={"etag": '"1"', "last-modified": "then"})),
        Route("/missing", lambda _: HTMLResponse("no", 404)),
        Route("/{page:path}", lambda _: HTMLResponse(PAGE, headers={"etag": "theirs"})),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(Preloaded)])
    with TestClient(app, headers={"accept": "text/html"}) as opened:
        yield opened


@pytest.mark.parametrize("page", [*OF_PAGE, "steps", "below/a/folder/readings"])
def test_a_page_names_files_that_are_served(client, page):
    answer = client.get(f"/{page}")
    named = re.findall(r'<link rel="(?:modulepreload|preload)"[^>]* href="(parallax/[^"]+)">', answer.text)
    folder = served.address()
    assert len(named) == len(set(named)) > len(EVERYWHERE)
    assert all(path.startswith(folder) and path.removeprefix(folder) in served.files() for path in named)
    assert {folder + path for path in (*EVERYWHERE, *of_page(page.rpartition("/")[2]).files)} <= set(named)


def test_the_script_of_the_whole_page_stands_before_the_others_in_every_page(client):
    answer = client.get("/below/a/folder/readings")
    address = served.address(preloaded.PAGE)
    assert f'<script type="module" src="{address}"></script><script src=theirs>' in answer.text
    assert answer.text.endswith("<p>é")
    assert int(answer.headers["content-length"]) == answer.num_bytes_downloaded
    assert "etag" not in answer.headers  # or a browser keeps the address of an older version
    assert preloaded.PAGE in served.files()


def test_a_page_that_comes_compressed_has_it_too():
    routes = [Route("/", lambda _: HTMLResponse(PAGE * 100))]
    layers = [Middleware(Preloaded), Middleware(GZipMiddleware)]
    asked = {"accept": "text/html", "accept-encoding": "gzip"}
    with TestClient(Starlette(routes=routes, middleware=layers), headers=asked) as opened:
        answer = opened.get("/")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.text.count(f'src="{served.address(preloaded.PAGE)}"') == 1


@pytest.mark.parametrize("page", ["", "readings", "training"])
def test_what_the_first_picture_does_not_need_is_named_for_later(page):
    html = preloaded.head(WHOLE, f"/{page}")
    later = re.findall(r'<link rel="later" as="script" crossorigin fetchpriority="low" href="\./([^"]+)">', html)
    assert any("PlotlyChart" in path for path in later) == (page == "training")
    assert not set(later) & set(first_scripts(page))
    assert all((Path(streamlit.__file__).parent / "static" / path).exists() for path in later)


def test_the_head_of_a_page_has_no_text(client):
    assert client.head("/readings").content == b""


@pytest.mark.parametrize("page", OF_PAGE)
def test_the_headers_of_a_page_are_few_enough_for_any_proxy(client, page):
    headers = client.get(f"/{page}").headers
    assert sum(len(name) + len(value) + 4 for name, value in headers.items()) < 2000


def test_modules_are_read_and_the_rest_is_fetched_as_it_will_be_asked_for():
    assert re.search(r'<link rel="modulepreload"[^>]* href="[^"]+js/lib/mount\.js">', links(""))
    assert re.search(r'<link rel="preload" as="fetch" crossorigin[^>]* href="[^"]+tokens\.json">', links(""))


def test_ours_come_behind_streamlits_but_for_what_runs_before_it():
    first = {served.address(path) for path in needed((preloaded.PAGE,))}
    for line in re.findall(r"<link [^>]+>", links("")):
        assert (preloaded.LATER in line) == (re.search(r'href="([^"]+)"', line)[1] not in first), line


def test_only_pages_that_are_there_are_told_more(client):
    assert "<link" not in client.get("/api/health").text
    assert "<link" not in client.get("/missing").text


def test_whatever_a_module_imports_comes_too():
    found = needed(("js/heads/overview.js",))
    assert "js/heads/grid.js" in found
    assert "js/lib/arcs.js" in found
    sources = {path: served.files()[path].decode() for path in found}
    for source in sources.values():
        for name in re.findall(r'from "[./]*([\w/]+\.js)"', source):
            assert any(path.endswith(name) for path in found), name


def test_streamlits_page_gets_our_sheets_a_part_of_its_font_and_the_scripts_of_what_stands_first(client):
    answer = client.get("/file.html", headers={"if-none-match": '"1"'})
    page = answer.text
    assert "etag" not in answer.headers
    assert "last-modified" not in answer.headers
    assert int(answer.headers["content-length"]) == answer.num_bytes_downloaded
    for sheet in SHEETS:
        assert f'<link rel="stylesheet" href="{served.address(sheet)}">' in page
    assert page.index("</head>") > page.index(served.address(SHEETS[0])) > page.index("static/css/index.")
    assert "SourceSansVF-Upright" in WHOLE
    assert "SourceSansVF-Upright" not in page
    assert page.count(served.address("fonts/sans.woff2")) == 1
    named = re.findall(r'href="\./(static/js/[^"]+)"', page)
    assert len(named) == len(set(named))
    assert {path for path in first_scripts() if path not in WHOLE} <= set(named)
    assert [line for line in WHOLE.splitlines() if "<script" in line and line not in page] == []


def test_what_stands_first_is_still_there():
    for page in OF_PAGE:
        assert all((STATIC / path).is_file() for path in first_scripts(page))
        names = "\n".join(first_scripts(page))
        assert all(part.rpartition("/")[2] in names for part in (*PARTS, *of_page(page).parts))


def test_what_is_asked_for_by_others_goes_through(client):
    assert client.get("/file.html", headers={"accept": "*/*"}).text == WHOLE


@pytest.mark.parametrize("path", ["file.html", "readings"])
def test_a_page_that_streamlit_compresses_comes_whole(path):
    routes = [Route("/{page:path}", lambda _: HTMLResponse(WHOLE))]
    inside = [Middleware(Preloaded), Middleware(GZipMiddleware, minimum_size=100)]
    with TestClient(Starlette(routes=routes, middleware=inside), headers={"accept": "text/html"}) as opened:
        plain, small = (opened.get(path, headers={"accept-encoding": how}) for how in ("identity", "gzip"))
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == "gzip"
    assert small.text == plain.text == preloaded.head(WHOLE, path)
    assert small.num_bytes_downloaded < len(plain.content) / 3
