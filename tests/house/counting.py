"""What is counted by reading the files: statements, classes, files, kinds of blocks, lines of JavaScript and CSS."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
WIDTH = 120  # characters of a line: a longer one counts as so many lines as it would fill


def trees(folder: str = "mha") -> Iterator[tuple[Path, ast.Module]]:
    """Yield every Python file below a folder, parsed."""
    for file in sorted((ROOT / folder).rglob("*.py")):
        yield file, ast.parse(file.read_text(encoding="utf-8"))


def statements(tree: ast.Module) -> int:
    """Return the statements of a file, docstrings left out.

    >>> statements(ast.parse('\"\"\"Docs.\"\"\"\\nif a:\\n    b = 1; c = 2'))
    3
    """
    return sum(isinstance(node, ast.stmt) for node in ast.walk(tree)) - sum(1 for _ in _docstrings(tree))


def _docstrings(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            match node.body:
                case [ast.Expr(ast.Constant(str())) as first, *_]:
                    yield first


def classes(tree: ast.Module) -> list[str]:
    """Return the name of every class of a file."""
    return [node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def kinds(tree: ast.Module) -> set[str]:
    """Return the kinds of blocks that a file defines: keywords of a class, and constants in dicts that are drawn."""
    found = set()
    for node in ast.walk(tree):
        pairs: list[tuple[str | None, ast.expr]] = []
        if isinstance(node, ast.ClassDef):
            pairs = [(keyword.arg, keyword.value) for keyword in node.keywords]
        if isinstance(node, ast.Dict):
            pairs = [
                (key.value, value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant)
            ]
        found |= {value.value for name, value in pairs if name == "kind" and isinstance(value, ast.Constant)}
    return {kind for kind in found if isinstance(kind, str)}


def lines(*endings: str) -> int:
    """Return the lines of the files in `assets` with one of these endings, none longer than 120; not vendored ones."""
    found = 0
    for ending in endings:
        for file in sorted((ROOT / "assets").rglob(f"*.{ending}")):
            if "vendor" not in file.parts:
                found += sum(max(1, -(-len(line) // WIDTH)) for line in file.read_text(encoding="utf-8").splitlines())
    return found


def counted() -> dict[str, str]:
    """Return each count by its name."""
    every = list(trees())
    named = Counter(name for _, tree in every for name in classes(tree))
    several = sum(1 for count in named.values() if count > 1)
    blocks = set().union(*(kinds(tree) for file, tree in every if {"screens", "ui"} & set(file.parts)))
    return {
        "statements in `mha`, docstrings left out": f"{sum(statements(tree) for _, tree in every):,}",
        "classes / names used by several": f"{sum(named.values())} / {several}",
        "files in `mha`": str(len(every)),
        "block kinds": str(len(blocks)),
        "JavaScript and CSS, lines of 120": f"{lines('js', 'css'):,}",
    }
