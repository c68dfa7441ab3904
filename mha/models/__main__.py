"""``python -m mha.models ORG/NAME[@COMMIT] …`` fetches models of the hub ahead, and prints how they are offered.

``python -m mha.models smollm2`` converts SmolLM2 ahead if it is installed, else it prints the command that adds it.
"""

import argparse
import sys
from pathlib import Path

from mha.errors import ModelError, ModelUnavailable
from mha.models.files import smollm2
from mha.models.files.catalog import VARIABLE, offer_of, offered
from mha.models.files.inspection import fetch


def main(arguments: list[str] | None = None) -> int:
    """Prepare each named model, or print the usage and the models on offer; return 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m mha.models", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="smollm2 or ORG/NAME, perhaps with @ and a commit")
    names = parser.parse_args(arguments).names
    if not names:
        parser.print_help()
        print("\nModels on offer:", ", ".join(f"{row.name} ({row.n_layers} × {row.n_heads})" for row in offered()))
    n_failed = 0
    for name in names:
        try:
            print(_convert() if name == smollm2.NAME else _fetch(name))
        except ModelError as error:
            print(f"{name}: {error}", file=sys.stderr)
            n_failed += 1
    return int(n_failed > 0)


def _fetch(name: str) -> str:
    folder, model_id = fetch(name), name.partition("@")[0]
    row = offer_of(entry := f"{model_id}@{folder.name}")
    return (
        f"{model_id} at {folder.name}: {_megabytes(folder)}, {row.n_layers} layers × {row.n_heads} heads\n"
        f"To offer it: {VARIABLE}={entry} make run"
    )


def _convert() -> str:
    from mha.models.files.smollm2 import convert

    def report(step: str, share: float) -> None:
        print(f"{step}: {share:.0%}", flush=True)

    folder = convert(report)
    if not isinstance(folder, Path):
        raise ModelUnavailable(f"It works, but no snapshot can be written to {smollm2.CACHE} or the user's cache.")
    return f"{smollm2.NAME} is ready: {folder}, {_megabytes(folder)}"


def _megabytes(folder: Path) -> str:
    return f"{sum(file.stat().st_size for file in folder.iterdir()) / 2**20:,.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
