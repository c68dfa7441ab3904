"""Where every head leans between two readings, of maps or of a text that a model reads for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mha.analysis import readings as of_maps
from mha.maps import AttentionMaps, Reading
from mha.models.files.catalog import DEFAULT

if TYPE_CHECKING:
    from mha.models.files.loading import LoadedModel


def lean(
    text: str | AttentionMaps,
    readings: Sequence[Reading] | None = None,
    measure: str = "default",
    model: str | Path | LoadedModel = DEFAULT,
) -> np.ndarray:
    """Return each head's lean between two readings, positive towards the first, as float64 [layer, head].

    A text is read by ``model`` as `mha.attend` reads it, by words; maps are taken as they are. Without ``readings``
    they are those of the first of `mha.propose`, whose names say which is which: ``mha.propose(text)[0].readings``.

    Raises:
        InputError: there are not two readings, they are the same, a word is not in the text, nothing is suggested for
            it, or no such measure.
        UnknownModel: no such model is on offer.
        ModelUnavailable: it cannot be loaded here and now.
    """
    if isinstance(text, AttentionMaps):
        return of_maps.lean(text, readings, measure)
    from mha.models.watch.attending import attend  # torch, which maps do not need

    return of_maps.lean(attend(text, model).merged(), readings, measure)
