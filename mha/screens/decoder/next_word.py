"""The likeliest words for what comes next or for a gap, with heads silenced together and each alone."""

from __future__ import annotations

import numpy as np

from mha.formats import counted, number, percent
from mha.intervention.outcomes import Prediction
from mha.maps import HeadId
from mha.models.files.rows import ModelRow
from mha.screens.blocks import Block, ChartRow, Columns, Heading, RowChart, RowMark, Said, Span, said, say, word

TYPED = "[MASK]"
INVITATION = f"Type {TYPED} in place of a word to see the most likely words, and which head matters for them."
MOST = 3  # gaps whose words are told
MOST_HEADS = 12  # that have a line of their own; of more those that move the word furthest
EVEN_WITHIN = 2.0  # times an even spread, which a share has fallen to
STILL = 0.005  # a share that moves less is said to stay


def n_gaps(text: str, row: ModelRow) -> int:
    """Return how many gaps a model has to fill in a text; none where it fills none."""
    return text.count(TYPED) if row.predicts == "mask" else 0


def not_filled(text: str, row: ModelRow) -> str:
    """Return what is said of a typed mask to a model that fills no gaps; "" where there is nothing to say."""
    if TYPED not in text or row.predicts == "mask":
        return ""
    why = {"": "it has no layer that predicts words", "next": "it writes on", "target": "it writes a text beside it"}
    return f"{row.short} cannot fill gaps: {why[row.predicts]}. It reads “{TYPED}” as ordinary text."


def left_out(count: int) -> str:
    """Return what is said where there are more gaps than are told; "" where there are not."""
    return "" if count <= MOST else f"Showing the first {counted(MOST)} of {count} gaps."


def title(number: int, count: int) -> str:
    """Return the heading over the words for one gap, counted from 0."""
    return "What fills the gap" if count == 1 else f"What fills gap {number + 1}"


def short_share(share: float) -> str:
    """Return a share for a number beside a mark: whole per cents from ten on, one digit below.

    >>> short_share(0.686), short_share(0.0502), short_share(0.002)
    ('69', '5.0', '0.2')
    """
    return number(100 * share, 0 if share >= 0.0995 else 1)


def likely_blocks(found: Prediction, what: str = "Next word") -> list[Block]:
    """Return the ten likeliest words, and what silencing some heads does to the first."""
    title = what if found.silenced is None else f"{what}, with and without {_heads(found.heads)}"
    rows, shares = [], [float(share) for share in found.probabilities]
    for place, (text, share) in enumerate(zip(found.words, shares, strict=True)):
        marks = [RowMark("bar", 0, share)]
        if found.silenced is not None:
            without = float(found.silenced[place])
            marks += [RowMark("line", without, share), RowMark("open", without)]
        rows.append(ChartRow(text, marks, short_share(share), bold=not place))
    listed = "; ".join(f"{row.name} {percent(share)}" for row, share in zip(rows, shares, strict=True))
    return [
        Heading((("plain", title),), "h2"),
        RowChart("likely", rows, label=f"The {counted(len(rows))} likeliest words: {listed}."),
        Said("cap", _without(found)),
    ]


def _heads(heads: tuple[HeadId, ...]) -> str:
    return str(heads[0]) if len(heads) == 1 else f"{counted(len(heads))} heads"


def _without(found: Prediction) -> tuple[Span, ...]:
    """Return what the bars are, and how the first word moves when heads are silenced; whether another is first then."""
    bars = f"Bars: probability of the next word, all heads on ({found.vocabulary:,} words and signs possible)."
    if found.silenced is None:
        return say(bars)
    before, after = float(found.probabilities[0]), float(found.silenced[0])
    names = str(found.heads[0]) if len(found.heads) == 1 else f"these {counted(len(found.heads))}"
    moved = "stays at" if abs(after - before) < STILL else f"{'falls' if after < before else 'rises'} from"
    ends = f"{moved} {percent(before)}" + ("" if moved == "stays at" else f" to {percent(after)}")
    even = ", close to an even spread" if after < EVEN_WITHIN / found.vocabulary and after < before - STILL else ""
    other = found.first != found.words[0]
    first = " Most likely is then {first}." if other else ""
    return say(
        f"{bars} Rings: {names} ablated (replaced by the average). {{word}} {ends}{even}.{first}",
        word=word(found.words[0]),
        first=word(found.first),
    )


def head_by_head_blocks(found: Prediction, layer: int) -> list[Block]:
    """Return the likeliest word's share without each head; ``found`` silenced a layer together, and each alone."""
    assert found.each is not None
    assert found.silenced is not None
    base = float(found.probabilities[0])
    alone = found.each[:, 0]  # [head]
    furthest = np.argsort(-np.abs(alone - base), kind="stable")
    shown = sorted(int(place) for place in furthest[:MOST_HEADS])
    shares = [(str(found.alone[place]), float(alone[place])) for place in shown]
    together = len(found.heads)
    if together > 1:
        shares.append((f"L{layer}, all {together}", float(found.silenced[0])))
    far = max(abs(share - base) for _, share in shares) / 2
    rows = []
    for place, (name, share) in enumerate(shares):
        bold = place == len(shown) or abs(share - base) > far
        marks = (RowMark("thick" if bold else "line", base, share), RowMark("open", share))
        rows.append(ChartRow(name, marks, short_share(share), bold=bold))
    left_out = len(found.alone) - len(shown)
    which = f" (the {MOST_HEADS} of {len(found.alone)} with the largest effect)" if left_out else ""
    then = f", and with all {together} of layer {layer}" if together > 1 else ""
    listed = "; ".join(f"{name} {percent(share)}" for name, share in shares)
    label = f"{found.words[0]}: {percent(base)} by the full model; without {listed}."
    return [
        Heading((*say("{word}", word=word(found.words[0])), ("plain", " without each head")), "h2"),
        said("sub", f"Probability with one head ablated{which}{then}. Line: no ablation."),
        RowChart("ablated", rows, base=base, label=label),
        Said("cap", _furthest(found, base, alone, layer)),
    ]


def _furthest(found: Prediction, base: float, alone: np.ndarray, layer: int) -> tuple[Span, ...]:
    """Return which head alone moves the word furthest, either way, and what is left without a whole layer's."""
    place = int(np.abs(alone - base).argmax())
    if abs(float(alone[place]) - base) < STILL:
        said_of = f"No single head changes it by {percent(STILL * 2)} or more."
    else:
        way = "falls" if alone[place] < base else "rises"
        said_of = (
            f"Ablating {found.alone[place]} has the largest effect: the probability {way} to "
            f"{percent(float(alone[place]))}."
        )
    if len(found.heads) < 2 or found.silenced is None:
        return say(said_of)
    together = float(found.silenced[0])
    return say(f"{said_of} Without all {len(found.heads)} heads of layer {layer}: {percent(together)}.")


def furthest(found: Prediction) -> HeadId | None:
    """Return the head that alone moves the likeliest word furthest; None where none was silenced alone."""
    if found.each is None:
        return None
    return found.alone[int(np.abs(found.each[:, 0] - found.probabilities[0]).argmax())]


def side_by_side(*columns: list[Block]) -> list[Block]:
    """Return blocks in columns of one width."""
    return [Columns(columns, (1,) * len(columns), 56)]
