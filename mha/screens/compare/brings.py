"""What a head's looks bring on both sides: beside its largest change, or in the place of attention in its maps."""

from __future__ import annotations

import numpy as np

from mha.analysis.changes import paired_rows
from mha.engine.experiments import all_brought
from mha.engine.question import Ask
from mha.errors import MHAError
from mha.formats import percent
from mha.link.heads import BROUGHT
from mha.maps import AttentionMaps, HeadId
from mha.screens.blocks import Span, say, word
from mha.screens.compare.comparison import Comparison

OF_A_COPY = "Contributions are not available for a scrambled copy."
Both = tuple[AttentionMaps, AttentionMaps]


def brings(case: Comparison, ask: Ask) -> Both | str | None:
    """Return what every look brings in both sentences, as shares between words; None beside a twin, which is no model.

    Where the model does not tell, the sentence that says why.
    """
    if case.twin:
        return None
    try:
        first, second = (ask(all_brought.of(text, case.row.name)).as_maps().merged() for text in case.texts)
    except MHAError as error:
        return str(error)
    return first, second


def weighed(found: Both | str | None, chosen: str) -> tuple[Both | None, str]:
    """Return what maps are drawn of in the place of attention, None for attention, and why where it was not asked for.

    ``found`` is what `brings` returns, ``chosen`` the word of the link.
    """
    if chosen != BROUGHT:
        return None, ""
    if found is None or isinstance(found, str):
        return None, f"{found or OF_A_COPY} Showing attention instead."
    return found, ""


def rows_of(found: Both, case: Comparison) -> tuple[np.ndarray, np.ndarray]:
    """Return what is brought on both sides as `Changes` has looks, each [layer, head, pair, pair + 1]."""
    first, second = (
        paired_rows(maps, [pair[side] for pair in case.alignment.pairs]) for side, maps in enumerate(found)
    )
    return first, second


def about(found: Both | str | None) -> str:
    """Return what is said of it above the pinned heads."""
    return f" No contributions available: {found}" if isinstance(found, str) else ""


def told(
    found: Both | str | None, case: Comparison, head: HeadId, cell: tuple[int, int], query: str
) -> tuple[Span, ...]:
    """Return what one look brings on both sides; ``cell`` are the pairs of the words that look and are looked at."""
    if found is None or isinstance(found, str):
        return ()
    shares = [_share(maps, head, *(case.alignment.pairs[place][side] for place in cell)) for side, maps in
              enumerate(found)]  # fmt: skip
    return say(
        " Contribution: {before} before, {after} after, of what {query} receives.",
        query=word(query), before=percent(shares[0]), after=percent(shares[1]),
    )  # fmt: skip


def _share(maps: AttentionMaps, head: HeadId, query: int, key: int) -> float:
    place = {token.word: at for at, token in reversed(list(enumerate(maps.tokens))) if token.word is not None}
    return float(maps[head][place[query], place[key]])
