"""The profile of every head over the sample sentences, for Whole model; see `mha.analysis.profiles`.

Effect of ablation (mean ablation at all positions): for a model that continues texts the mean change of the
log-probability of the next token, over all places of every sixth sentence; for a sentence encoder 1 − cosine of the
text's vector, over all sentences.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mha.analysis import profiles
from mha.analysis.changes import effective_heads, jensen_shannon
from mha.analysis.profiles import CONTRIBUTIONS, KEYS, N_SENTENCES, N_SIMILAR, SHADES, one_text, words_of
from mha.analysis.sinks import set_aside, sink_columns
from mha.analysis.statistics import mean_of
from mha.errors import MHAError
from mha.intervention import bank
from mha.intervention.ablation import Pass, ablation_changes, run_variants
from mha.intervention.bank import looked_together
from mha.intervention.induction import scrambled_copy
from mha.intervention.subject import Subject, subject
from mha.intervention.sweep import vector_changes
from mha.maps import AttentionMaps
from mha.models.files.environment import one_thread
from mha.models.files.loading import load
from mha.models.watch.attending import record_text
from mha.models.watch.cell import Contributions
from mha.models.watch.layers import layers_again
from mha.pairs import corpus
from mha.stepwise import each_inside
from mha.words import accept

MOST_WORDS = 128  # of a text; longer ones are left out


def watched(model: str, texts: Sequence[str], seed: int | None = None) -> Iterator[AttentionMaps]:
    """Yield the maps of every text with words that the model can read; with ``seed``, by that scrambled copy."""
    loaded = load(model)
    experiment = subject(loaded if seed is None else scrambled_copy(loaded, seed))
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
    for batch in each_inside(looked_together(experiment, readable, encoded), one_thread):  # others need the cores
        yield from (maps for _, maps, _ in batch if any(token.word is not None for token in maps.tokens))


EVERY = 6  # sentences of which one is ablated in a model that continues texts
ROWS = 48  # heads ablated in one pass
COPY_SEED = 1  # of the scrambled copy
Measured = Callable[[str, str, Callable[[], dict[str, np.ndarray]]], dict[str, np.ndarray]]


def text_profile(experiment: Subject, text: str) -> dict[str, np.ndarray]:
    """Return the numbers of every head in one text, from two passes: attention, values and outputs."""
    recording = record_text(text, experiment.loaded)
    layers = layers_again(experiment.loaded, recording, experiment.stack)
    means = torch.as_tensor(bank.head_means(experiment))  # [layer, head, d_head]
    lengths, deviations = [], []
    for layer, mean in zip(layers, means, strict=True):
        values = layer.for_each_head(layer.value)  # [head, key, d_head]
        deviation = layer.output - mean[:, None].to(layer.output)  # [head, token, d_head]
        lengths.append([layer.through_output(values[head], head).norm(dim=-1).numpy() for head in range(len(values))])
        deviations.append(
            [float(layer.through_output(deviation[head], head).norm(dim=-1).mean()) for head in range(len(values))]
        )
    maps = recording.attention(experiment.stack)
    measures = one_text(maps).values
    return {
        "measures": np.array([measures[key] for key in KEYS]),
        "contributions": contribution_shares(maps, Contributions(maps, np.array(lengths)).as_maps()),
        "deviation": np.array(deviations),
        "telling": profiles.telling_connections(maps),
        "weights": _all_heads(maps).astype(np.float16),
        "n_words": np.array(len(words_of(maps)[1])),
    }


def contribution_shares(maps: AttentionMaps, contributions: AttentionMaps) -> np.ndarray:
    """Return the mean share of contribution by `CONTRIBUTIONS`, float64 [kind, layer, head]; NaN if there can be none.

    ``contributions`` are those of `mha.contributions` on the same tokens as ``maps``, whose sinks count.
    """
    word_maps, words = words_of(maps)
    shares = contributions.merged().weights[:, :, words].astype(np.float64)  # [layer, head, word, key]
    visible, sinks = word_maps.visible[words], sink_columns(word_maps)
    special = np.array([token.special for token in word_maps.tokens])
    is_word_sink = sinks & np.array([token.word is not None for token in word_maps.tokens])
    result = np.full((len(CONTRIBUTIONS), *shares.shape[:2]), np.nan)
    masks = {row.key: row.mask for row in SHADES if row.mask is not None}
    for number, kind in enumerate(CONTRIBUTIONS):
        mask = visible & (sinks if kind == "sinks" else masks[kind](word_maps)[words])
        if kind not in ("first_token", "sinks"):  # as `mha.analysis.profiles.one_text` counts them
            mask = mask & ~is_word_sink
        if kind in ("previous_word", "next_word"):
            mask = mask & ~special
        rows = mask.any(axis=-1)
        if kind == "sinks":
            rows = np.ones(len(words), dtype=bool)
        if rows.any() and mask.any():
            result[number] = (shares * mask).sum(axis=-1)[..., rows].mean(axis=-1)
    return result


def _all_heads(maps: AttentionMaps) -> np.ndarray:
    weights = profiles.word_weights(maps)
    return weights.reshape(-1, *weights.shape[2:])  # [head of all, word, word]


def next_token_changes(experiment: Subject, text: str) -> np.ndarray:
    """Return the change of the log-probability of each next token without each head, float64 [head of all, place]."""
    inputs = experiment.inputs(experiment.encoded(text))
    targets = inputs["input_ids"][0, 1:]
    single_pass = Pass(inputs, partial(_log_probabilities, targets), runs=experiment.model)
    changes = ablation_changes(experiment, experiment.heads, "mean")
    parts = []
    for start in range(0, len(changes), ROWS):
        values = run_variants(experiment, single_pass, [(change,) for change in changes[start : start + ROWS]])
        parts.append((values[1:] - values[0]).numpy())
    return np.concatenate(parts)


def _log_probabilities(targets: Tensor, outputs: Any) -> Tensor:
    """Return the log-probability of each next token of each row, float64 [row, place]."""
    logits = outputs.logits[:, :-1]
    target_values = logits.gather(-1, targets.expand(len(logits), -1)[..., None])[..., 0]
    return (target_values - logits.logsumexp(dim=-1)).double()


def effect_of_ablation(experiment: Subject, continues_text: bool, measure: Measured) -> tuple[np.ndarray, int, int]:
    """Return each head's effect, float64 [head of all], the number of ablated sentences and of predicted tokens."""
    if not continues_text:
        texts = corpus()
        effects = [measure("turned", text, lambda text=text: _turned(experiment, text))["moved"] for text in texts]  # type: ignore[misc]
        return np.mean(effects, axis=0), len(texts), 0
    texts = corpus()[::EVERY]
    changes = [measure("places", text, lambda text=text: _places(experiment, text))["change"] for text in texts]  # type: ignore[misc]
    all_changes = np.concatenate(changes, axis=1)  # [head of all, place]
    return all_changes.mean(axis=1), len(texts), all_changes.shape[1]


def _turned(experiment: Subject, text: str) -> dict[str, np.ndarray]:
    return {"moved": vector_changes(experiment, text, ROWS)}


def _places(experiment: Subject, text: str) -> dict[str, np.ndarray]:
    return {"change": next_token_changes(experiment, text)}


def effective_numbers(experiment: Subject, texts: Sequence[str]) -> np.ndarray:
    """Return effective numbers of heads over texts, float64 [3]: of a model, without its sinks, of a scrambled copy."""
    model = experiment.loaded.row.name
    cases = ((None, False), (None, True), (COPY_SEED, False))
    return np.array([effective_heads(mean_divergence(model, texts, seed, without)) for seed, without in cases])


def mean_divergence(model: str, texts: Sequence[str], seed: int | None, without_sinks: bool) -> np.ndarray:
    """Return the mean divergence of every two heads over the rows of words of all texts, float64 [head, head]."""
    total, n_rows = np.zeros(()), 0
    for maps in watched(model, texts, seed):
        divergence, rows = between_heads(maps, without_sinks)
        total, n_rows = total + divergence * rows, n_rows + rows
    return total / n_rows


def between_heads(maps: AttentionMaps, aside: bool = False) -> tuple[np.ndarray, int]:
    """Return the mean divergence of every two heads over the rows of words, float64 [head, head], and how many rows.

    With ``aside`` sinks are set aside and rows rescaled; a row with nothing left counts as one key of its own.
    """
    word_maps, words = words_of(maps)
    if aside:
        setting = set_aside(word_maps)
        word_maps = setting.maps
        words = np.array([place for place, token in enumerate(word_maps.tokens) if token.word is not None], dtype=int)
        if not len(words):
            return np.zeros((maps.n_layers * maps.n_heads,) * 2), 0
    cut = dataclasses.replace(
        word_maps,
        weights=word_maps.weights[:, :, words],
        tokens=tuple(word_maps.tokens[place] for place in words),
        key_tokens=word_maps.key_tokens,
        kind="cross",
    )
    return jensen_shannon(cut), len(words)


def profile_arrays(
    experiment: Subject, continues_text: bool, measurement: Measured, texts: Sequence[str]
) -> dict[str, np.ndarray]:
    """Return the arrays of the file of a model."""
    numbers = [measurement("profile", text, lambda text=text: text_profile(experiment, text)) for text in texts]  # type: ignore[misc]
    effect, n_ablated, n_places = effect_of_ablation(experiment, continues_text, measurement)
    telling = np.array([number["telling"] for number in numbers])  # [sentence, head, 3]
    vectors = np.concatenate([number["weights"].reshape(len(effect), -1) for number in numbers], axis=1)
    cosine = profiles.cosines(vectors.astype(np.float64))
    similar = np.array([profiles.most_similar(cosine, head) for head in range(len(cosine))])
    connections, shares = [], []
    for head, links in enumerate(np.moveaxis(telling, 1, 0)):  # [sentence, 3]
        order = np.argsort(-np.nan_to_num(links[:, 2]), kind="stable")
        sentences = [int(number) for number in order if links[number, 2] > 0][:N_SENTENCES]
        connections += [(head, number, int(links[number, 0]), int(links[number, 1])) for number in sentences]
        shares += [links[number, 2] for number in sentences]

    shape = experiment.n_layers, experiment.n_heads
    float_arrays = {
        "measures": mean_of(np.stack([number["measures"] for number in numbers], axis=-1).astype(np.float64)),
        "contributions": mean_of(np.stack([number["contributions"] for number in numbers], axis=-1).astype(np.float64)),
        "deviation": np.mean([number["deviation"] for number in numbers], axis=0),
        "effect": effect.reshape(shape),
        "shares": np.array(shares),
        "cosines": np.take_along_axis(cosine, similar, axis=1)[:, :N_SIMILAR],
        "median_cosine": np.array(profiles.median_of_pairs(cosine)),
        "different": measurement("different", "all", lambda: {"different": effective_numbers(experiment, texts)})[
            "different"
        ],
    }
    row = experiment.loaded.row
    counts = (sum(int(number["n_words"]) for number in numbers), n_ablated, n_places)
    return {
        "model": np.array(row.name), "revision": np.array(row.revision), "counts": np.array(counts),
        "measure_keys": np.array(KEYS), "contribution_keys": np.array(CONTRIBUTIONS),
        "connections": np.array(connections, dtype=np.int16), "similar": similar.astype(np.int16),

    } | {name: values.astype(np.float32) for name, values in float_arrays.items()}  # fmt: skip
