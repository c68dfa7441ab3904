"""Write the tables of words into docs/link.md: ``python -m tools.link_tables``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from mha.link.pages import WORDS
from mha.link.view import View
from mha.link.word import Words

DOCUMENT = Path(__file__).parents[1] / "docs" / "link.md"
TABLES: dict[str, type[Words]] = {"every page": View} | {path or "heads": words for path, words in WORDS.items()}
MARKED = re.compile(r"(<!-- words: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(page: type[Words]) -> str:
    """Return the words of a page as a table in markdown."""
    rows = [
        (f"`{word.name}`", word.about or word.label, word.values or word.kind.takes(), _default(word))
        for word in page.table()
    ]
    head = ("word", "says", "values", "default")
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ("---",) * 4, *rows))


def _default(word) -> str:
    plain = word.instead or (isinstance(word.default, float | int) and not isinstance(word.default, bool))
    return word.written_default if plain or word.default == "" else f"`{word.written_default}`"


def written(document: str) -> str:
    """Return a document with every table of words as it is now."""
    return MARKED.sub(lambda found: f"{found[1]}{table(TABLES[found[2]])}{found[3]}", document)


if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m tools.link_tables", description=__doc__).parse_args()
    DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
