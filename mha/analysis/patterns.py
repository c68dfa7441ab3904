"""Patterns of looking, each a mask over a head's map, with its source: where a head looks, not what for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mha.analysis.sinks import sink_columns
from mha.maps import AttentionMaps, Token


@dataclass(frozen=True)
class Shade:
    """One number a head that the map of a model can be coloured by; ``of`` says in the legend what it is.

    ``unit`` is "share", "bits" or "words"; ``attention`` whether it is a share of attention, which alone has the ink of
    weights. A pattern is the mean mass on a ``mask``, bool [query, key] of some maps.
    """

    key: str
    title: str
    unit: str
    of: str
    source: str
    attention: bool = True
    mask: Callable[[AttentionMaps], np.ndarray] | None = None


def previous_word(maps: AttentionMaps) -> np.ndarray:
    """Return where a key is the word before the query."""
    return np.eye(maps.n_queries, maps.n_keys, maps.first_query - 1, dtype=bool)


def next_word(maps: AttentionMaps) -> np.ndarray:
    """Return where a key is the word after the query; hidden under a causal mask."""
    return np.eye(maps.n_queries, maps.n_keys, maps.first_query + 1, dtype=bool)


def same_word(maps: AttentionMaps) -> np.ndarray:
    """Return where a key is the query itself."""
    return np.eye(maps.n_queries, maps.n_keys, maps.first_query, dtype=bool)


def first_token(maps: AttentionMaps) -> np.ndarray:
    """Return the first column, for every row but its own."""
    mask = np.zeros((maps.n_queries, maps.n_keys), dtype=bool)
    mask[max(0, 1 - maps.first_query) :, 0] = True
    return mask


def separator(maps: AttentionMaps) -> np.ndarray:
    """Return the columns of special tokens after the first place, such as [SEP]."""
    return _columns(maps, lambda place, token: token.special and place > 0)


def punctuation(maps: AttentionMaps) -> np.ndarray:
    """Return the columns of punctuation."""
    return _columns(maps, lambda _place, token: token.punctuation)


def elsewhere(maps: AttentionMaps) -> np.ndarray:
    """Return where a key is the same word at another place; words are compared without case."""
    rows, columns = _words(maps.tokens), _words(maps.key_tokens)
    mask = np.array([[bool(one) and one == other for other in columns] for one in rows], dtype=bool)
    return mask.reshape(maps.n_queries, maps.n_keys) & ~same_word(maps)


def induction(maps: AttentionMaps) -> np.ndarray:
    """Return where a key comes right after an earlier copy of the query: what followed it last time."""
    copies = np.tril(elsewhere(maps), maps.first_query - 1)  # [query, earlier copy]
    mask = np.zeros_like(copies)
    mask[:, 1:] = copies[:, :-1]
    return mask & ~same_word(maps)


PATTERNS: tuple[Shade, ...] = tuple(
    Shade(key, title, "share", f"share of attention {of}", source, mask=mask)
    for key, title, of, source, mask in (
        ("previous_word", "Previous word", "to the word or mark before", "Clark et al. 2019; Voita et al. 2019",
         previous_word),
        ("next_word", "Next word", "to the next word or mark", "Clark et al. 2019; Voita et al. 2019", next_word),
        ("same_word", "Same word", "to the word itself", "Clark et al. 2019", same_word),
        ("first_token", "First token", "to the first token, from all later words", "Xiao et al. 2024", first_token),
        ("separator", "Separator", "to special tokens after the first place", "Clark et al. 2019", separator),
        ("punctuation", "Punctuation", "to punctuation", "Clark et al. 2019", punctuation),
        ("elsewhere", "Same word elsewhere", "to the same word elsewhere, from words that occur again",
         "Clark et al. 2019", elsewhere),
        ("induction", "Induction", "to what followed the same word before, from words that occurred before",
         "Olsson et al. 2022", induction),
    )
)  # fmt: skip


def _columns(maps: AttentionMaps, chosen: Callable[[int, Token], bool]) -> np.ndarray:
    columns = np.array([chosen(place, token) for place, token in enumerate(maps.key_tokens)], dtype=bool)
    return np.broadcast_to(columns, (maps.n_queries, maps.n_keys)).copy()


def _words(tokens: tuple[Token, ...]) -> list[str]:
    return [token.text.casefold() if token.word is not None else "" for token in tokens]


CLASSES = ("vertical", "diagonal", "vertical and diagonal", "block", "heterogeneous")
WITHIN = 0.75  # of the mass within a text of two, and the class is a block
MOST_ON = 0.5  # of the mass, and a class has a head


def kovaleva_classes(maps: AttentionMaps) -> np.ndarray:
    """Return the number in `CLASSES` of each head, int [layer, head], by a rule that can be checked by hand.

    *Vertical*: more than half of the mass on special tokens and marks. *Diagonal*: more than half on the word itself
    and its neighbours. *Both*: neither alone, both together. *Block*, of two texts: more than three quarters within a
    text, and none of the above. Else *heterogeneous*. The five classes are those of Kovaleva et al. 2019, section 4.1,
    who had a network trained on labelled maps; this rule is ours. Under a causal mask a mass counts beyond an even
    head's: (mass − even) / (1 − even).
    """
    vertical, diagonal, within = _class_masses(maps, maps.weights)
    if maps.causal and maps.kind == "self":
        visible = maps.visible[None, None]
        even = _class_masses(maps, visible / visible.sum(axis=-1, keepdims=True))
        both = vertical + diagonal, even[0] + even[1]
        total, vertical, diagonal = (
            (mass - least) / np.where(least < 1, 1 - least, np.nan)
            for mass, least in (both, (vertical, even[0]), (diagonal, even[1]))
        )
    else:
        total = vertical + diagonal
    classes = np.full(vertical.shape, CLASSES.index("heterogeneous"))
    classes[within > WITHIN] = CLASSES.index("block")
    for name, mass in (("vertical and diagonal", total), ("diagonal", diagonal), ("vertical", vertical)):
        classes[mass > MOST_ON] = CLASSES.index(name)
    return classes


def _class_masses(maps: AttentionMaps, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean mass on sinks and marks, on neighbours, and within a text of two, each [layer, head]."""
    sinks = sink_columns(maps) | np.array([token.punctuation for token in maps.key_tokens], dtype=bool)
    near = previous_word(maps) | same_word(maps) | next_word(maps)
    weights = weights.astype(np.float64)
    vertical = weights[..., sinks].sum(axis=-1).mean(axis=-1)
    diagonal = np.einsum("lhqk,qk->lhq", weights, near & ~sinks).mean(axis=-1)
    segments = [np.array([token.segment for token in axis]) for axis in (maps.tokens, maps.key_tokens)]
    if len(set(segments[1].tolist())) < 2:
        return vertical, diagonal, np.zeros_like(vertical)
    within = np.einsum("lhqk,qk->lhq", weights, segments[0][:, None] == segments[1]).mean(axis=-1)
    return vertical, diagonal, within
