"""Direct effect of each head on one next word over another, beside its attention and its ablation."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from mha.analysis.head_effects import HeadEffects, most_attended_word
from mha.analysis.readings import FIRST_WORD
from mha.errors import AttentionUnavailable, InputError, NotComparable
from mha.intervention.bank import head_means
from mha.intervention.outcomes import Direct
from mha.intervention.predicting import iter_word_sweep
from mha.intervention.subject import Subject, in_this_thread, subject
from mha.intervention.typed import NO_LIMIT, check_distinct, first_tokens
from mha.maps import AttentionMaps
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.attending import attend
from mha.models.watch.generating import load_word_model, writes
from mha.models.watch.inputs import prepared, without_end
from mha.models.watch.layers import Layer, layers_of
from mha.models.watch.tokens import encode, texts_of_ids
from mha.words import accept
from mha.words import words as words_of

BASELINES = "mean", "zero"
CLOSE = 1e-3  # of the largest number that takes part
# A block: the states before and behind it, and the outputs of its parts; each [token, d_model].
BlockStates = tuple[Tensor, Tensor, tuple[Tensor, ...]]


def direct(text: str, a: str | int, b: str | int, model: str | LoadedModel = DEFAULT, baseline: str = "mean") -> Direct:
    """Return the direct effect of each head on the score of ``a`` over ``b`` as the word after a text.

    It is the effect of the deviation of the head's output from its mean (``baseline`` "mean", as in mean ablation), or
    of the whole output ("zero"). The first token of a longer word counts, and names it in ``words`` ("Nad…");
    a space precedes it if the tokenizer distinguishes the two. A number is a token id.

    Raises:
        InputError: no word in the text, the model does not know one of the two, both begin with the same token, one
            begins with a part of a character, or the baseline is unknown.
        AttentionUnavailable: the model does not write, its heads cannot be reached, or what heads add does not go into
            the last hidden state as it is (norms behind the attention).
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    if baseline not in BASELINES:
        raise InputError(f"The baseline of a direct effect is {' or '.join(BASELINES)}; this is {baseline!r}.")
    loaded = load_word_model(model)
    accepted = accept(text)
    if loaded.row.two_sided or not writes(loaded):
        raise AttentionUnavailable(f"{loaded.row.short} is not a decoder that predicts the next word.")
    scored = first_tokens(loaded, accepted.text, (a, b))
    encoded = without_end(encode(loaded.tokenizer, scored.text, max_tokens=NO_LIMIT))
    if len(encoded.tokens) > loaded.max_tokens:  # a cut text would end before its next word
        raise InputError(
            f"Next words are compared after a text that is read to its end. This one has {len(encoded.tokens)} tokens; "
            f"{loaded.row.short} reads at most {loaded.max_tokens} at once."
        )
    check_distinct((a, b), scored)
    ids, names = scored.ids, scored.names
    experiment = subject(loaded)
    inputs: dict[str, Any] = dict(encoded.inputs)
    ready = prepared(loaded.model, inputs)
    layers, outputs, blocks, normed = _watched(experiment, ready)
    _check_adds_up(loaded, blocks, layers)
    unembedding = loaded.model.get_output_embeddings()
    towards = (unembedding.weight[ids[0]] - unembedding.weight[ids[1]]).detach().double()  # [d_model]
    scale, centred = _scale(loaded, blocks[-1][1], normed)  # [d_model] at the last token
    means = torch.as_tensor(head_means(experiment))[:, :, None] if baseline == "mean" else None
    parts = np.zeros((len(layers), layers[0].n_heads))
    for number, layer in enumerate(layers):
        for head in range(layer.n_heads):
            output = layer.output[head, -1:]  # [1, d_head]
            output = output if means is None else output - means[number, head].to(output)
            added = layer.through_output(output, head)[0]  # [d_model]
            added = added - added.mean() if centred else added
            parts[number, head] = float((added * scale) @ towards)
    logits = outputs.logits[0, -1].double()
    total = float(logits[ids[0]] - logits[ids[1]])
    bias = getattr(unembedding, "bias", None)
    offset = 0.0 if bias is None else float(bias[ids[0]] - bias[ids[1]])
    if abs(float(normed[-1] @ towards) + offset - total) > CLOSE * max(1.0, abs(total)):
        raise AttentionUnavailable(
            f"{loaded.row.short} applies another step after its unembedding, so parts do not add up."
        )
    return Direct(parts, total - float(parts.sum()), total, (names[0], names[1]), (ids[0], ids[1]), scored.notes)


def first_token(loaded: LoadedModel, text: str, word: str | int) -> int:
    """Return the id of the first token of a word as it is typed behind the text; a token id as it is."""
    return first_tokens(loaded, text, (word,)).ids[0]


def _watched(experiment: Subject, inputs: dict[str, Any]) -> tuple[list[Layer], Any, list[BlockStates], Tensor]:
    """Run a text; return its layers, the model's result, its blocks, and the input of the unembedding."""
    blocks: list[BlockStates] = []
    parts: list[Tensor] = []
    norm_inputs: list[Tensor] = []

    def begins(_block: Any, _arguments: Any) -> None:
        parts.clear()

    def ends(_block: Any, arguments: tuple[Any, ...], options: dict[str, Any], output: Any) -> None:
        block_input = arguments[0] if arguments else options["hidden_states"]
        block_output = output[0] if isinstance(output, tuple) else output
        blocks.append((block_input[0].double(), block_output[0].double(), tuple(parts)))

    def part(_module: Any, _arguments: Any, output: Any) -> None:
        states = output[0] if isinstance(output, tuple) else output  # experts also return their choices
        if isinstance(states, Tensor) and states.ndim == 3:
            parts.append(states[0].double())

    def unembeds(_module: Any, arguments: tuple[Any, ...]) -> None:
        norm_inputs.append(arguments[0][0].double())

    with ExitStack() as hooks:
        for block in experiment.blocks:
            hooks.callback(block.register_forward_pre_hook(in_this_thread(begins)).remove)
            hooks.callback(block.register_forward_hook(in_this_thread(ends), with_kwargs=True).remove)
            for child in block.children():
                hooks.callback(child.register_forward_hook(in_this_thread(part)).remove)
        hooks.callback(
            experiment.model.get_output_embeddings().register_forward_pre_hook(in_this_thread(unembeds)).remove
        )
        layers, outputs = layers_of(experiment.model, inputs, experiment.stack)
    return layers, outputs, blocks, norm_inputs[-1]


def _check_adds_up(loaded: LoadedModel, blocks: list[BlockStates], layers: list[Layer]) -> None:
    """Raise AttentionUnavailable unless each block adds W_O's output, and one more part's, to its input."""
    refused = AttentionUnavailable(
        f"{loaded.row.short} adds a step after its heads, so direct effects are not available."
    )
    if len(blocks) != len(layers) or any(layer.added is None for layer in layers):
        raise refused
    for (block_input, block_output, parts), layer in zip(blocks, layers, strict=True):
        assert layer.added is not None
        remainder = block_output - block_input - layer.added.double()
        size = max(1.0, float(block_output.abs().max()))
        if not any(
            part.shape == remainder.shape and float((part - remainder).abs().max()) <= CLOSE * size for part in parts
        ):
            raise refused


def _scale(loaded: LoadedModel, last: Tensor, normed: Tensor) -> tuple[Tensor, bool]:
    """Return the factor of the last norm at the last token [d_model], and whether the norm subtracts the mean.

    The factor is computed from the norm's output for every token: gain × state / length, with one gain for all tokens.
    A norm with a bias is a LayerNorm, and its own parameters are used.
    """

    def is_made(states: Tensor) -> bool:
        return float((states - normed).abs().max()) <= CLOSE * max(1.0, float(normed.abs().max()))

    norms = (module for module in loaded.model.base_model.children() if isinstance(module, torch.nn.LayerNorm))
    if (norm := next(norms, None)) is not None:
        centred = last - last.mean(dim=-1, keepdim=True)
        length = (centred.square().mean(dim=-1, keepdim=True) + norm.eps).sqrt()
        gain = norm.weight.detach().double()
        bias = 0 if norm.bias is None else norm.bias.detach().double()
        if is_made(centred / length * gain + bias):
            return gain / length[-1], True
    length = last.square().mean(dim=-1, keepdim=True).sqrt()
    gain = (normed * length / last).median(dim=0).values  # of [token, d_model]
    if is_made(last / length * gain):
        return gain / length[-1], False
    raise AttentionUnavailable(f"The last norm of {loaded.row.short} is unknown here, so its parts are not available.")


class LookedAt(NamedTuple):
    """The words of a text whose attention is counted, the positions of their tokens, and a note."""

    words: tuple[str, ...]
    positions: tuple[tuple[int, ...], ...]
    notes: tuple[str, ...] = ()


def head_effects(
    text: str,
    model: str | LoadedModel = DEFAULT,
    words: Sequence[str | int] = (),
    look_at: int | str | None = None,
    rows: int | None = None,
    order: str = "layers",
) -> HeadEffects:
    """Return attention to a word of the text, and direct effect and ablation effect on two next words, of every head.

    The score of *adds* and *matters* is the logit of the first of two next ``words`` (or token ids) minus that of the
    second; without ``words`` they are the two likeliest. *Looks* is the attention of the last token: to the first word
    minus the second if both occur in the text (summed over all occurrences), else to one word of it, ``look_at``: a
    word, or its number, counted from 0. Without ``look_at`` it is the word with the largest mean share over all heads,
    other than the last word and attention sinks. ``looked_at`` of the result names what attention is counted to. The
    first word of a causal model is an attention sink: no attention to it is counted. ``rows`` and ``order`` as
    `mha.iter_word_sweep`.

    >>> effects = head_effects("moon fish table moon fish", "copier", words=("table", "moon"))
    >>> head = effects.direct.argmax()  # the head that adds most to "table"
    >>> [round(float(numbers.flat[head]), 2) for numbers in (effects.looks, effects.direct, effects.matters)]
    [0.63, 0.41, -0.55]

    Raises:
        InputError: neither two words nor none, or ``look_at`` is not in the text; or as `mha.direct`.
        NotComparable: ``look_at`` is the first word of the text and the model is causal.
        AttentionUnavailable, UnknownModel, ModelUnavailable: as `mha.direct`.
    """
    *_, complete = iter_head_effects(text, model, words, look_at, rows, order)
    return complete


def iter_head_effects(
    text: str,
    model: str | LoadedModel = DEFAULT,
    words: Sequence[str | int] = (),
    look_at: int | str | None = None,
    rows: int | None = None,
    order: str = "layers",
) -> Iterator[HeadEffects]:
    """Yield `head_effects` of a text, first without ablation, then with more and more heads ablated in turn.

    Closing the generator stops the work. Raises as `head_effects`.
    """
    loaded = load_word_model(model)
    if isinstance(words, str) or len(words) not in (0, 2):
        raise InputError(f"Give two words to compare, or none for the two likeliest; these are {words!r}.")
    first, second = words or next(iter_word_sweep(text, loaded, words=2)).ids
    effect = direct(text, first, second, loaded)
    text = first_tokens(loaded, accept(text).text, (first, second)).text  # the text that `direct` reads
    texts, _, _ = texts_of_ids(loaded.tokenizer, effect.ids)
    pairs = zip((first, second), texts, strict=True)
    spelled = tuple((word if isinstance(word, str) else spelling).strip() for word, spelling in pairs)
    maps = attend(text, loaded)
    last = max(position for position, token in enumerate(maps.tokens) if not token.special)
    look = look_of(maps, spelled, look_at, last)
    attention = np.zeros((maps.n_layers, maps.n_heads, len(look.words)))
    for number, keys in enumerate(look.positions):
        attention[..., number] = maps.weights[:, :, last, list(keys)].sum(axis=-1, dtype=np.float64)
    for sweep in iter_word_sweep(text, loaded, words=effect.ids, rows=rows, order=order):
        yield HeadEffects(
            text=sweep.text,
            tokens=sweep.tokens,
            words=(effect.words[0].removeprefix("␣"), effect.words[1].removeprefix("␣")),
            ids=effect.ids,
            positions=look.positions,
            attention=attention,
            direct=effect.heads,
            log_probability=sweep.log_probability,
            change=sweep.change,
            kind=sweep.kind,
            model=sweep.model,
            revision=sweep.revision,
            looked_at=look.words,
            notes=look.notes,
        )


def look_of(maps: AttentionMaps, pair: Sequence[str], look_at: int | str | None, last: int) -> LookedAt:
    """Return what attention of the token ``last`` is counted to: ``look_at``, else both words, else the default."""
    names = words_of(maps.text)
    notes: tuple[str, ...] = ()
    if look_at is not None:
        keys = positions_of(maps, look_at)
        return LookedAt((names[maps.tokens[keys[0]].word or 0],), (keys,))
    if set(pair) <= set(names):
        try:
            return LookedAt(tuple(pair), tuple(positions_of(maps, word) for word in pair))
        except NotComparable as error:
            notes = (str(error),)
    number = most_attended_word(maps, last)
    if number is None:
        return LookedAt((), (), (*notes, "Outside attention sinks and the last word the text has no word to look at."))
    return LookedAt((names[number],), (positions_of(maps, number),), notes)


def positions_of(maps: AttentionMaps, word: int | str) -> tuple[int, ...]:
    """Return the positions of all tokens of a word, wherever it occurs but at the first position of a causal model.

    A word given by its number is counted in that place alone.

    Raises:
        InputError: the word does not occur; a head cannot attend to it.
        NotComparable: it occurs only at the first position of a causal model, which is an attention sink.
    """
    names = words_of(maps.text)
    key = word.strip() if isinstance(word, str) else word
    numbers = {number for number, token_name in enumerate(names) if key in (number, token_name)}
    first = {maps.tokens[0].word} if maps.causal else set()
    if numbers and numbers <= first:
        (name,) = {names[number] for number in numbers}
        raise NotComparable(FIRST_WORD.format(model=maps.model, word=f"“{name}”"))
    if not numbers:
        names_text = ", ".join(dict.fromkeys(names[:40]))
        raise InputError(f"{word!r} is not in the text, so no head attends to it. Words of the text: {names_text}.")
    return tuple(position for position, token in enumerate(maps.tokens) if token.word in numbers - first)
