"""The logit lens: the rank of a word if the model ended after each layer, or after each layer's attention.

One forward pass has two rows. Row 0 is the text. Before each block, row 1 becomes a copy of row 0; in row 1 the block's
feed-forward part adds 0. After the last block a hook returns the states of all layers instead, packed n_tokens to a
row. The final norm, the unembedding and the head of a masked model then read all states in one pass.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from mha.cuts import Cuts
from mha.errors import AttentionUnavailable, InputError
from mha.intervention.ablation import Change, HeadChanges, Heads, ablation_changes, cutting
from mha.intervention.outcomes import WordRanks
from mha.intervention.predicting import chosen_ids, one_pass, predicting_text
from mha.intervention.subject import Subject, in_this_thread, subject
from mha.intervention.trunk import trunk_of
from mha.intervention.typed import ids_of_words
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.generating import load_word_model
from mha.models.watch.recording import listening
from mha.models.watch.tokens import Encoded, names_of_ids
from mha.words import accept


def rank_by_layer(
    text: str,
    model: str | LoadedModel = DEFAULT,
    word: str | int = "",
    mask: int = 0,
    ablated: Heads = (),
    cut: Cuts = (),
) -> WordRanks:
    """Return rank and log-probability of a next word after each layer, and after each layer's attention alone.

    The logit lens (nostalgebraist 2020, "interpreting GPT: the logit lens"): the model's own final norm and unembedding
    read the hidden state of each layer at the last token, or at the typed ``[MASK]`` number ``mask``. Without its
    feed-forward part a layer adds its attention alone. ``word`` is one token, or a token id; the likeliest word if not
    given. Heads are ``ablated`` by their means and links ``cut`` as in `mha.ablate`. Limits: the unembedding is trained
    on the last layer only, so an early layer may hold a word in another form and rank it low; and the lens shows where
    a word becomes readable, not which head wrote it.

    >>> ranks = rank_by_layer("moon fish table moon fish", "copier", "table")
    >>> [int(rank) for rank in ranks.rank]
    [32, 1]

    Raises:
        InputError: no word in the text, ``word`` is several tokens, no such token id, mask, head or link, or the model
            is an encoder–decoder.
        AttentionUnavailable: the model predicts no words, its heads cannot be reached, or attention or state of a layer
            cannot be read alone (experts; a last layer without attention).
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    loaded = load_word_model(model)
    experiment, encoded, place, changes = _prepare_lens(loaded, text, mask, ablated, cut)
    logits = _logits_by_layer(experiment, experiment.inputs(encoded), place, changes)  # [layer, 2, vocabulary]
    # 1: the likeliest word
    word_ids, notes = ids_of_words([word] if word != "" else 1, loaded, accept(text).text, "", mask)
    token_id = int(chosen_ids(loaded, logits[-1, 0].numpy(), word_ids)[0])
    values = (torch.log_softmax(logits[:, row], dim=-1) for row in (0, 1))
    ranks, of_attention = (_word_ranks(loaded, text, encoded, place, token_id, by_layer) for by_layer in values)
    return replace(
        ranks,
        attention_rank=of_attention.rank,
        attention_log_probability=of_attention.log_probability,
        notes=encoded.notes + notes,
    )


def ranks_of_words(
    text: str, model: str | LoadedModel, ids: Sequence[int], ablated: Heads = (), cut: Cuts = ()
) -> tuple[WordRanks, ...]:
    """Return the ranks of some words, by their token ids, after each whole layer; raises as `rank_by_layer`.

    Without changes they are read from the pass that `mha.next_words` takes, if the model has a
    `mha.intervention.trunk`.
    """
    loaded = load_word_model(model)
    experiment, encoded, place, changes = _prepare_lens(loaded, text, 0, ablated, cut)
    trunk = None if changes else trunk_of(experiment, one_pass(experiment, encoded, place), place)
    if trunk is None:
        values = torch.log_softmax(_logits_by_layer(experiment, experiment.inputs(encoded), place, changes)[:, 0], -1)
    else:
        with torch.inference_mode():
            values = trunk.log_probabilities(trunk.states).cpu()  # [layer, vocabulary]
    return tuple(_word_ranks(loaded, text, encoded, place, token_id, values) for token_id in ids)


def _prepare_lens(
    loaded: LoadedModel, text: str, mask: int, ablated: Heads, cut: Cuts
) -> tuple[Subject, Encoded, int, tuple[Change, ...]]:
    """Return the experiment model, the encoded text, the predicting position and the changes; raise if no layer can be
    read."""
    name = loaded.row.short
    if loaded.row.two_sided:
        raise InputError(
            f"{name} predicts in its decoder, whose layers are not read here; choose a model of one stack."
        )
    encoded, place = predicting_text(loaded, text, mask=mask)
    experiment = subject(loaded)
    if experiment.feed_forward_outputs is None or any(span != 1 for _, span in experiment.block_layers):
        raise AttentionUnavailable(f"{name} has layers whose attention, or whose state, cannot be read alone.")
    heads = experiment.chosen(ablated)
    cuts = cutting(experiment, cut, len(encoded.tokens), heads)
    return experiment, encoded, place, (*ablation_changes(experiment, heads, "mean"), *cuts)


def _word_ranks(
    loaded: LoadedModel, text: str, encoded: Encoded, place: int, token_id: int, values: Tensor
) -> WordRanks:
    """Return the ranks of a token id in log-probabilities [layer, vocabulary]."""
    (visible,), _ = names_of_ids(loaded.tokenizer, [token_id])
    column = values[:, token_id]
    return WordRanks(
        text=accept(text).text,
        tokens=encoded.tokens,
        place=place,
        word=visible,
        id=token_id,
        vocabulary=values.shape[-1],
        rank=1 + (values > column[:, None]).sum(dim=1).numpy(),
        log_probability=column.numpy(),
        model=loaded.row.short,
        revision=loaded.row.revision,
        notes=encoded.notes,
    )


def _logits_by_layer(experiment: Subject, inputs: dict[str, Any], place: int, changes: Sequence[Change] = ()) -> Tensor:
    """Return the logits after each layer, and after its attention alone, float64 [layer, 2, vocabulary]."""
    intervention = HeadChanges(experiment.stack, {0: changes, 1: changes}) if changes else None
    assert experiment.feed_forward_outputs is not None
    states: list[Tensor] = []  # of each layer, [2, d_model]

    def before_block(_block: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        hidden = args[0] if args else options["hidden_states"]
        twice = hidden[:1].expand(2, *hidden.shape[1:])
        return ((twice, *args[1:]), options) if args else (args, options | {"hidden_states": twice})

    def after_feed_forward(_matrix: Any, _args: Any, output: Tensor) -> Any:
        return torch.cat([output[:1], torch.zeros_like(output[1:])])

    def after_block(_block: Any, _args: Any, output: Any) -> Any:
        hidden = output[0] if isinstance(output, tuple) else output  # [2, token, d_model]
        states.append(hidden[:, place])
        n_tokens, n_states = hidden.shape[1], 2 * len(states)
        if len(states) < experiment.n_layers:
            hidden = hidden[:1]
        else:  # [row, token, d_model] of all states one after the other, the last row filled up
            padded = torch.cat([*states, states[0][:1].expand(-n_states % n_tokens, -1)])
            hidden = padded.unflatten(0, (-1, n_tokens))
        return (hidden, *output[1:]) if isinstance(output, tuple) else hidden

    with torch.inference_mode(), listening(experiment.model, (), intervention), ExitStack() as hooks:
        for block in experiment.blocks:
            hooks.callback(block.register_forward_pre_hook(in_this_thread(before_block), with_kwargs=True).remove)
            hooks.callback(block.register_forward_hook(in_this_thread(after_block)).remove)
        for matrix in experiment.feed_forward_outputs:
            module = experiment.body.get_submodule(matrix)
            hooks.callback(module.register_forward_hook(in_this_thread(after_feed_forward)).remove)
        try:
            logits = experiment.model(**inputs).logits.flatten(0, 1)[: 2 * experiment.n_layers]
        except RuntimeError as error:  # as in NeoMME, which adds embeddings of the text in each block
            raise AttentionUnavailable(
                f"{experiment.name} has blocks that need more than their input: no layer is read."
            ) from error
    return logits.double().cpu().unflatten(0, (experiment.n_layers, 2))
