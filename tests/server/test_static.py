"""The scripts and styles: served once, under an address that says what is in them, at whatever place the app stands."""

import json
import posixpath
import re
import shutil
import subprocess

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from mha.app.components import loader
from mha.assets import ASSETS
from mha.server import static
from mha.theme import component_tokens

NODE = shutil.which("node")
SCRIPTS = sorted(path for path in static.files() if path.endswith(".js"))
_IMPORT = re.compile(r'(?:from |import\()"(\.[^"]+\.js)"')  # a type stands in a file that is not served


@pytest.fixture(scope="module")
def client():
    return TestClient(Starlette(routes=static.ROUTES))


@pytest.mark.parametrize(
    ("path", "kind"),
    [("js/lib/mount.js", "text/javascript"), ("css/common.css", "text/css"), ("tokens.json", "application/json")],
)
@pytest.mark.parametrize("below", ["/", "/lab/", "/lab/deep/readings/"])
def test_a_file_is_kept_for_a_year_and_never_guessed_at(client, path, kind, below):
    answer = client.get(below + static.address(path))
    assert answer.status_code == 200
    assert answer.content == static.files()[path]
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert client.head(below + static.address(path)).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "parallax/000000000000/js/lib/mount.js",  # another version of the app
        "parallax/{version}/js/lib/none.js",
        "parallax/{version}/js/package.json",
        "parallax/{version}/js/drawers.d.ts",
        "parallax/{version}/js/../../tokens.json",
        "parallax/{version}/js/%2e%2e/%2e%2e/pyproject.toml",
        "parallax/{version}//etc/passwd",
        "parallax/{version}/",
    ],
)
def test_what_is_not_of_this_version_gets_one_sentence_that_is_not_kept(client, path):
    answer = client.get("/" + path.replace("{version}", static.version()))
    assert answer.status_code == 404
    assert answer.headers["cache-control"] == "no-store"
    assert answer.text == "This page was updated; reload it."


def test_the_address_changes_with_any_file(monkeypatch):
    before = static.address("css/common.css")
    changed = {**static.files(), "css/common.css": static.files()["css/common.css"] + b" "}
    monkeypatch.setattr(static, "files", lambda: changed)
    static.version.cache_clear()
    try:
        assert static.address("css/common.css") != before
    finally:
        monkeypatch.undo()
        static.version.cache_clear()
    assert static.address("css/common.css") == before
    with pytest.raises(KeyError, match="'css/none.css' is not served"):
        static.address("css/none.css")


def test_the_tokens_are_those_of_the_theme():
    tokens = json.loads(static.files()["tokens.json"])
    assert tokens == component_tokens()
    assert set(component_tokens()) == {"light", "dark"}
    assert len(component_tokens()["dark"]["sequential"]) == 10


def test_every_import_is_served_and_text_is_only_set_as_text():
    for path in SCRIPTS:
        text = static.files()[path].decode()
        for name in _IMPORT.findall(text):
            assert posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) in static.files(), path
        for forbidden in ("innerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert forbidden not in text, path


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_every_module_loads_by_itself():
    paths = [(ASSETS / path).as_uri() for path in SCRIPTS if path != "js/standalone/page.js"]  # which opens its page
    script = f"for (const path of {json.dumps(paths)}) await import(path);"
    subprocess.run([NODE, "--input-type=module", "-e", script], check=True, timeout=60)


def test_styles_have_no_colour_of_their_own():
    for path, content in static.files().items():
        if path.endswith(".css") and path != "css/paper.css":
            assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?![^{]*\{)|rgba?\(", content.decode()), path


def test_what_travels_with_every_run_is_short():
    text = loader("heads/overview.js", "common", "overview")
    assert len(text) < 500
    assert static.address() in text
    assert "{folder}" not in text
    with pytest.raises(KeyError, match="is not served"):
        loader("heads/none.js")
