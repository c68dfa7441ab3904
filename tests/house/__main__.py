"""Print what is counted of the house as a table: ``python -m tests.house``."""

from __future__ import annotations

import logging
import warnings

from tests.house.counting import counted
from tests.house.following import followed

AIMS = {  # what was counted on the commit before the second design, and what is aimed at
    "statements in `mha`, docstrings left out": ("25,939", "≤ 18,500"),
    "classes / names used by several": ("436 / 44", "≤ 270 / 0"),
    "files in `mha`": ("436", "≤ 280"),
    "block kinds": ("45 +", "≤ 30"),
    "functions / files / changes of room on the way of a typed sentence": ("634 / 103 / 1,325", "≤ 250 / 55 / 300"),
    "JavaScript and CSS, lines of 120": ("12,041", "≤ 8,000"),
    "messages of a rerun of Heads": ("64–70", "≤ 30"),
}


def table() -> str:
    """Return the table in markdown: before, now, aim."""
    now = counted() | followed()
    rows = [(name, before, now[name], aim) for name, (before, aim) in AIMS.items()]
    return "".join(f"| {' | '.join(row)} |\n" for row in (("", "before", "now", "aim"), ("---",) * 4, *rows))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    print(table(), end="")
