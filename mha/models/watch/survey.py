"""A whole text at a glance, however long: where every head of a stack looks, in memory that does not grow with n².

Nothing here is an estimate: each block of queries goes through the module's own eager attention (`blocks`), and what is
kept of it is asked for beforehand. This module is light: torch loads with the first survey.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mha.brief import brief
from mha.errors import InputError
from mha.maps import HeadId, Token
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel

Progress = Callable[[int, int, np.ndarray], None]  # layers done, layers, the last one's overview; may raise to stop


@dataclass(frozen=True, eq=False)
class Survey:
    """Where every head of one stack looks in a whole text, as far as it was asked for.

    ``overview`` is float32 [layer, head, cell, cell]: the largest weight among ``cell`` × ``cell`` tokens (fewer at the
    end), at most 48 cells a side. ``statistics`` has float64 [layer, head] by the keys of `mha.head_statistics`, which
    they equal (over tokens, sinks kept; those that need one axis are absent from cross-attention). ``aside`` is float32
    [layer, head, query]: what each token gives to sinks, or to nothing. ``rows[w]`` is float32 [layer, head, key]:
    where token number w looks; ``columns[w]`` [layer, head, query]: who looks at it; ``maps[l, h]`` [query, key]: one
    head's whole map. ``notes`` has one sentence for each thing that was cut.
    """

    overview: np.ndarray
    cell: int
    statistics: Mapping[str, np.ndarray]
    aside: np.ndarray
    rows: Mapping[int, np.ndarray]
    columns: Mapping[int, np.ndarray]
    maps: Mapping[HeadId, np.ndarray]
    tokens: tuple[Token, ...]
    key_tokens: tuple[Token, ...]
    text: str = ""
    pair: str | None = None
    model: str = ""
    revision: str = ""
    origin: str = "unknown origin"
    stack: str = "self"
    causal: bool = False
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def n_layers(self) -> int:
        """Number of layers."""
        return self.overview.shape[0]

    @property
    def n_heads(self) -> int:
        """Number of heads in each layer."""
        return self.overview.shape[1]


def survey(
    what: Any,
    *,
    model: str | LoadedModel = DEFAULT,
    pair: str | None = None,
    words: Sequence[int] = (),
    heads: Sequence[tuple[int, int]] = (),
    stack: str = "",
    tokenizer: Any = None,
    tokens: Sequence[Token] | None = None,
    progress: Progress | None = None,
    **inputs: Any,
) -> Survey:
    """Return a survey of a text by a ``model`` on offer, or of ``inputs`` by a transformers model that you hold.

    ``words`` are places on the token axis, from 0, whose rows and columns are kept; ``heads`` are kept whole. ``stack``
    is "self", or "encoder", "decoder" or "cross" (the first that the model has, if not said). A text is cut at 8,192
    tokens or where the model's positions end, and ``notes`` says so. ``progress`` is called after each layer with how
    many are done, how many there are, and the layer's overview; what it raises stops the survey.

    >>> import mha
    >>> mha.survey("I saw the man with the telescope", words=(7,)).rows[7].shape
    (6, 12, 9)

    Raises:
        InputError: no word in the text, no such token, head or stack, or more whole maps than 512 MB hold.
        AttentionUnavailable: the model has no softmax attention, or shows its maps only whole, and they are too large.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    from mha.models.watch import surveying

    asked = surveying.SurveyRequest(tuple(words), tuple(HeadId(*head) for head in heads), stack, progress)
    if isinstance(what, str):
        if inputs:
            raise InputError(f"A text is surveyed as it is; {', '.join(inputs)} go with a model that you hold.")
        return surveying.of_text(what, pair, model, asked)
    return surveying.of_inputs(what, inputs, tokens, tokenizer, asked)
