"""What is said at each step of the walk with a model's numbers, and around it. Pure.

A row of `SAID` is a step: its idea (a caption) and formula (LaTeX) with slots in angle brackets, the calculation, the
sentence under its arrays, and the arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mha.formats import bracketed, number, percent
from mha.link.steps import STEPS
from mha.maps import HeadId
from mha.models.files.catalog import ModelRow
from mha.models.toy import by_hand as set_by_hand
from mha.screens.arrays import W_O, Line, Node, Spans, column
from mha.screens.blocks import say, word
from mha.screens.steps import model_arrays as arrays
from mha.screens.steps.model import ModelCell
from mha.screens.steps.step import Step, filled, product, step

MOST_TOKENS = 5  # of a mixture that are written out


def said(cell: ModelCell, number: int) -> Step:
    """Return what a step, by its number from 1, says and shows of the cell."""
    now, slots = SAID[number - 1], _slots(cell)
    return step(
        STEPS[number - 1],
        filled(now.idea, slots),
        filled(now.formula, slots),
        now.by_hand(cell),
        column(*now.arrays(cell, number)),
        now.so(cell),
        f"how {cell.head} comes to this weight",
        "The cell by hand" if number < 8 else "One number by hand",
    )


def units(cell: ModelCell) -> str:
    """Return what the tokens are, and why the maps of Heads have another share for the same look, as a caption."""
    tokens = cell.recording.maps.tokens
    words = [token.word for token in tokens if token.word is not None]
    whole = sum(words.count(word) == 1 for word in words)
    counted = (
        (whole, "whole word", "whole words"),
        (len(words) - whole, "piece of a word", "pieces of words"),
        (sum(token.punctuation for token in tokens), "punctuation mark", "punctuation marks"),
        (sum(token.special for token in tokens), "special token", "special tokens"),
    )
    parts = [f"{count} {one if count == 1 else many}" for count, one, many in counted if count]
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
    text = f"The model reads [[tokens|token]]. Its {len(tokens)} here are {listed}."
    if cell.on_heads is None or percent(cell.on_heads) == percent(cell.weight):
        return text
    why = ["word pieces are joined"] if cell.joined and whole < len(words) else []
    why += ["attention sinks are [[excluded]]"] if cell.aside else []
    reason = f", because there {' and '.join(why)}" if why else ""
    return f"{text} On Heads this number is {percent(cell.on_heads)}{reason}."


def source(cell: ModelCell, about: ModelRow) -> str:
    """Return the caption that says that these are a model's numbers, and of which."""
    maps = cell.recording.maps
    random = " For these words its numbers are random: the steps are real, the result has no meaning."
    is_random = about.kind == "toy" and not set_by_hand(maps.text)
    return (
        f"Model: {about.short} ({about.source}), {maps.origin}; head {cell.head}, tokens as the model sees them, "
        f"nothing excluded.{random if is_random else ''} Blue is positive, grey is negative."
    )


def _slots(cell: ModelCell) -> dict[str, object]:
    """Return what ideas and formulas leave open: the model's sizes, and what depends on it."""
    maps, layer = cell.recording.maps, cell.head.layer
    return {
        "n": maps.n_keys,
        "d": cell.d_head,
        "heads": maps.n_heads,
        "width": maps.n_heads * cell.d_head,
        "d_model": cell.d_model,
        "head": str(cell.head),
        "mask": "This model is causal: a [[mask]] hides every later token."
        if maps.causal
        else "This model has no [[mask]] between the tokens of a text: every token sees every token, so M is 0.",
        "came": f"The rows that come into layer {layer} already carry what earlier layers added."
        if layer
        else "Before the first layer, the row of a token is its [[embedding]], in many models with its place added.",
    }


def _weight(cell: ModelCell) -> tuple[Line, ...]:
    c, d = cell.by_hand, cell.d_head
    power, powers = number(c.powers[cell.key], 4), number(c.powers.sum(), 4)
    return (
        ("q · k", number(c.score), f"the sum of {d} products; the largest is {number(c.products.max())}"),
        (f"÷ √{d}", number(c.scaled), f"{number(c.score)} ÷ {np.sqrt(d):.2f}"),
        ("exp", power, f"exp({number(c.scaled)} − {bracketed(c.peak)}), the row’s largest taken off"),
        ("all tokens", powers, f"the same, added up over {visible(c.powers)}"),
        ("share", percent(c.weight), f"{power} ÷ {powers}"),
        ("recorded", percent(cell.weight), "what the model itself has"),
    )


def _mixture(cell: ModelCell) -> tuple[Line, ...]:
    row = cell.recording.maps[cell.head][cell.query].astype(np.float64)  # [key]
    first = cell.values[:, 0]  # [key]
    order = np.argsort(-row, kind="stable")[:MOST_TOKENS]
    lines: list[Line] = [
        (cell.names[key], percent(row[key]), f"× its value’s first number, {number(first[key])}") for key in order
    ]
    rest = len(row) - len(order)
    if rest:
        left = float(row @ first - row[order] @ first[order])
        lines.append(("the others", number(left), f"{rest} more, in the same way"))
    return (*lines, ("first number", number(cell.found[0]), "all of these products added up"))


def _found(cell: ModelCell) -> tuple[Line, ...]:
    n_heads, d_head = cell.found_by_all.shape
    first = list(dict.fromkeys((0, 1, cell.head.head)))[: min(3, n_heads)]
    lines = [
        (str(HeadId(cell.head.layer, at)), number(cell.found_by_all[at, 0]), f"the first of its {d_head} numbers")
        for at in sorted({at for at in first if at < n_heads})
    ]
    return (*lines, ("together", f"{n_heads * d_head:,}", f"{n_heads} × {d_head} numbers, none of them changed"))


def _sum(cell: ModelCell) -> tuple[Line, ...]:
    added = cell.added
    if added is None:
        return _weight(cell)
    head, n_heads = cell.head.head, len(added.heads)
    own, others = added.heads[head, 0], added.heads[:, 0].sum() - added.heads[head, 0]
    lines: list[Line] = [(f"{cell.head} adds", number(own, 3), product(added.found[head], added.w_output[:, 0], 3))]
    if n_heads > 1:
        lines.append(("other heads", number(others, 3), f"{n_heads - 1} more, each through its own rows"))
    if added.bias.any():
        lines.append(("bias", number(added.bias[0], 3), "learned with W_O, the same for every token"))
    return (*lines, ("first number", number(added.total[0], 3), "their sum, as the model computed it"))


def visible(powers: np.ndarray) -> str:
    """Return over how many tokens a row adds up; a power of nothing is a token that it may not look at."""
    seen = int((powers > 0).sum())
    return f"{seen} tokens" if seen == len(powers) else f"the {seen} of {len(powers)} tokens that it can see"


def _rows_so(cell: ModelCell) -> Spans:
    return say(
        f"{len(cell.names)} tokens come in, each as {cell.d_model:,} numbers. These steps follow how {{query}} looks "
        "at {key}.",
        query=word(cell.names[cell.query]),
        key=word(cell.names[cell.key]),
    )


def _projections_so(cell: ModelCell) -> Spans:
    return say(f"From here on this head uses {cell.d_head} numbers per token for each of q, k and v.")


def _weight_so(cell: ModelCell) -> Spans:
    if cell.agrees:
        by_hand, recorded = number(100 * cell.by_hand.weight), number(100 * cell.weight)
        return say(f"By hand {by_hand} %, in the model {recorded} %: the calculation is complete.")
    return say(
        f"The model’s own share differs by {100 * abs(cell.by_hand.weight - cell.weight):.1f} points: it adds "
        f"something "
        "else to its scores, such as a distance bias, or scales differently."
    )


def _mixture_so(cell: ModelCell) -> Spans:
    row = cell.recording.maps[cell.head][cell.query]
    most = int(row.argmax())
    own = say(f", and {{key}} has {percent(cell.weight)}", key=word(cell.names[cell.key])) if most != cell.key else ""
    return say(
        f"{{head}} mixes the values of {len(row)} tokens for {{query}}; the largest part, {percent(row[most])} of the "
        "attention, is {most}{own}.",
        head=cell.head,
        query=word(cell.names[cell.query]),
        most=word(cell.names[most]),
        own=own,
    )


def _found_so(cell: ModelCell) -> Spans:
    n_heads, d_head = cell.found_by_all.shape
    return say(
        f"Nothing is mixed yet: {n_heads} heads, {n_heads * d_head:,} numbers for {{query}}.",
        query=word(cell.names[cell.query]),
    )


def _sum_so(cell: ModelCell) -> Spans:
    if cell.added is None:
        return _weight_so(cell)
    sizes, query = arrays.lengths(cell.added), word(cell.names[cell.query])
    own = sizes[cell.head.head]
    place = 1 + int((sizes > own).sum())
    came = "."
    if cell.incoming is not None:
        came = (
            f"; the row of {{query}} that came in is {number(float(np.linalg.norm(cell.incoming[cell.query])))} long."
        )
    return say(
        f"{{w_o}} turns the {cell.d_head} numbers of {{head}} for {{query}} into {len(cell.added.total):,} and "
        "adds them to what the other heads add. What this head adds is "
        f"{number(float(own))} long, number {place} of the {len(sizes)} heads by length{came}",
        w_o=W_O,
        head=cell.head,
        query=query,
    )


@dataclass(frozen=True)
class ModelStepText:
    """One row of the table."""

    idea: str
    formula: str
    by_hand: Callable[[ModelCell], tuple[Line, ...]]
    so: Callable[[ModelCell], Spans]
    arrays: Callable[[ModelCell, int], list[Node]]


SAID = (
    ModelStepText(
        "The text is cut into [[tokens|token]]: words, word pieces and special tokens. Each has a row of <d_model> "
        "numbers.",
        r"<n>\ \text{tokens} \;\longrightarrow\; X \qquad <n> \times <d_model>",
        _weight,
        _rows_so,
        arrays.tokens,
    ),
    ModelStepText(
        "<came>",
        r"X \qquad <n> \times <d_model>",
        _weight,
        _rows_so,
        arrays.followed,
    ),
    ModelStepText(
        "Head <head> makes a [[query]], a [[key]] and a [[value]] of <d> numbers out of each token’s row, with three "
        "learned matrices.",
        r"q_i,\ k_j,\ v_j \qquad <d>\ \text{numbers each}",
        _weight,
        _projections_so,
        arrays.projections,
    ),
    ModelStepText(
        "Multiply q and k in every dimension and add the <d> products up: that is the [[attention score]].",
        r"s_{ij} = q_i \cdot k_j = \sum_{d=1}^{<d>} q_{id}\, k_{jd}",
        _weight,
        _weight_so,
        arrays.scores,
    ),
    ModelStepText(
        "Divide by the square root of the width, <d>.",
        r"\frac{q_i \cdot k_j}{\sqrt{<d>}}",
        _weight,
        _weight_so,
        arrays.scores,
    ),
    ModelStepText(
        "<mask>",
        r"\frac{q_i \cdot k_j}{\sqrt{<d>}} + M_{ij}",
        _weight,
        _weight_so,
        arrays.scores,
    ),
    ModelStepText(
        "[[Softmax|softmax]] over all <n> tokens makes shares of the scores: the [[weight]] that Heads draws.",
        r"a_{ij} = \frac{e^{s_{ij} / \sqrt{<d>}}}{\sum_{k=1}^{<n>} e^{s_{ik} / \sqrt{<d>}}}",
        _weight,
        _weight_so,
        arrays.scores,
    ),
    ModelStepText(
        "The token adds up the [[values|value]] of all tokens, weighted by attention.",
        r"z_i = \sum_{j=1}^{<n>} a_{ij}\, v_j \qquad <d>\ \text{numbers}",
        _mixture,
        _mixture_so,
        arrays.values,
    ),
    ModelStepText(
        "All <heads> heads of the layer do this at once; their results are put side by side.",
        r"[\,z^0_i \mid z^1_i \mid \dots\,] \qquad <heads> \times <d> = <width>",
        _found,
        _found_so,
        arrays.side_by_side,
    ),
    ModelStepText(
        "One last matrix, [[W_O]], mixes the <width> numbers of the heads into one row of <d_model>. Each head has <d> "
        "rows of it: they set how much of its result goes into each number. The parts of all heads are summed up.",
        r"\sum_h z^h_i\, W_{O,h} \qquad <heads> \cdot (1 \times <d>)(<d> \times <d_model>) \to 1 \times <d_model>",
        _sum,
        _sum_so,
        arrays.mix,
    ),
)
