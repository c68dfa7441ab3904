"""What the looks on a head's sheet bring: a share of attention is no effect (Kobayashi et al. 2020)."""

from __future__ import annotations

from collections.abc import Sequence

from mha.analysis.beyond import Extreme
from mha.engine.opened import all_brought
from mha.errors import MHAError
from mha.maps import HeadId
from mha.pairs import corpus


def brings(looks: Sequence[Extreme], head: HeadId, model: str) -> tuple[float, ...] | str:
    """Return what each look on a bundled sentence brings, as a share of all that the head brings to the looking word.

    Where a model does not tell, the sentence that says why.
    """
    try:
        return tuple(_share(look, head, model) for look in looks)
    except MHAError as error:
        return str(error)


def _share(look: Extreme, head: HeadId, model: str) -> float:
    maps = all_brought(corpus()[look.text], model, None).as_maps().merged()
    place = {token.word: at for at, token in reversed(list(enumerate(maps.tokens))) if token.word is not None}
    return float(maps[head][place[look.query], place[look.key]])
