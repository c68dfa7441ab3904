"""What lies beside the toy's walk: another order or width, tables to edit, W_O, three ways to make heads. Pure."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from functools import partial

import numpy as np

from mha.core import (
    PRESETS,
    MultiHead,
    Preset,
    Trace,
    attend,
    attend_by_loop,
    average_weights,
    count,
    shuffle,
    sinusoidal_positions,
    trace,
    width_effect,
)
from mha.errors import InputError
from mha.formats import counted, percent
from mha.link.acts import Say
from mha.link.steps import STEPS
from mha.screens.arrays import Array, Arrow, Calculation, Flow, Node, array, box, column, row
from mha.screens.blocks import Block, Said, caption, heading, say, word
from mha.screens.inputs import Choose, Matrices, Press
from mha.screens.places import More, PageTable, Place, Row, Side, Together
from mha.screens.steps.lesson import Lesson, labelled
from mha.screens.steps.toy import EDITING, what_w_o_does
from mha.screens.steps.toy_arrays import last_matrix

WAYS = {"full": "Full", "slices": "Slices of the projection", "overlap": "Random overlapping parts"}
WIDTHS = (1, 4, 16, 64, 256, 512)
BANK = PRESETS["money_bank"]
WIDTH, HEADS = 420, 320  # px


def beside(made: Lesson) -> Iterator[Block]:
    """Yield what stands under the walk, in the order of the page."""
    mix = (Together((last_matrix(made),)),), (Together((what_w_o_does(made),)),)
    if made.choices.number == len(STEPS):
        yield Place("steps_last", (More("What the last matrix is for", (Side(mix, (3, 2), align="center"),)),))
    if made.editable:
        yield Place("steps_edit", tuple(_tables(made)))
    title = f"Three ways to split four numbers into {counted(made.choices.heads, 'head')}"
    yield Place("steps_ways", (More(title, tuple(_three_ways(made.choices.heads))),))
    one, so = one_against_two()
    said = caption(ONE_OR_MANY)
    yield Place("steps_many", (More("One head or two?", (Together((one,)), Together((so,)), said)),))


def under_step(made: Lesson) -> Iterator[Block]:
    """Yield what can be tried at the step that is shown."""
    extra = {2: _shuffled, 5: _widths}.get(made.choices.number)
    if extra is not None:
        yield Place("steps_extra", tuple(extra(made)))


def _shuffled(made: Lesson) -> Iterator[Block]:
    """Yield what the order of the words changes, with and without positions."""
    yield heading("What if the words are shuffled?")
    yield Together((shuffled(made),))
    yield caption(SHUFFLED, style="sub")


def _widths(made: Lesson) -> Iterator[Block]:
    """Yield how the variance of scores grows with the width of a head."""
    yield heading("Why the square root?")
    yield Choose("steps_width", width=WIDTH)
    yield Together((widths(made.choices.width),))
    yield caption(widths_said(made.choices.width), style="sub")


def _tables(made: Lesson) -> Iterator[Block]:
    """Yield the tables in which the toy's numbers can be edited, or the button that opens them."""
    own = made.choices
    other = Say("steps_seed", (own.seed or 0) + 1), Say("steps_edits", "")
    back = Say("steps_seed", None), Say("steps_edits", "")
    buttons = (
        Press("Done" if own.editing else "Edit numbers", (Say("steps_editing", not own.editing),)),
        Press("New random numbers", other),
        Press("Reset", back, off=not (own.edits or own.seed is not None)),
    )
    yield Row(buttons, left=True, align="center")
    if own.editing:
        about = (own.seed, own.layer, own.words, own.text)
        yield Matrices("steps_edits", made.seeded, labelled(made.words), own.edits, about)
        yield caption(EDITING)


def _three_ways(n_heads: int) -> Iterator[Block]:
    """Yield the three ways to make heads on the same words, with what each costs, here and in the original paper."""
    yield Choose("steps_heads", width=HEADS)
    yield Side(tuple(tuple(way(split, n_heads)) for split in WAYS), (1, 1, 1), "medium")
    yield _costs(n_heads, 2, 4)
    yield caption(COSTS_HERE)
    yield heading("The original paper: 8 heads, d_model 512, d_head 64", "h3")
    yield _costs(8, 10, 512)
    yield caption(COSTS_THERE)


def _costs(n_heads: int, n_tokens: int, d_model: int) -> PageTable:
    columns = dict(zip(COSTS, zip(*costs(n_heads, n_tokens, d_model), strict=True), strict=True))
    alt = f"three ways to make {n_heads} heads from {d_model} numbers"
    return PageTable(columns, alt, f"parallax-costs-{d_model}", sorts=True, right=COSTS[1:])


def shuffled(lesson: Lesson) -> Flow:
    """Return the outputs of the words in reverse order beside the reversed outputs, without positions and with them."""
    order = tuple(reversed(range(len(lesson.words))))
    names = [labelled(lesson.words)[at] for at in order]
    one = partial(array, decimals=2, rows=names, most_columns=6)
    lines: list[Node] = []
    for on, positions in (("off", None), ("on", sinusoidal_positions(len(order), lesson.d_model))):
        of_shuffled, shuffled_of = shuffle(lesson.numbers.heads, lesson.numbers.embeddings, order, positions)
        difference = np.abs(of_shuffled - shuffled_of).max(initial=0)
        verdict = say(f"positions {on}: largest difference {difference:.2f}")
        first = one(of_shuffled, "output of the words in reverse order", name=f"of_shuffled_{on}")
        second = one(shuffled_of, "first output, rows reversed", name=f"shuffled_of_{on}")
        lines.append(column(Said("sub", verdict), row(first, second)))
    return Flow(column(*lines), "outputs when the words are shuffled")


SHUFFLED = (
    "Without positions, shuffling the words shuffles the outputs the same way ([[equivariance]]). With positions, each "
    "row also depends on its place."
)


def way(split: str, n_heads: int) -> Iterator[Block]:
    """Yield one way on the Money Bank's words, with its seed: what each head reads, the shapes, the output.

    One that cannot be says why; the others say that a loop over the heads comes to the same.
    """
    yield heading(WAYS[split], "h3")
    embeddings, names = BANK.embeddings(), labelled(tuple(BANK.text.split()))
    n, d_model = embeddings.shape
    try:
        heads = MultiHead.random(d_model, n_heads, split, BANK.seed, decimals=1)
    except InputError as error:
        yield Together((Flow(column(Said("caption", (("plain", str(error)),))), f"{split}: not possible"),))
        return
    output, _ = attend(heads, embeddings)  # [token, d_model]
    by_loop, _ = attend_by_loop(heads, embeddings)  # [token, d_model]
    reads, width = count(split, d_model, n_heads, n).n_reads, heads.n_heads * heads.d_head
    read = np.ones((heads.n_heads, d_model)) if heads.reads is None else heads.reads
    masked = np.where(read, embeddings[0], np.nan)  # [head, d_model], what it does not read is not there
    shapes = (
        ("X", "", f"{n} × {d_model}"),
        ("Q, K, V of a head", "", f"{n} × {reads} times {reads} × {heads.d_head} = {n} × {heads.d_head}"),
        ("weights of a head", "", f"{n} × {n}"),
        ("weights × V", "", f"{n} × {heads.d_head}"),
        ("side by side", "", f"{heads.n_heads} of them: {n} × {width}"),
        ("× W_O", "", f"{width} × {d_model}"),
        ("output", "", f"{n} × {d_model}"),
    )
    first = say("what each head reads of {word}", word=word(names[0]))
    each = [f"head {h}" for h in range(heads.n_heads)]
    root = column(
        array(masked, first, name=f"reads_{split}", shape="", rows=each),
        Calculation(shapes, f"shapes_{split}"),
        array(output, "output", name=f"output_{split}", decimals=2, rows=names),
    )
    yield Together((Flow(root, f"{WAYS[split]}: the shapes from the words to the output"),))
    differs = f"difference at most {np.abs(output - by_loop).max():.1e}"
    yield caption(f"Head by head or in one product: same result ({differs}).")


COSTS = ("Way", "A head gets", "Its Q, K, V matrices", "Side by side", "W_O", "Numbers to learn", "Multiplications")


def costs(n_heads: int, n_tokens: int, d_model: int) -> list[tuple[str, ...]]:
    """Return a row of `COSTS` for each way; one that cannot be says so."""
    rows: list[tuple[str, ...]] = []
    for split, title in WAYS.items():
        try:
            c = count(split, d_model, n_heads, n_tokens)
        except InputError:
            rows.append((title, f"{d_model} does not divide by {n_heads}", "–", "–", "–", "–", "–"))
            continue
        gets = f"all {c.n_reads:,} numbers" if c.n_reads == d_model else f"{c.n_reads} of the {d_model} numbers"
        width = n_heads * c.d_head
        shapes = (f"3 × ({c.n_reads:,} × {c.d_head:,})", f"{n_tokens} × {width:,}", f"{width:,} × {d_model:,}")
        rows.append((title, gets, *shapes, f"{c.n_parameters:,}", f"{c.n_multiplications:,}"))
    return rows


COSTS_HERE = (
    "In the usual design (slices) every head reads the whole word and makes a smaller result. Counts without "
    "biases, for "
    "two words, matrix products only."
)
COSTS_THERE = "For ten words (Vaswani et al. 2017 use slices). Choose this layer under “Layer” to step through it."


def one_against_two() -> tuple[Flow, Flow]:
    """Return "All is well" with one head, with two, and with two that must share one weighting; and a sentence.

    Drawn is the word whose weights the averaging moves most.
    """
    single, double = PRESETS["one_head"], PRESETS["two_heads"]
    names = labelled(tuple(double.text.split()))
    one, two = _traced(single), _traced(double)
    weights, output = average_weights(double.heads(), two)
    moved = np.abs(two["weights"] - weights)  # [head, query, key]
    place = int(np.unravel_index(moved.argmax(), moved.shape)[1])

    def line(values: np.ndarray, title: str, name: str) -> Array:
        rows = [f"{names[place]} looks at"]
        return array(values[place], title, name=name, shares=True, rows=rows, columns=names, shape="")

    def out(values: np.ndarray, name: str) -> Array:
        title = say("output for {word}", word=word(names[place]))
        return array(values[place], title, name=name, decimals=2, shape="")

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
        Arrow("averaged"),
        box(
            "two heads made one",
            column(line(weights, "the mean of both", "shared"), out(output, "shared_out")),
        ),
    )
    first, second = (int(looks.argmax()) for looks in two["weights"][:, place])
    before = [percent(float(two["weights"][head, place, at])) for head, at in enumerate((first, second))]
    after = [percent(float(weights[place, at])) for at in (first, second)]
    changed = float(np.abs(output[place] - two["output"][place]).max())
    sentence = say(
        f"One head gives {{word}} one set of shares; two heads give it two. Head 0 looks at {{first}} ({before[0]}), "
        f"head 1 at {{second}} ({before[1]}). Averaged into one head, they blur to {after[0]} and {after[1]}, and the "
        f"output changes by up to {changed:.2f}.",
        word=word(names[place]),
        first=word(names[first]),
        second=word(names[second]),
    )
    return Flow(root, "one head against two"), Flow(Said("finding", sentence), "one head against two, in a sentence")


ONE_OR_MANY = "To step through this: *Layer* → “All is well”."


def _traced(preset: Preset) -> Trace:
    return trace(preset.heads(), preset.embeddings())


_effect = functools.lru_cache(maxsize=64)(width_effect)  # a few numbers each


def widths(d_head: int) -> Flow:
    """Return how the variance of q·k and the largest of eight weights change with the width of a head."""
    shown = tuple(sorted({*WIDTHS, d_head}))
    effects = [_effect(width) for width in shown]
    variance = np.array([[e.variance for e in effects], [e.variance_scaled for e in effects]])
    largest = np.array([[e.largest_raw for e in effects], [e.largest_scaled for e in effects]])
    one = partial(
        array,
        rows=("q · k", "q · k ÷ √d_head"),
        columns=[str(width) for width in shown],
        shape="",
        cell=(0, shown.index(d_head)),
    )
    root = row(
        one(variance, "variance, by d_head", name="variance"),
        one(largest, "largest of eight weights", name="largest", shares=True),
    )
    return Flow(root, "variance of scores by the width of a head")


def widths_said(d_head: int) -> str:
    """Return what the slider shows, in a caption."""
    e = _effect(d_head)
    return (
        f"Without scaling, the top word of eight gets {percent(e.largest_raw)} of the attention; with scaling, "
        f"{percent(e.largest_scaled)}. (Variance {e.variance:.1f}, scaled {e.variance_scaled:.2f}; 512 random "
        f"queries of "
        f"width {d_head}, eight keys each.)"
    )
