"""Every head's lean as a map and a table, and its controls: shuffled sentences, scrambled copies. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.analysis.leaning import SEED, UNUSUAL_AT, Leaning
from mha.analysis.readings import Leans
from mha.analysis.roles import ROLES, beyond_even
from mha.analysis.usual import Habit, bundled, looking
from mha.export.provenance import Provenance
from mha.export.tables import Table
from mha.formats import counted, many, percent, signed
from mha.intervention.calibrated import KindCalibration
from mha.intervention.unusual import Tried
from mha.maps import AttentionMaps, HeadId, ranked
from mha.screens.blocks import (
    Block,
    FlagRows,
    Key,
    LabelledPicture,
    NumberRow,
    NumberRows,
    Span,
    Spans,
    heading,
    said,
    say,
    word,
)
from mha.screens.readings.ambiguity import Ambiguity


class LeanMap(LabelledPicture, kind="lean_map"):
    """Both links' strengths of every head; ``none`` marks heads that look along neither, ``furthest`` is ringed."""

    a: NumberRows
    b: NumberRows
    none: FlagRows
    furthest: HeadId
    roles: Sequence[Sequence[str]] | None = None


class Maxima(LabelledPicture, kind="maxima"):
    """The furthest lean of any head in each order of the same words, beside the furthest here.

    ``often`` is the head that leans furthest in many of these orders, and how far.
    """

    furthest: NumberRow
    here: float
    name: str
    reached: str
    often: Spans | None


PAIRS = ("AUC", "AUC from", "AUC to")
ARROWS = ("back", "ahead", "itself")  # the roles of heads that look at a place, by their keys in the rule
OFTEN = 0.2  # of the orders have this furthest lean, by this head: it is named
SAME = 0.01  # leans that differ by less are one value


def places(maps: AttentionMaps, habit: Habit | None = None) -> list[list[str]]:
    """Return the arrow of every head that looks at a place, "" for the others, [layer][head].

    A head has one if the share of its looks between words that goes there reaches the threshold of the rule of roles in
    the corpus and in this sentence. None is given where the model's habits were not measured.
    """
    known, here = habit or bundled(maps), looking(maps)
    found = [["" for _ in range(maps.n_heads)] for _ in range(maps.n_layers)]
    if known is None:
        return found
    for row in (row for row in ROLES if row.key in ARROWS):
        shares = np.minimum(*(beyond_even(each, row.statistic) for each in (known.shares, here)))  # [layer, head]
        for layer, one in np.argwhere(shares >= row.threshold):
            found[int(layer)][int(one)] = row.key
    return found


def reached(lean: np.ndarray) -> str:
    """Return the furthest head to each side as a part of a sentence; ``lean`` is [layer, head]."""
    sides = []
    for letter, towards in (("A", lean), ("B", -lean)):
        furthest = ranked(towards)[0]
        there = f"largest lean to {letter} {furthest}, {signed(lean[furthest])}"
        sides.append(there if towards[furthest] > 0 else f"no head leans to {letter}")
    return ", ".join(sides)


def map_blocks(maps: AttentionMaps, here: Leans, habit: Habit | None = None) -> list[Block]:
    """Return the lean of every head, with what heads do that look at a place; the furthest is ringed."""
    furthest, arrows = ranked(np.abs(here.lean))[0], places(maps, habit)
    most, marked = abs(float(here.lean[furthest])), any(map(any, arrows))
    return [
        heading("Every head’s lean", "h2", "first"),
        said("sub", f"Lean: A’s share minus B’s. {{head}} has the largest lean, {most:.2f}.", head=furthest),
        LeanMap(
            here.a,
            here.b,
            here.no_opinion,
            furthest,
            arrows if marked else None,
            label=f"this sentence: {reached(here.lean)}; the same numbers are in the table",
        ),
        Key("marks_key", None if marked else False),
    ]


def lean_said(found: Ambiguity, marked: bool) -> tuple[Span, ...]:
    """Return what a lean is, and what the arrows of its map mark."""
    arrows = " Arrows mark heads that follow position, whatever the word." if marked else ""
    return say(
        "[[Lean|lean]]: attention shared with {a} minus attention shared with {b}, both directions averaged; attention "
        f"sinks excluded.{found.averaged}{arrows} A head gives little attention to either when both together get less "
        f"than an even spread would give ({percent(1 / max(1, len(found.words)))}).",
        a=word(found.partner("a")),
        b=word(found.partner("b")),
    )


def unusual_blocks(leaning: Leaning) -> list[Block]:
    """Return how far the largest lean is beside shuffled sentences: unusual or not, never a reading."""
    furthest, heads = leaning.furthest_in_shuffles
    count, reach = len(leaning.shuffles), leaning.summary.reach
    here, name = float(np.abs(leaning.here.lean).max()), leaning.furthest_of_all
    verdict = in_other_orders(reach, count).removesuffix(".") + ": nothing unusual."
    if leaning.unusual:
        verdict = (
            f"{name} leans further than any head does in {count - reach} of {count} shuffled sentences. That is "
            "unusual, but it does not show a reading."
        )
    return [
        heading("Is this lean unusual?", "h2", "first"),
        said("sub", verdict),
        Maxima(
            np.sort(furthest),
            here,
            str(name),
            f"{reach} of {count} reach this",
            _often(furthest, heads),
            label=f"the largest lean of any head in {count} shuffled sentences; {name} leans {here:.2f} here, "
            f"{reach} reach this",
        ),
    ]


def rule_said(leaning: Leaning, tried: Tried | None) -> str:
    """Return when a lean is unusual, and how often that was right; ``tried`` is None where it was not tried.

    ``tried`` is what the rule said of sentences that allow one reading, with this model and this measure.
    """
    count = len(leaning.shuffles)
    allowed = int(UNUSUAL_AT * (count + 1)) - 1  # p = (1 + reach) / (1 + count)
    right = ""
    if tried is not None and tried.n:
        right = (
            f": among {tried.n} sentences that allow only one reading, {counted(len(tried.found))} had an unusual lean"
        )
        if len(tried.found) == 1:
            right += f", in the {'expected' if tried.right else 'other'} direction"
        elif tried.found:
            right += f", {counted(tried.right)} of them in the expected direction"
    return (
        f"[[Shuffled sentences|shuffled]]: {count} random orders of the same words (seed {SEED}). For each the largest "
        f"lean of any head counts, to either side. A lean is unusual if at most {allowed} of {count} reach it "
        f"(Westfall & Young 1993). Unusual does not mean that a reading was found{right}."
    )


def _often(furthest: np.ndarray, heads: Sequence[HeadId]) -> Spans | None:
    """Return which head leans how far in over a fifth of the orders, None where none does."""
    counts = Counter(zip(heads, np.round(furthest / SAME).astype(int).tolist(), strict=True))
    (one, step), count = counts.most_common(1)[0]
    if count <= OFTEN * len(heads):
        return None
    return say(f"{{head}} at {step * SAME:.2f}: {count} of {len(heads)}", head=one)


def in_other_orders(reach: int, count: int) -> str:
    """Return in how many shuffled sentences some head leans as far: one phrase on every page."""
    return f"With the words shuffled, some head leans at least as far in {reach} of {count} sentences."


def twin_blocks(here: Leans, twins: Sequence[Leans]) -> list[Block]:
    """Return how far the heads of scrambled copies lean, and how many heads here exceed that, by the copy."""
    leaning = Leaning(here, (here,), tuple(twins))
    assert leaning.twins_reach is not None
    assert leaning.beyond_twins is not None
    (least, most), (few_beyond, many_beyond) = leaning.twins_reach, leaning.beyond_twins
    beyond = f"between {few_beyond} and {many_beyond}" if few_beyond != many_beyond else counted(few_beyond)
    of_all = f"{beyond} of {many(here.a.size, 'head')} here exceed{'s' if few_beyond == many_beyond <= 1 else ''} that"
    return [
        said(
            "text",
            f"In {counted(len(twins))} scrambled copies the largest lean is {least:.2f} to {most:.2f}; {of_all}.",
        ),
        said(
            "cap",
            "Scrambled copy: the same model with the entries of each weight matrix shuffled; embeddings, biases and "
            "norms kept. Exceeding them shows that the places of the numbers matter; that alone says little about "
            "this sentence.",
        ),
    ]


def lean_rows(leaning: Leaning, known: KindCalibration | None) -> dict[str, list[Any]]:
    """Return the table: one column a number, an entry a head; the AUC only where the kind has forced pairs."""
    here, summary = leaning.here, leaning.summary
    arrays = {"a": here.a, "b": here.b, "lean": here.lean, "share": here.share}
    arrays |= {"shuffled": summary.mean, "spread": summary.spread}
    columns: dict[str, list[Any]] = {"Head": [str(HeadId(*place)) for place in np.ndindex(here.a.shape)]}
    for name, array in arrays.items():
        columns[name] = [None if np.isnan(value) else round(float(value), 4) for value in array.ravel()]
    columns["little to either"] = here.no_opinion.ravel().tolist()
    if known is not None:
        told = known.telling
        for name, array in zip(PAIRS, (told.auc, told.auc_low, told.auc_high), strict=True):
            columns[name] = [round(float(value), 4) for value in array.ravel()]
    return columns


def lean_table(rows: dict[str, list[Any]], source: Provenance) -> Table:
    """Return the rows as a table, one row a head."""
    columns = {
        name: column if isinstance(column[0], str) else np.array([np.nan if one is None else one for one in column])
        for name, column in rows.items()
    }
    return Table(columns, source)
