"""The numbers of Whole model to take away: a row a head, with where they come from."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import numpy as np

from mha.export.provenance import provenance_of
from mha.export.tables import Table
from mha.link.view import query
from mha.maps import AttentionMaps, HeadId
from mha.screens.atlas.case import Case


def heads_table(case: Case, base: str = "") -> Table:
    """Return every number of every head: mean, interval where there is one; ``base`` is the page's address."""
    shape = case.row.n_layers, case.row.n_heads
    columns: dict[str, list[str] | np.ndarray] = {
        "head": [str(HeadId(layer, head)) for layer in range(shape[0]) for head in range(shape[1])],
        "mark": [mark for layer in case.marks for mark in layer],
    }
    for key, values in case.atlas.mean.items():
        columns[f"{key}_mean"] = values.ravel()
        if key in case.atlas.low:
            columns[f"{key}_low"], columns[f"{key}_high"] = case.atlas.low[key].ravel(), case.atlas.high[key].ravel()
    if case.silenced is not None:
        columns["silenced_turns_vector_by"] = case.silenced.moved.ravel()
    maps = case.maps or AttentionMaps(np.zeros((*shape, 0, 0)), (), origin=case.row.origin, model=case.row.short)
    alike = case.atlas.alike
    twin = "none" if alike is None or alike.twin is None else f"scrambled twin: {alike.twin.whole:.2f} heads in effect"
    told = provenance_of(
        maps,
        model_sha256=case.row.sha256,
        scale="nothing rescaled; rows of words alone; means over texts, 95 % bootstrap intervals over texts",
        controls=twin,
        link=f"{base}?{urlencode([*query(case.view), *case.choices.pairs()])}",
    )
    texts = (case.view.text,) if case.alone else (case.texts_said,)
    return Table(columns, replace(told, texts=texts))
