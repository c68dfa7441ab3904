"""The first answer of a page: its head as a chat reads it, files, and unknown paths."""

import re
import subprocess
import sys

import pytest
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from mha.assets import BESIDE
from mha.examples import OPENS_HEADS
from mha.navigation import PAGES
from mha.server import first_answers, static
from mha.server.first_answers import MODULES, Preview, write_page
from mha.server.middleware import bootstrap_hashes
from mha.streamlit_facts import inline_scripts, own_page


@pytest.fixture
def client():
    routes = [
        Route("/api/docs", lambda _: HTMLResponse("<h1>to read</h1>")),
        *static.ROUTES,
        *first_answers.routes(),
        Route("/{path:path}", lambda _: PlainTextResponse("Streamlit")),
    ]
    return TestClient(Starlette(routes=routes), base_url="http://parallax.test")


def test_head_has_title_description_and_picture(client):
    page = client.get("/").text
    assert f"<title>“{OPENS_HEADS}” · Heads · Parallax</title>" in page
    assert "<title>“I saw the man with the telescope” · Heads · Parallax</title>" in client.get("/?v=1").text
    assert f'<meta property="og:description" content="{PAGES[""].about}">' in page
    assert 'content="http://parallax.test/preview.png?page="' in page
    assert '<meta name="twitter:card" content="summary_large_image">' in page
    assert '<html lang="en" data-page="">' in page
    assert '<html lang="en" data-page="readings">' in client.get("/readings").text
    icon = re.search(r'"(parallax/[^"]+icon\.png)"', page)[1]
    assert client.get(f"/{icon}").headers["content-type"] == "image/png"


@pytest.mark.parametrize("page", PAGES)
def test_each_page_has_its_title(client, page):
    answer = client.get(f"/{page}")
    assert answer.headers["cache-control"] == "no-cache"
    assert f"{PAGES[page].title} · Parallax</title>" in answer.text
    assert client.head(f"/{page}").status_code == 200


def test_the_page_of_conclusions_leads_to_its_section_with_its_parameters(client):
    answer = client.get("/about?lesson=who-is-it&stop=8", follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["location"] == "./questions?lesson=who-is-it&stop=8&section=limits#limits"
    assert client.get("/about", follow_redirects=False).headers["location"] == "./questions?section=limits#limits"


@pytest.mark.parametrize("view", ["matters", "write"])
def test_a_view_of_next_word_leads_to_its_page_with_the_text(client, view):
    query = "v=1&text=a+%26+b&model=smollm2&view={}&word=it&step=3&head=L2H1&lesson="
    answer = client.get(f"/next?{query.format(view)}", follow_redirects=False)
    assert answer.headers["location"] == f"./{view}?{query.format('').replace('view=&', '')}"
    assert f"{PAGES[view].title} · Parallax</title>" in client.get(f"/next?view={view}").text
    assert "Next word · Parallax</title>" in client.get("/next?view=next").text


@pytest.mark.parametrize("page", ["", "next"])
def test_link_with_too_many_parameters_gets_a_sentence(page, client):
    assert client.get(f"/{page}?text=Hi{999 * '&utm=<b>'}").status_code == 200
    answer = client.get(f"/{page}?text=Hi{1000 * '&utm=<b>'}")
    assert answer.status_code == 414
    assert "This link has 1,001 parameters, and Parallax reads at most 1,000." in answer.text
    assert f'<a href="?">{PAGES[page].title}</a>' in answer.text
    assert "<b>" not in answer.text


FORWARDED = {"X-Forwarded-Proto": "https, http", "X-Forwarded-Host": "example.org"}


@pytest.mark.parametrize(
    ("proxies", "address"),
    [
        ("", "http://parallax.test/"),
        ("10.0.0.0/8", "http://parallax.test/"),
        ("10.0.0.0/8, 127.0.0.0/8", "https://example.org/"),
    ],
)
def test_forwarded_address_needs_a_trusted_proxy(client, monkeypatch, proxies, address):
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", proxies)
    through = TestClient(client.app, base_url="http://parallax.test", client=("127.0.0.1", 50000))
    assert f'<meta property="og:url" content="{address}">' in through.get("/", headers=FORWARDED).text
    assert '<meta property="og:url" content="http://parallax.test/">' in through.get("/").text


@pytest.mark.parametrize("headers", [{"X-Forwarded-Proto": "javascript"}, {"X-Forwarded-Host": 'a"><b>'}])
def test_forwarded_address_is_scheme_and_host_or_nothing(client, monkeypatch, headers):
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", "127.0.0.1")
    through = TestClient(client.app, base_url="http://parallax.test", client=("127.0.0.1", 50000))
    assert '<meta property="og:url" content="/">' in through.get("/", headers=headers).text


def test_host_with_markup_is_ignored(client):
    assert "evil" not in client.get("/", headers={"Host": 'evil"><x'}).text


def test_short_link_to_a_stop_redirects(client):
    there = client.get("/?lesson=who-is-it&stop=3", follow_redirects=False)
    assert there.status_code == 307
    assert there.headers["location"].startswith("./readings?v=1&")
    assert {"reveal=0", "lesson=who-is-it", "stop=3"} < set(there.headers["location"].split("&"))
    assert client.get("/?lesson=nowhere&stop=3", follow_redirects=False).status_code == 200
    assert client.get(there.headers["location"][1:], follow_redirects=False).status_code == 200


def test_each_page_has_a_row_and_a_script():
    scripts = {file.name for file in (BESIDE / "pages").glob("*.py")} - {"frame.py"}
    assert {row.file for row in PAGES.values()} == scripts


UNKNOWN = ["/nothing", "/readings/more", "/heads.php", "/wp-admin/", "/frame", "/x/api/y", "/readings/_stcore/health"]


@pytest.mark.parametrize("path", [*UNKNOWN, "/" + "a" * 5000, "/" + "a/" * 2500 + "a"])
def test_unknown_path_is_404_with_pages(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "There is no such page" in answer.text
    assert 'href="/readings"' in answer.text


@pytest.mark.parametrize(
    "path", ["/static/js/index.js", "/_stcore/health", "/media/x.png", "/manifest.json", "/readings/"]
)
def test_paths_of_streamlit_reach_it(client, path):
    assert client.get(path).text == "Streamlit"


def test_texts_of_a_link_are_escaped(client):
    typed = '"><script>alert(1)</script>&reveal=0'
    scripts = client.get("/").text.count("<script")
    for path in PAGES:
        words = {"text": typed, "pins": '"><b>', "second": "<b>x</b>", "steps_words": "my sentence"}
        page = client.get(f"/{path}", params=words).text
        assert page.count("<script") == scripts
        assert "alert(1)</script>" not in page
        assert "<b>" not in page


def test_scripts_of_streamlit_stay():
    html = own_page()
    changed = write_page(html, Preview("t", "", "s"), "", "", "")
    assert inline_scripts(changed) == inline_scripts(html)
    assert len(inline_scripts(html)) == len(bootstrap_hashes())
    assert [line for line in html.splitlines() if "<script" in line and line not in changed] == []


def test_words_stand_in_the_page_before_its_scripts_run():
    page = write_page(own_page(), Preview("Heads", "“<b>I</b> saw”", "Every head."), "", "", "")
    words = '<main class="first-words"><h1>“&lt;b&gt;I&lt;/b&gt; saw”</h1><p>Every head.</p></main>'
    assert f'<div id="root">{words}</div>' in page
    assert "<h1>Questions</h1>" in write_page(own_page(), Preview("Questions", "", "s"), "", "questions", "")


def test_modules_of_the_first_picture_load_with_the_page():
    page = write_page(own_page(), Preview("t", "", "s"), "", "", "")
    folder = re.escape(static.address())
    paths = re.findall(rf'<script type="module" async fetchpriority="low" src="{folder}([^"]+)">', page)
    assert tuple(paths) == MODULES
    assert set(paths) <= set(static.files())


BELOW = """
from streamlit import config
config.set_option("server.baseUrlPath", "lens/deep")
from starlette.applications import Starlette
from starlette.testclient import TestClient
from mha.server import first_answers
client = TestClient(Starlette(routes=first_answers.routes()))
for path, status in {"/lens/deep/": 200, "/lens/deep/readings": 200, "/lens/deep/x": 404, "/readings": 404}.items():
    answer = client.get(path)
    assert answer.status_code == status, path
    assert status == 404 or f"http://testserver{path}" in answer.text, path
assert "/lens/deep/preview.png?page=" in client.get("/lens/deep/").text
assert client.get("/lens/deep/preview.png").headers["content-type"] == "image/png"
"""


def test_pages_below_a_base_path():
    subprocess.run([sys.executable, "-c", BELOW], check=True, cwd=BESIDE, timeout=120)
