"""All benchmarks, one after the other: ``python -m benchmarks [--quick] [NAME …]``.

Each runs in a process of its own and prints its JSON. One that fails lets the others run; at the end it is named, and
the command fails.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.command import parser

HERE = Path(__file__).parent
NAMES = tuple(sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py")))


def failed(commands: Mapping[str, Sequence[str]]) -> list[str]:
    """Run commands by their names, one after the other; return the names of those that failed."""
    found = []
    for name, command in commands.items():
        print(f"# {name}", file=sys.stderr, flush=True)
        if subprocess.run(command, cwd=HERE.parent).returncode:
            found.append(name)
    return found


def main() -> None:
    """Run what was asked for, or all."""
    asked = parser(__doc__, prog="python -m benchmarks")
    asked.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    chosen = asked.parse_args()
    unknown = [name for name in chosen.names if name not in NAMES]
    if unknown:
        asked.error(f"There is no benchmark {unknown[0]}; there are {', '.join(NAMES)}.")
    options = ["--quick"] * chosen.quick
    bad = failed({name: [sys.executable, "-m", f"benchmarks.bench_{name}", *options] for name in chosen.names or NAMES})
    if bad:
        sys.exit(f"Failed: {', '.join(bad)}.")


if __name__ == "__main__":
    main()
