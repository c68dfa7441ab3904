"""How every benchmark is asked and answers: the same arguments, and JSON with machine, versions and commit."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.machine import commit, machine

SKIPPED = "skipped"  # the key of the sentence that says what was not measured, and why


class Missing(Exception):
    """What a benchmark needs is not on this machine; the message is one sentence that says what."""


class NothingDrawn(Exception):
    """What a benchmark looks for did not come, so that its numbers would be of nothing."""


def parser(about: str | None, **options: Any) -> argparse.ArgumentParser:
    """Return a parser that knows ``--quick`` and tells what a benchmark's docstring says."""
    found = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter, **options)
    found.add_argument("--quick", action="store_true", help="one size, one repetition: does it still run?")
    return found


def answer(name: str, asked: argparse.ArgumentParser, measured: Callable[[argparse.Namespace], dict[str, Any]]) -> None:
    """Parse what was asked, measure it and print it as JSON.

    Where what it needs is not here, print why instead; that is no failure.
    """
    chosen = asked.parse_args()
    begin = time.perf_counter()
    try:
        found = measured(chosen)
    except Missing as missing:
        found = {SKIPPED: str(missing)}
    seconds = round(time.perf_counter() - begin, 1)
    if SKIPPED in found:
        print(found[SKIPPED], file=sys.stderr)
    quick = getattr(chosen, "quick", False)
    told = {"benchmark": name, "commit": commit(), "quick": quick, "seconds": seconds, "machine": machine()}
    print(json.dumps(told | found, indent=1, ensure_ascii=False))
