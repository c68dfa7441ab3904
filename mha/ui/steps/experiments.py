"""The experiments beside the walk: order, width, three ways to make heads, one head against two."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from mha.core import PRESETS, shuffle, sinusoidal_positions
from mha.screens.steps import ways as steps_ways
from mha.screens.steps.arrays import Span, array, column, row, say, tree
from mha.screens.steps.lesson import Lesson, labelled
from mha.screens.steps.link import MOST_HEADS, WIDEST
from mha.ui.components.captions import caption
from mha.ui.components.flow import flow


def shuffled(made: Lesson, large: bool) -> None:
    """Draw what the order of the words changes, with and without positions."""
    st.header("What if the words stood in another order?", anchor=False)
    n = len(made.words)
    order = tuple(reversed(range(n)))
    heads, x = made.numbers.heads, made.numbers.embeddings
    positions = sinusoidal_positions(n, made.d_model)
    lines = []
    for title, with_them in (("positions off", None), ("positions on", positions)):
        moved = shuffle(heads, x, order, with_them)
        names = [labelled(made.words)[at] for at in order]
        more: dict[str, Any] = {"decimals": 2, "rows": names, "most_columns": 6}
        verdict: Span = ("plain", f"{title}: largest difference {moved.difference:.2f}")
        lines.append(
            column(
                say(verdict, style="sub"),
                row(
                    array(
                        moved.of_shuffled,
                        "output of the words in reverse order",
                        name=f"of_shuffled_{title[10:]}",
                        **more,
                    ),
                    array(moved.shuffled_of, "first output, rows reversed", name=f"shuffled_of_{title[10:]}", **more),
                ),
            )
        )
    flow(tree(column(*lines), "outputs when the words are shuffled"), "steps_shuffled", large)
    caption(
        "Without positions the outputs are shuffled exactly as the words are: each word gets the same row, only "
        "elsewhere. That "
        "is [[equivariance]], not invariance (the outputs do change places). With positions each word’s row depends on "
        "where it stands.",
        key="steps_shuffled_caption",
        style="sub",
    )


def widths(made: Lesson, large: bool) -> None:
    """Draw how the variance of scores grows with the width of a head."""
    st.header("Why the square root?", anchor=False)
    width = st.slider("d_head, the width of a head", 1, WIDEST, 64, key="steps_width", bind="query-params", width=420)
    flow(steps_ways.width_tree(width), "steps_widths", large)
    caption(
        steps_ways.width_sentence(width)
        + " Random numbers of variance 1, 512 queries with 8 keys each; the variance of a "
        "sum of d products is d.",
        key="steps_widths_caption",
        style="sub",
    )


def ways(large: bool) -> None:
    """Draw the three ways to make heads on the same words, with what each costs, here and in the original paper."""
    with st.container(key="steps_ways"):
        n_heads = st.session_state.get("steps_heads", 2)
        st.header(f"Three ways to make {_count(n_heads)} from four numbers", anchor=False)
        n_heads = st.slider("How many heads", 1, MOST_HEADS, 2, key="steps_heads", bind="query-params", width=320)
        three = steps_ways.three_ways(n_heads)
        embeddings, words = PRESETS["money_bank"].embeddings(), ("money", "bank")
        for place, one in zip(st.columns(3, gap="medium"), three, strict=True):
            with place:
                st.subheader(steps_ways.WAYS[one.split], anchor=False)
                flow(steps_ways.way_tree(one, embeddings, words), f"steps_way_{one.split}", large)
                if one.heads is not None:
                    caption(
                        "Computed head by head, or for all heads in one product: the outputs differ by at most "
                        f"{one.loop_difference:.1e}.",
                        key=f"steps_loop_{one.split}",
                    )
        _cost_table(n_heads, 2, 4)
        caption(
            "Without biases; multiplications for two words, the matrix products only. In the usual design, slices, "
            "every head "
            "gets all of the word; only what it makes of it is smaller.",
            key="steps_ways_caption",
        )
        st.subheader("The original paper: 8 heads, d_model 512, d_head 64", anchor=False)
        _cost_table(8, 10, 512)
        caption(
            "For ten words (Vaswani et al. 2017 use slices). The walk above takes this layer under “Layer of the toy”.",
            key="steps_original_caption",
        )


def _count(n_heads: int) -> str:
    names = (
        "one head",
        "two heads",
        "three heads",
        "four heads",
        "five heads",
        "six heads",
        "seven heads",
        "eight heads",
    )
    return names[n_heads - 1]


def _cost_table(n_heads: int, n_tokens: int, d_model: int) -> None:
    names = ("Way", "A head gets", "Its Q, K, V matrices", "Side by side", "W_O", "Numbers to learn", "Multiplications")
    rows = [
        (*one[:5], *(f"{value:,}" if value is not None else "–" for value in one[5:]))
        for one in steps_ways.costs(n_heads, n_tokens, d_model)
    ]
    right = {name: st.column_config.TextColumn(alignment="right") for name in names[1:]}
    st.dataframe(
        pd.DataFrame(rows, columns=list(names)), hide_index=True, column_config=right, key=f"steps_costs_{d_model}",
        alt=f"three ways to make {n_heads} heads from {d_model} numbers",
    )  # fmt: skip


def one_or_many(large: bool) -> None:
    """Draw one head against two."""
    with st.container(key="steps_many"):
        st.header("One head or two?", anchor=False)
        made, sentence = steps_ways.one_against_two()
        flow(made, "steps_one_against_two", large)
        flow(tree(say(*sentence), "one head against two, in a sentence"), "steps_many_so", large)
        caption("Both can be walked through: “All is well” under “Layer of the toy”.", key="steps_many_caption")
