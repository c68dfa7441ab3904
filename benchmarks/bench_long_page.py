"""What does a long text cost through the page? 12 layers × 12 heads, pasted, moved through, searched, clicked.

A random Llama (d_model 576, float32, 8,192 positions) in a server of its own, a text of the corpus's words in *A longer
text*, a real Chromium. Memory is the server's resident one, at each point and at its highest since the model has been
loaded. At the end another token is asked for, and its survey stopped on the way. Run as ``python -m
benchmarks.bench_long_page [TOKENS] [FOLDER]``, with a folder for pictures of each point; of a machine with other work
read the memory alone. A quick look is at a small model, and leaves out what is only seen while a survey is under way.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import torch
import transformers
from playwright.sync_api import Page, sync_playwright

from benchmarks.command import NothingDrawn, answer, parser
from mha.pairs import corpus
from tests.browser.conftest import Server, launch
from tests.models.snapshots import NUMBERS, SIZE, TOKENIZERS

N_TOKENS, FEW = 4096, 100  # the second of each is that of a quick look
WHOLE, SMALL = (12, 576), (3, 144)  # layers, d_model
NAME = "long-twelve"
PATIENCE = 600_000  # ms
DONE = "() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"


def snapshot(parent: Path, layers: int, width: int) -> Path:
    """Write the model and its tokenizer of whole words."""
    torch.manual_seed(0)
    size = {
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": 12,
        "intermediate_size": 2 * width,
    }
    config = transformers.LlamaConfig(
        **SIZE, **NUMBERS, **size, max_position_embeddings=2 * N_TOKENS, initializer_range=0.06
    )
    transformers.LlamaForCausalLM(config).save_pretrained(parent / NAME)
    TOKENIZERS["words"]().save_pretrained(parent / NAME)
    return parent / NAME


def text_of(n_tokens: int) -> str:
    """Return so many words and marks of the corpus, each of which is a token."""
    pieces = [piece for text in corpus() for piece in re.findall(r"[A-Za-z]+|[.,]", text)]
    return " ".join((pieces * (n_tokens // len(pieces) + 1))[:n_tokens])


class Watch:
    """The resident memory of a process in MB: ``now``, and ``most`` since it was reset."""

    def __init__(self, process: int) -> None:
        self._status = Path(f"/proc/{process}/status")
        self.most = 0.0
        threading.Thread(target=self._look, daemon=True).start()

    @property
    def now(self) -> float:
        """The memory at this moment."""
        found = re.search(r"VmRSS:\s+(\d+)", self._status.read_text())
        return int(found[1]) / 1024 if found else 0.0

    def _look(self) -> None:
        while self._status.exists():
            self.most = max(self.most, self.now)
            time.sleep(0.02)


def walk(page: Page, url: str, watch: Watch, n_tokens: int, pictures: Path | None, quick: bool) -> dict[str, Any]:
    """Return seconds and memory at each point of a visit; ``pictures`` is a folder for what it looked like there."""
    points: dict[str, Any] = {}
    begin = time.perf_counter()

    def look(name: str) -> None:
        if pictures is not None:
            page.screenshot(path=pictures / f"{name.replace(' ', '_')}.png", full_page=True)

    def reached(name: str, done: bool = True) -> None:
        if done:
            page.wait_for_function(DONE, timeout=PATIENCE)
        points[name] = {"seconds": time.perf_counter() - begin, "mb": watch.now, "most_mb": watch.most}
        print(name, points[name], file=sys.stderr, flush=True)
        look(name)

    page.goto(f"{url}/?model={NAME}")
    page.locator(".overview[data-ready]").wait_for(timeout=PATIENCE)
    watch.most = watch.now
    reached("a sentence")
    page.locator(".st-key-examples").get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="A longer text").click()
    page.get_by_role("textbox", name="Long text").fill(text_of(n_tokens))
    page.get_by_role("button", name="Show this text").click()
    if not quick:
        page.get_by_text(re.compile(r"Layer [4-9] of \d+\.")).wait_for(timeout=PATIENCE)
        reached("under way", done=False)
    page.locator('.long-map canvas[aria-label$="columns"]').wait_for(timeout=PATIENCE)
    reached("surveyed")
    page.locator(".long-frame").focus()
    page.keyboard.press("End")
    points["end"] = page.locator(".long-title .code").inner_text()
    search = page.get_by_label("Search in the text")
    search.fill("with")
    search.press("Enter")
    page.locator(".long-hits").wait_for(timeout=PATIENCE)
    page.get_by_role("button", name="Next →").click()
    reached("searched")
    if quick:
        return points
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(1500)
    look("on a phone")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.locator(".long-window .long-word").nth(5).click()
    page.get_by_text(re.compile(r"Layer [2-9] of \d+\.")).wait_for(timeout=PATIENCE)
    reached("another token, under way", done=False)
    pressed = time.perf_counter()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped after").wait_for(timeout=PATIENCE)
    points["from Stop to stopped"] = {"seconds": time.perf_counter() - pressed}
    reached("stopped")
    return points


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    found = parser(__doc__)
    found.add_argument("tokens", nargs="?", type=int, metavar="TOKENS", help=f"how many; {N_TOKENS} unless said")
    found.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="for a picture of each point")
    return found


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Start a server with the model, and walk through its page."""
    n_tokens = chosen.tokens or (FEW if chosen.quick else N_TOKENS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(PARALLAX_MODELS=str(snapshot(Path(folder), *(SMALL if chosen.quick else WHOLE))))
        try:
            browser = launch(playwright)  # while the server starts
            server.wait()
            page = browser.new_context(bypass_csp=True, viewport={"width": 1280, "height": 900}).new_page()
            problems: list[str] = []
            page.on("pageerror", lambda error: problems.append(str(error)))
            watch = Watch(server.process.pid)
            found = walk(page, server.url, watch, n_tokens, chosen.folder, chosen.quick)
            browser.close()
        finally:
            server.stop()
    if problems:
        raise NothingDrawn(f"the page has errors: {problems}")
    return {"tokens": n_tokens, "points": found}


if __name__ == "__main__":
    answer("long_page", arguments(), run)
