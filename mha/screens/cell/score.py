"""From query and key to the weight: what fits together, product by product, and each step from sum to share."""

from __future__ import annotations

import math

import numpy as np

from mha.formats import number, percent, signed
from mha.screens.arrays import Calculation, Flow, Line
from mha.screens.blocks import Block, Heading, NumberRow, Said, Span, as_text, heading, say
from mha.screens.cell.recorded import RecordedCell, decimals, share

SMALL = 64  # numbers of a head up to which all stand in the waterfall, the largest first
LARGEST, SMALLEST = 24, 7  # columns of the waterfall of a wide head
CALLED, AGAINST = 5, 2  # products with their numbers at the bars
READABLE = 1e6  # up to which exponentials are told


class Dims(Block, kind="cell_dims", arrays=True):
    """Query, key and their products, column by column; NaN where a column stands for several numbers.

    ``wash`` columns from the left are marked, ``called`` are those whose numbers stand at the bars.
    """

    numbers: tuple[str, ...]
    q: NumberRow
    k: NumberRow
    products: NumberRow
    wash: int
    called: tuple[int, ...]
    decimals: int
    query_name: str
    key_name: str
    count: int
    total: str
    label: str


def fits(case: RecordedCell) -> tuple[Heading, Said]:
    """Return the heading and the first lines of what fits together."""
    products, n = case.products, case.d_head
    digits = max(1, decimals(products))
    line = say(
        f"The head turns {{query}} into a [[query]] and {{key}} into a [[key]], {n:,} numbers each. It multiplies them "
        "pair by pair. ",
        query=case.query,
        key=case.key,
    )
    if n > CALLED:
        five = float(np.sort(products)[-CALLED:].sum())
        line += say(
            f"The five largest products add up to {number(five, digits)}; all {n:,} add up to "
            f"{number(float(products.sum()), digits)}."
        )
    if case.unturned:
        line += say(
            f" These are the numbers before the model encodes position; afterwards the products add up to "
            f"{number(case.cell.dot, digits)}."
        )
    elif case.cell.rotated:
        told = "" if case.cell.before is not None else " The numbers before that step are not available for this model."
        line += say(f" Position is already encoded in both (rotary encoding).{told}")
    return heading("1 · Query meets key"), Said("sub", line)


def dims(case: RecordedCell) -> tuple[Dims, Said]:
    """Return the waterfall and the line under it."""
    q, k = case.pair
    products = case.products
    columns = _columns(case)
    named = [number_ for number_ in columns if number_ >= 0]
    rest = sorted(set(range(case.d_head)) - set(named))
    values = [float(products[i]) if i >= 0 else float(products[rest].sum()) for i in columns]
    order = sorted(named, key=lambda i: float(products[i]), reverse=True)
    top = [i for i in order[:CALLED] if products[i] > 0]
    low = [i for i in order[::-1][:AGAINST] if products[i] < 0]
    digits = decimals(np.concatenate([q, k]))
    total = float(products.sum())
    picture = Dims(
        numbers=tuple(str(i) if i >= 0 else f"{len(rest):,} more" for i in columns),
        q=np.array([q[i] if i >= 0 else np.nan for i in columns]),
        k=np.array([k[i] if i >= 0 else np.nan for i in columns]),
        products=np.array(values),
        wash=0 if case.by_number or case.d_head <= CALLED else len(top),
        called=tuple(columns.index(i) for i in (*top, *low)),
        decimals=digits,
        query_name=as_text((case.query,)),
        key_name=as_text((case.key,)),
        count=case.d_head,
        total=number(total, 2),
        label=(
            f"query, key and their products, {case.d_head} numbers; the products add up to {number(total, 2)}. "
            + _told(q, k, products, top, low, digits)
        ).strip(),
    )
    return picture, Said("cap", _dims_caption(case, top, rest))


def _told(q: np.ndarray, k: np.ndarray, products: np.ndarray, top: list[int], low: list[int], digits: int) -> str:
    """Return the largest products and the most negative ones, for whoever does not see the bars."""

    def each(i: int) -> str:
        return f"number {i} ({number(q[i], digits)} × {number(k[i], digits)} = {number(products[i], digits)})"

    largest = f"Largest: {', '.join(map(each, top))}. " if top else ""
    return largest + (f"Most negative: {', '.join(map(each, low))}." if low else "")


def _columns(case: RecordedCell) -> list[int]:
    """Return the numbers in the order of the columns; −1 is the column of all the others together."""
    products = case.products
    if case.by_number:
        pairs = turning_pairs(case.cell.before, (case.cell.q, case.cell.k)) if case.cell.before else None
        return pairs or list(range(len(products)))
    order = [int(i) for i in np.argsort(-products, kind="stable")]
    return order if len(order) <= SMALL else [*order[:LARGEST], -1, *order[-SMALLEST:]]


def _dims_caption(case: RecordedCell, top: list[int], rest: list[int]) -> tuple[Span, ...]:
    line = "" if top else "All products are negative or zero."
    if rest:
        line += f" “{len(rest):,} more” adds up the rest; choose “In order” to see each."
    if case.by_number and case.cell.before is not None and _columns(case) != list(range(case.d_head)):
        line += " Numbers that turn together are side by side."
    return say("{line}", line=line.strip())


def turning_pairs(before: tuple[np.ndarray, np.ndarray], after: tuple[np.ndarray, np.ndarray]) -> list[int] | None:
    """Return the order of a head's numbers in which those that turn together stand side by side, or None.

    A rotation keeps the length of each pair; models pair a number with the next one, or with one half further on, of
    all numbers or of a first part. Where several ways fit (nothing was turned), none is told.
    """
    size = len(before[0])
    fitting = []
    for turned in sorted({size, *(part for part in (size // 2, size // 4) if part % 2 == 0 and part)}, reverse=True):
        rest = list(range(turned, size))
        halves = [number for i in range(turned // 2) for number in (i, i + turned // 2)]
        for order in (list(range(turned)), halves):
            still = all(np.allclose(b[rest], a[rest], atol=1e-5) for b, a in zip(before, after, strict=True))
            if still and _kept(before, after, order):
                fitting.append(order + rest)
    return fitting[0] if len({tuple(order) for order in fitting}) == 1 else None


def _kept(before: tuple[np.ndarray, np.ndarray], after: tuple[np.ndarray, np.ndarray], order: list[int]) -> bool:
    """Return whether each two neighbours of an order keep their length."""
    if len(order) % 2:
        return False
    lengths = [np.hypot(*one[order].reshape(-1, 2).T) for one in (*before, *after)]
    size = max(1.0, *(float(one.max()) for one in lengths))
    return all(np.allclose(lengths[i], lengths[i + 2], atol=1e-4 * size) for i in (0, 1))


def score_steps(case: RecordedCell) -> tuple[Heading, Flow]:
    """Return the steps from the products to the weight that there are."""
    there = (*(line for line, absent in to_score(case) if not absent), to_share(case))
    return heading("2 · From sum to attention score"), Flow(Calculation(there, "score"), "from the sum to the weight")


def absent_steps(case: RecordedCell) -> tuple[Flow, ...]:
    """Return the steps that this model or this cell lacks, each with the reason."""
    lacking = tuple(line for line, absent in to_score(case) if absent)
    return (Flow(Calculation(lacking, "score_absent"), "steps that this cell lacks"),) if lacking else ()


def to_score(case: RecordedCell) -> tuple[tuple[Line, bool], ...]:
    """Return each step from the products to the score, and whether this model or this cell lacks it."""
    found, n = case.cell, case.d_head
    largest = f"the largest is {number(float(found.products.max()))}"
    cap: tuple[Line, bool] = ((say("soft cap"), "none", "not used in this layer"), True)
    if found.cap is not None:
        cap = (say("→ soft cap"), number(found.capped), f"{found.cap:g} · tanh(score ÷ {found.cap:g})"), False
    total: Line = (say(f"sum of {n:,} products"), number(found.dot), largest)
    return _turned(case), (total, False), (_scale(case), False), cap, _position(case), _mask(case)


def _turned(case: RecordedCell) -> tuple[Line, bool]:
    found, title = case.cell, say("turned by place")
    if not found.rotated:
        return (title, "none", "this model does not rotate"), True
    if found.before is None:
        return (title, "yes", "earlier numbers not available"), False
    before = float((found.before[0] * found.before[1]).sum())
    return (title, "yes", f"before it the products made {number(before)}"), False


def divisor(case: RecordedCell) -> str:
    """Return what a sum is divided by, or what it is multiplied with, in this layer."""
    found, n = case.cell, case.d_head
    if math.isclose(found.scale, n**-0.5, rel_tol=1e-6):
        return f"÷ √{n}"
    return "÷ 1" if math.isclose(found.scale, 1.0) else f"× {found.scale:.3g}"


def _scale(case: RecordedCell) -> Line:
    found, by = case.cell, divisor(case)
    why = "this layer does not divide" if by == "÷ 1" else "this layer’s own scale"
    if "√" in by:
        why = f"{number(found.dot)} ÷ {1 / found.scale:.2f}, so that wide heads do not get larger scores"
    return say("→ {by}", by=by), number(found.scaled), why


def _position(case: RecordedCell) -> tuple[Line, bool]:
    found, title = case.cell, say("+ position bias")
    if found.position is not None:
        return (title, signed(found.position, 2 if abs(found.position) >= 0.1 else 4), _bias(case)), False
    why = "added to the words before the first layer" if found.placed else "0 for these two positions"
    return (title, "none", "encoded by rotation instead" if found.rotated else why), True


def _bias(case: RecordedCell) -> str:
    found = case.cell
    return "depends on their distance only" if found.by_distance else "depends on their positions and words"


def _mask(case: RecordedCell) -> tuple[Line, bool]:
    """Return what the mask does: why a key is hidden, where that is known, and how far a layer sees."""
    found, title = case.cell, say("+ [[mask]]")
    window = "" if found.window is None else f"the window of {found.window:,} tokens"
    if not found.hidden:
        return (title, "0", f"inside {window}" if window else "visible"), True
    if found.causal and found.key > found.query:
        return (title, "−∞", "later token: hidden, this model reads left to right"), False
    outside = found.window is not None and found.query - found.key >= found.window
    return (title, "−∞", f"outside {window}" if outside else "hidden"), False


def to_share(case: RecordedCell) -> Line:
    """Return the step from the score to the weight, in one line."""
    found = case.cell
    n, sink = len(case.seen), "" if found.sink is None else " plus a learned sink that takes part of the 100\u00a0%"
    title = say(f"→ [[exp, ÷ sum over {n:,} key{'' if n == 1 else 's'}|softmax]]{sink}")
    if found.hidden:
        why = "hidden: 0\u00a0%" if case.cut_off else "all keys are hidden, so each gets the same share"
        return title, percent(found.weight), why
    with np.errstate(over="ignore"):
        powers = np.exp(found.scores[case.seen])
        whole = float(powers.sum() + (0 if found.sink is None else np.exp(found.sink)))
    own = float(np.exp(min(found.scores[found.key], 700.0)))
    told = whole < READABLE and own >= 0.1
    return (
        title,
        share(found.weight),
        f"{_few_digits(own)} of {_few_digits(whole)} = {share(found.weight)}" if told else "",
    )


def _few_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
