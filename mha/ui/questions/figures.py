"""The one live figure of each question: `FIGURES` maps a question's name to the function that draws it.

A function returns the number of the option that turned out true where that depends on its numbers, else None.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from mha.engine.experiments import leaning
from mha.examples import example_for
from mha.figures.heatmaps import describe_layer, layer_heatmaps
from mha.figures.questions import effective_bars, lean_strip
from mha.formats import labels, percent
from mha.screens.questions.numbers import averaged, redundancy
from mha.screens.shown import GRID_TOKENS
from mha.screens.spans import Span, prose
from mha.ui import controls, heads
from mha.ui.components.captions import caption
from mha.ui.plot import plot, theme
from mha.ui.questions import arithmetic as questions_arithmetic
from mha.ui.questions import learning as questions_learning

DOG = "A dog ate the food because it was hungry."


def many_heads() -> int | None:
    """Draw the two pinned or opening heads of the reader's sentence, and what their mean keeps of the first look."""
    picture = heads.record(controls.view())
    shown = picture.shown
    pair = list(shown.pins[:2])
    if len(pair) < 2 or shown.maps.n_keys > GRID_TOKENS:
        caption(
            "Two heads of a sentence of up to 128 words are drawn here; pin two on Heads.", key="q_none", style="sub"
        )
        return None
    look = averaged(shown.maps, pair)
    query, key = labels(shown.maps.tokens)[look.query], labels(shown.maps.key_tokens)[look.key]
    said: list[Span] = [("plain", "In "), ("head", str(look.head)), ("plain", ", "), ("word", query)]
    said += [("plain", " looks at "), ("word", key), ("plain", f" with {percent(look.weight)}. Average ")]
    said += [("head", str(pair[0])), ("plain", " and "), ("head", str(pair[1]))]
    said += [("plain", f", and {percent(look.left)} are left.")]
    caption(said, key="q_found", style="found")
    figure = layer_heatmaps(shown.maps, pair, theme=theme(), columns=2, width=520, empty=shown.empty)
    plot(figure, describe_layer(shown.maps, pair, empty=shown.empty))
    caption(
        f"{picture.row.short}, {picture.row.origin}, your sentence; rows look at columns; ",
        "sinks [[set aside]]." if shown.aside else "[[sinks|sink]] shown.",
        key="q_note",
    )
    return None


def redundant() -> int | None:
    """Draw how many different looks each layer has on the reader's sentence."""
    picture = heads.record(controls.view())
    maps = picture.recording.maps.merged()
    if maps.n_keys > GRID_TOKENS:
        caption(f"This needs {GRID_TOKENS} words or fewer; your sentence has more.", key="q_none", style="sub")
        return None
    found = redundancy(maps)
    said: list[Span] = [
        ("plain", f"{len(maps.heads)} heads look at your sentence in {found.effective:.1f} different ways in effect.")
    ]
    if found.alike is not None:
        said += [("plain", " Most alike: "), ("head", str(found.alike[0])), ("plain", " and ")]
        said += [("head", str(found.alike[1])), ("plain", f", {found.divergence:.3f} bits apart (of 1).")]
    caption(said, key="q_found", style="found")
    plot(
        effective_bars(found.by_layer, found.n_heads, theme()),
        "; ".join(f"layer {layer}: {value:.1f} of {found.n_heads}" for layer, value in enumerate(found.by_layer)),
    )
    caption(
        f"{picture.row.short}, {picture.row.origin}. Jensen–Shannon divergence between the heads’ rows, with "
        "[[sinks|sink]] kept: many heads are alike in resting there. In effect: exp of the entropy of the similarity’s "
        "eigenvalues, 1 when all look alike.",
        key="q_note",
    )
    return 0 if found.share <= 0.25 else 1 if found.share < 0.75 else 2


def ambiguity() -> int | None:
    """Draw every head's lean on the hungry dog beside the furthest lean of each of its shuffles."""
    example = example_for(DOG)
    if example is None:
        raise LookupError("the hungry dog is one of the examples")
    first, second = example.readings
    with st.spinner("The same words in 20 other orders …", show_time=True):
        found = leaning(DOG, (first, second))
    lean, summary = found.here.lean, found.summary
    head = found.furthest[int(abs(lean[found.furthest[1]]) > abs(lean[found.furthest[0]]))]
    side, sign = ("A", 1) if lean[head] > 0 else ("B", -1)
    caption(
        [("head", str(head)), ("plain", f" leans to {side} by {sign * lean[head]:.2f} (shuffled: ")],
        f"{sign * summary.mean[head]:.2f} ± {summary.spread[head]:.2f}). In {summary.reach} of {len(found.shuffles)} "
        f"shuffles some head leans as far. {found.n_outside} of {lean.size} heads lie outside all their own shuffles; "
        f"about {summary.expected_outside:.0f} would by chance.".replace("-", "−"),
        key="q_found",
        style="found",
    )
    flat = summary.leans.reshape(len(found.shuffles), -1)  # [shuffle, head]
    furthest = np.take_along_axis(flat, np.abs(flat).argmax(axis=1)[:, None], axis=1)[:, 0]
    names = [f"L{layer}H{number}" for layer, number in np.ndindex(lean.shape)]
    plot(lean_strip(lean.ravel(), furthest, names, theme()), f"Leans from {lean.min():.2f} to {lean.max():.2f}.")
    caption(
        prose(f"MiniLM, pretrained: *{DOG}* A: *it* with *dog*, round. B: *it* with *food*, square. "),
        "A [[lean]] is [[strength]] of A minus strength of B; [[shuffled]] words below.",
        key="q_note",
    )
    ratio = float(np.median(np.abs(furthest)) / np.abs(lean).max())
    return 0 if ratio < 0.35 else 1 if ratio < 1 else 2


def one_head() -> int | None:
    """Train a model with one head and one with two, once asked, and draw how they learn."""
    return questions_learning.draw(theme())


Figure = Callable[[], int | None]

FIGURES: dict[str, Figure] = {
    "many heads": many_heads,
    "self-attention": questions_arithmetic.self_attention,
    "Q K V": questions_arithmetic.roles,
    "scaling": questions_arithmetic.scaling,
    "formula": questions_arithmetic.formula,
    "output matrix": questions_arithmetic.output_matrix,
    "real models": questions_arithmetic.real_heads,
    "redundancy": redundant,
    "one head": one_head,
    "ambiguity": ambiguity,
}
