"""What stands beside the arrays of the walk with a model's numbers: the calculation, and one sentence. Pure."""

from __future__ import annotations

import numpy as np

from mha.formats import bracketed, number, percent
from mha.maps import HeadId
from mha.models.watch.output import Added
from mha.screens.steps.arrays import Span
from mha.screens.steps.by_hand import Line, product
from mha.screens.steps.model import ModelCell
from mha.screens.steps.model_arrays import lengths
from mha.screens.steps.model_words import CAME_SAID, MASK_SAID, SAID

MOST_TOKENS = 5  # of a mixture that are written out


def said(cell: ModelCell, step: int) -> tuple[str, str]:
    """Return the idea (a caption) and the formula (LaTeX) of a step with the model's sizes."""
    maps = cell.recording.maps
    sizes = {
        "n": maps.n_keys,
        "d": cell.d_head,
        "heads": maps.n_heads,
        "width": maps.n_heads * cell.d_head,
        "d_model": cell.d_model,
        "head": str(cell.head),
        "mask": MASK_SAID[maps.causal],
        "came": CAME_SAID[cell.head.layer == 0].format(layer=cell.head.layer),
    }
    idea, formula = SAID[step - 1]
    return idea.format(**sizes), formula.format(**sizes)


def units(cell: ModelCell) -> str:
    """Return what the tokens are, and why Heads shows another share for the same look, as a caption."""
    tokens = cell.recording.maps.tokens
    words = [token.word for token in tokens if token.word is not None]
    whole = sum(words.count(word) == 1 for word in words)
    counted = (
        (whole, "whole word", "whole words"),
        (len(words) - whole, "piece of a word", "pieces of words"),
        (sum(token.punctuation for token in tokens), "mark of punctuation", "marks of punctuation"),
        (sum(token.special for token in tokens), "mark of the model’s own", "marks of the model’s own"),
    )
    parts = [f"{count} {one if count == 1 else many}" for count, one, many in counted if count]
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
    text = f"The model reads [[tokens|token]]. Its {len(tokens)} here are {listed}."
    if cell.on_heads is None or percent(cell.on_heads) == percent(cell.weight):
        return text
    why = ["such marks are [[set aside]] and the rest is shared out again"] if cell.aside else []
    why += ["pieces of a word count as one"] if cell.joined and whole < len(words) else []
    reason = f": there {', and '.join(why)}" if why else ""
    return f"{text} Heads shows this look as {percent(cell.on_heads)}{reason}."


def by_hand(cell: ModelCell, step: int, added: Added | None = None) -> tuple[Line, ...]:
    """Return the lines of the calculation: of the weight, and from step 8 on of a first number."""
    if step == 8:
        return _mixture(cell)
    if step == 9:
        return _found(cell)
    if step == 10 and added is not None:
        return _sum(cell, added)
    return _weight(cell)


def _weight(cell: ModelCell) -> tuple[Line, ...]:
    c, d = cell.by_hand, cell.d_head
    power, powers = number(c.powers[cell.key], 4), number(c.powers.sum(), 4)
    return (
        ("q · k", number(c.score), f"the sum of {d} products; the largest is {number(c.products.max())}"),
        (f"÷ √{d}", number(c.scaled), f"{number(c.score)} ÷ {np.sqrt(d):.2f}"),
        ("exp", power, f"exp({number(c.scaled)} − {bracketed(c.peak)}), the row’s largest taken off"),
        ("all tokens", powers, f"the same, added up over {visible(c.powers)}"),
        ("share", percent(c.weight), f"{power} ÷ {powers}"),
        ("recorded", percent(cell.weight), "what the model itself had there"),
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


def _sum(cell: ModelCell, added: Added) -> tuple[Line, ...]:
    head, n_heads = cell.head.head, len(added.heads)
    own, others = added.heads[head, 0], added.heads[:, 0].sum() - added.heads[head, 0]
    lines: list[Line] = [(f"{cell.head} adds", number(own, 3), product(added.found[head], added.w_output[:, 0], 3))]
    if n_heads > 1:
        lines.append(("other heads", number(others, 3), f"{n_heads - 1} more, each through its own rows"))
    if added.bias.any():
        lines.append(("bias", number(added.bias[0], 3), "learned with W_O, the same for every token"))
    return (*lines, ("first number", number(added.total[0], 3), "their sum, as the model computed it"))


def so(cell: ModelCell, step: int, added: Added | None = None) -> tuple[Span, ...]:
    """Return the sentence under the arrays of a step."""
    if step <= 2:
        return _rows_so(cell)
    if step == 3:
        return (
            ("plain", f"From here on this head works with {cell.d_head} numbers for each token, three times over."),
        )
    if step == 8:
        return _mixture_so(cell)
    if step == 9:
        return _found_so(cell)
    if step == 10 and added is not None:
        return _sum_so(cell, added)
    return _weight_so(cell)


def _rows_so(cell: ModelCell) -> tuple[Span, ...]:
    return (
        ("plain", f"{len(cell.names)} tokens come in, each as {cell.d_model:,} numbers; followed is how "),
        ("word", cell.names[cell.query]),
        ("plain", " comes to look at "),
        ("word", cell.names[cell.key]),
        ("plain", "."),
    )


def _weight_so(cell: ModelCell) -> tuple[Span, ...]:
    if not cell.agrees:
        away = abs(cell.by_hand.weight - cell.weight)
        return (
            ("plain", f"The recorded weight is {100 * away:.1f} points away from this: the model adds something to "),
            ("plain", "its scores that q and k do not show, such as a bias for the distance, or divides otherwise."),
        )
    return (
        ("plain", f"{number(100 * cell.by_hand.weight)} % by hand, {number(100 * cell.weight)} % recorded: "),
        ("plain", "nothing else goes into this weight."),
    )


def _mixture_so(cell: ModelCell) -> tuple[Span, ...]:
    row = cell.recording.maps[cell.head][cell.query]
    most = int(row.argmax())
    other = most != cell.key
    return (
        ("plain", "What "),
        ("head", str(cell.head)),
        ("plain", " finds for "),
        ("word", cell.names[cell.query]),
        ("plain", f" is a mixture of the values of all {len(row)} tokens, in which "),
        ("word", cell.names[most]),
        ("plain", f" has {percent(row[most])}"),
        *([("plain", " and "), ("word", cell.names[cell.key]), ("plain", f" {percent(cell.weight)}")] if other else []),
        ("plain", "."),
    )


def _found_so(cell: ModelCell) -> tuple[Span, ...]:
    n_heads, d_head = cell.found_by_all.shape
    return (
        ("plain", f"Nothing is mixed yet: {n_heads} heads leave {n_heads * d_head:,} numbers for "),
        ("word", cell.names[cell.query]),
        ("plain", f", {d_head} each, every head’s in its own place."),
    )


def _sum_so(cell: ModelCell, added: Added) -> tuple[Span, ...]:
    size = lengths(added)
    own, n_heads, d_head = size[cell.head.head], len(size), cell.d_head
    place = 1 + int((size > own).sum())
    word: Span = ("word", cell.names[cell.query])
    spans: list[Span] = [
        ("plain", "W"),
        ("sub", "O"),
        ("plain", " turns the "),
        ("plain", f"{d_head} numbers that "),
        ("head", str(cell.head)),
        ("plain", " found for "),
        word,
        ("plain", f" into {len(added.total):,} and adds them to what the other heads add. What this head adds is "),
        ("plain", f"{number(float(own))} long, number {place} of the {n_heads} heads by length"),
    ]
    if cell.incoming is None:
        return (*spans, ("plain", "."))
    came = float(np.linalg.norm(cell.incoming[cell.query]))
    return (*spans, ("plain", "; the row of "), word, ("plain", f" that came in is {number(came)} long."))


def visible(powers: np.ndarray) -> str:
    """Return over how many tokens a row adds up; a power of nothing is a token that it may not look at."""
    seen = int((powers > 0).sum())
    return f"{seen} tokens" if seen == len(powers) else f"the {seen} of {len(powers)} tokens that it may look at"
