"""From query and key to the weight: what fits together, product by product, and each step from sum to share."""

from __future__ import annotations

import math

import numpy as np

from mha.formats import number, percent, signed
from mha.screens.blocks import Heading, Said, Span, as_text, heading, say
from mha.screens.cell.blocks import Dims, ScoreStep, Steps
from mha.screens.cell.findings import decimals, share
from mha.screens.cell.recorded import SMALL, RecordedCell, turning_pairs

LARGEST, SMALLEST = 24, 7  # columns of the waterfall of a wide head
CALLED, AGAINST = 5, 2  # products with their numbers at the bars
READABLE = 1e6  # up to which exponentials are told


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


def score_steps(case: RecordedCell) -> tuple[Heading, Steps]:
    """Return the steps from the products to the weight that there are."""
    return heading("2 · From sum to attention score"), Steps(tuple(row for row in _steps(case) if not row.absent))


def absent_steps(case: RecordedCell) -> tuple[Steps, ...]:
    """Return the steps that this model or this cell lacks, each with the reason."""
    rows = tuple(row for row in _steps(case) if row.absent)
    return (Steps(rows),) if rows else ()


def _steps(case: RecordedCell) -> tuple[ScoreStep, ...]:
    found, n = case.cell, case.d_head
    return (
        _turned(case),
        ScoreStep(say(f"sum of {n:,} products"), number(found.dot), ""),
        _scale(case),
        ScoreStep(say("soft cap"), "none", "not used in this layer", absent=True)
        if found.cap is None
        else ScoreStep(say("→ soft cap"), number(found.capped), f"{found.cap:g} · tanh(score ÷ {found.cap:g})"),
        _position(case),
        _mask(case),
        _weight(case),
    )


def _turned(case: RecordedCell) -> ScoreStep:
    found = case.cell
    if not found.rotated:
        return ScoreStep(say("turned by place"), "none", "this model does not rotate", absent=True)
    if found.before is None:
        return ScoreStep(say("turned by place"), "yes", "earlier numbers not available")
    before = float((found.before[0] * found.before[1]).sum())
    return ScoreStep(say("turned by place"), "yes", f"before it the products made {number(before)}")


def _scale(case: RecordedCell) -> ScoreStep:
    found, n = case.cell, case.d_head
    if math.isclose(found.scale, n**-0.5, rel_tol=1e-6):
        return ScoreStep(say(f"→ ÷ √{n}"), number(found.scaled), "so that wide heads do not get larger scores")
    if math.isclose(found.scale, 1.0):
        return ScoreStep(say("→ ÷ 1"), number(found.scaled), "this layer does not divide")
    return ScoreStep(say(f"→ × {found.scale:.3g}"), number(found.scaled), "this layer’s own scale")


def _position(case: RecordedCell) -> ScoreStep:
    found = case.cell
    if found.position is None:
        return ScoreStep(say("+ position bias"), "none", _why_no_bias(case), absent=True)
    return ScoreStep(
        say("+ position bias"), signed(found.position, 2 if abs(found.position) >= 0.1 else 4), _bias(case)
    )


def _why_no_bias(case: RecordedCell) -> str:
    if case.cell.rotated:
        return "encoded by rotation instead"
    if case.cell.placed:
        return "added to the words before the first layer"
    return "0 for these two positions"


def _bias(case: RecordedCell) -> str:
    found = case.cell
    if found.slope is not None:
        more = "more" if found.slope > 0 else "less"
        gain = "; so near keys gain on far ones" if found.slope > 0 and found.causal else ""
        return f"{number(abs(found.slope), 4)} {more} from key to key, as in ALiBi{gain}"
    if found.by_distance:
        return "depends on their distance only"
    return "depends on their positions and words"


def _mask(case: RecordedCell) -> ScoreStep:
    """Return what the mask does: why a key is hidden, where that is known, and how far a layer sees."""
    found, title = case.cell, say("+ [[mask]]")
    window = "" if found.window is None else f"the window of {found.window:,} tokens"
    if not found.hidden:
        return ScoreStep(title, "0", f"inside {window}" if window else "visible", absent=True)
    if found.causal and found.key > found.query:
        return ScoreStep(title, "−∞", "later token: hidden, this model reads left to right")
    if window and found.window is not None and found.query - found.key >= found.window:
        return ScoreStep(title, "−∞", f"outside {window}")
    return ScoreStep(title, "−∞", "hidden")


def _weight(case: RecordedCell) -> ScoreStep:
    found = case.cell
    sink = "" if found.sink is None else " plus a learned sink that takes part of the 100\u00a0%"
    title = say(f"→ [[exp, ÷ sum over {len(case.seen):,} keys|softmax]]{sink}")
    if found.hidden:
        why = "hidden: 0\u00a0%" if case.cut_off else "all keys are hidden, so each gets the same share"
        return ScoreStep(title, percent(found.weight), why)
    with np.errstate(over="ignore"):
        powers = np.exp(found.scores[case.seen])
        whole = float(powers.sum() + (0 if found.sink is None else np.exp(found.sink)))
    own = float(np.exp(min(found.scores[found.key], 700.0)))
    told = whole < READABLE and own >= 0.1
    note = f"{_few_digits(own)} of {_few_digits(whole)} = {share(found.weight)}" if told else ""
    return ScoreStep(title, share(found.weight), note)


def _few_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
