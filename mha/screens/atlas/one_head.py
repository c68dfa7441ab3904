"""The sheet of one head: what does it do? What its looks bring is told too: a share of attention is no effect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from mha.analysis.readings import word_position
from mha.analysis.whole import SHADES, Extreme, rank
from mha.engine.atlas import Silenced, threes_of
from mha.engine.experiments import all_brought
from mha.engine.question import ADDRESS, Ask
from mha.errors import MHAError
from mha.export.provenance import without_maps
from mha.export.tables import Table
from mha.intervention.calibrated import calibration
from mha.link.acts import Say
from mha.link.atlas import AtlasWords
from mha.maps import HeadId
from mha.pairs import KINDS, corpus
from mha.screens.atlas import sheet as told
from mha.screens.atlas.sheet import HeadSheet
from mha.screens.atlas.whole_model import WholeModel
from mha.screens.blocks import Block, CopyLink, caption
from mha.screens.inputs import Pick, Press
from mha.screens.places import More, Row, Together
from mha.screens.takings import Numbers
from mha.words import words

WIDTH = 160  # px of the choice of a head
OPEN = AtlasWords.of("head").name


def page(case: WholeModel, head: HeadId, ask: Ask) -> Iterator[Block]:
    """Yield the sheet of a head, the choice of another, and the way back."""
    names = tuple(map(str, case.heads))
    back = Press("← Whole model", (Say(OPEN, None),))
    yield Row((back, Pick(OPEN, "Head", names, str(head), width=WIDTH)), "sheet_bar", left=True, align="bottom")
    model = case.view.model
    sheet = HeadSheet(case, head, calibration(model), threes_of(model))
    yield Together(told.opening_blocks(sheet), name="sheet_opening")
    yield Together(told.habit_blocks(sheet))
    sheet = replace(sheet, brings=brings(sheet.looks, head, model))
    yield Together(told.looks_blocks(sheet))
    yield Together(told.middle_blocks(sheet), {name: (Say(OPEN, name),) for name in names})
    yield Together(told.not_blocks(sheet))
    yield More("How is this measured?", tuple(caption(one) for one in told.measured(sheet)))
    yield caption(told.foot_said(sheet), style="wide")
    for title, (name, table) in sheet_tables(sheet, ask(ADDRESS)).items():
        yield Numbers(title, name, of=table)
    yield CopyLink()


def brings(looks: Sequence[Extreme], head: HeadId, model: str) -> tuple[float, ...] | str:
    """Return what each look on a bundled sentence brings, as a share of all that the head brings to the looking word.

    Where a model does not tell, the sentence that says why.
    """
    shares = []
    try:
        for look in looks:
            maps = all_brought(corpus()[look.text], model, None).as_maps().merged()
            shares.append(float(maps[head][word_position(maps, look.query), word_position(maps, look.key)]))
    except MHAError as error:
        return str(error)
    return tuple(shares)


def sheet_tables(sheet: HeadSheet, link: str) -> dict[str, tuple[str, Table]]:
    """Return the tables of a sheet by what they are called, each with the name of its file; none is empty."""
    row, share = sheet.case.row, sheet.case.atlas.habit[sheet.head]
    scale = (
        f"head {sheet.head}; words, rows of words alone, nothing rescaled; 95 % bootstrap intervals over sentences or "
        "pairs; the most unusual connections were picked for being extreme"
    )
    told = without_maps(
        (sheet.case.texts_said,), (row.short, row.revision, row.origin), scale, model_sha256=row.sha256, link=link
    )
    habit: dict[str, list[str] | np.ndarray] = {
        "words_on": np.arange(len(share), dtype=np.int64) - len(share) // 2,
        "mean_share": share.astype(np.float64),
    }
    found = {
        "Its numbers and ranks": ("parallax-ranks", _ranks(sheet)),
        "Usual shares by distance": ("parallax-habit", habit),
        "Most unusual connections": ("parallax-looks", _looks(sheet)),
        "Share of score changes it carries": ("parallax-carries", _carries(sheet)),
    }
    return {
        title: (name, Table(columns, told))
        for title, (name, columns) in found.items()
        if len(next(iter(columns.values())))
    }


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


def _looks(sheet: HeadSheet) -> dict[str, list[str] | np.ndarray]:
    looks = sheet.looks
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
