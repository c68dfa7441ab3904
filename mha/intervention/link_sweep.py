"""The effect of single links on the next word: each of the largest links of the predicting token is cut alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from mha.cuts import Cut
from mha.errors import InputError
from mha.intervention.ablation import cutting
from mha.intervention.growing import Pass
from mha.intervention.outcomes import LinkSweep
from mha.intervention.predicting import changed_in_turn, chosen_ids, one_pass, predicting_text
from mha.intervention.subject import Subject, subject
from mha.intervention.trunk import trunk_of
from mha.intervention.typed import ids_of_words
from mha.maps import HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.generating import writer
from mha.models.watch.recording import listening
from mha.models.watch.tokens import names_of_ids
from mha.words import accept

N_LINKS = 60


def iter_link_sweep(
    text: str,
    model: str | LoadedModel = DEFAULT,
    words: int | Sequence[int | str] = 5,
    links: int | Sequence[Cut | str] = N_LINKS,
    mask: int = 0,
    rows: int | None = None,
) -> Iterator[LinkSweep]:
    """Yield the next words, then again and again with more links cut, each alone; the last value is complete.

    A link is the weight of one head from the predicting token, the last one or the typed ``[MASK]`` number ``mask``, to
    another token or itself. A cut sets it to 0 and rescales its row, as in `mha.ablate`; the model runs again, so the
    change has every later effect. ``links`` is how many of the largest ones are cut, or the links as cuts, "L23H4:5-4".
    The largest ones exclude the first token of a causal model, an attention sink. ``words`` and ``rows`` as in
    `mha.iter_word_sweep`. Closing the generator stops the work.

    >>> *_, result = iter_link_sweep("moon fish table moon fish", "copier", links=3)
    >>> [f"{link} {weight:.0%}" for link, weight in zip(result.links, result.weight)]
    ['L0H1:5-4 100%', 'L1H0:5-3 92%', 'L1H3:5-3 90%']

    Raises:
        InputError: as `mha.predict`; less than one link is asked for, a cut is refused as by `mha.ablate` or from
            another token; or the model is an encoder–decoder, which predicts in its decoder.
        AttentionUnavailable, UnknownModel, ModelUnavailable: as `mha.predict`.
    """
    loaded = writer(model)
    name = loaded.row.short
    if loaded.row.two_sided:
        raise InputError(f"{name} predicts in its decoder; links are cut in models of one stack.")
    encoded, place = predicting_text(loaded, text, mask=mask)
    words_or_ids, notes = ids_of_words(words, loaded, accept(text).text, "", mask)
    experiment = subject(loaded)
    single_pass = one_pass(experiment, encoded, place)
    row, weights = _untouched(experiment, single_pass, place)  # [vocabulary], [layer, head, key]
    ids = chosen_ids(loaded, np.exp(row), words_or_ids)
    cuts = _largest(weights, place, experiment.causal, links) if isinstance(links, int) else list(map(Cut.of, links))
    if any(cut.queries != (place, place) for cut in cuts):
        raise InputError(f"Links from token {place} are cut, which predicts; a query of these is another token.")
    changes = [change for cut in cuts for change in cutting(experiment, [cut], len(encoded.tokens))]
    weight = np.array([weights[cut.head][slice(cut.keys[0], cut.keys[1] + 1)].sum() for cut in cuts], dtype=float)
    order = np.argsort(-weight, kind="stable")
    names, _ = names_of_ids(loaded.tokenizer, [int(number) for number in ids])
    change = np.full((len(cuts), len(ids)), np.nan)

    def measured_so_far() -> LinkSweep:
        return LinkSweep(
            text=accept(text).text,
            tokens=encoded.tokens,
            place=place,
            links=tuple(cuts[number] for number in order),
            weight=weight[order],
            words=tuple(names),
            ids=tuple(int(number) for number in ids),
            log_probability=row[ids],
            change=change[order],
            model=name,
            revision=loaded.row.revision,
            notes=encoded.notes + notes,
        )

    yield measured_so_far()
    numbers = {change.cut: number for number, change in enumerate(changes)}
    in_turn = sorted(changes, key=lambda change: change.head.layer)
    for batch, values in changed_in_turn(
        experiment, encoded, place, [in_turn], trunk_of(experiment, single_pass, place), rows
    ):
        for cut, changed in zip((item.cut for item in batch), values[1:], strict=True):
            change[numbers[cut]] = (changed - values[0])[ids]  # row 0 of the same batch: rounding cancels
        yield measured_so_far()


def _untouched(experiment: Subject, single_pass: Pass, place: int) -> tuple[np.ndarray, np.ndarray]:
    """Return log-probabilities [vocabulary], and the weights from the predicting token, float32 [layer, head, key]."""
    with torch.inference_mode(), listening(experiment.model, ("weights",)) as call:
        (row,) = single_pass.read(single_pass.runs(**single_pass.inputs))
    return row.cpu().numpy(), call.stacked(experiment.stack)[:, :, place].numpy()


def _largest(weights: np.ndarray, place: int, causal: bool, count: int) -> list[Cut]:
    """Return the largest links of the predicting token whose row keeps some weight without them."""
    if count < 1:
        raise InputError(f"At least one link can be cut; you asked for {count}.")
    first = int(causal)  # the first token of a causal model is an attention sink
    sizes = np.where(weights < weights.sum(axis=-1, keepdims=True), weights, 0)[..., first:]
    largest = np.argsort(-sizes, axis=None, kind="stable")[:count]
    places = np.argwhere(np.ones(sizes.shape, dtype=bool))[largest]  # [link, (layer, head, key)]
    return [
        Cut(HeadId(int(layer), int(head)), (place, place), (int(key) + first, int(key) + first))
        for layer, head, key in places
        if sizes[layer, head, key] > 0
    ]
