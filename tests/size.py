"""Count how large the code is: ``python -m tests.size`` prints each count with its limit and the aim of release 0.3.

``tests/size.json`` has the limits. ``--check`` fails if a count exceeds its limit; a commit may raise a limit with a
reason in its message (CONTRIBUTING.md). Functions entered by a sentence or a pin need a model: only the table has them.
"""

import argparse
import ast
import functools
import json
import logging
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.language import ROOT, language_counts, project_language

LIMITS = ROOT / "tests" / "size.json"
PRODUCT, OFFLINE = ("mha", "pages"), ("studies", "tools")
WIDTH = 120  # characters of a line of JavaScript or CSS; a longer line counts as the lines that it would fill
COUNTS: dict[str, tuple[str, int]] = {  # the label of a count, and the aim of release 0.3
    "statements": ("statements in `mha` + `pages`, without docstrings", 19_200),
    "statements_with_studies": ("the same with `studies` and `tools`", 22_500),
    "files": ("files in `mha` + `pages`", 190),
    "classes": ("classes in `mha` + `pages`", 290),
    "functions_of_a_sentence": ("functions entered by a typed sentence", 240),
    "functions_of_a_pin": ("functions entered by a pin", 150),
    "script_lines": ("lines of JavaScript and CSS", 8_500),
    "test_lines": ("lines of tests", 35_000),
    "link_parameters": ("parameters of the link", 65),
    "private_streamlit": ("places with private Streamlit API", 6),
    "participles_percent": ("bindings that are a bare participle, %", 1),
    "pronouns_percent": ("bindings that are a bare pronoun or preposition, %", 1),
    "functions_percent": ("functions named by one such word, %", 1),
    "docstring_habits": ("habits per 1,000 words of docstrings", 3),
    "comment_habits": ("habits per 1,000 words of comments", 3),
    "document_habits": ("habits per 1,000 words of documents", 3),
}
PACKAGES = {  # statements that each package should have; "top" is the modules directly in mha
    "app": 800,
    "server": 600,
    "api": 400,
    "views": 3_400,
    "pages": 1_400,
    "engine": 2_000,
    "export": 450,
    "figures": 820,
    "intervention": 1_650,
    "training": 300,
    "models": 2_700,
    "analysis": 2_300,
    "core": 380,
    "top": 1_700,
}


@functools.cache
def parse(file: Path) -> ast.Module:
    """Return the syntax tree of a Python file."""
    return ast.parse(file.read_text(encoding="utf-8"))


def count_statements(tree: ast.Module) -> int:
    """Return the statements of a file without its docstrings.

    >>> count_statements(ast.parse('\"\"\"Docs.\"\"\"\\nif a:\\n    b = 1; c = 2'))
    3
    """
    nodes = list(ast.walk(tree))
    documented = [
        node for node in nodes if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    docstrings = sum(ast.get_docstring(node, clean=False) is not None for node in documented)
    return sum(isinstance(node, ast.stmt) for node in nodes) - docstrings


def count_classes(tree: ast.Module) -> int:
    """Return the class definitions of a file, nested ones included."""
    return sum(isinstance(node, ast.ClassDef) for node in ast.walk(tree))


def count_script_lines(text: str) -> int:
    """Return the lines of a script or stylesheet, none longer than `WIDTH`."""
    return sum(max(1, -(-len(line) // WIDTH)) for line in text.splitlines())


def package_of(file: Path) -> str:
    """Return the package of a file relative to the project: ``engine``, ``pages``, or ``top`` for modules of `mha`."""
    folder, *below = file.parts
    if folder != "mha":
        return folder
    return below[0] if len(below) > 1 else "top"


def files_below(folders: Iterable[str], *endings: str) -> Iterator[Path]:
    """Yield the files of the project below some folders with one of the endings; vendored files are left out."""
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix.lstrip(".") in endings and not {"vendor", "node_modules"} & set(file.parts):
                yield file


def statements_by_package() -> dict[str, int]:
    """Return the statements of each package, of the studies and of the tools."""
    counts: dict[str, int] = {}
    for file in files_below((*PRODUCT, *OFFLINE), "py"):
        package = package_of(file.relative_to(ROOT))
        counts[package] = counts.get(package, 0) + count_statements(parse(file))
    return counts


def count_link_parameters() -> int:
    """Return the parameters of the link over all pages; two pages' parameters count twice."""
    from mha.app.params import PAGES, Params

    own = sum(len(set(params.model_fields) - set(Params.model_fields)) for params in PAGES.values())
    return own + len(Params.model_fields)


def count_private_streamlit() -> int:
    """Return the places that use Streamlit's private API."""
    from tests.test_layers import HOMES, private, room, sources, tree

    return sum(len(private(tree(path))) for path in sources() if room(path) in HOMES["streamlit"])


def size_counts() -> dict[str, float]:
    """Return every count that needs no model, in the order of the table."""
    trees = [parse(file) for file in files_below(PRODUCT, "py")]
    scripts = files_below(["assets"], "js", "css")
    statements = statements_by_package()
    return {
        "statements": sum(count for package, count in statements.items() if package not in OFFLINE),
        "statements_with_studies": sum(statements.values()),
        "files": len(trees),
        "classes": sum(map(count_classes, trees)),
        "script_lines": sum(count_script_lines(file.read_text(encoding="utf-8")) for file in scripts),
        "test_lines": sum(
            len(file.read_text(encoding="utf-8").splitlines()) for file in files_below(["tests"], "py", "js", "ts")
        ),
        "link_parameters": count_link_parameters(),
        "private_streamlit": count_private_streamlit(),
        **language_counts(project_language()),
    }


def excesses(counts: Mapping[str, float], limits: Mapping[str, float]) -> list[str]:
    """Return one sentence for each count above its limit, without a limit, or missing for a limit."""
    sentences = [
        f"{COUNTS[name][0]}: {count:,} exceeds the limit of {limits[name]:,}."
        for name, count in counts.items()
        if name in limits and count > limits[name]
    ]
    sentences += [f"{COUNTS[name][0]}: tests/size.json has no limit." for name in counts if name not in limits]
    return sentences + [
        f"tests/size.json limits '{name}', which is not counted." for name in limits if name not in counts
    ]


def table(counts: Mapping[str, float]) -> str:
    """Return counts as a Markdown table with limits and aims."""
    limits = json.loads(LIMITS.read_text(encoding="utf-8"))
    rows = [("count", "now", "limit", "aim"), ("---",) * 4]
    for name in sorted(counts, key=list(COUNTS).index):
        limit = f"{limits[name]:,}" if name in limits else ""
        rows.append((COUNTS[name][0], f"{counts[name]:,}", limit, f"{COUNTS[name][1]:,}"))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def package_table() -> str:
    """Return the statements of each package as a Markdown table with its aim; packages without one leave `mha`."""
    counts = statements_by_package()
    names = [*PACKAGES, *sorted(set(counts) - set(PACKAGES))]
    rows = [("package", "statements", "aim"), ("---",) * 3]
    rows += [(name, f"{counts.get(name, 0):,}", f"{PACKAGES[name]:,}" if name in PACKAGES else "") for name in names]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    """Print the tables; with ``--check``, fail with the counts above their limits."""
    parser = argparse.ArgumentParser(prog="python -m tests.size", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="fail if a count exceeds its limit in tests/size.json")
    if parser.parse_args().check:
        limits = json.loads(LIMITS.read_text(encoding="utf-8"))
        sys.exit("\n".join(excesses(size_counts(), limits)) or None)
    from tests.entered import count_entered_functions

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    print(table(size_counts() | count_entered_functions()))
    print()
    print(package_table())


if __name__ == "__main__":
    main()
