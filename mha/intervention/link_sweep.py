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
from mha.intervention.predicting import changed_in_turn, iter_word_sweep, one_pass, predicting_text
from mha.intervention.subject import Subject, subject
from mha.intervention.trunk import trunk_of
from mha.maps import HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.generating import writer
from mha.models.watch.recording import listening

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
    if loaded.row.two_sided:
        raise InputError(f"{loaded.row.short} predicts in its decoder; links are cut in models of one stack.")
    encoded, place = predicting_text(loaded, text, mask=mask)
    experiment, sweep = subject(loaded), next(iter_word_sweep(text, loaded, words, mask=mask))
    single_pass = one_pass(experiment, encoded, place)
    weights = _weights(experiment, single_pass, place)  # [layer, head, key]
    cuts = _largest(weights, place, experiment.causal, links) if isinstance(links, int) else list(map(Cut.of, links))
    if any(cut.queries != (place, place) for cut in cuts):
        raise InputError(f"Links from token {place} are cut, which predicts; a query of these is another token.")
    changes = [change for cut in cuts for change in cutting(experiment, [cut], len(encoded.tokens))]
    weight = np.array([weights[cut.head][slice(cut.keys[0], cut.keys[1] + 1)].sum() for cut in cuts], dtype=float)
    order = np.argsort(-weight, kind="stable")
    ordered = tuple(cuts[number] for number in order)
    effects = np.full((len(cuts), len(sweep.ids)), np.nan)
    yield LinkSweep(sweep, ordered, weight[order], effects.copy())
    in_turn = sorted(changes, key=lambda change: change.head.layer)
    for batch, values in changed_in_turn(
        experiment, encoded, place, [in_turn], trunk_of(experiment, single_pass, place), rows
    ):
        places = [ordered.index(change.cut) for change in batch if change.cut is not None]
        effects[places] = (values[1:] - values[0])[:, sweep.ids]  # row 0 of the same batch: rounding cancels
        yield LinkSweep(sweep, ordered, weight[order], effects.copy())


def _weights(experiment: Subject, single_pass: Pass, place: int) -> np.ndarray:
    """Return the weights from the predicting token with no link cut, float32 [layer, head, key]."""
    with torch.inference_mode(), listening(experiment.model, ("weights",)) as call:
        single_pass.runs(**single_pass.inputs)
    return call.stacked(experiment.stack)[:, :, place].numpy()


def _largest(weights: np.ndarray, place: int, causal: bool, count: int) -> list[Cut]:
    """Return the largest links of the predicting token whose row keeps some weight without them."""
    if count < 1:
        raise InputError(f"At least one link can be cut; you asked for {count}.")
    sizes = np.where(weights < weights.sum(axis=-1, keepdims=True), weights, 0)
    sizes[..., : int(causal)] = 0  # the first token of a causal model is an attention sink
    largest = np.argsort(-sizes, axis=None, kind="stable")[: min(count, np.count_nonzero(sizes))]
    places = np.transpose(np.unravel_index(largest, sizes.shape))  # [link, (layer, head, key)]
    return [Cut(HeadId(layer, head), (place, place), (key, key)) for layer, head, key in places.tolist()]
