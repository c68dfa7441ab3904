"""Documentation that can be wrong is run, or compared with what it describes."""

import doctest
import importlib
import json
import re
from pathlib import Path

import numpy as np
import plotly.graph_objects
import pytest

from mha.link.__main__ import TABLES, written
from mha.link.pages import ROWS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LINK = (ROOT / "docs" / "link.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
EXAMPLES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "mha").rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


def first_column(document: str, heading: str) -> list[str]:
    """Return the first cells of the table under a heading."""
    section = document.split(f"\n## {heading}", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert len(rows) > 2, f"no table under {heading}"
    return [row.split("|")[1].strip() for row in rows[2:]]


def test_the_five_lines_for_a_notebook_run_and_give_what_they_say():
    first, *others = BLOCKS
    assert len([line for line in first.splitlines() if line and not line.startswith("#")]) == 5
    names: dict = {}
    exec(first, names)
    maps, mha = names["maps"], names["mha"]
    assert maps[5, 3].dtype == np.float32
    assert maps[5, 3].shape == (len(maps.tokens), len(maps.key_tokens))
    assert np.allclose(maps[5, 3].sum(axis=-1), 1, atol=1e-5)
    assert mha.head_statistics(maps)["entropy"].shape == (maps.n_layers, maps.n_heads)
    assert isinstance(mha.head_heatmap(maps, (5, 3)), plotly.graph_objects.Figure)
    for block in others:
        exec(block, names)


def test_examples_are_found():
    assert "mha.words" in EXAMPLES
    assert "mha" in EXAMPLES


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_a_module_are_true(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0


def test_the_tables_of_words_are_those_of_the_code_for_every_page():
    assert re.findall(r"<!-- words: (.+?) -->", LINK) == list(TABLES)
    assert written(LINK) == LINK, "write them with: python -m mha.link"


def test_every_package_that_is_installed_has_its_line():
    listed = {name.strip() for cell in first_column(ARCHITECTURE, "Dependencies") for name in cell.split(",")}
    for file in ("requirements.txt", "requirements-models.txt", "requirements-dev.txt", "requirements-ray.txt"):
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        needed = {re.split(r"[\[=]", line)[0] for line in lines if line and not line.startswith(("#", "-"))}
        assert needed <= listed, file
        listed -= needed
    scripts = set(json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["devDependencies"])
    assert scripts <= listed
    assert listed - scripts == set(), "a line for a package that is not asked for"


def test_every_page_of_the_navigation_is_in_the_readme_in_the_same_order():
    titles = [row.title for row in ROWS]
    assert first_column(README, "The pages") == titles


@pytest.mark.parametrize("name", ["README.md", "docs/architecture.md", "docs/adding.md", "docs/link.md"])
def test_files_that_are_named_are_there(name):
    document = (ROOT / name).read_text(encoding="utf-8")
    named = re.findall(r"`((?:mha|pages|tests|assets|docs|benchmarks|\.streamlit)/[\w./]*)`", document)
    named += re.findall(r"!\[[^\]]*\]\(([^)]+)\)", document)
    assert [path for path in named if not (ROOT / path).exists()] == []
    folders = ("mha", "assets", "pages", "tests", "benchmarks", "deploy", "docs")
    there = [path.as_posix() for one in folders for path in (ROOT / one).rglob("*.[pj][ys]")]
    there += [path.as_posix() for path in ROOT.glob("*.py")]
    short = re.findall(r"`([\w./]+\.(?:py|js))`", document)
    assert [name for name in short if not any(path.endswith(f"/{name}") for path in there)] == []


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/adding.md", "docs/link.md"]
)
def test_commands_that_are_named_are_there(name):
    document = (ROOT / name).read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^    )make (\w+)", document, re.MULTILINE)) <= targets
    modules = re.findall(r"`python -m ([\w.]+)", document)
    missing = [module for module in modules if not (ROOT / Path(*module.split("."))).with_suffix(".py").exists()]
    assert [module for module in missing if not (ROOT / Path(*module.split(".")) / "__main__.py").exists()] == []
