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
        f"The head makes {n:,} numbers of {{query}}, a [[query]], and {n:,} of {{key}}, a [[key]]. Where both are "
        "large with the same sign, the product is large. ",
        query=case.query,
        key=case.key,
    )
    if n > CALLED:
        five = float(np.sort(products)[-CALLED:].sum())
        line += say(
            f"The {CALLED} largest products add up to {number(five, digits)}, all {n:,} to "
            f"{number(float(products.sum()), digits)}."
        )
    if case.unturned:
        line += say(
            f" This is before the model turned both by their places; after it the products add up to "
            f"{number(case.cell.dot, digits)}."
        )
    elif case.cell.rotated:
        told = "" if case.cell.before is not None else " What they were before cannot be told of this model."
        line += say(f" The model has turned both by their places.{told}")
    return heading("1 · What fits together"), Said("sub", line)


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
        label=f"query, key and their products, {case.d_head} numbers; the products add up to {number(total, 2)}",
    )
    return picture, Said("cap", _dims_caption(case, top, low, rest, digits))


def _columns(case: RecordedCell) -> list[int]:
    """Return the numbers in the order of the columns; −1 is the column of all the others together."""
    products = case.products
    if case.by_number:
        pairs = turning_pairs(case.cell.before, (case.cell.q, case.cell.k)) if case.cell.before else None
        return pairs or list(range(len(products)))
    order = [int(i) for i in np.argsort(-products, kind="stable")]
    return order if len(order) <= SMALL else [*order[:LARGEST], -1, *order[-SMALLEST:]]


def _dims_caption(case: RecordedCell, top: list[int], low: list[int], rest: list[int], digits: int) -> tuple[Span, ...]:
    q, k = case.pair
    products = case.products

    def told(i: int) -> str:
        return f"number {i} ({number(q[i], digits)} × {number(k[i], digits)} = {number(products[i], digits)})"

    line = f"Largest: {', '.join(told(i) for i in top)}." if top else "No product is above zero."
    if low:
        line += f" Against it: {', '.join(f'number {i} ({number(products[i], digits)})' for i in low)}."
    if rest:
        line += f" The column “{len(rest):,} more” has all other numbers together; “By number” has each."
    if case.by_number and case.cell.before is not None and _columns(case) != list(range(case.d_head)):
        line += " Numbers that turn together stand side by side."
    return say("{line}", line=line)


def score_steps(case: RecordedCell) -> tuple[Heading, Steps]:
    """Return the steps from the products to the weight; those that are not there stay, with the reason."""
    found, n = case.cell, case.d_head
    rows = [
        _turned(case),
        ScoreStep(say(f"sum of {n:,} products"), number(found.dot), ""),
        _scale(case),
        ScoreStep(say("soft cap"), "none", "this layer has none", absent=True)
        if found.cap is None
        else ScoreStep(say("→ soft cap"), number(found.capped), f"{found.cap:g} · tanh(score ÷ {found.cap:g})"),
        _position(case),
        _mask(case),
        _weight(case),
    ]
    return heading("2 · From sum to score"), Steps(tuple(rows))


def _turned(case: RecordedCell) -> ScoreStep:
    found = case.cell
    if not found.rotated:
        return ScoreStep(say("turned by place"), "none", "no rotation is seen in this model", absent=True)
    if found.before is None:
        return ScoreStep(say("turned by place"), "yes", "what it was before cannot be told of this model")
    before = float((found.before[0] * found.before[1]).sum())
    return ScoreStep(say("turned by place"), "yes", f"before it the products made {number(before)}")


def _scale(case: RecordedCell) -> ScoreStep:
    found, n = case.cell, case.d_head
    if math.isclose(found.scale, n**-0.5, rel_tol=1e-6):
        return ScoreStep(say(f"→ ÷ √{n}"), number(found.scaled), "so that more numbers do not make larger scores")
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
        return "places have turned query and key instead"
    if case.cell.placed:
        return "this model adds positions to its words, before the first layer"
    return "nothing is added for these two places"


def _bias(case: RecordedCell) -> str:
    found = case.cell
    if found.slope is not None:
        more = "more" if found.slope > 0 else "less"
        gain = "; so near keys gain on far ones" if found.slope > 0 and found.causal else ""
        return f"{number(abs(found.slope), 4)} {more} from key to key, as in ALiBi{gain}"
    if found.by_distance:
        return "for the distance of the two, whatever stands there"
    return "for the places of the two, and what stands there"


def _mask(case: RecordedCell) -> ScoreStep:
    """Return what the mask does: why a key is hidden, where that is known, and how far a layer sees."""
    found, title = case.cell, say("+ [[mask]]")
    window = "" if found.window is None else f"this layer’s sliding window of {found.window:,} tokens"
    if not found.hidden:
        return ScoreStep(title, "0", f"inside {window}" if window else "this key may be looked at", absent=True)
    if found.causal and found.key > found.query:
        return ScoreStep(title, "−∞", "it comes later, and this model looks back only")
    if window and found.window is not None and found.query - found.key >= found.window:
        return ScoreStep(title, "−∞", f"behind {window}")
    return ScoreStep(title, "−∞", "this key is hidden from the one that looks")


def _weight(case: RecordedCell) -> ScoreStep:
    found = case.cell
    sink = "" if found.sink is None else " and a sink that is no key"
    title = say(f"→ [[exp, ÷ sum over {len(case.seen):,} keys|softmax]]{sink}")
    if found.hidden:
        why = "hidden, so it gets nothing" if case.cut_off else "every key is hidden, so all get the same"
        return ScoreStep(title, percent(found.weight), why)
    with np.errstate(over="ignore"):
        powers = np.exp(found.scores[case.seen])
        whole = float(powers.sum() + (0 if found.sink is None else np.exp(found.sink)))
    own = float(np.exp(min(found.scores[found.key], 700.0)))
    told = whole < READABLE and own >= 0.1
    note = f"{_few_digits(own)} of {_few_digits(whole)}: the weight" if told else "the weight"
    return ScoreStep(title, share(found.weight), note)


def _few_digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
