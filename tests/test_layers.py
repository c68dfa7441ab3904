"""Imports never point up, heavy libraries have one home each, and `import mha` stays light."""

import ast
import functools
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = [
    {
        "errors",
        "words",
        "tokens",
        "maps",
        "saved",
        "assets",
        "old_names",
        "memo",
        "outputs",
        "stepwise",
        "padding",
    },
    {
        "core",
        "cuts",
        "examples",
        "pairs",
        "formats",
        "theme",
        "foreign",
        "foreign_file",
        "generated",
        "navigation",
    },
    {"models", "analysis"},
    {"intervention", "training"},
    {"figures"},
    {"export", "engine", "lesson"},
    {"streamlit_facts", "views"},
    {"app", "server", "api"},
    {"pages", "app.py", "__main__"},
]
STRANGERS = ({"models", "analysis"}, {"app", "api"})  # same layer, do not know each other
HOMES = {
    "transformers": {"models"},
    "huggingface_hub": {"models"},
    "torch": {"models", "intervention", "training"},
    "plotly": {"figures"},
    "matplotlib": {"figures"},
    "streamlit": {"app", "server", "pages", "app.py", "streamlit_facts"},
    "ray": {"engine"},
    "pydantic": {"api", "app"},
    "fastapi": {"api"},
}


def sources() -> list[Path]:
    return [*sorted((ROOT / "mha").rglob("*.py")), *sorted((ROOT / "pages").glob("*.py")), ROOT / "app.py"]


def room(path: Path) -> str:
    """Return the name that the file has in the picture of the house."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] != "mha":
        return "app.py" if parts == ("app",) else parts[0]
    return "mha" if parts == ("mha", "__init__") else parts[1]


def level(name: str) -> int:
    if name == "mha":
        return len(LAYERS)  # it only names things
    found = [number for number, layer in enumerate(LAYERS) if name in layer]
    assert found, f"{name} has no place in the picture of the house"
    return found[0]


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@functools.cache
def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            assert node.module is not None
            names.update(f"{node.module}.{alias.name}" if node.module == "mha" else node.module for alias in node.names)
    return names


def upward_imports(path: Path) -> list[str]:
    """Return one sentence for each import of a file that its layer must not have."""
    here, sentences = room(path), []
    for name in imported(path):
        if name != "mha" and not name.startswith("mha."):
            continue
        there = name.split(".")[1] if "." in name else "mha"
        if here == there or here == "mha":
            continue
        if there == "mha":
            sentences.append(f"{path} imports the public face; name the module")
        elif level(there) > level(here):
            sentences.append(f"{path}: {here} may not know {there}")
        elif {here, there} in STRANGERS:
            sentences.append(f"{path}: {here} and {there} do not know each other")
    return sentences


def test_no_import_points_up():
    assert len(sources()) > 100
    assert [sentence for path in sources() for sentence in upward_imports(path)] == []


def test_pages_use_no_engine():
    pages = [path for path in sources() if room(path) == "pages"]
    assert len(pages) > 10
    assert [
        f"{path.name}: {name}; use mha.app, mha.views or a public name"
        for path in pages
        for name in imported(path)
        if name.startswith("mha.engine")
    ] == []


def test_heavy_libraries_have_one_home():
    libraries = [(path, name.split(".")[0]) for path in sources() for name in imported(path)]
    assert [
        f"{path}: {library} lives in {HOMES[library]}"
        for path, library in libraries
        if room(path) not in HOMES.get(library, {room(path)})
    ] == []


FACTS = "streamlit_facts"
PUBLIC = {
    "streamlit": None,
    "streamlit.errors": None,
    "streamlit.delta_generator": {"DeltaGenerator"},
}  # None: all names
OURS = {"_replace", "_asdict", "_fields"}  # of a NamedTuple: public in spite of its underscore


def private(module: ast.Module) -> list[str]:
    """Return what of Streamlit a module touches that Streamlit does not promise."""
    found, nodes = [], list(ast.walk(module))
    lines = {id(node): node.lineno for node in nodes if hasattr(node, "lineno")}
    own = {"self", "cls"} | {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    for node in nodes:
        what = ""
        if isinstance(node, ast.Import):
            what = next((alias.name for alias in node.names if alias.name.startswith("streamlit.")), "")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "streamlit":
            names = PUBLIC.get(node.module, set())
            known = {"config", "runtime", "proto", "web", "elements"} if names is None else set()
            hidden = [a.name for a in node.names if a.name in known or (names is not None and a.name not in names)]
            what = f"{node.module}.{hidden[0]}" if hidden else ""
        elif isinstance(node, ast.Attribute):
            begins = node.value.id if isinstance(node.value, ast.Name) else ""
            hidden = node.attr.startswith("_") and not node.attr.startswith("__") and node.attr not in OURS
            inner = begins in ("st", "streamlit") and node.attr in ("__file__", "runtime", "proto", "config", "web")
            what = ast.unparse(node) if inner or (hidden and begins not in own) else ""
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.count(" "):
            what = node.value if "_stcore/" in node.value else ""
        if what:
            found.append(f"line {lines[id(node)]}: {what}")
    return found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import streamlit as st\nst.text(st.session_state['x'])", 0),
        ("from streamlit.delta_generator import DeltaGenerator", 0),
        ("from streamlit.errors import StreamlitDuplicateElementKey", 0),
        ("row._replace(a=1)\nself._mine = cls._ours", 0),
        ("class A: ...\nA._count = 1", 0),
        ("from streamlit.runtime import Runtime", 1),
        ("import streamlit.proto.BackMsg_pb2", 1),
        ("from streamlit import config", 1),
        ("from streamlit.delta_generator import main_dg", 1),
        ("import streamlit\nstreamlit.__file__", 1),
        ("import streamlit as st\nst.runtime.exists()", 1),
        ("place._active_dg", 1),
        ("state.query_params._set()", 1),
        ("PATH = '/_stcore/health'", 1),
    ],
)
def test_what_streamlit_does_not_promise_is_seen(source, found):
    assert len(private(ast.parse(source))) == found


def test_what_streamlit_does_not_promise_stands_in_one_file():
    for path in sources():
        found = private(tree(path))
        if room(path) == FACTS:
            assert found
            assert not {name for name in imported(path) if name.startswith("mha")} - {"mha.errors"}
        elif room(path) in HOMES["streamlit"]:
            assert not found, path
        else:  # no Streamlit is there; what is private of torch is another matter
            assert not [line for line in found if "streamlit" in line or "_stcore/" in line], path


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}; import json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_import_mha_is_light():
    heavy = {"torch", "transformers", "plotly", "matplotlib", "streamlit", "pandas", "scipy", "sklearn"}
    assert not loaded_by("import mha") & heavy


def test_analysis_and_figures_run_without_torch():
    loaded = loaded_by("import mha.analysis.statistics, mha.figures.heatmaps")
    assert not loaded & {"torch", "transformers", "streamlit"}


def test_the_engine_without_a_cluster_loads_neither_ray_nor_torch():
    engine = "from mha.engine import experiments, recordings, writing"
    results = "from mha.training.settings import Snapshot; from mha.intervention.outcomes import Sweep"
    assert not loaded_by(f"{engine}; {results}") & {"ray", "torch", "transformers", "streamlit"}


def test_pages_load_what_tables_need_only_with_the_first_of_them():
    drawn = "from mha.app import components, controls, downloads, errors, frame, jobs, lesson_bar, link, share"
    assert not loaded_by(drawn) & {"pandas", "pyarrow", "torch", "transformers", "scipy", "sklearn", "ray"}


def files_of(folder: str) -> dict[str, Path]:
    names = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def asked_for(path: Path, files: dict[str, Path]) -> set[str]:
    """Return the files that another one imports, wherever in it: at the top, in a function, for the types alone."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (whole & set(files)) or {node.module}
    return found & set(files)


def test_no_file_imports_another_in_a_circle():
    files = files_of("mha")
    left = {name: asked_for(path, files) - {name, "mha"} for name, path in files.items()}
    while free := [name for name, asked in left.items() if not asked]:
        left = {name: asked - set(free) for name, asked in left.items() if name not in free}
    assert not left, "these import each other, or what does"


def test_no_two_classes_have_one_name():
    nodes = (node for path in sources() for node in ast.walk(tree(path)))
    named = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert [name for name, count in named.items() if count > 1] == []
