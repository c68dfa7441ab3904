"""What records texts for a run: a model in memory, or its scrambled twin, many texts at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from mha.errors import AttentionUnavailable, InputError, MHAError
from mha.maps import AttentionMaps
from mha.models.files.catalog import model_row
from mha.words import accept

if TYPE_CHECKING:
    from mha.intervention.subject import Subject

MOST_WORDS = 128  # of a text; what is longer is left out

Places = Iterator[list[tuple[int, AttentionMaps | None]]]
Watching = Callable[[Sequence[str]], Places]


def watching(model: str, twin: int | None = None) -> Watching:
    """Return what records texts with a model, loading it if need be; with ``twin`` its scrambled twin of that seed.

    It yields the places of some texts and their maps after the others, as many as one step takes, or none. A text
    without anything to look at, or one that the model cannot read, has None. Models whose heads cannot be reached
    record one text after the other.
    """
    if model_row(model).kind != "transformer":
        return partial(_one_by_one, model)
    from mha.intervention.subject import subject
    from mha.models.watch.attending import loaded_model

    try:
        loaded = loaded_model(model) if twin is None else loaded_model(model, ("scrambled", twin))
        return partial(_together, subject(loaded))
    except AttentionUnavailable:
        if twin is not None:
            raise InputError("This model has no scrambled copy that can be recorded.") from None
        return partial(_one_by_one, model)


def _one_by_one(model: str, texts: Sequence[str]) -> Places:
    from mha.models.watch.attending import record_text

    for place, text in enumerate(texts):
        try:
            maps = record_text(text, model).maps
        except MHAError:
            yield [(place, None)]
        else:
            yield [(place, _with_words(maps) if maps.n_queries <= MOST_WORDS else None)]


def _together(experiment: Subject, texts: Sequence[str]) -> Places:
    from mha.intervention.batches import CUT_TOKENS, looked_together
    from mha.models.files.environment import one_thread

    readable, encoded, places = [], [], []
    n_tokens = 0
    for place, text in enumerate(texts):
        try:
            accepted = accept(text).text
            read = experiment.encoded(accepted)
        except MHAError:
            continue
        n_tokens += len(read.tokens)
        if n_tokens >= CUT_TOKENS:
            yield []
            n_tokens = 0
        if len(read.tokens) <= MOST_WORDS:
            readable.append(accepted)
            encoded.append(read)
            places.append(place)
    if unread := sorted(set(range(len(texts))) - set(places)):
        yield [(place, None) for place in unread]
    batches = looked_together(experiment, readable, encoded)
    while True:
        with one_thread():  # short texts gain nothing from more, and others need the cores
            together = next(batches, None)
        if together is None:
            return
        yield [(places[number], _with_words(maps)) for number, maps, _ in together]


def _with_words(maps: AttentionMaps) -> AttentionMaps | None:
    return maps if any(token.word is not None for token in maps.tokens) else None
