"""The numbers of Whole model to take away, a row a head, and those of a head's sheet, with where they come from."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import numpy as np

from mha.analysis.alike import MOST_DRAWN
from mha.analysis.whole import SHADES, rank
from mha.engine.atlas import Silenced
from mha.export.provenance import UNITS, Provenance, provenance_of, without_maps
from mha.export.tables import Table
from mha.link.view import query
from mha.maps import HeadId
from mha.pairs import KINDS, corpus
from mha.screens.atlas.sheet import HeadSheet
from mha.screens.atlas.whole_model import WholeModel
from mha.words import words


def distances_table(case: WholeModel, base: str = "") -> Table | None:
    """Return the distance of every two heads, a row and a column a head; None where none are drawn."""
    alike = case.atlas.alike
    if alike is None or not 2 <= case.n_heads <= MOST_DRAWN:
        return None
    names = [str(HeadId(*divmod(place, case.row.n_heads))) for place in range(case.n_heads)]
    columns = {"head": names} | {name: alike.distance[:, place] for place, name in enumerate(names)}
    told = _told(
        case, "square root of the mean Jensen–Shannon divergence, base 2; rows of words; nothing rescaled", base
    )
    return Table(columns, told)


def heads_table(case: WholeModel, base: str = "") -> Table:
    """Return every number of every head: mean, interval where there is one; ``base`` is the page's address."""
    shape = case.row.n_layers, case.row.n_heads
    columns: dict[str, list[str] | np.ndarray] = {
        "head": [str(HeadId(layer, head)) for layer in range(shape[0]) for head in range(shape[1])],
    }
    if case.patterns:
        columns["pattern"] = [row.name for layer in case.patterns for row in layer]
    for key, values in case.atlas.mean.items():
        columns[f"{key}_mean"] = values.ravel()
        if key in case.atlas.low:
            columns[f"{key}_low"], columns[f"{key}_high"] = case.atlas.low[key].ravel(), case.atlas.high[key].ravel()
    if case.silenced is not None:
        columns["silenced_turns_vector_by"] = case.silenced.moved.ravel()
    scale = "nothing rescaled; rows of words alone; means over texts, 95 % bootstrap intervals over texts"
    return Table(columns, _told(case, scale, base))


def _told(case: WholeModel, scale: str, base: str) -> Provenance:
    """Return where numbers of the chosen texts come from; only of the typed text there are maps to name."""
    alike = case.atlas.alike
    twin = "none" if alike is None or alike.twin is None else f"scrambled copy: {alike.twin.whole:.2f} effective heads"
    link = f"{base}?{urlencode([*query(case.view), *case.choices.pairs()])}"
    if case.alone and case.maps is not None:
        return provenance_of(case.maps, model_sha256=case.row.sha256, scale=scale, controls=twin, link=link)
    row = case.row.short, case.row.revision, case.row.origin
    told = without_maps((case.texts_said,), row, scale, model_sha256=case.row.sha256, link=link)
    return replace(told, tokens=UNITS["words"], sinks="kept; the excluded share has its own column", controls=twin)


def sheet_tables(sheet: HeadSheet, link: str) -> dict[str, tuple[str, Table]]:
    """Return the tables of a sheet by what they are called, each with the name of its file; none is empty."""
    told = _told_of_sheet(sheet, link)
    found = {
        "Its numbers and ranks": ("parallax-ranks", _ranks(sheet)),
        "Usual shares by distance": ("parallax-habit", _habit(sheet)),
        "Most unusual connections": ("parallax-looks", _looks(sheet)),
        "Share of score changes it carries": ("parallax-carries", _carries(sheet)),
    }
    return {
        title: (name, Table(columns, told))
        for title, (name, columns) in found.items()
        if len(next(iter(columns.values())))
    }


def _told_of_sheet(sheet: HeadSheet, link: str) -> Provenance:
    row = sheet.case.row
    return without_maps(
        (sheet.case.texts_said,), (row.short, row.revision, row.origin),
        f"head {sheet.head}; words, rows of words alone, nothing rescaled; 95 % bootstrap intervals over sentences or "
        "pairs; the most unusual connections were picked for being extreme",
        model_sha256=row.sha256, link=link,
    )  # fmt: skip


def _ranks(sheet: HeadSheet) -> dict[str, list[str] | np.ndarray]:
    """Return every statistic of the head, and what silencing it turns, each with its rank among all heads."""
    atlas, head = sheet.case.atlas, sheet.head
    known = [row for row in SHADES if np.isfinite(atlas.mean[row.key][head])]
    titles, units = [row.title for row in known], [row.unit for row in known]
    values = [atlas.mean[row.key] for row in known]
    ends = [
        [float(end[row.key][head]) if row.key in end else np.nan for row in known] for end in (atlas.low, atlas.high)
    ]
    silenced: Silenced | None = sheet.case.silenced
    if silenced is not None:
        titles, units = [*titles, "Ablation turns sentence vectors by"], [*units, "1 − cosine"]
        values = [*values, silenced.moved]
        ends = [[*end, np.nan] for end in ends]
    return {
        "number": titles,
        "unit": units,
        "mean": np.array([float(one[head]) for one in values]),
        "low": np.array(ends[0]),
        "high": np.array(ends[1]),
        "rank": np.array([rank(one, head) for one in values], dtype=np.int64),
        "of_heads": np.array([int(np.isfinite(one).sum()) for one in values], dtype=np.int64),
    }


def _habit(sheet: HeadSheet) -> dict[str, list[str] | np.ndarray]:
    share = sheet.case.atlas.habit[sheet.head]
    return {"words_on": np.arange(len(share), dtype=np.int64) - len(share) // 2, "mean_share": share.astype(np.float64)}


def _looks(sheet: HeadSheet) -> dict[str, list[str] | np.ndarray]:
    looks = sheet.case.atlas.looks[sheet.index] if sheet.case.atlas.looks else ()
    texts = [corpus()[look.text] for look in looks]
    places = np.array([(look.query, look.key) for look in looks], dtype=np.int64).reshape(-1, 2)
    return {
        "sentence": texts,
        "looking_word": [words(text)[look.query] for text, look in zip(texts, looks, strict=True)],
        "looked_at_word": [words(text)[look.key] for text, look in zip(texts, looks, strict=True)],
        "looking_place": places[:, 0],
        "looked_at_place": places[:, 1],
        "share": np.array([look.weight for look in looks], dtype=np.float64),
        "habit": np.array([look.habit for look in looks], dtype=np.float64),
    }


def _carries(sheet: HeadSheet) -> dict[str, list[str] | np.ndarray]:
    known = sheet.calibration
    kinds = [] if known is None else [kind for kind in KINDS if (found := known.of(kind)) and found.carrying.n_pairs]
    each = [] if known is None else [known.kinds[kind].carrying for kind in kinds]
    return {
        "kind": kinds,
        "pairs": np.array([one.n_pairs for one in each], dtype=np.int64),
        "share": np.array([float(one.share[sheet.head]) for one in each]),
        "low": np.array([float(one.low[sheet.head]) for one in each]),
        "high": np.array([float(one.high[sheet.head]) for one in each]),
    }
