"""Predictions of a model, and their changes under ablation.

A decoder predicts the next word, a masked model the word at a typed ``[MASK]``, an encoder–decoder the next word of a
target. The words stay those of the full model under ablation, so that they can be compared.
"""

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
import torch

from mha.cuts import Cuts
from mha.errors import AttentionUnavailable, InputError
from mha.intervention.ablation import (
    MOST_ROWS,
    MOST_TOKENS,
    Change,
    HeadChanges,
    Heads,
    Pass,
    Variant,
    ablated_position,
    ablation_changes,
    are_given,
    check_kind,
    cutting,
    rows_at_once,
    run_variants,
)
from mha.intervention.bank import mean_steps
from mha.intervention.outcomes import Prediction, WordSweep
from mha.intervention.subject import Subject, in_this_thread, subject
from mha.intervention.trunk import Trunk, estimated_effects, order_by_estimate, stages, trunk_of
from mha.intervention.typed import ids_of_words
from mha.maps import HeadId
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.anatomy import anatomy
from mha.models.watch.generating import Generation, load_word_model, writes
from mha.models.watch.inputs import encode_source, masked, split_language, target_so_far, without_end
from mha.models.watch.recording import listening, undisturbed
from mha.models.watch.tokens import Encoded, encode, names_of_ids, texts_of_ids
from mha.old_names import takes_old_names
from mha.words import accept

ROWS = 16  # of one batch
LONGER = 4 / 3  # times the rows of a growing batch: a quarter of a second for a short text with two threads
ORDERS = ("layers", "estimate")
MOST_WORDS = 100


@dataclass(frozen=True)
class Ablation:
    """Changes of `predict`: ``heads`` are ablated and links ``cut`` together, heads ``in_turn`` one by one."""

    heads: Heads = ()
    in_turn: Heads = ()
    kind: str = "mean"
    positions: str = "all"
    cut: Cuts = ()


@takes_old_names
def predict(
    text: str,
    model: str | LoadedModel = DEFAULT,
    count: int | Sequence[int | str] = 10,
    ablated: Heads = (),
    ablated_in_turn: Heads = (),
    kind: str = "mean",
    mask: int = 0,
    target: str = "",
    positions: str = "all",
    cut: Cuts = (),
) -> Prediction:
    """Return the likeliest words after a text, at a typed ``[MASK]``, or next in a begun ``target``.

    ``count`` is how many words, or the words themselves: token ids, or texts as they are typed there (one token each).
    ``ablated`` heads are ablated together, ``ablated_in_turn`` one by one, by a ``kind`` of `mha.ablate`. ``mask`` is
    the number of the mask if several are typed. Heads
    are ablated at all ``positions`` of the text, or only at the "predicting" one: the last token or the mask. Links are
    ``cut`` together with the ``ablated`` heads, as in `mha.ablate`; positions are of tokens of the text, and queries
    of cross-attention heads are of tokens of the target, from its start token on.

    Raises:
        InputError: no word in the text, no such head, kind, mask or positions, no mask is typed for a masked model, or
            heads of an encoder–decoder are to be ablated at the predicting position; or a cut as in `mha.ablate`.
        AttentionUnavailable: the model predicts no words, or its heads cannot be reached.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    loaded = load_word_model(model)
    encoded, place = predicting_text(loaded, text, target, mask)
    words_or_ids, notes = ids_of_words(count, loaded, accept(text).text, target, mask)
    encoded = replace(encoded, notes=encoded.notes + notes)
    ablation = Ablation(ablated, ablated_in_turn, kind, positions, cut)
    return _prediction(loaded, encoded, place, words_or_ids, ablation)


def predict_step(generation: Generation, step: int, model: str | LoadedModel) -> Prediction:
    """Return the ten likeliest words of one step of a generation by this model, after exactly the tokens it had read.

    Raises:
        InputError: the step does not exist, or the model is an encoder–decoder.
        AttentionUnavailable, UnknownModel, ModelUnavailable: as `predict`.
    """
    loaded = load_word_model(model)
    if loaded.row.two_sided:
        raise InputError(f"{loaded.row.short} writes beside a text; `predict` has its next words.")
    if not 0 <= step < generation.n_steps:
        raise InputError(f"{generation.n_steps} tokens were written; you asked for step {step}.")
    read = generation.n_read + step
    encoded = Encoded({"input_ids": [list(generation.ids[:read])]}, generation.tokens[:read])
    return _prediction(loaded, encoded, read - 1, 10, Ablation())


def _prediction(
    loaded: LoadedModel, encoded: Encoded, place: int, count: int | Sequence[int], ablation: Ablation
) -> Prediction:
    position, kind = ablated_position(loaded, ablation.positions, place), ablation.kind
    experiment = subject(loaded) if are_given(ablation.heads, ablation.in_turn, ablation.cut) else None
    ablated_set = () if experiment is None else experiment.chosen(ablation.heads)
    single_heads = () if experiment is None else experiment.chosen(ablation.in_turn)
    changes: Variant = ()
    if experiment is not None:
        n_tokens = len(encoded.inputs["input_ids"][0])
        cuts = cutting(experiment, ablation.cut, n_tokens, ablated_set, len(encoded.tokens))
        changes = (*ablation_changes(experiment, ablated_set, kind, position), *cuts)
    rows = _rows(loaded, experiment, encoded.inputs, place, [(), changes] if changes else [()])  # [set, vocabulary]
    ids = chosen_ids(loaded, rows[0], count)
    first = (int(rows[1].argmax()),) if changes else ()
    names, raws = names_of_ids(loaded.tokenizer, [*map(int, ids), *first])
    effects = None
    if experiment and single_heads:
        effects = _probabilities_without(
            experiment, encoded, place, ablation_changes(experiment, single_heads, kind, position), ids
        )
    return Prediction(
        words=names[: len(ids)],
        ids=tuple(int(number) for number in ids),
        probabilities=rows[0, ids],
        tokens=encoded.tokens,
        place=place,
        vocabulary=rows.shape[1],
        heads=ablated_set,
        ablated_probabilities=rows[1, ids] if changes else None,
        ablated_word=names[len(ids)] if changes else "",
        ablated_in_turn=single_heads,
        probabilities_in_turn=effects,
        kind=kind,
        notes=encoded.notes,
        raws=raws[: len(ids)],
        positions=ablation.positions,
        cut=tuple(change.cut for change in changes if change.cut is not None),
    )


def chosen_ids(loaded: LoadedModel, row: np.ndarray, words: int | Sequence[int]) -> np.ndarray:
    """Return token ids: the likeliest words of a row, float64 [vocabulary], or the given ids if they exist."""
    if isinstance(words, int | np.integer):
        limit = min(MOST_WORDS, loaded.model.config.get_text_config().vocab_size)
        if not 1 <= words <= limit:
            raise InputError(f"1 to {limit} words can be given; you asked for {words!r}.")
        return np.argsort(-row, kind="stable")[:words]
    ids = np.array(words)
    if ids.ndim != 1 or ids.dtype.kind not in "iu" or ids.min() < 0 or ids.max() >= len(row):
        raise InputError(f"{loaded.row.short} has token ids 0 to {len(row) - 1}; you asked for {words!r}.")
    return ids


def iter_word_sweep(
    text: str,
    model: str | LoadedModel = DEFAULT,
    words: int | Sequence[int | str] = 5,
    heads: Heads | None = None,
    kind: str = "mean",
    mask: int = 0,
    rows: int | None = None,
    target: str = "",
    positions: str = "all",
    order: str = "layers",
    word: int | str | None = None,
) -> Iterator[WordSweep]:
    """Yield the next words, then again and again with more heads ablated in turn; the last value is complete.

    ``words`` is how many of the likeliest words are kept, or the words, as in `predict`. ``heads`` are ablated, all if
    not given. One pass ablates ``rows`` heads of the lowest layer, or more of higher layers; if not given, as many as a
    visitor may wait for. Closing the generator stops the work. ``target`` is for an encoder–decoder,
    as in `predict`; its heads are those of the encoder (``E0H7``) and of the cross-attention (``C1H2``). ``positions``
    as `predict`.

    The ``order`` is "layers", low ones first, or "estimate": the 8 leading heads of an estimate of the effect on
    the ``word``, given as one of ``words`` (the first of them if not given), then layers 0 and 1 and what is left
    of the 30 leading heads of later layers, then the rest by layers. Method: two gradients of the log-probability
    at the head's output, one at the recorded outputs and one with all heads a quarter of the way to their ablation,
    times (ablated − recorded output); the larger size counts (sources: `mha.intervention.trunk`). In SmolLM2 and
    100 texts of 4 to 12 tokens, half of them shuffled, the head with the largest change is one of the first 8 in 75
    and one of the first 48 in 99 [95 % interval 95, 100]. Limits: where a word is nearly certain its gradients are
    small, and a large head may come late (L23H4 in "The capital of France is"). The estimate is for one word; for
    another, sweep the ``heads`` that are left again. Its sizes and signs are not results and are not returned, and
    until the last value no head is known to be the largest of all. The gradients need memory: 25 MB at 14 tokens
    and 105 MB at 116 as the app sets the allocator, 190 MB as glibc does. Means that do not come with the model are
    measured first.

    Raises:
        InputError: as `predict`, or no such order, or the model does not have such a token id, or none is given.
        AttentionUnavailable: as `predict`.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    loaded = load_word_model(model)
    encoded, place = predicting_text(loaded, text, target, mask)
    chosen_words, notes = ids_of_words(words, loaded, accept(text).text, target, mask)
    encoded = replace(encoded, notes=encoded.notes + notes)
    position = ablated_position(loaded, positions, place)
    if order not in ORDERS:
        raise InputError(f"Heads are ablated in the order {' or '.join(map(repr, ORDERS))}; this is {order!r}.")
    experiment = subject(loaded)
    all_heads = (*experiment.heads, *experiment.cross_heads)
    chosen_heads = all_heads if heads is None else tuple(sorted(experiment.chosen(heads), key=attrgetter("run_order")))
    single_pass = one_pass(experiment, encoded, place)
    trunk = trunk_of(experiment, single_pass, place)
    row: np.ndarray = (  # float64 [vocabulary]
        _rows(loaded, None, encoded.inputs, place, [()])[0]
        if trunk is None
        else trunk.full_log_probabilities[0].exp().cpu().numpy()
    )
    ids = chosen_ids(loaded, row, chosen_words)
    (selected,) = chosen_ids(
        loaded,
        row,
        ids_of_words([ids[0] if word is None else word], loaded, accept(text).text, target, mask)[0],
    )
    change, likeliest = np.full((len(all_heads), len(ids)), np.nan), np.full(len(all_heads), -1)  # [head, word], [head]

    def current_sweep() -> WordSweep:
        word_ids = sorted({int(number) for number in (*ids, *likeliest.ravel()) if number >= 0})
        texts, raws, special = texts_of_ids(loaded.tokenizer, word_ids)
        own_change, cross_change = experiment.grids(change.copy())
        own_likeliest, cross_likeliest = experiment.grids(likeliest.copy())
        return WordSweep(
            text=accept(text).text,
            tokens=encoded.tokens,
            place=place,
            kind=kind,
            ids=tuple(int(number) for number in ids),
            raws=dict(zip(word_ids, raws, strict=True)),
            texts=dict(zip(word_ids, texts, strict=True)),
            special=frozenset(number for number, is_special in zip(word_ids, special, strict=True) if is_special),
            log_probability=np.log(row[ids]),
            change=own_change,
            likeliest=own_likeliest,
            cross_change=cross_change,
            cross_likeliest=cross_likeliest,
            model=loaded.row.short,
            revision=loaded.row.revision,
            notes=encoded.notes,
            positions=positions,
        )

    check_kind(kind)
    yield current_sweep()
    if kind == "mean":
        for _ in mean_steps(experiment, any(head.stack == "cross" for head in chosen_heads)):
            yield current_sweep()
    changes = {change.head: change for change in ablation_changes(experiment, chosen_heads, kind, position)}
    parts: Sequence[Sequence[HeadId]] = [chosen_heads]
    if order == "estimate":
        effects = estimated_effects(experiment, single_pass, int(selected), kind, position, trunk)
        yield current_sweep()
        parts = stages(order_by_estimate(effects), chosen_heads)
    in_turn = [[changes[head] for head in part] for part in parts]
    for batch, values in changed_in_turn(experiment, encoded, place, in_turn, trunk, rows):
        for head, changed in zip((item.head for item in batch), values[1:], strict=True):
            change[all_heads.index(head)] = changed[ids] - values[0, ids]  # row 0 of the same batch: rounding cancels
            likeliest[all_heads.index(head)] = int(changed.argmax())
        yield current_sweep()


def _probabilities_without(
    experiment: Subject,
    encoded: Encoded,
    place: int,
    changes: Sequence[Change],
    ids: np.ndarray,
) -> np.ndarray:
    """Return the probabilities of some words after each change of one head alone, float64 [change, word]."""
    probabilities: dict[HeadId, np.ndarray] = {}
    trunk = trunk_of(experiment, one_pass(experiment, encoded, place), place)
    in_turn = sorted(changes, key=lambda change: change.head.run_order)
    for batch, values in changed_in_turn(experiment, encoded, place, [in_turn], trunk):
        probabilities |= {change.head: np.exp(changed[ids]) for change, changed in zip(batch, values[1:], strict=True)}
    return np.array([probabilities[change.head] for change in changes])


def one_pass(experiment: Subject, encoded: Encoded, place: int) -> Pass:
    """Return the pass that reads log-probabilities at one position, float64 [row, vocabulary].

    That of an encoder–decoder is the last position of a begun target.
    """
    model = experiment.model
    if experiment.loaded.row.two_sided:
        return _target_pass(experiment, encoded)
    is_last = place == len(encoded.tokens) - 1
    keeps = is_last and "logits_to_keep" in inspect.signature(model.forward).parameters
    runs = partial(model, logits_to_keep=1) if keeps else model
    row = -1 if is_last else place
    return Pass(
        experiment.inputs(encoded),
        lambda outputs: torch.log_softmax(outputs.logits[:, row].double(), dim=-1),
        runs=runs,
    )


def _target_pass(experiment: Subject, encoded: Encoded) -> Pass:
    """Return the pass that runs an encoder, then reads the log-probabilities of the next token of a target."""
    model, inputs = experiment.model, experiment.inputs(encoded)
    target = inputs.pop("decoder_input_ids")  # [1, token]

    def narrow(_: Any, args: tuple[Any, ...]) -> Any:
        return (args[0][:, -1:].contiguous(),)  # [row, 1, d_model]: the vocabulary is most of the work of a position

    def read(outputs: Any) -> torch.Tensor:
        states = outputs.last_hidden_state  # [row, token, d_model]
        targets = target.expand(len(states), -1)
        hook = model.get_output_embeddings().register_forward_pre_hook(in_this_thread(narrow))
        try:
            logits = model(encoder_outputs=(states,), decoder_input_ids=targets, use_cache=False).logits
        finally:
            hook.remove()
        return torch.log_softmax(logits[:, -1].double(), dim=-1)

    return Pass(inputs, read, runs=experiment.body)


def changed_in_turn(
    experiment: Subject,
    encoded: Encoded,
    place: int,
    parts: Sequence[Sequence[Change]],
    trunk: Trunk | None,
    rows: int | None = None,
) -> Iterator[tuple[list[Change], np.ndarray]]:
    """Yield changes of a part, each made alone, and log-probabilities of all words, float64 [1 + change, vocabulary].

    Row 0 has no change. Each part begins with its lowest layer. A change in a high layer costs little, since it begins
    late: batches of equal cost.
    """
    single_pass = one_pass(experiment, encoded, place)
    rows = rows or int(LONGER * rows_at_once(experiment, single_pass.inputs))
    limit = min(MOST_ROWS, max(rows, MOST_TOKENS // len(encoded.tokens)))
    for changes in parts:
        start = 0
        while start < len(changes):
            end = start + _n_together(experiment, changes[start : start + limit], rows)
            if trunk is None:
                values = run_variants(experiment, single_pass, [(change,) for change in changes[start:end]])
            else:
                values = trunk.ablated_log_probabilities(changes[start:end])
            yield list(changes[start:end]), values.cpu().numpy()
            start = end


def _n_together(experiment: Subject, changes: Sequence[Change], rows: int) -> int:
    """Return how many of these changes one batch has: together they cost no more than ``rows`` whole passes."""
    n_layers = experiment.n_layers
    costs = np.cumsum([n_layers - change.head.layer if change.head.stack != "cross" else 1 for change in changes])
    return max(1, int((costs <= rows * experiment.n_layers).sum()))


def predicting_text(loaded: LoadedModel, text: str, target: str = "", mask: int = 0) -> tuple[Encoded, int]:
    """Return the model's inputs, the tokens of the predicting axis, and its predicting row."""
    accepted = accept(text)
    two_sided = loaded.row.two_sided
    if target and not two_sided:
        raise InputError(f"{loaded.row.short} has no decoder beside its encoder; a target is for models that have one.")
    if loaded.model.get_output_embeddings() is None:
        raise AttentionUnavailable(f"{loaded.row.short} predicts no words: it has no layer for that.")
    if two_sided:
        language, _ = split_language(loaded, target)
        encoded = encode_source(loaded, accepted.text, language=language)
        begun = target_so_far(loaded, target)
        inputs = encoded.inputs | {"decoder_input_ids": begun.inputs["input_ids"]}
        encoded = Encoded(inputs, begun.tokens, encoded.notes + begun.notes)
        place = len(begun.tokens) - 1
    elif writes(loaded):
        encoded = without_end(encode(loaded.tokenizer, accepted.text, max_tokens=loaded.max_tokens))
        place = len(encoded.tokens) - 1
    else:
        encoded, places = masked(loaded.tokenizer, accepted.text, loaded.max_tokens)
        if not 0 <= mask < len(places):
            raise InputError(f"The text has {len(places)} masks, counted from 0; you asked for {mask}.")
        place = places[mask]
    return replace(encoded, notes=accepted.notes + encoded.notes), place


def _rows(
    loaded: LoadedModel,
    experiment: Subject | None,
    read: dict[str, list[list[int]]],
    place: int,
    variants: Sequence[Variant],
) -> np.ndarray:
    """Return the probabilities of all words at the position, float64 [variant, vocabulary]."""
    model = loaded.model
    rows_of_variants = []
    for first in range(0, len(variants), ROWS):
        batch = variants[first : first + ROWS]
        inputs: dict[str, Any] = {
            name: torch.tensor(values * len(batch), device=model.device) for name, values in read.items()
        }
        if anatomy(model).takes_cache:
            inputs["use_cache"] = False
        with torch.inference_mode():
            if experiment is None:
                with undisturbed(model) as passes:
                    logits = passes(model, **inputs).logits
            else:
                with listening(model, (), HeadChanges(experiment.stack, dict(enumerate(batch)))):
                    logits = model(**inputs).logits
            rows_of_variants.append(torch.softmax(logits[:, place].double(), dim=-1).cpu().numpy())
    return np.concatenate(rows_of_variants)
