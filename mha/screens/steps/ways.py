"""Three ways to make heads from the same words, what they cost, and one head against two. Pure."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from mha.brief import brief
from mha.core import (
    PRESETS,
    Counts,
    MultiHead,
    Preset,
    attend,
    attend_by_loop,
    average_weights,
    count,
    trace,
    width_effect,
)
from mha.errors import InputError
from mha.formats import percent
from mha.screens.steps.arrays import Node, Span, array, arrow, box, column, row, say, tree
from mha.screens.steps.lesson import labelled

WAYS = {"full": "Full", "slices": "Slices of the projection", "overlap": "Random overlapping parts"}
WIDTHS = (1, 4, 16, 64, 256, 512)
ORIGINAL = PRESETS["original"]


@dataclass(frozen=True, eq=False)
class Way:
    """One way to make heads: its layer and output on the given words, or why it cannot be."""

    split: str
    heads: MultiHead | None = None
    counts: Counts | None = None
    output: np.ndarray | None = None
    loop_difference: float = 0.0
    refused: str = ""

    __repr__ = brief


def way(split: str, embeddings: np.ndarray, n_heads: int, seed: int, decimals: int | None = 1) -> Way:
    """Return a seeded layer of that kind on these words [token, d_model], stacked and by a loop over its heads."""
    n_tokens, d_model = embeddings.shape
    try:
        heads = MultiHead.random(d_model, n_heads, split, seed, decimals=decimals)
    except InputError as error:
        return Way(split, refused=str(error))
    output, _ = attend(heads, embeddings)  # [token, d_model]
    by_loop, _ = attend_by_loop(heads, embeddings)  # [token, d_model]
    counts = count(split, d_model, n_heads, n_tokens)
    return Way(split, heads, counts, output, float(np.abs(output - by_loop).max()))


def way_tree(made: Way, embeddings: np.ndarray, words: tuple[str, ...]) -> Node:
    """Return one way as a tree: what each head reads, its shapes, its output."""
    if made.heads is None or made.counts is None or made.output is None:
        return tree(column(say(("plain", made.refused), style="caption")), f"{made.split}: not possible")
    n, heads, counts = len(embeddings), made.heads, made.counts
    width = heads.n_heads * heads.d_head
    reads = np.ones((heads.n_heads, heads.d_model)) if heads.reads is None else heads.reads
    masked = np.where(reads, embeddings[0], np.nan)  # [head, d_model], what it does not read is not there
    names = labelled(words)
    steps = (
        ("X", f"{n} × {heads.d_model}"),
        ("Q, K, V of a head", f"{n} × {counts.n_reads} times {counts.n_reads} × {heads.d_head} = {n} × {heads.d_head}"),
        ("weights of a head", f"{n} × {n}"),
        ("weights × V", f"{n} × {heads.d_head}"),
        ("side by side", f"{heads.n_heads} of them: {n} × {width}"),
        ("× W_O", f"{width} × {heads.d_model}"),
        ("output", f"{n} × {heads.d_model}"),
    )
    first = (("plain", "what each head reads of "), ("word", names[0]))
    return tree(
        column(
            array(
                masked, first, name=f"reads_{made.split}", shape="", rows=[f"head {h}" for h in range(heads.n_heads)]
            ),
            {"kind": "calculation", "name": f"shapes_{made.split}", "lines": [[what, "", how] for what, how in steps]},
            array(made.output, "output", name=f"output_{made.split}", decimals=2, rows=names),
        ),
        f"{WAYS[made.split]}: the shapes from the words to the output",
    )


def costs(n_heads: int, n_tokens: int, d_model: int) -> list[tuple[str, str, str, str, str, int | None, int | None]]:
    """Return a row for each way: name, what a head gets, its matrices, side by side, W_O, parameters, multiplications.

    A way that cannot be has None and says so.
    """
    rows: list[tuple[str, str, str, str, str, int | None, int | None]] = []
    for split, title in WAYS.items():
        try:
            c = count(split, d_model, n_heads, n_tokens)
        except InputError:
            rows.append((title, f"{d_model} do not divide by {n_heads}", "–", "–", "–", None, None))
            continue
        gets = f"all {c.n_reads:,} numbers" if c.n_reads == d_model else f"{c.n_reads} of the {d_model} numbers"
        width = n_heads * c.d_head
        rows.append(
            (
                title,
                gets,
                f"3 × ({c.n_reads:,} × {c.d_head:,})",
                f"{n_tokens} × {width:,}",
                f"{width:,} × {d_model:,}",
                c.n_parameters,
                c.n_multiplications,
            )
        )
    return rows


def one_against_two() -> tuple[Node, tuple[Span, ...]]:
    """Return "All is well" with one head, with two, and with two that must share one weighting; and a sentence.

    Drawn is the word whose weights the averaging moves most.
    """
    single, double = PRESETS["one_head"], PRESETS["two_heads"]
    names = labelled(tuple(double.text.split()))
    one, two = _traced(single), _traced(double)
    shared = average_weights(double.heads(), two)
    moved = np.abs(two["weights"] - shared.weights)  # [head, query, key]
    word = int(np.unravel_index(moved.argmax(), moved.shape)[1])

    def line(values: np.ndarray, title: str, name: str) -> Node:
        rows = [f"{names[word]} looks at"]
        return array(values[[word]], title, name=name, shares=True, rows=rows, columns=names, shape="")

    def out(values: np.ndarray, name: str) -> Node:
        title: Span = ("plain", "output for ")
        return array(values[[word]], (title, ("word", names[word])), name=name, decimals=2, shape="")

    root = row(
        box("one head", column(line(one["weights"][0], "one weighting", "one_head"), out(one["output"], "one_out"))),
        box(
            "two heads",
            column(
                line(two["weights"][0], "head 0", "two_heads_0"),
                line(two["weights"][1], "head 1", "two_heads_1"),
                out(two["output"], "two_out"),
            ),
        ),
        arrow("averaged"),
        box(
            "two heads made one",
            column(line(shared.weights, "the mean of both", "shared"), out(shared.output, "shared_out")),
        ),
    )
    first, second = (int(row.argmax()) for row in two["weights"][:, word])
    before = [percent(float(two["weights"][head, word, at])) for head, at in enumerate((first, second))]
    after = [percent(float(shared.weights[word, at])) for at in (first, second)]
    changed = float(np.abs(shared.output[word] - two["output"][word]).max())
    sentence: tuple[Span, ...] = (
        ("plain", "One head gives each word one weighting; two heads keep two: for "),
        ("word", names[word]),
        ("plain", ", head 0 picks out "),
        ("word", names[first]),
        ("plain", f" ({before[0]}) and head 1 "),
        ("word", names[second]),
        ("plain", f" ({before[1]}). Averaged they get {after[0]} and {after[1]}, and the output changes by up to "),
        ("plain", f"{changed:.2f}: the mean no longer tells which head looked where."),
    )
    return tree(root, "one head against two"), sentence


def _traced(preset: Preset):
    return trace(preset.heads(), preset.embeddings())


_effect = functools.lru_cache(maxsize=64)(width_effect)  # a few numbers each


def width_tree(d_head: int) -> Node:
    """Return how the variance of q·k and the largest of eight weights change with the width of a head."""
    widths = tuple(sorted({*WIDTHS, d_head}))
    effects = [_effect(width) for width in widths]
    labels = [str(width) for width in widths]
    place = widths.index(d_head)
    variance = np.array([[e.variance for e in effects], [e.variance_scaled for e in effects]])
    largest = np.array([[e.largest_raw for e in effects], [e.largest_scaled for e in effects]])
    rows = ("q · k", "q · k ÷ √d_head")
    return tree(
        row(
            array(variance, "variance, by d_head", name="variance", rows=rows, columns=labels, shape="",
                  cell=(0, place)),
            array(
                largest, "largest of eight weights", name="largest", shares=True, rows=rows, columns=labels, shape="",
                cell=(0, place),
            ),
        ),
        "variance of scores by the width of a head",
    )  # fmt: skip


def width_sentence(d_head: int) -> str:
    """Return what the slider shows, in a sentence."""
    e = _effect(d_head)
    return (
        f"With {d_head} numbers a head, q · k of random q and k has a variance of {e.variance:.1f}; divided by "
        f"√{d_head} it is {e.variance_scaled:.2f}. Of eight words the one looked at most gets "
        f"{percent(e.largest_raw)} of the attention without the division and {percent(e.largest_scaled)} with it."
    )


def three_ways(n_heads: int) -> tuple[Way, ...]:
    """Return the three ways on the Money Bank's words, with its seed."""
    embeddings = PRESETS["money_bank"].embeddings()
    return tuple(way(split, embeddings, n_heads, PRESETS["money_bank"].seed) for split in WAYS)
