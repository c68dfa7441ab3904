"""What does a page in one file weigh? All heads of MiniLM as `mha.show` writes them, against BertViz's head view.

Both in one process, on the same weights, by length of the text: characters of HTML and seconds, the shortest of some
rounds. BertViz writes every weight as a decimal number and fetches its libraries when it is opened; ours has its own
scripts inside, every weight to a tenth of a per cent, and above 128 tokens what the page draws, the largest weight of
neighbours that share a cell. BertViz is needed for this alone: `pip install --no-deps -r benchmarks/requirements.txt`.
Run as ``python -m benchmarks.bench_export``; without BertViz, or with ``--ours``, only ours is measured.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from collections.abc import Callable

from mha.models.files.environment import prepare_environment

prepare_environment()

import torch  # noqa: E402

from benchmarks.machine import machine  # noqa: E402
from mha.maps import AttentionMaps  # noqa: E402
from mha.models.files.loading import load  # noqa: E402
from mha.models.watch.recording import record  # noqa: E402
from mha.models.watch.tokens import encode  # noqa: E402
from mha.ui.standalone import show  # noqa: E402

SIZES = (9, 64, 128, 256, 512)  # tokens
ROUNDS = {9: 5, 64: 3, 128: 3, 256: 1, 512: 1}
AIMS = {64: 1 / 20, 512: 1 / 100}  # of BertViz's bytes
TEXT = "the old man saw a dog with the telescope because it was hungry and the boat was late "


def maps_of(n_tokens: int) -> AttentionMaps:
    """Return the maps of so many tokens."""
    loaded = load("minilm")
    encoded = encode(loaded.tokenizer, TEXT * 40, max_tokens=n_tokens)
    tensors = {name: torch.tensor(values) for name, values in encoded.inputs.items()}
    return record(loaded.model, text=TEXT * 40, tokens=encoded.tokens, name="MiniLM", **tensors).maps


def bertviz(maps: AttentionMaps) -> str:
    """Return BertViz's page of the same weights."""
    from bertviz import head_view

    layers = [torch.tensor(layer)[None] for layer in maps.weights]
    return head_view(layers, [token.raw or token.text for token in maps.tokens], html_action="return").data


def measured(write: Callable[[], str], rounds: int) -> dict[str, float]:
    """Return the bytes of a page and the seconds of the fastest round."""
    seconds, page = [], ""
    for _ in range(rounds):
        start = time.perf_counter()
        page = write()
        seconds.append(time.perf_counter() - start)
    return {"bytes": len(page.encode()), "seconds": round(min(seconds), 4)}


def main() -> None:
    """Print what was measured as JSON."""
    compared = "--ours" not in sys.argv and importlib.util.find_spec("bertviz") is not None
    found = {}
    for size in SIZES:
        maps = maps_of(size)
        row = {"ours": measured(lambda maps=maps: show(maps).html, ROUNDS[size])}
        if compared:
            row["bertviz"] = measured(lambda maps=maps: bertviz(maps), ROUNDS[size])
            row["share_of_bytes"] = round(row["ours"]["bytes"] / row["bertviz"]["bytes"], 5)
            row["aim"] = AIMS.get(size)
        found[size] = row
    print(json.dumps({"machine": machine(), "tokens": found}, indent=1))


if __name__ == "__main__":
    main()
