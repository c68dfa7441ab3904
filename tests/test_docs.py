"""Documentation that can be wrong is run, or compared with what it describes."""

import contextlib
import doctest
import importlib
import io
import json
import re
import types
from pathlib import Path

import pytest

import mha
from mha.models.files import translator
from mha.navigation import ROWS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LINK = (ROOT / "docs" / "link.md").read_text(encoding="utf-8")
PACKAGE = (ROOT / "docs" / "package.md").read_text(encoding="utf-8")
SECOND_MODEL = 'model="smollm2"'
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{name}.md" for name in ("architecture", "adding", "link", "package")),
]
EXAMPLES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "mha").rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


def blocks_of(document: str) -> list[tuple[str, str]]:
    """Return the Python blocks of a document, each with the output that follows it as a text block, or ""."""
    return BLOCK.findall(document)


def first_column(document: str, heading: str) -> list[str]:
    """Return the first cells of the table under a heading."""
    section = document.split(f"\n## {heading}", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert len(rows) > 2, f"no table under {heading}"
    return [row.split("|")[1].strip() for row in rows[2:]]


def run_blocks(blocks: list[tuple[str, str]]) -> dict:
    """Execute code blocks in order, compare their output, and return their names."""
    names: dict = {}
    for code, expected in blocks:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(code, names)
        assert output.getvalue() == expected, code
    return names


def test_readme_example_has_five_lines_and_its_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ((code, expected),) = blocks_of(README)
    assert len([line for line in code.splitlines() if line]) == 5
    assert expected
    run_blocks([(code, expected)])
    assert (tmp_path / "heads.html").stat().st_size > 100_000


def test_readme_is_short():
    assert len(README.splitlines()) <= 100


def test_package_blocks_run_with_their_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    unavailable = SECOND_MODEL if translator.folder() else f"{SECOND_MODEL}|translat"
    run_blocks([block for block in blocks_of(PACKAGE) if not re.search(unavailable, block[0])])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["L3H1.svg", "heads.html", "it.svg", "maps.npz"]


@pytest.mark.slow  # loads a second model
def test_package_blocks_of_smollm2_run_with_their_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert sum(SECOND_MODEL in code for code, _ in blocks_of(PACKAGE)) == 13
    run_blocks(blocks_of(PACKAGE))


def test_package_names_every_public_function():
    functions = [name for name in mha.__all__ if isinstance(getattr(mha, name), types.FunctionType)]
    assert [name for name in functions if f"mha.{name}(" not in PACKAGE] == []


def test_examples_are_found():
    assert {"mha.words", "mha"} <= set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_a_module_are_true(name):
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0
    assert results.failed == 0


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


@pytest.mark.parametrize("name", DOCUMENTS)
def test_files_that_are_named_are_there(name):
    document = (ROOT / name).read_text(encoding="utf-8")
    named = re.findall(r"`((?:mha|pages|tests|tools|studies|assets|docs|benchmarks|\.streamlit)/[\w./]*)`", document)
    named += re.findall(r"!\[[^\]]*\]\(([^)]+)\)", document)
    assert [path for path in named if not (ROOT / path).exists()] == []
    folders = ("mha", "assets", "pages", "tests", "tools", "studies", "benchmarks", "deploy", "docs")
    there = [path.as_posix() for folder in folders for path in (ROOT / folder).rglob("*.[pj][ys]")]
    there += [path.as_posix() for path in ROOT.glob("*.py")]
    short = re.findall(r"`([\w./]+\.(?:py|js))`", document)
    assert [name for name in short if not any(path.endswith(f"/{name}") for path in there)] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_that_are_named_are_there(name):
    document = (ROOT / name).read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^    )make (\w+)", document, re.MULTILINE)) <= targets
    modules = re.findall(r"`python -m ([\w.]+)", document)
    missing = [module for module in modules if not (ROOT / Path(*module.split("."))).with_suffix(".py").exists()]
    assert [module for module in missing if not (ROOT / Path(*module.split(".")) / "__main__.py").exists()] == []


def test_intervals_are_stated_for_the_forms_that_were_tried():
    """Intervals that redraw prompts alone do not hold for all sentences of a kind."""
    claims = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    assert "Intervals redraw prompts, not their forms: each holds for the forms that its section counts" in claims
    section = claims.split("### Who gets the drink?")[1].split("\n### ")[0]
    assert "For these five forms the score is" in section


def test_first_table_of_claims_repeats_the_sections():
    table, sections = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8").split("\n## ", 1)
    numbers = re.findall(r"\d[\d.]*(?: %)? \([−\d.]+ to [−\d.]+(?: %)?\)|\d+ of \d+", table)
    assert len(numbers) > 25
    assert {number for number in numbers if number not in sections} == set()
