"""The first answer of a page names its files, so that a browser loads them at once."""

import re
from pathlib import Path

import streamlit

from mha.server import static
from mha.server.preload import FILES, PAGE, SHEETS, imported, with_files

WHOLE = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")


def test_named_files_are_served():
    folder = static.address()
    paths = re.findall(rf'(?:href|src)="{folder}([^"]+)"', with_files(WHOLE))
    assert {*FILES, *SHEETS, "fonts/sans.woff2"} <= set(paths) <= set(static.files())
    assert paths.count("js/lib/mount.js") == 1


def test_imports_of_modules_are_named():
    files = imported(("js/heads/overview.js",))
    assert {"js/heads/grid.js", "js/lib/arcs.js"} < set(files)
    for path in files:
        for name in re.findall(r'from "[./]*([\w/]+\.js)"', static.files()[path].decode()):
            assert any(file.endswith(name) for file in files), name


def test_our_files_surround_streamlits():
    page = with_files(WHOLE)
    assert page.index(static.address(PAGE)) < page.index("static/js/index.")
    assert page.index("</head>") > page.index(static.address(SHEETS[0])) > page.index("static/css/index.")
    assert "SourceSansVF-Upright" in WHOLE
    assert "SourceSansVF-Upright" not in page
    assert [line for line in WHOLE.splitlines() if "<script" in line and line not in page] == []
    assert re.search(r'<link rel="modulepreload" href="[^"]+mount\.js"', page)
    assert re.search(r'<link rel="preload" as="fetch" crossorigin href="[^"]+tokens\.json"', page)
