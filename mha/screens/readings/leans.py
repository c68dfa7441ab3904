"""Every head's lean as a map and a table, and beside its controls: other orders of the words, scrambled twins. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from mha.analysis.habit import Habit, bundled, looking
from mha.analysis.leaning import UNUSUAL_AT, Leaning
from mha.analysis.readings import Leans
from mha.analysis.roles import ROLES
from mha.export.provenance import Provenance
from mha.export.tables import Table, table_csv
from mha.formats import few, few_of, signed
from mha.intervention.calibrated import KindCalibration
from mha.intervention.unusual import Tried
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Block, heading, said, word
from mha.screens.readings.ambiguity import Ambiguity
from mha.screens.readings.blocks.looking import LeanMap, Maxima, Often
from mha.screens.readings.blocks.shapes import LEAN_LEGEND, MARKS_KEY, Legend
from mha.screens.readings.recorded import ranked

HINT = "show its map below"  # what a click on a head of the large map does
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
    for row in ROLES:
        if row.key not in ARROWS:
            continue
        shares = np.minimum(known.shares[row.statistic], here[row.statistic])  # [layer, head]
        for layer, one in np.argwhere(shares >= row.threshold):
            found[int(layer)][int(one)] = row.key
    return found


def reached(lean: np.ndarray) -> str:
    """Return the furthest head to each side as a part of a sentence; ``lean`` is [layer, head]."""
    sides = []
    for letter, towards in (("A", lean), ("B", -lean)):
        furthest = ranked(towards)[0]
        there = towards[furthest] > 0
        sides.append(
            f"furthest to {letter} {furthest}, {signed(lean[furthest])}" if there else f"no head leans to {letter}"
        )
    return ", ".join(sides)


def map_blocks(found: Ambiguity, maps: AttentionMaps, here: Leans, habit: Habit | None = None) -> list[Block]:
    """Return the lean of every head, with what heads do that look at a place; the furthest is ringed."""
    furthest = HeadId(*divmod(int(np.abs(here.lean).argmax()), here.lean.shape[1]))
    a, b = found.partner("a"), found.partner("b")
    arrows = places(maps, habit)
    marked = sum(bool(role) for row in arrows for role in row)
    label = f"this sentence: {reached(here.lean)}; the same numbers are in the table"
    positions = " Some heads look at a place, not at a word: they are marked by what they do." if marked else ""
    return [
        said(
            "sub",
            f"Does it exchange more attention with {{a}} or with {{b}}?{positions}",
            a=word(a),
            b=word(b),
        ),
        LeanMap(
            "large",
            here.a,
            here.b,
            here.no_opinion,
            label=label,
            chosen=(furthest,),
            roles=arrows if marked else None,
            hint=HINT,
        ),
        Legend(MARKS_KEY),
        Legend(LEAN_LEGEND),
        said("cap", "Ringed: the head that leans furthest. Click a head to see its map below."),
    ]


def unusual_blocks(leaning: Leaning, tried: Tried | None) -> list[Block]:
    """Return how far the furthest lean is beside other orders of the same words: unusual or not, never a reading.

    ``tried`` is what the rule said of forced sentences with this model and this measure, None where it was not tried.
    """
    furthest, heads = leaning.furthest_in_shuffles
    count, reach = len(leaning.shuffles), leaning.summary.reach
    here, name = float(np.abs(leaning.here.lean).max()), leaning.furthest_of_all
    allowed = int(UNUSUAL_AT * (count + 1)) - 1  # p = (1 + reach) / (1 + count)
    often = _often(furthest, heads)
    verdict = (
        f"{name} leans further here than in {count - reach} of {count} orders of the same words. It tells no reading."
        if leaning.unusual
        else "So no lean stands out."
    )
    return [
        heading("Is any lean unusual for these words?", "h3", "first"),
        said(
            "cap",
            f"Each dot is one of {count} orders of the same words; filled: some head leans as far as {{head}} does "
            "here, or further.",
            head=name,
        ),
        Maxima(
            np.sort(furthest),
            here,
            str(name),
            f"{reach} of {count} orders reach as far",
            often,
            label=f"the furthest lean of any head in {count} orders of the same words; {name} leans {here:.2f} here, "
            f"{reach} orders reach as far",
        ),
        said(
            "cap",
            f"{verdict} One maximum over heads and sides (Westfall & Young 1993); unusual where at most {allowed} of "
            f"{count} reach as far. Even then it tells no reading{_tried_says(tried)}",
        ),
    ]


def _tried_says(tried: Tried | None) -> str:
    """Return how often the rule was right where the reading is known, as the end of a sentence.

    >>> _tried_says(None)
    '.'
    """
    if tried is None or not tried.n:
        return "."
    count = len(tried.found)
    start = f": of {tried.n} sentences that force one, {few_of(count)} {'was' if count < 2 else 'were'} unusual"
    if count == 0:
        return f"{start}."
    if count == 1:
        return f"{start}, {'the right way' if tried.right else 'the other way'}."
    return f"{start}, {few_of(tried.right)} of them the right way."


def _often(furthest: np.ndarray, heads: Sequence[HeadId]) -> Often | None:
    """Return the head and the value that over a fifth of the orders have in common, None where none do."""
    counts = Counter(zip(heads, np.round(furthest / SAME).astype(int).tolist(), strict=True))
    (one, step), count = counts.most_common(1)[0]
    if count <= OFTEN * len(heads):
        return None
    return {"name": str(one), "at": round(step * SAME, 2), "says": f"{count} of {len(heads)} orders"}


def in_other_orders(reach: int, count: int) -> str:
    """Return in how many orders of the same words some head leans as far: one phrase on every page."""
    return f"Put the same words in another order, and some head leans as far in {reach} of {count} orders."


def twin_blocks(here: Leans, twins: Sequence[Leans]) -> list[Block]:
    """Return how far the heads of scrambled twins lean, and how many heads here lean further, by the twin."""
    leaning = Leaning(here, (here,), tuple(twins))
    assert leaning.twins_reach is not None
    assert leaning.beyond_twins is not None
    (least, most), (few_beyond, many_beyond) = leaning.twins_reach, leaning.beyond_twins
    beyond = f"between {few_beyond} and {many_beyond}" if few_beyond != many_beyond else few_of(few_beyond)
    return [
        said(
            "text",
            f"In {few(len(twins)).lower()} scrambled twins the largest lean is {least:.2f} to {most:.2f}; {beyond} of "
            f"{here.a.size} heads here go beyond.",
        ),
        said(
            "cap",
            "The same weights, with the entries of every weight matrix in random places; embeddings, biases and norms "
            "are kept. Leaning further than these shows that the places of the numbers matter; that alone says little "
            "about this sentence.",
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
    columns["looks along neither"] = here.no_opinion.ravel().tolist()
    if known is not None:
        told = known.telling
        for name, array in zip(PAIRS, (told.auc, told.auc_low, told.auc_high), strict=True):
            columns[name] = [round(float(value), 4) for value in array.ravel()]
    return columns


def lean_csv(rows: dict[str, list[Any]], source: Provenance) -> bytes:
    """Return the rows as CSV, one line a head, and where they come from."""
    columns = {
        name: column if isinstance(column[0], str) else np.array([np.nan if one is None else one for one in column])
        for name, column in rows.items()
    }
    return table_csv(Table(columns, source))
