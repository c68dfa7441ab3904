"""Imports never point up, heavy libraries have one home each, and `import mha` stays light."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = [
    {"errors", "maps", "sound", "archive", "saved", "assets", "brief", "stepwise"},
    {"words", "core", "examples", "pairs", "glossary", "formats", "theme", "foreign"},
    {"models", "analysis"},
    {"intervention", "training"},
    {"figures"},
    {"export", "engine", "link", "remote"},
    {"screens"},
    {"ui", "guard", "api"},
    {"pages", "app", "__main__", "workers"},
]
STRANGERS = ({"models", "analysis"}, {"ui", "guard"}, {"ui", "api"})  # same layer, do not know each other
HOMES = {
    "transformers": {"models"},
    "huggingface_hub": {"models"},
    "torch": {"models", "intervention", "training"},
    "plotly": {"figures"},
    "streamlit": {"ui", "guard", "pages", "app"},
    "ray": {"engine"},
    "prometheus_client": {"guard"},
    "pydantic": {"api"},
}


def sources() -> list[Path]:
    return [*sorted((ROOT / "mha").rglob("*.py")), *sorted((ROOT / "pages").glob("*.py")), ROOT / "app.py"]


def room(path: Path) -> str:
    """Return the name that the file has in the picture of the house."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] != "mha":
        return parts[0]
    return "mha" if parts == ("mha", "__init__") else parts[1]


def level(name: str) -> int:
    if name == "mha":
        return len(LAYERS)  # it only names things
    found = [number for number, layer in enumerate(LAYERS) if name in layer]
    assert found, f"{name} has no place in the picture of the house"
    return found[0]


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            assert node.module is not None
            names.update(f"{node.module}.{alias.name}" if node.module == "mha" else node.module for alias in node.names)
    return names


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_import_points_up(path):
    here = room(path)
    for name in imported(path):
        if name != "mha" and not name.startswith("mha."):
            continue
        there = name.split(".")[1] if "." in name else "mha"
        if here == there or here == "mha":
            continue
        assert there != "mha", f"{path.name} imports the public face; name the module"
        assert level(there) <= level(here), f"{here} may not know {there}"
        assert {here, there} not in STRANGERS, f"{here} and {there} do not know each other"


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_heavy_libraries_have_one_home(path):
    for name in imported(path):
        library = name.split(".")[0]
        assert room(path) in HOMES.get(library, {room(path)}), f"{library} lives in {HOMES[library]}"


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}; import json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_import_mha_is_light():
    assert not loaded_by("import mha") & {"torch", "transformers", "plotly", "streamlit", "pandas", "scipy", "sklearn"}


def test_analysis_and_figures_run_without_torch():
    loaded = loaded_by("import mha.analysis.statistics, mha.figures.heatmaps")
    assert not loaded & {"torch", "transformers", "streamlit"}
