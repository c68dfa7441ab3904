"""Where heads look back from the tokens that write others, and two roles that such looks can have.

Sources: Olsson et al. 2022, "In-context learning and induction heads", for the look at what came after an earlier copy,
as copying a list needs; Xiao et al. 2024 for the first token. Looking there is one thing; that a head copies what it
sees shows when it is silenced.
"""

from __future__ import annotations

import numpy as np

from mha.analysis.sinks import EMPTY_BELOW, measured_sinks
from mha.analysis.statistics import mean_of
from mha.brief import with_arrays
from mha.errors import InputError
from mha.maps import AttentionMaps, HeadId


def after_same_word(maps: AttentionMaps) -> np.ndarray:
    """Return the mean weight on pieces that follow an earlier copy of the piece looking, as float64 [layer, head].

    Copies are equal in lower case. Only rows that have such a piece before them take part; NaN where there is none.

    Raises:
        InputError: queries and keys are two texts.
    """
    followers = _followers(maps)
    rows = followers.any(axis=-1)
    if not rows.any():
        return np.full((maps.n_layers, maps.n_heads), np.nan)
    mass = np.where(followers, maps.weights, 0).sum(axis=-1, dtype=np.float64)  # [layer, head, query]
    return mass[..., rows].mean(axis=-1)


def n_copies(maps: AttentionMaps) -> int:
    """Return how many pieces have an earlier copy with something behind it: what `after_same_word` is a mean over."""
    return int(_followers(maps).any(axis=-1).sum())


def _followers(maps: AttentionMaps) -> np.ndarray:
    """Return which keys follow an earlier copy of each query, as bool [query, key]; special tokens have no copies."""
    if maps.kind != "self":
        raise InputError("An earlier copy needs queries and keys from one text; these maps look into another.")
    maps.check_every_row()
    names = np.array([token.text.casefold() for token in maps.tokens])
    plain = np.array([not token.special for token in maps.tokens])
    same = (names[:, None] == names) & plain & plain[:, None]
    followers = np.zeros_like(same)
    followers[:, 1:] = np.tril(same, -1)[:, :-1]
    return followers & maps.visible


@with_arrays
class Backwards:
    """Where all heads looked back to write each token.

    ``shares`` is float64 [step, layer, head, column], with sinks aside each row rescaled to what it gives to the
    columns; ``mass`` [step, layer, head] is what rests on what was set aside, or lacks; ``empty`` marks rows with less
    than 0.01 left, whose shares are 0. ``columns`` are places on the axis of all tokens, ``rows`` those of the tokens
    that look.
    """

    shares: np.ndarray
    mass: np.ndarray
    empty: np.ndarray
    columns: tuple[int, ...]
    rows: tuple[int, ...]


def look_back(maps: AttentionMaps, n_read: int, aside: bool = True) -> Backwards:
    """Return where all heads looked to write the tokens from ``n_read`` on; the token before each one looks.

    With ``aside`` the first token, and special tokens and measured sinks that were read, are excluded.

    Raises:
        InputError: the maps are not those of a text that was read from left to right, or nothing was written.
    """
    if not maps.causal or maps.kind != "self" or not 1 <= n_read < maps.n_keys:
        raise InputError("Looks back need a causal model, at least one token that was read and one that was written.")
    maps.check_every_row()
    first = np.arange(maps.n_keys) == 0
    collects = measured_sinks(maps) | [token.special for token in maps.tokens]
    sinks = aside & (first | (collects & (np.arange(maps.n_keys) < n_read)))
    rows = list(range(n_read - 1, maps.n_keys - 1))
    weights = maps.weights[:, :, rows].astype(np.float64).transpose(2, 0, 1, 3)  # [step, layer, head, key]
    left = weights[..., ~sinks]
    total = left.sum(axis=-1)
    empty = total < EMPTY_BELOW
    whole = total if aside else np.ones_like(total)  # what a row lacks stays lacking where nothing is set aside
    shares = np.divide(left, whole[..., None], out=np.zeros_like(left), where=~empty[..., None])
    columns = tuple(int(place) for place in np.flatnonzero(~sinks))
    return Backwards(shares, np.clip(1 - total, 0, 1), empty, columns, tuple(rows))


def word_before(maps: AttentionMaps) -> np.ndarray:
    """Return the mean weight on the token before, as float64 [layer, head]; rows without any weight take no part."""
    before = np.diagonal(maps.weights, offset=-1, axis1=2, axis2=3).astype(np.float64)  # [layer, head, query - 1]
    if not before.shape[-1]:
        return np.full((maps.n_layers, maps.n_heads), np.nan)
    counted = maps.weights[:, :, 1:].sum(axis=-1) > 0
    return before.sum(axis=-1) / np.maximum(counted.sum(axis=-1), 1)


def _from_others(maps: AttentionMaps) -> np.ndarray:
    """Return the mean mass on the keys of `after_same_word` from all other later rows, float64 [layer, head]."""
    followers = _followers(maps)
    others = followers.any(axis=0) & maps.visible & ~followers & ~np.eye(maps.n_queries, dtype=bool)
    return mean_of(np.where(others, maps.weights, 0).sum(axis=-1, dtype=np.float64), others.any(axis=-1))


AFTER_COPY, TIMES_OTHERS = "the word after the same word", 2
ROLES = {"the word before": word_before, AFTER_COPY: after_same_word}
NAMED_FROM = 0.5
FEWEST_ROWS = 3  # over fewer a mean says nothing


def role_here(maps: AttentionMaps) -> dict[HeadId, tuple[str, float]]:
    """Return each head's role on this text and its share: the larger of `ROLES`, if above a half over three rows.

    A head that attends to the tokens after earlier copies half as much from other tokens has no such role.
    """
    counts = dict(zip(ROLES, (maps.n_queries - 1, n_copies(maps)), strict=True))
    names = [name for name in ROLES if counts[name] >= FEWEST_ROWS]
    if not names:
        return {}
    shares = np.nan_to_num(np.stack([ROLES[name](maps) for name in names]))  # [role, layer, head]
    if AFTER_COPY in names:
        copies = names.index(AFTER_COPY)
        shares[copies][shares[copies] < TIMES_OTHERS * np.nan_to_num(_from_others(maps))] = 0
    return {
        head: (names[int(shares[:, *head].argmax())], float(shares[:, *head].max()))
        for head in maps.heads
        if shares[:, *head].max() > NAMED_FROM
    }
