"""What the package says of itself: what it needs is declared, its version is one, and its ranges hold the pins."""

import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import mha

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
DISTRIBUTIONS = {top: names for top, names in metadata.packages_distributions().items() if top not in ("mha", "tests")}
PINS = {
    canonicalize_name(Requirement(line).name): next(iter(Requirement(line).specifier)).version
    for file in ("requirements.txt", "requirements-ray.txt", "requirements-dev.txt")
    for line in (ROOT / file).read_text(encoding="utf-8").splitlines()
    if re.match(r"\w", line)
}
# With a reason each: what is imported and not asked for by the package.
NOT_ASKED = {
    "fontTools": "python -m tools.fonts alone, which writes the bundled fonts anew",
    "IPython": "imported where a notebook runs, which has it",
}


def asked(lines: list[str]) -> dict[str, Requirement]:
    """Return what lines of requirements ask for, by distribution, the extras of this package followed."""
    found: dict[str, Requirement] = {}
    for requirement in map(Requirement, lines):
        if requirement.name == PROJECT["name"]:
            found |= asked([line for extra in requirement.extras for line in EXTRAS[extra]])
        else:
            found[canonicalize_name(requirement.name)] = requirement
    return found


def third_parties(path: Path) -> set[str]:
    """Return the distributions that a file imports from, anywhere in it; a word of its prose is none."""
    modules = set(re.findall(r"^\s*(?:from|import) ([A-Za-z_]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE))
    return {canonicalize_name(name) for top in modules - set(NOT_ASKED) for name in DISTRIBUTIONS.get(top, [])}


CORE = asked(PROJECT["dependencies"])
EVERYTHING = CORE | asked([f"{PROJECT['name']}[app,ray,notebook]"])
WITH_TOOLS = EVERYTHING | asked(EXTRAS["dev"])


def test_everything_that_is_imported_is_declared():
    sources = [*(ROOT / "mha").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]
    undeclared = {path.relative_to(ROOT).as_posix(): third_parties(path) - set(EVERYTHING) for path in sources}
    assert {path: names for path, names in undeclared.items() if names} == {}


@pytest.mark.parametrize("name", sorted(PINS))
def test_the_versions_that_were_tried_together_lie_in_the_ranges(name):
    assert WITH_TOOLS[name].specifier.contains(PINS[name])


def test_every_range_of_the_core_has_a_lower_end():
    assert [str(each) for each in CORE.values() if not str(each.specifier).count(">=")] == []
    assert [str(each) for each in CORE.values() if "==" in str(each.specifier)] == [], "the core pins nothing"


def test_there_is_one_version_and_one_name():
    assert mha.__version__ == PROJECT["version"]
    assert f"version: {PROJECT['version']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    said = subprocess.run([sys.executable, "-m", "mha", "--version"], cwd=ROOT, capture_output=True, text=True)
    assert said.stdout == f"Parallax {PROJECT['version']}\n"


def test_the_pythons_are_the_same_everywhere():
    workflow = (ROOT / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8")
    tested = re.findall(r'"(3\.\d+)"', workflow)
    classified = [line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert tested == classified
    assert PROJECT["requires-python"] == f">={tested[0]}"
    for file in ("README.md", "CONTRIBUTING.md"):
        assert f"Python {tested[0]} to {tested[-1]}" in (ROOT / file).read_text(encoding="utf-8"), file


def test_what_is_committed_passes_what_make_check_runs():
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").split("\ncheck: ")[1].split("\n\n")[0]
    first, *lines = recipe.replace("$(BIN)", ".venv/bin").splitlines()
    commands = [line.strip().removesuffix(" .") for line in lines]
    commands += [f"make {made}" for made in first.split() if not made.startswith("$(")]
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8").split("- id: ")[1:]
    entries = {re.search(r"entry: (.+)", hook)[1]: "commit-msg" in hook for hook in hooks}
    assert sorted(entry for entry, is_of_message in entries.items() if not is_of_message) == sorted(commands)
    (pattern,) = [entry.strip("'") for entry, is_of_message in entries.items() if is_of_message]
    subjects = (
        "maps: exclude padding rows",
        "Exclude padding rows",
        "maps: exclude padding rows.",
        "maps: " + "x" * 67,
    )
    flags = re.MULTILINE | re.DOTALL  # of pre-commit's own `pygrep --multiline`
    assert [bool(re.search(pattern, f"{subject}\n", flags)) for subject in subjects] == [True, False, False, False]
    assert re.search(pattern, "maps: exclude rows\n\nPadding is no text.\n# On branch main\n", flags)
    assert not re.search(pattern, "maps: exclude rows\nPadding is no text.\n", flags)


def test_what_is_installed_says_what_the_sources_say():
    """Only where the package itself is installed, as in what a wheel brings."""
    try:
        about = metadata.metadata(PROJECT["name"])
    except metadata.PackageNotFoundError:
        pytest.skip("this environment has the checkout alone")
    assert about["Version"] == PROJECT["version"]
    assert about["License-Expression"] == PROJECT["license"]
