"""Records many texts at once with a model, or with its scrambled copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mha.errors import MHAError
from mha.intervention.bank import looked_together
from mha.intervention.subject import subject
from mha.maps import AttentionMaps
from mha.models.files.environment import one_thread
from mha.models.scrambled import scrambled_copy
from mha.models.watch.attending import loaded_model
from mha.words import accept

MOST_WORDS = 128  # of a text; longer ones are left out


def watched(model: str, texts: Sequence[str], seed: int | None = None) -> Iterator[AttentionMaps]:
    """Yield the maps of every text with words that the model can read; with ``seed``, by that scrambled copy."""
    loaded = loaded_model(model)
    experiment = subject(loaded if seed is None else scrambled_copy(loaded, "scrambled", seed))
    readable, encoded = [], []
    for text in texts:
        try:
            accepted = accept(text).text
            read = experiment.encoded(accepted)
        except MHAError:
            continue
        if len(read.tokens) <= MOST_WORDS:
            readable.append(accepted)
            encoded.append(read)
    batches = looked_together(experiment, readable, encoded)
    while True:
        with one_thread():  # short texts gain nothing from more, and others need the cores
            batch = next(batches, None)
        if batch is None:
            return
        yield from (maps for _, maps, _ in batch if any(token.word is not None for token in maps.tokens))
