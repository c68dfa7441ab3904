"""The reference of `make docs`: every public name is in it with its docstring, and every link leads somewhere."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import mha

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
# In a process of its own, for pdoc is given the names of `mha` as if they stood in it.
WRITE = """
import sys
from pathlib import Path
import reference
reference.reference(Path(sys.argv[1]))
print(*reference.undocumented())
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    paths = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'docs')!r}]"
    command = [sys.executable, "-c", paths + WRITE, str(folder)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return folder, run.stdout


@pytest.mark.slow
def test_every_public_name_and_method_has_a_docstring(written):
    assert written[1].split() == []


@pytest.mark.slow
def test_every_public_name_has_its_place(written):
    page = (written[0] / "mha.html").read_text(encoding="utf-8")
    places = set(re.findall(r'id="([^"]+)"', page))
    assert set(mha.__all__) <= places
    assert "float32 [query, key]" in page or "[layer, head, query, key]" in page
    assert "Raises" in page


@pytest.mark.slow
def test_every_link_of_the_reference_leads_somewhere(written):
    pages = {path.name: path.read_text(encoding="utf-8") for path in written[0].glob("*.html")}
    places = {name: set(re.findall(r'\bid="([^"]+)"', page)) for name, page in pages.items()} | {"notebook.html": set()}
    broken, followed = [], 0
    for name, page in pages.items():
        for link in re.findall(r'\b(?:href|src)="([^"]+)"', page):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            to = parts.path or name
            there = to in places or (written[0] / to).exists()
            if not there or (parts.fragment and unquote(parts.fragment) not in places[to]):
                broken.append((name, link))
            followed += 1
    assert followed > 200
    assert broken == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_link_of_a_document_leads_somewhere(name):
    document = (ROOT / name).read_text(encoding="utf-8")
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", document):
        parts = urlsplit(link)
        if parts.scheme in ("http", "https", "mailto"):
            continue
        path = (ROOT / name).parent / parts.path if parts.path else ROOT / name
        if not path.exists() or (parts.fragment and parts.fragment not in anchors(path)):
            broken.append(link)
    assert broken == []


def anchors(path: Path) -> set[str]:
    """Return what headings of a Markdown file are called in links, as code hosts write them."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
