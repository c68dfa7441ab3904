"""``python -m mha.models ORG/NAME[@COMMIT] …`` fetches models ahead, and prints how they are then offered.

``python -m mha.models smollm2`` converts SmolLM2 ahead if it is installed, else it prints the command that adds it.
Without a name it lists the models that people ask for first, and which of them are here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mha.errors import ModelError, ModelUnavailable
from mha.models.files import smollm2
from mha.models.files.catalog import VARIABLE, hindrance, offer_of
from mha.models.files.hub import divided, fetch, listing
from mha.models.files.smollm2 import CACHE


def main(names: Sequence[str]) -> int:
    """Fetch or convert each model and print its size and heads; return 1 if one fails. Without names, list some."""
    if not names:
        print(listing())
        return 0
    fetched, n_failed = [], 0
    for name in names:
        try:
            if name == smollm2.NAME:
                print(_prepare_smollm2())
                continue
            model_id, commit = divided(name)
            folder = fetch(model_id, commit)
            row = offer_of(f"{model_id}@{folder.name}")
        except ModelError as error:
            print(f"{name}: {error}", file=sys.stderr)
            n_failed += 1
            continue
        print(f"{model_id} at {folder.name}: {_megabytes(folder)}, {row.n_layers} layers × {row.n_heads} heads")
        fetched.append(f"{model_id}@{folder.name}")
    if fetched:
        print(f"To offer {'it' if len(fetched) == 1 else 'them'}: {VARIABLE}={','.join(fetched)} make run")
    return int(n_failed > 0)


def _prepare_smollm2() -> str:
    """Return the sentence about SmolLM2's snapshot, converted now with a progress bar if it is missing.

    Raises:
        ModelUnavailable: the model is not installed, its memory is too small, or no snapshot can be kept.
    """
    reason = hindrance(smollm2.NAME)
    if reason:
        raise ModelUnavailable(reason)
    from tqdm import tqdm

    from mha.models.files.conversion import convert

    with tqdm(total=100, bar_format="{desc}: {percentage:3.0f} %", leave=False) as bar:

        def report(step: str, share: float) -> None:
            bar.set_description_str(step, refresh=False)
            bar.update(100 * share - bar.n)

        converted = convert(report)
    if not isinstance(converted, Path):
        raise ModelUnavailable(f"It works, but no snapshot can be kept in {CACHE} or the user's cache.")
    return f"{smollm2.NAME} is ready: {converted}, {_megabytes(converted)}"


def _megabytes(folder: Path) -> str:
    return f"{sum(file.stat().st_size for file in folder.iterdir()) / 2**20:,.0f} MB"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m mha.models", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="smollm2, or ORG/NAME of the hub, perhaps with @ and a commit"
    )
    sys.exit(main(parser.parse_args().names))
