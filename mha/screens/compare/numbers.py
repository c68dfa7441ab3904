"""The numbers of Change a word to take away: a row a head, with where they come from."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import numpy as np

from mha.export.provenance import provenance_of
from mha.export.tables import Table
from mha.link.view import query
from mha.maps import HeadId
from mha.screens.compare.case import Case


def changes_table(case: Case, base: str = "") -> Table | None:
    """Return every head's change beside its floor, in bits; None where nothing could be compared.

    ``base`` is the address of the page without its words.
    """
    if case.found is None:
        return None
    mean, largest = case.found.mean, case.found.largest  # [layer, head]
    heads = [HeadId(layer, head) for layer in range(mean.shape[0]) for head in range(mean.shape[1])]
    columns: dict[str, list[str] | np.ndarray] = {
        "head": [str(head) for head in heads],
        "change_bits_mean": mean.ravel(),
        "change_bits_largest_row": largest.ravel(),
    }
    controls = "none"
    if case.floor is not None:
        columns["floor_bits"] = case.floor.floor.ravel()
        names = case.neutral.words[: len(case.floor.swaps)]
        columns |= {f"swap_{place + 1}_bits": swap.ravel() for place, swap in enumerate(case.floor.swaps)}
        columns["beyond_floor"] = case.floor.beyond.ravel().astype(np.int64)
        columns["named"] = case.floor.named.ravel().astype(np.int64)
        controls = f"three neutral swaps in the changed place: {', '.join(names)}"
    words = f"{base}?{urlencode([*query(case.view), *case.choices.pairs()])}"
    told = provenance_of(
        case.first,
        model_sha256=case.row.sha256,
        scale="nothing rescaled; divergence of a row in bits, over the paired words and one key for the rest",
        controls=controls,
        link=words,
    )
    second = f"{case.texts[1]} (scrambled twin, seed {case.choices.seed})" if case.twin else case.texts[1]
    return Table(columns, replace(told, texts=(case.texts[0], second)))
