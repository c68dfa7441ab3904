"""What does the overview of all heads cost? Server time, bytes on the wire and time to pixels, by tokens and heads.

Weights are random (softmax of normal scores), for only their number matters. *Server* is `overview` and its
envelope in this process. *Pixels* is from a click in Chromium to two frames after the thumbnails are painted, a whole
rerun of a page that holds nothing else: first (the component is new), update (another text), click (same text, another
pin). In the same run: the floor, the same page with a component that only writes a number; the peer, all heads as one
plotly figure with a subplot each. Run as ``python -m benchmarks.bench_overview``; a quick look is at the peer's case.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page

from benchmarks.browsing import ROOT, Traffic, browsed, idle, served
from benchmarks.command import answer, parser
from mha.maps import AttentionMaps, HeadId, Token
from mha.views.component_data import seal
from mha.views.heads import HeadsChoice, select
from mha.views.heads_pictures import overview

TOKENS = (9, 64, 128, 256, 512)
SHAPES = ((6, 12), (12, 12))
PEER = ((6, 12, 9),)  # layers, heads, tokens; at 64 tokens one drawing takes longer than all the others together
SERVER_ROUNDS = 5
PIXEL_ROUNDS = 3

# The page, and the app around it: its components are drawn by modules that `mha.server.static` serves.
APP = """
import sys
sys.path.insert(0, {root!r})
import streamlit as st
from mha.server import static
app = st.App({page!r}, routes=static.ROUTES)
"""
PAGE = """
import sys
sys.path.insert(0, {root!r})
import streamlit as st
from benchmarks.bench_overview import draw
draw(st)
"""
FLOOR = """
export default function ({ data, parentElement }) {
  parentElement.innerHTML = `<i data-number=${data}>${data}</i>`;
}
"""


def random_maps(layers: int, heads: int, tokens: int, seed: int = 7) -> AttentionMaps:
    """Return maps of random weights over numbered words."""
    scores = np.random.default_rng(seed).standard_normal((layers, heads, tokens, tokens), dtype=np.float32)
    weights = np.exp(2 * scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    words = tuple(Token(f"word{i}", word=i, start=8 * i, end=8 * i + 7) for i in range(tokens))
    return AttentionMaps(weights, words, text=" ".join(f"word{i:03}" for i in range(tokens)), units="words")


def server(layers: int, heads: int, tokens: int, rounds: int = SERVER_ROUNDS) -> dict[str, Any]:
    """Return milliseconds of the spec and its envelope, for a new text and for another pin on the same, and bytes."""
    weights = random_maps(layers, heads, tokens)
    new, again, size = [], [], 0
    for number in range(rounds):
        maps = AttentionMaps(weights.weights, weights.tokens, text=weights.text, units="words")
        first, other = (select(maps, HeadsChoice(pins=(pin,))) for pin in (HeadId(0, 0), HeadId(1, number)))
        new.append(_milliseconds(lambda case=first: seal(*overview(case))))
        again.append(_milliseconds(lambda case=other: seal(*overview(case))))
        size = len(seal(*overview(first)))
    return {"new_text": _summary(new), "another_pin": _summary(again), "envelope_bytes": size}


def draw(st: Any) -> None:
    """The page that is measured: buttons that draw, and what they draw."""
    layers, heads, tokens = (int(st.query_params[name]) for name in ("layers", "heads", "tokens"))
    state = st.session_state
    if "weights" not in state:
        state.weights = [random_maps(layers, heads, tokens, seed) for seed in (7, 8)]
        state.count, state.mounted, state.maps = 0, 0, state.weights[0]
    asked = [name for name in ("first", "update", "click", "peer", "floor") if st.button(name, key=name)]
    if not asked:
        return
    state.count += 1
    if asked[0] in ("first", "update"):
        state.mounted += asked[0] == "first"
        state.weights.reverse()
        fresh = state.weights[0]
        state.maps = AttentionMaps(fresh.weights, fresh.tokens, text=fresh.text, units="words")  # as from a new text
    MOUNT[asked[0]](st)


def _mount_overview(st: Any) -> None:
    from mha.app.components import component

    state = st.session_state
    maps = state.maps
    pin = HeadId(*divmod(state.count, maps.n_heads))
    picture = overview(select(maps, HeadsChoice(pins=(pin,))))
    component("overview", "heads/overview.js", "overview")(key=f"overview_{state.mounted}", data=picture)


def _mount_peer(st: Any) -> None:
    from plotly.graph_objects import Heatmap
    from plotly.subplots import make_subplots

    maps, number = st.session_state.maps, st.session_state.count
    figure = make_subplots(maps.n_layers, maps.n_heads)
    for layer, head in maps.heads:
        figure.add_trace(Heatmap(z=maps[layer, head], showscale=False), row=layer + 1, col=head + 1)
    figure.update_layout(height=1000, title=f"drawing {number}")
    st.plotly_chart(figure, theme=None, key="peer_figure")


def _mount_floor(st: Any) -> None:
    floor = st.components.v2.component("floor", js=FLOOR)
    floor(key="floor_component", data=st.session_state.count)


MOUNT: dict[str, Callable[[Any], None]] = {
    **dict.fromkeys(("first", "update", "click"), _mount_overview), "peer": _mount_peer, "floor": _mount_floor,
}  # fmt: skip

DRAWN = {
    **dict.fromkeys(
        ("first", "update", "click"),
        "(n) => everywhere(`.overview[data-ready] [data-head='${n}'][aria-selected=true]`).length > 0",
    ),
    "peer": "(n) => everywhere('.js-plotly-plot .gtitle').some((node) => node.textContent === `drawing ${n}`)",
    "floor": "(n) => everywhere(`[data-number='${n}']`).length > 0",
}


def pixels(
    page: Page, traffic: Traffic, url: str, case: tuple[int, int, int], ways: list[str], rounds: int = PIXEL_ROUNDS
) -> dict[str, Any]:
    """Return milliseconds from a click to pixels and bytes received, for each way of drawing, taking turns."""
    layers, heads, tokens = case
    page.goto(f"{url}/?layers={layers}&heads={heads}&tokens={tokens}")
    page.get_by_role("button", name="floor", exact=True).wait_for(timeout=120_000)
    idle(page)
    times: dict[str, list[float]] = {way: [] for way in ways}
    sizes: dict[str, int] = {}
    count = 0
    for _ in range(rounds):
        for way in ways:
            count += 1
            before = traffic.received
            press = f"[...document.querySelectorAll('button')].find((b) => b.textContent.trim() === '{way}').click()"
            times[way].append(page.evaluate(f"timed(() => {press}, () => ({DRAWN[way]})({count}))"))
            idle(page)
            sizes[way] = traffic.received - before
    return {way: {**_summary(times[way]), "bytes_received": sizes[way]} for way in ways}


def _milliseconds(run: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - begin)


def _summary(times: list[float]) -> dict[str, float]:
    return {"min_ms": round(min(times), 1), "median_ms": round(statistics.median(times), 1)}


def app_of_page(folder: Path) -> Path:
    """Write the page that is measured, and the app around it; return the app's file."""
    page, app = folder / "overview_page.py", folder / "overview_app.py"
    page.write_text(PAGE.format(root=str(ROOT)), encoding="utf-8")
    app.write_text(APP.format(root=str(ROOT), page=str(page)), encoding="utf-8")
    return app


def arguments() -> argparse.ArgumentParser:
    """Return what can be asked for."""
    return parser(__doc__)


def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return a row for each number of heads and tokens."""
    every = [(*shape, tokens) for shape in SHAPES for tokens in TOKENS]
    rounds = (1, 1) if chosen.quick else (SERVER_ROUNDS, PIXEL_ROUNDS)
    results = []
    with (
        tempfile.TemporaryDirectory() as folder,
        served(app_of_page(Path(folder)), "/_stcore/health") as url,
        browsed() as (page, traffic),
    ):
        for case in PEER if chosen.quick else every:
            ways = ["floor", "first", "update", "click", *(["peer"] if case in PEER else [])]
            drawn = pixels(page, traffic, url, case, ways, rounds[1])
            shape = dict(zip(("layers", "heads", "tokens"), case, strict=True))
            results.append({**shape, "server": server(*case, rounds[0]), "pixels": drawn})
    return {"results": results}


if __name__ == "__main__":
    answer("overview", arguments(), run)
