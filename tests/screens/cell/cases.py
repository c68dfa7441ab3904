"""Cells made by hand, in prime sizes, so that every number that is said can be checked with a pencil."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mha.core import softmax
from mha.maps import AttentionMaps, HeadId, Token
from mha.models.files.catalog import model_row
from mha.models.watch.cell import Cell, parts_along
from mha.screens.cell.recorded import RecordedCell

TEXT = "the dog saw a cat"


def tokens(text: str = TEXT) -> tuple[Token, ...]:
    """One token a word."""
    found, start = [], 0
    for number, word in enumerate(text.split()):
        found.append(Token(word, word, number, start=start, end=start + len(word)))
        start += len(word) + 1
    return tuple(found)


def case(
    n_keys: int = 5, d_head: int = 7, query: int = 2, key: int = 1, *, by_number: bool = False, before: bool = False,
    causal: bool = False, seed: int = 0, **changes: Any,
) -> RecordedCell:  # fmt: skip
    """A cell whose steps add up, and its maps; ``changes`` are fields of the cell."""
    rng = np.random.default_rng(seed)
    words = tokens() if n_keys == 5 else tokens(" ".join(f"w{n}" for n in range(n_keys)))
    q, keys, values = rng.normal(size=d_head), rng.normal(size=(n_keys, d_head)), rng.normal(size=(n_keys, 3))
    through = values @ rng.normal(size=(3, 11))
    scores = keys @ q * d_head**-0.5
    weights = softmax(scores)
    found = Cell(
        head=HeadId(0, 1), stack="self", query=query, key=key, tokens=words, key_tokens=words, q=q, k=keys[key],
        scale=d_head**-0.5, dots=keys @ q, scores=scores, weights=weights, values=values,
        findings=np.array([values[0], weights @ values]), through=np.linalg.norm(through, axis=1),
        brought=weights[key] * through[key], added=weights @ through, along=parts_along(weights, through),
        incoming=np.tile([5.0, 12.0], (n_keys, 1)), group=(1,),
    )  # fmt: skip
    found = dataclasses.replace(found, causal=causal, **changes)
    whole = np.full((1, 2, n_keys, n_keys), 1 / n_keys, dtype=np.float32)
    whole[0, 1, query] = found.weights
    text = " ".join(token.text for token in words)
    maps = AttentionMaps(whole, words, text=text, model="MiniLM", origin="pretrained", causal=causal)
    return RecordedCell(found, maps, model_row("minilm"), by_number, before)
