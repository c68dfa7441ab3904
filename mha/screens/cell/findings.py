"""What is said and shown of one cell, in the order of its view: what fits together, the score, the keys, what arrives.

Every sentence is worked out from the cell, so that it holds for any model and any two tokens.
"""

from __future__ import annotations

import math

import numpy as np

from mha.formats import labels, number, percent, signed
from mha.maps import piece_groups
from mha.models.watch.cell import HALF_SLACK, SLACK
from mha.screens.blocks import Columns, Heading, Said, Span, as_text, heading, joined, say, word
from mha.screens.cell.blocks import Dims, Hero, Length, Lengths, ScoreStep, Steps, Strips, VectorStrip
from mha.screens.cell.recorded import SMALL, RecordedCell, turning_pairs
from mha.screens.pieces import Piece, sentence_pieces

LARGEST, SMALLEST = 24, 7  # columns of the waterfall of a wide head
CALLED, AGAINST = 5, 2  # products with their numbers at the bars
AROUND = 30  # pieces of a long text before and behind the two words
MOST_BARS = 512  # of one strip
READABLE = 1e6  # up to which exponentials are told
W_O: tuple[Span, ...] = (("plain", "W"), ("sub", "O"))


def share(weight: float) -> str:
    """Return a weight as whole per cents, below half a per cent as such.

    >>> share(0.003), share(0.0), share(0.84)
    ('less than 1\\xa0%', '0\\xa0%', '84\\xa0%')
    """
    return "less than 1\u00a0%" if 0 < weight < 0.005 else percent(weight)


def decimals(values: np.ndarray) -> int:
    """Return how many decimals tell such numbers apart.

    >>> decimals(np.array([3.2, -0.1])), decimals(np.array([0.02]))
    (1, 3)
    """
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max()) if len(finite) else 1.0
    return 1 if largest >= 1 else 2 if largest >= 0.1 else 3


def finding(case: RecordedCell) -> Said:
    """Return the sentence of the view."""
    found = case.cell
    if case.cut_off:
        return Said(
            "cell-lead lead",
            say(
                "In head {head}, {query} cannot look at {key}: the mask hides it.",
                head=found.head,
                query=case.query,
                key=case.key,
            ),
        )
    at = (("plain", "itself"),) if case.itself else (case.key,)
    return Said(
        "cell-lead lead",
        say(
            f"In head {{head}}, {{query}} looks at {{at}} with {share(found.weight)} of its attention. "
            "Here is every number that makes it so.",
            head=found.head,
            query=case.query,
            at=at,
        ),
    )


def hero(case: RecordedCell) -> Hero:
    """Return the sentence with the two tokens; of a long text what stands around them."""
    found, pieces = case.cell, _pieces(case)
    query, key = case.looking_at, found.key
    places = [place for place, piece in enumerate(pieces) if piece["at"] in (query, key)]
    first, last = max(0, min(places) - AROUND), max(places) + AROUND + 1
    if max(places) - min(places) > 4 * AROUND:  # too far apart to stand in one text
        near = [range(max(0, place - AROUND // 2), place + AROUND // 2) for place in (min(places), max(places))]
        kept = [piece for place, piece in enumerate(pieces) if any(place in one for one in near)]
        gap = len([place for place in near[0] if place < len(pieces)])
        dots: Piece = {"text": "…", "at": None, "space": True}
        kept.insert(gap, dots)
        first, last = near[0].start, near[1].stop
    else:
        kept = pieces[first:last]
    said = f"{share(found.weight)} of the attention of {as_text((case.query,))} goes to {as_text((case.key,))}"
    return Hero(tuple(kept), query, key, percent(found.weight), found.weight, (first > 0, last < len(pieces)), said)


def _pieces(case: RecordedCell) -> list[Piece]:
    """Return the text's pieces; where another text looks at it, that one's tokens behind it, numbered on."""
    pieces = sentence_pieces(case.maps)
    if not case.crosses:
        return pieces
    n_keys = len(case.cell.key_tokens)
    apart: Piece = {"text": "←", "at": None, "space": True}
    names = labels(case.cell.tokens)
    target: list[Piece] = [{"text": name, "at": n_keys + at, "space": True} for at, name in enumerate(names)]
    return [*pieces, apart, *target]


def parts(case: RecordedCell) -> tuple[Said, ...]:
    """Return what the two tokens are parts of, where words have several."""
    tokens = case.cell.tokens, case.cell.key_tokens
    lines: list[Span] = []
    for place, own, name in zip((case.cell.query, case.cell.key), tokens, (case.query, case.key), strict=True):
        group = next(group for group in piece_groups(own) if place in group)
        if len(group) == 1 or own[place].word is None or (lines and case.itself):
            continue
        source = (case.maps.pair or "") if own[place].segment else case.maps.text
        whole = source[own[group[0]].start : own[group[-1]].end]
        lines += say(f"{{name}} is one of the {len(group)} tokens of {{whole}}. ", name=name, whole=word(whole))
    return (Said("cap", tuple(lines)),) if lines else ()


# 1


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


# 2


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


# what reaches the word


def reaches(case: RecordedCell) -> tuple[Heading | Lengths | Said, ...]:
    """Return how long is what the layer got of the token that looks, what this head adds, and what of it is whose."""
    found = case.cell
    title = Heading(say("What reaches {query}", query=case.query))
    if found.added is None or found.along is None or found.through is None:
        return (title, Said("sub", say("What the head adds is not told: no matrix takes its findings as they are.")))
    whole = float(np.linalg.norm(found.added))
    rows = []
    if found.stream is not None:
        rows.append(
            Length(say("{query}, as the layer gets it", query=case.query), found.stream, number(found.stream), "aside")
        )
    rows.append(Length(say("head {head} adds", head=found.head), whole, number(whole), "whole"))
    keys = [found.key, *([case.other] if case.other is not None else [])]
    for key in keys:
        along = float(found.along[key])
        rows.append(Length(say("of that, {key}", key=case.name(key)), along, number(along), "part", indent=True))
    label = "; ".join(f"{as_text(row.spans)}: {row.text}" for row in rows)
    return (title, Lengths(tuple(rows), label), Said("cap", _reach_caption(case, whole)))


def _reach_caption(case: RecordedCell, whole: float) -> tuple[Span, ...]:
    found = case.cell
    assert found.along is not None
    assert found.through is not None
    line = say("Lengths behind {wo}, before any norm. ", wo=W_O)
    if whole > 0:
        part = float(found.along[found.key]) / whole
        line += say(
            f"{percent(part)} of what the head adds to {{query}} is what {{key}} brings; the biases of the layer "
            "belong to no key and are left out.",
            query=case.query,
            key=case.key,
        )
    other = case.other
    if other is not None and whole > 0:
        size = float(found.weights[other] * found.through[other])
        if size >= 0.005 * whole and abs(float(found.along[other])) < 0.5 * size:
            line += say(
                f" {{other}} brings {number(size)}, but mostly across this direction, not along it.",
                other=case.name(other),
            )
    return line


def carries(case: RecordedCell) -> tuple[Heading | Strips | Said, ...]:
    """Return the value of the key, and what the weight and W_O make of it, number by number."""
    found = case.cell
    title = heading("What the value carries")
    own = VectorStrip(
        say("[[value]] of {key}", key=case.key),
        f"{len(found.value):,} numbers, length {number(float(np.linalg.norm(found.value)))}",
        *_pooled(found.value),
    )
    if found.brought is None:
        return (title, Strips((own,), "the value"), Said("cap", say("What {wo} makes of it is not told.", wo=W_O)))
    n = len(found.brought)
    after = VectorStrip(
        say(f"times {share(found.weight)}, through {{wo}}", wo=W_O),
        f"{n:,} numbers, length {number(float(np.linalg.norm(found.brought)))}",
        *_pooled(found.brought),
    )
    each = -(-n // MOST_BARS)
    bars = "one bar for each number of its vector" if each == 1 else f"a bar for each {each} of its numbers"
    said = say(
        f"Each strip on its own scale: they are different spaces. The lower one is what is added to {{query}}, {bars}.",
        query=case.query,
    )
    label = f"{own.note}; behind W_O {after.note}"
    return (title, Strips((own, after), label), Said("cap", said))


def arrives(case: RecordedCell) -> Columns:
    """Return what reaches the word beside what the value carries."""
    return Columns((reaches(case), carries(case)))


def _pooled(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and the largest of neighbours (and 0), so that there are at most `MOST_BARS`."""
    each = -(-len(values) // MOST_BARS)
    starts = np.arange(0, len(values), each)
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return np.minimum(low, 0), np.maximum(high, 0)


def foot(case: RecordedCell) -> tuple[str | tuple[Span, ...], ...]:
    """Return where the numbers come from."""
    row, found = case.row, case.cell
    group = found.group
    shared: tuple[Span, ...] = ()
    if len(group) > 1:
        names = joined([("head", f"L{found.head.layer}H{other}") for other in group])
        shared = say(" {names} share their keys and values.", names=names)
    near = HALF_SLACK if case.maps.half_precision else SLACK
    return (
        f"{row.short} ({row.source}), {row.origin}, {row.n_layers} {'layer' if row.n_layers == 1 else 'layers'} × "
        f"{row.n_heads} [[heads|head]] of {case.d_head} numbers. Every number is the model’s own; worked out again "
        f"step by step, the row of weights differs from the recorded one by less than {f'{near:.5f}'.rstrip('0')}.",
        shared,
        " Blue is positive, grey is negative.",
    )
