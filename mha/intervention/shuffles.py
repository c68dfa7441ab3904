"""`mha.shuffle_control`: how often the best of all heads reaches a share in shuffled copies of a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mha.analysis.opening import opening
from mha.analysis.readings import word_position
from mha.analysis.shuffles import (
    FEWEST_COPIES,
    N_COPIES,
    SEED,
    ShuffleControl,
    distinct_orders,
    largest_share,
    min_distance_of,
    n_copies_to_stop,
    next_batch_size,
    pair_share,
    reorder_words_in_place,
)
from mha.analysis.usual import DISTANT
from mha.errors import InputError
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel, transformer_of
from mha.stepwise import Steps, finished
from mha.words import accept, words

if TYPE_CHECKING:  # this imports torch
    from mha.intervention.bank import Looked

FEW_ORDERS = "These words have {orders} other orders{fixed}; a control needs {fewest}. Type a longer sentence."
NOT_READ = "{model} reads {read} of {all} words of this text, so its words are not shuffled. Type a shorter text."
AT_ONCE = 16  # texts of a model without layers in one step


def shuffle_control(
    text: str,
    head: HeadId | tuple[int, int] | str | None = None,
    query: int | str | None = None,
    key: int | str | None = None,
    model: str | Path | LoadedModel = DEFAULT,
    n_copies: int = N_COPIES,
    seed: int = SEED,
) -> ShuffleControl:
    """Return how often the best of all heads reaches a share in shuffled copies of a sentence.

    The share is what ``head`` gives from the word ``query`` to the word ``key`` (word numbers, or words that occur
    once). Without a head it is the best head for these two words; without words it is the larger connection that
    `mha.opening` shows, or the largest of all. Words are shuffled, punctuation stays; in a causal model the first word
    stays too, because it is a sink wherever it is. Copies differ from the sentence and from each other.

    Raises:
        InputError: the text has one word, no such head or word, only one of the two words is given, the connection has
            no control (a sink, a later word of a causal model, the same word), or ``n_copies`` is below 19.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    return finished(control_steps(text, head, query, key, model, n_copies, seed))


def control_steps(
    text: str,
    head: HeadId | tuple[int, int] | str | None = None,
    query: int | str | None = None,
    key: int | str | None = None,
    model: str | Path | LoadedModel = DEFAULT,
    n_copies: int = N_COPIES,
    seed: int = SEED,
    sequential: bool = False,
    maps: AttentionMaps | None = None,
) -> Steps[ShuffleControl]:
    """Yield the number of copies of each batch; return the control, as `shuffle_control`.

    A ``sequential`` control measures copies in batches of eight at most and ends with the fifth copy that reaches the
    share. ``maps`` are those of the text if they are known.
    """
    from mha.models.watch.attending import attend, open_model

    if isinstance(n_copies, bool) or not isinstance(n_copies, int) or n_copies < FEWEST_COPIES:
        raise InputError(f"A control needs at least {FEWEST_COPIES} copies; n_copies is {n_copies!r}.")
    loaded = open_model(model)
    maps = (attend(text, loaded) if maps is None else maps).merged()
    head_id, source, target = _connection(maps, head, query, key)
    nearest = min_distance_of(maps, source, target)
    places = [place for place, token in enumerate(maps.tokens) if token.word is not None]
    share = float(maps[head_id][places[source], places[target]])
    n_words, fixed, note = len(words(maps.text)), int(maps.causal), ""
    orders = distinct_orders(maps.text, n_copies, seed, fixed) if n_words == len(places) else []
    if n_words != len(places):
        note = NOT_READ.format(model=maps.model, read=len(places), all=n_words)
    elif len(orders) < FEWEST_COPIES:
        stays = " if the first stays in place" if fixed else ""
        note, orders = FEW_ORDERS.format(orders=len(orders), fixed=stays, fewest=FEWEST_COPIES), []
    maxima, pair_maxima = np.empty(len(orders)), np.empty(len(orders))
    control = ShuffleControl(
        head_id, source, target, share, nearest, maxima, pair_maxima, maps.text, maps.model, maps.revision, note
    )
    del maps  # between two steps only numbers stay: maps of 300 words take 26 MB

    def measure(start: int, batch: list[tuple[int, AttentionMaps]]) -> int:
        for place, copy in batch:
            number, word_maps = start + place, copy.merged()
            order = orders[number]
            maxima[number] = largest_share(word_maps, nearest)[0]
            pair_maxima[number] = pair_share(word_maps, order.index(source), order.index(target), nearest)
        return len(batch)

    start = 0
    while start < len(orders):
        batch_size = next_batch_size(maxima[:start], control.share) if sequential else len(orders)
        copies = [reorder_words_in_place(control.text, order) for order in orders[start : start + batch_size]]
        yield from map(partial(measure, start), maps_in_batches(copies, loaded))  # a loop would hold the maps
        start += len(copies)
        last = n_copies_to_stop(maxima[:start], control.share) if sequential else 0
        if last:
            return replace(control, maxima=maxima[:last], pair_maxima=pair_maxima[:last], stopped=True)
    return control


def _connection(
    maps: AttentionMaps, head: HeadId | tuple[int, int] | str | None, query: int | str | None, key: int | str | None
) -> tuple[HeadId, int, int]:
    """Return the head and the two word numbers that are compared; errors as `shuffle_control`."""
    number = {place: count for count, place in enumerate(p for p, t in enumerate(maps.tokens) if t.word is not None)}
    if len(number) < 2:
        raise InputError(f"A connection needs two words; “{maps.text}” has {len(number)}.")
    if (query is None) != (key is None):
        raise InputError("Give both words of a connection, query and key, or neither.")
    if query is not None and key is not None:
        source, target = word_position(maps, query), word_position(maps, key)
        best = np.unravel_index(maps.weights[:, :, source, target].argmax(), maps.weights.shape[:2])
        head_id = HeadId(int(best[0]), int(best[1])) if head is None else HeadId.of(head)
        return head_id, number[source], number[target]
    if head is not None:
        raise InputError(f"Give the words of {HeadId.of(head)}, query and key, or leave the head out.")
    opening_heads = opening(maps)
    if opening_heads.looks:
        best_shown = int(np.argmax(opening_heads.weights))
        source, target = opening_heads.looks[best_shown]
        return opening_heads.heads[best_shown], number[source], number[target]
    for min_distance in (DISTANT, 1):
        share, head_id, source, target = largest_share(maps, min_distance)
        if share:
            return head_id, source, target
    raise InputError(f"“{maps.text}” has no two different words that can be compared. Type a longer sentence.")


def maps_in_batches(
    texts: Sequence[str], model: str | LoadedModel = DEFAULT
) -> Iterator[list[tuple[int, AttentionMaps]]]:
    """Yield the numbers and the maps of the texts of one forward pass after the other; some batches are empty."""
    loaded = transformer_of(model)
    if loaded is None:
        from mha.models.watch.attending import record_text

        for start in range(0, len(texts), AT_ONCE):
            batch = range(start, min(start + AT_ONCE, len(texts)))
            yield [(number, record_text(accept(texts[number]), model).maps) for number in batch]
        return
    from mha.intervention.bank import looked_together
    from mha.intervention.subject import subject

    yield from map(_numbered_maps, looked_together(subject(loaded), texts))


def _numbered_maps(batch: list[Looked]) -> list[tuple[int, AttentionMaps]]:
    return [(number, maps) for number, maps, _ in batch]
