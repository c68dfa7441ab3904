"""Next words of a text: with heads ablated together, at single positions, with single links cut; and translations."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch

from mha.cuts import Cut, Cuts
from mha.errors import InputError
from mha.intervention.ablation import (
    Change,
    HeadChanges,
    Heads,
    Pass,
    ablation_changes,
    are_given,
    cutting,
    run_variants,
)
from mha.intervention.outcomes import LinkSweep, NextWords, PositionEffects, WordSweep
from mha.intervention.predicting import changed_in_turn, chosen_ids, iter_word_sweep, one_pass, predict, predicting_text
from mha.intervention.subject import Subject, subject
from mha.intervention.trunk import estimated_effects, leading_positions, trunk_of
from mha.intervention.typed import ids_of_words
from mha.maps import AttentionMaps, HeadId, Token
from mha.memo import array_dataclass
from mha.models.files import translator
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.generating import MOST, Generation, iter_written, load_word_model
from mha.models.watch.recording import listening
from mha.words import accept, words


def next_words(
    text: str,
    model: str | LoadedModel = DEFAULT,
    words: Collection[str] = (),
    ablated: Heads = (),
    kind: str = "mean",
    target: str = "",
    positions: str = "all",
    cut: Cuts = (),
) -> NextWords:
    """Return the five likeliest next words and the given ``words``, before and after some heads are ablated together.

    A masked model fills a typed ``[MASK]``; an encoder–decoder predicts the word after ``target``. A given word is one
    token. ``kind``, ``positions`` and ``cut`` as `mha.predict`.

    >>> found = next_words("moon fish table moon fish", "copier", words=["rope"], ablated=["L1H2"])
    >>> found.words[0], found.words[-1], f"{found.probability[0]:.0%} → {found.after[0]:.0%}"
    ('table', 'rope', '79% → 64%')
    >>> [round(value, 2) for value in found.log_ratio("table", "rope")]
    [5.49, 4.9]

    Raises:
        InputError: a given word is several tokens; or as `mha.predict`.
        AttentionUnavailable, UnknownModel, ModelUnavailable: as `mha.predict`.
    """
    loaded = load_word_model(model)
    sweep = first_words(text, loaded, words, target, kind, positions)
    if not are_given(ablated, cut):
        return NextWords(sweep)
    ablated_prediction = predict(
        text, loaded, sweep.ids, ablated, kind=kind, target=target, positions=positions, cut=cut
    )
    return NextWords(
        sweep,
        ablated_prediction.heads,
        ablated_prediction.ablated_probabilities,
        ablated_prediction.ablated_word,
        ablated_prediction.cut,
    )


def first_words(
    text: str,
    model: str | LoadedModel,
    words: Collection[str] = (),
    target: str = "",
    kind: str = "mean",
    positions: str = "all",
) -> WordSweep:
    """Return the five likeliest next words and then the given ones, with no head measured yet; raises as `next_words`.

    A given word that is one of the five is not repeated.
    """
    loaded = load_word_model(model)
    likeliest = next(iter_word_sweep(text, loaded, target=target, kind=kind, positions=positions))
    further, notes = ids_of_words(
        [word for word in ([words] if isinstance(words, str) else words) if word != ""],
        loaded,
        accept(text).text,
        target,
    )
    ids = tuple(dict.fromkeys((*likeliest.ids, *further)))
    if ids != likeliest.ids:
        likeliest = next(iter_word_sweep(text, loaded, ids, target=target, kind=kind, positions=positions))
    return replace(likeliest, notes=likeliest.notes + notes)


MOST_POSITIONS = 8  # measured besides the predicting one
HALF = 0.5  # of the whole effect


def effect_by_position(
    text: str,
    head: HeadId | str,
    model: str | LoadedModel = DEFAULT,
    words: int | Sequence[int] = 5,
    word: int = 0,
) -> PositionEffects:
    """Return the change of next words with a head mean-ablated at all positions, and at the predicting one alone.

    If the predicting position alone has less than half of the change of ``words[word]``, in probability, up to eight
    further positions are measured: all of a short text, else those with the largest estimated effect
    (`mha.intervention.trunk`). ``words`` as in `mha.predict`. Effects of single positions need not add up to that of
    all.

    Raises:
        InputError: as `mha.predict`, or the model is an encoder–decoder, whose predicting position is in its decoder.
        AttentionUnavailable, UnknownModel, ModelUnavailable: as `mha.predict`.
    """
    loaded = load_word_model(model)
    if loaded.row.two_sided:
        raise InputError(
            f"{loaded.row.short} predicts in its decoder; heads of its encoder have no predicting position."
        )
    encoded, place = predicting_text(loaded, text)
    experiment = subject(loaded)
    (head,) = experiment.chosen([head])
    single_pass = one_pass(experiment, encoded, place)
    trunk = trunk_of(experiment, single_pass, place)

    def log_probabilities(changes: Sequence[Change]) -> np.ndarray:
        """Return log-probabilities of all words, untouched and after each change, float64 [1 + change, vocabulary]."""
        values = (
            trunk.ablated_log_probabilities(changes)
            if trunk
            else run_variants(experiment, single_pass, [(change,) for change in changes])
        )
        return values.cpu().numpy()

    def ablation_at(position: int | None) -> Change:
        return ablation_changes(experiment, [head], "mean", position=position)[0]

    first = log_probabilities([ablation_at(None), ablation_at(place)])
    ids = chosen_ids(loaded, np.exp(first[0]), words)
    log_probability = first[0, ids]
    changes = first[1:, ids] - log_probability  # [everywhere and at the predicting position, word]
    everywhere, at_place = np.expm1(changes[:, word])
    positions = [place]
    if everywhere * at_place < HALF * everywhere**2:
        further = [number for number in range(len(encoded.tokens)) if number != place]
        if len(further) > MOST_POSITIONS:
            effects = estimated_effects(experiment, single_pass, int(ids[word]), "mean", trunk=trunk)
            ranked = leading_positions(effects, head, MOST_POSITIONS + 1)
            further = sorted([number for number in ranked if number != place][:MOST_POSITIONS])
        changes_at = log_probabilities([ablation_at(number) for number in further]) if further else first[:1]
        changes = np.concatenate([changes, changes_at[1:, ids] - changes_at[0, ids]])
        positions += further
    return PositionEffects(
        head=head,
        tokens=encoded.tokens,
        ids=tuple(int(number) for number in ids),
        positions=tuple(positions),
        log_probability=log_probability,
        change=changes[1:],
        everywhere=changes[0],
    )


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
    loaded = load_word_model(model)
    if loaded.row.two_sided:
        raise InputError(
            f"iter_link_sweep takes models of one stack; {loaded.row.short} has two: use translate(text, cut=[…])."
        )
    encoded, place = predicting_text(loaded, text, mask=mask)
    experiment, sweep = subject(loaded), next(iter_word_sweep(text, loaded, words, mask=mask))
    single_pass = one_pass(experiment, encoded, place)
    weights = _weights(experiment, single_pass, place)  # [layer, head, key]
    cuts = (
        _largest(weights, place, experiment.causal, int(links))
        if isinstance(links, int | np.integer)
        else Cut.parse_all(links)
    )
    if any(cut.queries != (place, place) for cut in cuts):
        raise InputError(f"Links from token {place} are cut, which predicts; a query of these is another token.")
    changes = [change for cut in cuts for change in cutting(experiment, [cut], len(encoded.tokens))]
    weight = np.array([weights[cut.head][slice(cut.keys[0], cut.keys[1] + 1)].sum() for cut in cuts], dtype=float)
    order = np.argsort(-weight, kind="stable")
    ordered = tuple(cuts[number] for number in order)
    effects = np.full((len(cuts), len(sweep.ids)), np.nan)
    yield LinkSweep(sweep, ordered, weight[order], effects.copy())
    changes.sort(key=lambda change: change.head.layer)
    trunk = trunk_of(experiment, single_pass, place)
    for batch, values in changed_in_turn(experiment, encoded, place, [changes], trunk, rows):
        places = [ordered.index(change.cut) for change in batch if change.cut is not None]
        effects[places] = values[1:, sweep.ids] - values[0, sweep.ids]  # row 0 of the same batch: rounding cancels
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


UNFINISHED = "The translation stops after {} tokens, before its end."


@array_dataclass
class Translation:
    """The greedy translation of a text, with ``heads`` ablated by ``kind`` and the links of ``cut`` cut.

    ``source`` is the text as it was read, ``text`` the translation, ``words`` its words. ``tokens`` are those of the
    translation, with the end sign if the model set it, and ``ids`` their numbers; ``probabilities`` is float64 [token],
    each one's own given those before it. ``generation`` has the recording of both stacks.
    """

    source: str
    text: str
    words: tuple[str, ...]
    tokens: tuple[Token, ...]
    ids: tuple[int, ...]
    probabilities: np.ndarray
    heads: tuple[HeadId, ...]
    kind: str
    generation: Generation
    notes: tuple[str, ...] = ()
    cut: tuple[Cut, ...] = ()

    @property
    def attention(self) -> AttentionMaps:
        """The cross-attention, float32 [layer, head, token, key]: from each written token to those of the source.

        Row t is that of the token t; one more row follows the last token.
        """
        return self.generation.recording.attention("cross")


def translate(
    text: str,
    ablated: Heads = (),
    kind: str = "mean",
    model: str | LoadedModel = translator.NAME,
    n_tokens: int = MOST,
    cut: Cuts = (),
) -> Translation:
    """Return the greedy translation of a text, at most 64 tokens, with some heads ablated and links cut together.

    Heads are ``E0H7`` (or ``L0H7``) of the encoder and ``C1H2`` of the cross-attention; ``kind`` as `mha.ablate`. The
    translator writes Portuguese. Mean ablation of the translator puts a head's mean output over 40 sample sentences
    and their greedy translations in its place.

    At most four links are ``cut`` as in `mha.ablate`: "E0H7:1-6" sets the weight of E0H7 from token 1 to token 6 of the
    text to 0. The query of a link of the cross-attention is the number of a written token: "C1H2:0-1" is cut where
    C1H2 attends to token 1 of the text before token 0 is written. Numbers are from 0.

    A translation that is not finished has a note.

    Raises:
        InputError: no word in the text, no such head or kind, or a number of tokens out of its range; or a cut as in
            `mha.ablate`, or of a token that is not written then.
        AttentionUnavailable: the model does not write.
        ModelUnavailable: the translator is not installed.
    """
    loaded, accepted = load_word_model(model), accept(text)
    experiment = subject(loaded)
    heads, n_read = experiment.chosen(ablated), len(experiment.encoded(accepted.text).tokens)
    cuts = cutting(experiment, cut, n_read, heads)
    made = (*ablation_changes(experiment, heads, kind), *cuts)
    changes = HeadChanges(experiment.stack, {0: made}) if made else None
    *_, generation = iter_written(
        loaded,
        accepted,
        n_tokens,
        intervention=changes,
        caches=not any(change.head.stack == "cross" for change in cuts),
    )
    assert isinstance(generation, Generation)
    cutting(experiment, cut, n_read, heads, generation.n_steps)
    translation = generation.recording.target
    return Translation(
        source=accepted.text,
        text=translation,
        words=tuple(words(translation)),
        tokens=generation.written,
        ids=generation.ids[generation.n_read :],
        probabilities=generation.probabilities,
        heads=heads,
        kind=kind,
        generation=generation,
        notes=generation.notes if generation.ended else (*generation.notes, UNFINISHED.format(generation.n_steps)),
        cut=tuple(change.cut for change in cuts if change.cut is not None),
    )
