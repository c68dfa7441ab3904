"""Letting a model write, and seeing for each new token where every head looked back.

The look that writes a token comes from the token before it. Causal rows do not change when tokens are added behind
them, so that one fresh pass over the whole text has every step's looks and probabilities exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mha.errors import AttentionUnavailable, InputError
from mha.maps import Recording, Token
from mha.memo import array_dataclass
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.files.loading import LoadedModel, transformer_of
from mha.models.watch.tokens import encode, tokenizing, tokens_of_ids
from mha.words import Accepted, accept

if TYPE_CHECKING:  # it loads with the first model
    from torch import Tensor

    from mha.models.watch.attention import Intervention

MOST = 64  # tokens that are written


@array_dataclass
class PartialGeneration:
    """A model's output so far after a text, or, of an encoder–decoder, for a text.

    ``tokens`` are all tokens of the axis that is written on (``ids`` their numbers), the first ``n_read`` of them
    given: step s wrote ``tokens[n_read + s]`` from the row ``n_read + s - 1``. ``probabilities`` is float64 [step],
    each token's own. ``ended`` is true if the model set its end sign last; ``seed`` is None if each token is the
    likeliest.
    """

    tokens: tuple[Token, ...]
    ids: tuple[int, ...]
    n_read: int
    probabilities: np.ndarray
    ended: bool
    seed: int | None
    notes: tuple[str, ...] = ()

    @property
    def n_steps(self) -> int:
        """How many tokens were written."""
        return len(self.tokens) - self.n_read

    @property
    def written(self) -> tuple[Token, ...]:
        """The tokens that were written."""
        return self.tokens[self.n_read :]


@array_dataclass
class Generation(PartialGeneration):
    """Everything that a model wrote, with the ``recording`` of a fresh pass over it."""

    recording: Recording = field(kw_only=True)

    def looks(self, step: int, stack: str = "") -> np.ndarray:
        """Return the attention of every head for the token of a step, float32 [layer, head, key].

        Keys are the tokens up to the query; with ``stack="cross"`` they are all of the source.

        Raises:
            InputError: the step or the stack does not exist.
        """
        stacks = self.recording.stacks
        stack = stack or ("decoder" if "decoder" in stacks else "self")
        if not 0 <= step < self.n_steps:
            raise InputError(
                f"{self.n_steps} tokens were written, steps 0 to {self.n_steps - 1}; you asked for {step}."
            )
        if stack not in stacks or stack == "encoder":
            options = ", ".join(name for name in stacks if name != "encoder")
            raise InputError(f"This model looks back by {options}; there is no {stack!r} here.")
        row = self.n_read + step - 1
        weights = stacks[stack][:, :, row]
        return weights if stack == "cross" else weights[..., : row + 1]


def generate(
    text: str,
    model: str | LoadedModel = DEFAULT,
    n_tokens: int = 16,
    seed: int | None = None,
    temperature: float = 1.0,
) -> Generation:
    """Return a model's output: greedy, or drawn with a ``seed`` from its probabilities at a ``temperature``.

    At most 64 tokens, and no more than its positions hold; it stops at the model's own end sign.
    A decoder with an encoder begins with its start token and the forced first token of its generation config, if
    there is one. It is the last value of `iter_generate`.

    Raises:
        InputError: no word in the text, no room, or a number out of its range.
        AttentionUnavailable: the model does not write (no layer that predicts the next word).
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    *_, generation = iter_generate(text, model, n_tokens, seed, temperature)
    assert isinstance(generation, Generation)
    return generation


def iter_generate(
    text: str,
    model: str | LoadedModel = DEFAULT,
    n_tokens: int = 16,
    seed: int | None = None,
    temperature: float = 1.0,
) -> Iterator[PartialGeneration]:
    """Yield the output so far after each token; the last value is the `Generation`, with the attention.

    Arguments and errors as `generate`; errors are raised at the first value. Closing the generator stops the work.

    >>> [partial.written[-1].text for partial in iter_generate("moon fish table moon fish", "copier", n_tokens=2)]
    ['table', 'moon', 'moon']
    """
    yield from iter_written(load_word_model(model), accept(text), n_tokens, seed, temperature)


def load_word_model(model: str | LoadedModel) -> LoadedModel:
    """Return a loaded model; raise AttentionUnavailable if it is one of the toys, which predict nothing."""
    loaded = transformer_of(model)
    if loaded is None:
        raise AttentionUnavailable(f"{model_row(str(model)).short} predicts no words.")
    return loaded


def iter_written(
    loaded: LoadedModel,
    accepted: Accepted,
    n_tokens: int,
    seed: int | None = None,
    temperature: float = 1.0,
    intervention: Intervention | None = None,
    caches: bool = True,
) -> Iterator[PartialGeneration]:
    """Run a model token by token, and once more over all that it wrote, recorded; yields as `iter_generate`.

    An ``intervention`` acts in every pass. One that changes single rows of the decoder must not meet a cache, with
    which a pass has the last row alone: ``caches`` is False then.
    """
    import torch

    from mha.models.watch.inputs import as_second_segment, first_tokens, sign_token, without_end
    from mha.models.watch.recording import record_with_outputs

    are_integers = all(
        isinstance(number, int | np.integer) and not isinstance(number, bool) for number in (n_tokens, seed or 0)
    )
    if not are_integers or not 0 <= (seed or 0) < 2**63:
        raise InputError(f"n_tokens and seed are whole numbers, a seed from 0; these are {n_tokens!r} and {seed!r}.")
    seed = None if seed is None else int(seed)
    if not 1 <= n_tokens <= MOST:
        raise InputError(f"A model writes 1 to {MOST} tokens here; you asked for {n_tokens}.")
    if not 0.05 <= temperature <= 5:
        raise InputError(f"A temperature lies between 0.05 and 5; you asked for {temperature:g}.")
    if not writes(loaded):
        raise AttentionUnavailable(f"{loaded.row.short} does not write: it has no layer that predicts the next word.")
    model, tokenizer = loaded.model, loaded.tokenizer
    begun: list[int] = []
    language_notes: tuple[str, ...] = ()
    if loaded.row.two_sided:
        encoded = encode(tokenizer, accepted.text, max_tokens=loaded.max_tokens)
        begun, language_notes = first_tokens(loaded)
    else:
        encoded = without_end(encode(tokenizer, accepted.text, max_tokens=loaded.max_tokens))
    source = {name: torch.tensor(values, device=model.device) for name, values in encoded.inputs.items()}
    target_ids = torch.tensor([begun], device=model.device) if begun else None
    n_read = (source["input_ids"] if target_ids is None else target_ids).shape[1]
    room = loaded.max_tokens - n_read
    if room < 1:
        raise InputError(f"{loaded.row.short} reads at most {loaded.max_tokens} tokens; the text leaves no room.")
    notes = accepted.notes + loaded.row.notes + encoded.notes + language_notes
    probabilities: list[float] = []
    for ids, probability in _iter_tokens(
        model, source, target_ids, min(n_tokens, room), seed, temperature, intervention, caches
    ):
        numbers = [int(number) for number in ids[0]]
        probabilities.append(probability)
        if target_ids is None:
            tokens, text = tokens_of_ids(tokenizer, numbers)
            with tokenizing:
                read_again = tokenizer(text)["input_ids"][: len(numbers)]
            if read_again != numbers:  # no text is read as these tokens
                tokens = _separate_words(tokens, n_read)
        else:
            fresh, target = tokens_of_ids(tokenizer, numbers[n_read:])
            tokens = (*(sign_token(tokenizer, number) for number in begun), *as_second_segment(fresh))
        result = PartialGeneration(
            tokens=tokens,
            ids=tuple(numbers),
            n_read=n_read,
            probabilities=np.array(probabilities),
            ended=numbers[-1] in ends_of(model),
            seed=seed,
            notes=notes,
        )
        yield result
    axis: tuple[Token, ...]
    attention: dict[str, Any]
    if target_ids is None:
        axis, attention = tokens, {"input_ids": ids}
    else:
        text, axis, attention = accepted.text, encoded.tokens, source | {"decoder_input_ids": ids}
    row = loaded.row
    recording, outputs = record_with_outputs(
        model,
        text=text,
        tokens=axis,
        name=row.short,
        revision=row.revision,
        origin=row.origin,
        intervention=intervention,
        **attention,
    )
    rows = torch.log_softmax(outputs.logits[0, n_read - 1 : -1].double(), dim=-1)  # [step, vocabulary]
    chosen_probabilities = rows.gather(-1, ids[0, n_read:, None])[:, 0].exp().cpu().numpy()
    if target_ids is not None:
        placeholder = Token("…", special=True, segment=1)
        recording = replace(recording, read=tokens, written=(*tokens[1:], placeholder), target=target)
    yield Generation(**{**vars(result), "probabilities": np.asarray(chosen_probabilities)}, recording=recording)


def _separate_words(tokens: tuple[Token, ...], n_read: int) -> tuple[Token, ...]:
    """Return the tokens; written tokens are words of their own and do not continue the last word of the text."""
    read, written_tokens = tokens[:n_read], tokens[n_read:]
    if not written_tokens or written_tokens[0].word is None or written_tokens[0].word != read[-1].word:
        return tokens
    return (
        *read,
        *(token if token.word is None else replace(token, word=token.word + 1) for token in written_tokens),
    )


def writes(loaded: LoadedModel) -> bool:
    """Return whether a model predicts the next word: a causal model, or a decoder with an encoder."""
    predicts = loaded.model.get_output_embeddings() is not None
    return predicts and (loaded.row.two_sided or loaded.row.causal)


def ends_of(model: Any) -> set[int]:
    """Return the ids of the end tokens of a model."""
    ids = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    ids = model.config.eos_token_id if ids is None else ids
    return set() if ids is None else set(ids if isinstance(ids, list) else [ids])


def _iter_tokens(
    model: Any,
    source: dict[str, Tensor],
    target_ids: Tensor | None,
    n_tokens: int,
    seed: int | None,
    temperature: float,
    intervention: Intervention | None = None,
    caches: bool = True,
) -> Iterator[tuple[Tensor, float]]:
    """Yield the given and the written tokens, [1, token], and the last one's probability, after each token.

    If it ``caches``, the model keeps keys and values of the tokens that it has read.
    """
    import torch

    from mha.models.watch.anatomy import anatomy
    from mha.models.watch.recording import undisturbed

    ids = source["input_ids"] if target_ids is None else target_ids
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    cache, encoder_outputs = None, None
    counts_positions = anatomy(model).takes_places and target_ids is None
    for _ in range(n_tokens):
        new = ids if cache is None else ids[:, -1:]
        reads: dict[str, Any] = {"input_ids": new}
        with torch.inference_mode(), undisturbed(model, intervention) as passes:  # a step: the caller runs in between
            if target_ids is not None:
                encoder_outputs = passes(model.get_encoder(), **source) if encoder_outputs is None else encoder_outputs
                reads = {"encoder_outputs": encoder_outputs, "attention_mask": source.get("attention_mask")}
                reads["decoder_input_ids"] = new
            if counts_positions:  # Bamba counts them from 0 at each step
                reads["position_ids"] = torch.arange(ids.shape[1] - new.shape[1], ids.shape[1], device=ids.device)[None]
            outputs = passes(model, **reads, past_key_values=cache, use_cache=True)
            cache = getattr(outputs, "past_key_values", None) if caches else None
            logits = outputs.logits[0, -1]
            probability = torch.softmax(logits.double(), dim=-1)
            if generator is None:
                number = int(logits.argmax())
            else:
                tempered = torch.softmax(logits.double() / temperature, dim=-1).cpu()
                number = int(torch.multinomial(tempered, 1, generator=generator))
            ids = torch.cat([ids, torch.tensor([[number]], device=ids.device)], dim=1)
        yield ids, float(probability[number])
        if number in ends_of(model):
            return
