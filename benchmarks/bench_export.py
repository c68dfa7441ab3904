"""What does a page in one file weigh? All heads of MiniLM as `mha.show` writes them, against BertViz's head view.

Both in one process, on the same weights, by length of the text: characters of HTML and seconds, the shortest of some
rounds. BertViz writes every weight as a decimal number and fetches its libraries when it is opened; ours has its own
scripts inside, every weight to a tenth of a per cent, and above 128 tokens what the page draws, the largest weight of
neighbours that share a cell. One row is of twice as many heads at the longest size: seconds of processor, and megabytes
beside the maps. The longest is opened in Chromium without a network, and the pointer goes over all its
heads. BertViz is needed for this alone: `pip install --no-deps -r benchmarks/requirements.txt`.
Run as ``python -m benchmarks.bench_export``; without BertViz, or with ``--ours``, only ours is measured.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import statistics
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mha.models.files.environment import prepare_environment

prepare_environment()

import numpy as np  # noqa: E402
import torch  # noqa: E402

from benchmarks.command import SKIPPED, NothingDrawn, answer, parser  # noqa: E402
from mha.maps import AttentionMaps  # noqa: E402
from mha.models.files.loading import load  # noqa: E402
from mha.models.watch.recording import record  # noqa: E402
from mha.models.watch.tokens import encode  # noqa: E402
from mha.views.heads_file import show  # noqa: E402

SIZES = (9, 64, 128, 256, 512)  # tokens
ROUNDS = {9: 5, 64: 3, 128: 3, 256: 1, 512: 1}
NO_PEER = "BertViz is not here, so only ours is measured: pip install --no-deps -r benchmarks/requirements.txt."
AIMS = {64: 1 / 20, 512: 1 / 100}  # of BertViz's bytes
TEXT = "the old man saw a dog with the telescope because it was hungry and the boat was late "


def maps_of(n_tokens: int) -> AttentionMaps:
    """Return the maps of so many tokens."""
    loaded = load("minilm")
    encoded = encode(loaded.tokenizer, TEXT * 40, max_tokens=n_tokens)
    tensors = {name: torch.tensor(values) for name, values in encoded.inputs.items()}
    return record(loaded.model, text=TEXT * 40, tokens=encoded.tokens, name="MiniLM", **tensors).maps


def wide(maps: AttentionMaps) -> dict[str, float]:
    """Return what a page of twice as many heads takes: seconds of processor, and megabytes beside the maps at most."""
    twice = dataclasses.replace(maps, weights=np.concatenate([maps.weights, maps.weights], axis=1))
    start = time.process_time()
    show(twice)
    seconds = time.process_time() - start
    again = dataclasses.replace(twice, text=twice.text)  # of which nothing is kept
    tracemalloc.start()
    show(again)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {"heads": len(twice.heads), "cpu_seconds": round(seconds, 2), "megabytes": round(most / 1e6)}


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
    if "</" not in page:
        raise NothingDrawn("what was written is no page")
    return {"bytes": len(page.encode()), "seconds": round(min(seconds), 4)}


GAPS = """() => {
  window.gaps = [];
  let before = performance.now();
  const look = (now) => { window.gaps.push(now - before); before = now; requestAnimationFrame(look); };
  requestAnimationFrame(look);
}"""


def hovered(html: str) -> dict[str, float]:
    """Return how long a page takes to open, and the milliseconds between two frames while heads are pointed at."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import launch

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(html, encoding="utf-8")
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.context.set_offline(True)
        start = time.perf_counter()
        page.goto(file.as_uri())
        page.locator("body[data-ready]").wait_for()
        opened = time.perf_counter() - start
        heads = page.locator("[data-head]").all()
        boxes = [box for box in (head.bounding_box() for head in heads) if box]
        page.evaluate(GAPS)
        for box in boxes:
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        gaps = page.evaluate("window.gaps")
        browser.close()
    if not boxes:
        raise NothingDrawn("no head is drawn on the page")
    ordered = sorted(gaps)
    return {
        "opens_s": round(opened, 2),
        "heads": len(boxes),
        "frame_ms_median": round(statistics.median(ordered), 1),
        "frame_ms_p95": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
        "frame_ms_longest": round(ordered[-1], 1),
    }


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("--ours", action="store_true", help="without BertViz, whether it is here or not")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return a row for each length, and how the longest page opens in Chromium."""
    compared = not chosen.ours and importlib.util.find_spec("bertviz") is not None
    found: dict[int, dict[str, Any]] = {}
    page = ""
    for size in SIZES[:1] if chosen.quick else SIZES:
        rounds, maps = 1 if chosen.quick else ROUNDS[size], maps_of(size)
        row: dict[str, Any] = {"ours": measured(lambda maps=maps: show(maps).html, rounds)}
        if compared:
            row["bertviz"] = measured(lambda maps=maps: bertviz(maps), rounds)
            row["share_of_bytes"] = round(row["ours"]["bytes"] / row["bertviz"]["bytes"], 5)
            row["aim"] = AIMS.get(size)
        found[size], page = row, show(maps).html
    found[size]["in_chromium"] = hovered(page)
    found[size]["twice_as_many_heads"] = wide(maps)
    return {"tokens": found} | ({} if compared or chosen.ours else {SKIPPED: NO_PEER})


if __name__ == "__main__":
    answer("export", arguments(), run)
