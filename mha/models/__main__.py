"""``python -m mha.models ORG/NAME[@COMMIT] …`` fetches models ahead, and prints how they are then offered.

Without a name it lists the models that people ask for first, and which of them are here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from mha.errors import ModelError
from mha.models.files.catalog import VARIABLE, offer_of
from mha.models.files.hub import divided, fetch
from mha.models.files.wanted import listing


def main(names: Sequence[str]) -> int:
    """Fetch each model and print its commit, size and heads; return 1 if one cannot be had. Unnamed, list some."""
    if not names:
        print(listing())
        return 0
    had = []
    for name in names:
        try:
            model_id, commit = divided(name)
            folder = fetch(model_id, commit)
            row = offer_of(f"{model_id}@{folder.name}")
        except ModelError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        megabytes = sum(file.stat().st_size for file in folder.iterdir()) / 2**20
        print(f"{model_id} at {folder.name}: {megabytes:,.0f} MB, {row.n_layers} layers × {row.n_heads} heads")
        had.append(f"{model_id}@{folder.name}")
    if had:
        print(f"To offer {'it' if len(had) == 1 else 'them'}: {VARIABLE}={','.join(had)} make run")
    return int(len(had) < len(names))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m mha.models", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ORG/NAME", help="a model of the hub, perhaps with @ and a commit")
    sys.exit(main(parser.parse_args().names))
