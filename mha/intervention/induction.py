"""Induction heads: heads that attend to the token after an earlier occurrence of the present one (Olsson et al. 2022).

Random tokens are repeated once, so that nothing but the repetition can be predicted. With N tokens, the induction score
of a head is its mean weight from each query q of the second half to key q − N + 1.
"""

import copy
import dataclasses
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from mha.errors import AttentionUnavailable, InputError
from mha.intervention.ablation import HeadChanges, Heads, ablation_changes, are_given
from mha.intervention.subject import Subject, subject
from mha.maps import HeadId, ranked
from mha.memo import array_dataclass
from mha.models.files.catalog import DEFAULT
from mha.models.files.loading import LoadedModel
from mha.models.watch.anatomy import anatomy
from mha.models.watch.attention import remove_copied_hooks
from mha.models.watch.generating import load_word_model, writes
from mha.models.watch.recording import listening


def scramble(model: Any, seed: int) -> Any:
    """Return a copy in which the entries of every weight matrix are permuted, except in embeddings.

    Vectors (biases, layer norms) stay as they are; embeddings and tied matrices are shared with the model.
    """
    shared = _embeddings(model)
    duplicate = copy.deepcopy(model, {id(parameter): parameter for parameter in shared})
    remove_copied_hooks(duplicate)  # the model itself may just be asked for its attention by another thread
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in duplicate.parameters():
            if parameter.ndim < 2 or any(parameter is shared_parameter for shared_parameter in shared):
                continue
            order = torch.randperm(parameter.numel(), generator=generator)
            parameter.copy_(parameter.flatten()[order.to(parameter.device)].view_as(parameter))
    return duplicate


def scrambled_copy(loaded: LoadedModel, seed: int) -> LoadedModel:
    """Return a scrambled copy of a loaded model, with its tokenizer; equal seeds make equal copies."""
    origin = "scrambled twin"
    row = dataclasses.replace(
        loaded.row,
        title=f"{loaded.row.short} · {origin}",
        origin=origin,
        revision=f"{loaded.row.revision}, {origin}, seed {seed}",
    )
    return dataclasses.replace(loaded, row=row, model=scramble(loaded.model, seed))


def _embeddings(model: Any) -> list[nn.Parameter]:
    tables = [module for module in model.modules() if isinstance(module, nn.Embedding)]
    return [parameter for table in tables for parameter in table.parameters(recurse=False)]


THRESHOLD = 0.3  # of the score, for the label; no head of 5 scrambled copies of SmolLM2 reaches a third of it
ROWS = 4  # sequences in one forward pass


@array_dataclass
class Induction:
    """Induction scores of every head, with the threshold of the label *induction head* and its two controls.

    ``score`` is float64 [layer, head], 0 to 1. ``unrepeated`` has the same cells if the second half are other tokens,
    ``scrambled`` float64 [copy, layer, head] the scores of scrambled copies of the model. ``log_probability`` are the
    means over the tokens of each half, in nats. ``ablated`` heads were ablated, by the mean, in ``score`` and
    ``log_probability`` alone.
    """

    score: np.ndarray
    unrepeated: np.ndarray
    scrambled: np.ndarray
    log_probability: tuple[float, float]
    threshold: float
    ablated: tuple[HeadId, ...] = ()

    @property
    def heads(self) -> tuple[HeadId, ...]:
        """The heads whose score reaches the threshold, highest first; see `scrambled_rate`."""
        return tuple(head for head in ranked(self.score) if self.score[head] >= self.threshold)

    @property
    def scrambled_rate(self) -> float:
        """The share of the heads of all scrambled copies that reach the threshold, or NaN if there is no copy."""
        return float((self.scrambled >= self.threshold).mean()) if self.scrambled.size else float("nan")


class RepeatedTokens(NamedTuple):
    """Sequences of ``n_tokens`` random tokens and their repetition, int64 [sequence, token], after ``start`` others."""

    ids: np.ndarray
    start: int
    n_tokens: int


class RepeatedPass(NamedTuple):
    """Means over the second half of each sequence, float64 [sequence, layer, head], and log-probabilities.

    ``induction`` is weight to the token after the earlier occurrence, ``previous`` to the previous token.
    ``log_probability`` is float64 [sequence, half], the mean over the tokens of a half, in nats; the first token of a
    sequence is not predicted and left out.
    """

    induction: np.ndarray
    previous: np.ndarray
    log_probability: np.ndarray


def induction(
    model: str | LoadedModel = DEFAULT,
    *,
    ablate: Heads = (),
    threshold: float = THRESHOLD,
    n_tokens: int = 25,
    n_sequences: int = 8,
    n_copies: int = 2,
    seed: int = 0,
) -> Induction:
    """Return the induction score of every head of a decoder, with its scores in scrambled copies.

    ``ablate`` names heads that are ablated together, by their mean. ``n_copies`` scrambled copies are measured, each as
    long as the model itself.

    >>> result = induction("copier", n_tokens=20)
    >>> print(*result.heads, f"{result.scrambled_rate:.0%} of the heads of scrambled copies")
    L1H2 L1H1 L1H3 L1H0 0% of the heads of scrambled copies

    Raises:
        InputError: the model has no such head, or has not enough tokens or positions.
        AttentionUnavailable: the model is not a decoder that predicts the next word, or its heads cannot be reached.
        UnknownModel, ModelUnavailable: as `mha.attend`.
    """
    loaded = load_word_model(model)
    if loaded.row.two_sided or not writes(loaded):
        raise AttentionUnavailable(f"{loaded.row.short} is not a decoder that predicts the next word.")
    experiment = subject(loaded)
    ablated = experiment.chosen(ablate)
    sequences = random_tokens(experiment, n_sequences, n_tokens, seed)
    scores = run_repeated(experiment, sequences, ablated)
    first, second = scores.log_probability.mean(axis=0)
    control = run_repeated(experiment, random_tokens(experiment, n_sequences, n_tokens, seed, repeated=False))
    copies = (subject(scrambled_copy(loaded, number)) for number in range(n_copies))
    scrambled = [run_repeated(copy, sequences).induction.mean(axis=0) for copy in copies]
    shape = n_copies, experiment.n_layers, experiment.n_heads
    return Induction(
        score=scores.induction.mean(axis=0),
        unrepeated=control.induction.mean(axis=0),
        scrambled=np.array(scrambled).reshape(shape),
        log_probability=(float(first), float(second)),
        threshold=threshold,
        ablated=ablated,
    )


def random_tokens(
    experiment: Subject, n_sequences: int, n_tokens: int, seed: int, repeated: bool = True
) -> RepeatedTokens:
    """Return random sequences without special tokens, all tokens of a sequence different; with a start token if usual.

    Without repetition the second half has other tokens than the first.

    Raises:
        InputError: the model has not so many tokens, or reads fewer positions.
    """
    tokenizer, limit = experiment.loaded.tokenizer, experiment.loaded.max_tokens
    begun = experiment.encoded("a").inputs["input_ids"][0][:1]
    start = [token for token in begun if token in tokenizer.all_special_ids]
    vocabulary = np.setdiff1d(np.arange(len(tokenizer)), tokenizer.all_special_ids)
    n_draws = n_tokens if repeated else 2 * n_tokens
    most_tokens = min(len(vocabulary) // 2, (limit - len(start)) // 2)
    if n_sequences < 1 or not 2 <= n_tokens <= most_tokens:
        raise InputError(
            f"Induction needs at least 1 sequence of 2 to {most_tokens} tokens in "
            f"{experiment.name}; you asked for {n_sequences} of {n_tokens}."
        )
    generator = np.random.default_rng(seed)
    ids = np.array(
        [generator.choice(vocabulary, n_draws, replace=False) for _ in range(n_sequences)]
    )  # [sequence, token]
    ids = np.tile(ids, 2 if repeated else 1)
    return RepeatedTokens(np.hstack([np.tile(np.array(start, dtype=int), (n_sequences, 1)), ids]), len(start), n_tokens)


def run_repeated(experiment: Subject, sequences: RepeatedTokens, ablated: Heads = ()) -> RepeatedPass:
    """Return weights and log-probabilities in repeated sequences, with some heads ablated together by their mean."""
    ids, start, n_tokens = sequences
    queries = start + n_tokens + np.arange(n_tokens)
    options = {"use_cache": False} if anatomy(experiment.model).takes_cache else {}
    changes = ablation_changes(experiment, ablated, "mean") if are_given(ablated) else ()
    inductions, previous, predictions = [], [], []
    for first in range(0, len(ids), ROWS):
        batch = torch.tensor(ids[first : first + ROWS], device=experiment.model.device)
        intervention = HeadChanges(experiment.stack, dict.fromkeys(range(len(batch)), changes))
        with torch.inference_mode(), listening(experiment.model, ("weights",), intervention, batched=True) as call:
            logits = experiment.model(input_ids=batch, **options).logits[:, :-1]
        weights: Any = call.stacked(experiment.stack).double()  # [layer, row, head, query, key]
        inductions.append(weights[..., queries, queries - n_tokens + 1].mean(dim=-1))  # [layer, row, head]
        previous.append(weights[..., queries, queries - 1].mean(dim=-1))
        scores = torch.log_softmax(logits.double(), dim=-1)
        predictions.append(scores.gather(2, batch[:, 1:, None])[..., 0])  # [row, token]
    log_probability = torch.cat(predictions).cpu().numpy()[:, -2 * n_tokens + (start == 0) :]  # [sequence, token]
    halves = log_probability[:, :-n_tokens].mean(axis=1), log_probability[:, -n_tokens:].mean(axis=1)
    return RepeatedPass(
        torch.cat(inductions, dim=1).transpose(0, 1).cpu().numpy(),
        torch.cat(previous, dim=1).transpose(0, 1).cpu().numpy(),
        np.stack(halves, axis=-1),
    )
