"""The live figures that need no model: the core's own numbers, and the table of real models."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mha import engine
from mha.core import PRESETS
from mha.figures.questions import saturation_curves
from mha.formats import percent
from mha.models.toy import HAND_SET
from mha.screens.questions.numbers import doubled, mixing, one_head_is_plain, saturation, toy_cell, walk
from mha.screens.questions.texts import real_models, sources
from mha.screens.spans import prose
from mha.ui.components.arrays import array, arrays, size
from mha.ui.components.captions import caption
from mha.ui.plot import plot, theme

FORMULA = (
    r"Q_h = X W^Q_h, \quad K_h = X W^K_h, \quad V_h = X W^V_h",
    r"Z_h = \operatorname{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{d}}\right) V_h",
    r"\text{output} = [\,Z_0 \mid Z_1 \mid \dots\,]\; W^O",
)


def self_attention() -> None:
    """Draw the weights of one head and of two on the same three words, and how far one head is from plain."""
    words = PRESETS["one_head"].text.split()
    one, two = walk("one_head")["weights"], walk("two_heads")["weights"]
    caption(f"Largest difference between the two outputs: {one_head_is_plain():.1g}.", key="q_found", style="found")
    titles = ("head 0", "head 1")
    arrays(
        [array("one head", one[0], "one weighting for each word, %", "share", words, words)],
        [array(title, two[h], "of two, %", "share", words, words) for h, title in enumerate(titles)],
        key="q_arrays",
    )
    caption("Toy: random numbers, the same three words throughout. A row looks at the columns.", key="q_note")


def roles() -> None:
    """Draw how one weight of the hand-set toy comes about, and what doubling each of the three changes."""
    recording = engine.record(engine.Request(HAND_SET, "toy"))
    one = toy_cell(recording)
    said = f"asks, *man* answers: the weight is {percent(one.weight)}."
    caption(prose(f"*telescope* {said}"), key="q_found", style="found")
    arrays(
        [array("query", one.query, "telescope"), "·", array("key", one.key, "man"), "=", array("score", [one.score])],
        [
            array("÷ √2", [one.scaled], decimals=2),
            "→",
            array("weight", [one.weight], "%, among eight words", "share"),
        ],
        key="q_arrays",
    )
    rows = doubled(recording)
    st.table(
        {
            "Twice as large": [row.what for row in rows],
            "Largest change of a weight": [f"{100 * row.weights:.0f} points" for row in rows],
            "… of what is gathered": [f"{row.gathered:.2f}" for row in rows],
        },
        border="horizontal",
        hide_index=True,
        alt="What doubling queries, keys or values changes at most.",
    )
    caption("[[Toy|toy]], numbers set by hand: The man saw an astronomer with a telescope, head 0.", key="q_note")


def scaling() -> None:
    """Draw how the largest of eight weights grows with the width, without and with the division."""
    rows = saturation()
    last = rows[-1]
    caption(
        f"At d = {last.d_head} the variance of q·k is {last.variance:.0f}. The largest of eight weights gets "
        f"{percent(last.plain)}; divided by √d, {percent(last.divided)}.",
        key="q_found",
        style="found",
    )
    widths = [row.d_head for row in rows]
    figure = saturation_curves(widths, [row.plain for row in rows], [row.divided for row in rows], theme())
    plot(figure, " ".join(f"d {r.d_head}: {percent(r.plain)}, divided {percent(r.divided)}." for r in rows))
    variances = ", ".join(f"{row.d_head}: {row.variance:.0f}" for row in rows)
    caption(f"Variance of q·k at each d, 4,096 random pairs: {variances}.", key="q_note")


def formula() -> None:
    """Draw the formula, and every array of two words and two full heads in it."""
    for line in FORMULA:
        st.latex(line)
    steps = walk("money_bank")
    words = PRESETS["money_bank"].text.split()
    x, z, both, out = (steps[name] for name in ("input", "heads", "concatenation", "output"))
    arrays(
        [array("X", x, size(x), row_names=words)],
        [array("Z₀", z[0], size(z[0]), row_names=words), array("Z₁", z[1], size(z[1]), row_names=words)],
        [array("Z₀ | Z₁", both, f"side by side, {size(both)}", row_names=words, split=(3,))],
        [array("output", out, f"{size(both)} times {size(PRESETS['money_bank'].heads().w_output)}, {size(out)}",
               row_names=words)],
        key="q_arrays",
    )  # fmt: skip
    caption("Toy: random numbers, rounded to one place here. The walk has every array in between.", key="q_note")


def output_matrix() -> None:
    """Draw one word's numbers side by side and after the last matrix, with head 1 on and off."""
    mixed = mixing()
    caption(
        f"Head 1 off: {mixed.changed_beside} of {len(mixed.beside)} numbers change before W_O, "
        f"{mixed.changed_output} of {len(mixed.output)} after it.",
        key="q_found",
        style="found",
    )
    top = float(np.abs([mixed.beside, mixed.output]).max())
    rows = ("both heads", "head 1 off")
    beside, output = np.stack([mixed.beside, mixed.beside_without]), np.stack([mixed.output, mixed.output_without])
    names = ("head 0", "", "head 1", "")
    arrays(
        [array("side by side", beside, "without mixing", "signed", rows, names, (1,), decimals=2, largest=top)],
        [array("× W_O", output, "mixed", row_names=rows, decimals=2, largest=top)],
        key="q_arrays",
    )
    caption("Toy: random numbers, the word bank of money bank, two slices.", key="q_note")


def real_heads() -> None:
    """Draw the table of heads in real models, the app's own last, from the catalog."""
    rows, named = real_models(), sources()
    st.table(
        {
            "Model": [row.model for row in rows],
            "Layers × heads": [f"{row.layers} × {row.heads}" for row in rows],
            "d_model": [f"{row.width:,}" for row in rows],
            "d_head": [f"{row.d_head}" for row in rows],
            "Source": [named[row.source].who for row in rows],
        },
        border="horizontal",
        hide_index=True,
        alt="; ".join(f"{row.model} {row.layers} × {row.heads}" for row in rows),
    )
    caption(
        "d_model and d_head: how many numbers a word and one head have. The first two have as many layers again in "
        "their decoder.",
        key="q_note",
    )
