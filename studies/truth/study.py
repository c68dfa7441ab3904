"""The study: many seeds of each task; each model is trained, taken apart in every way and measured, or read again.

Each of `studies.truth.agreement.MEASURES` is found without trying every set of heads: it takes a model and texts and
returns float64 [layer, head], larger for heads that matter more by this measure. The words that decide are given
(`TaskTexts.sources`), which favours measures of attention: in a real model they are unknown.
"""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from mha.models.files.environment import one_thread
from studies.truth.agreement import KINDS, N_SEEDS, N_TEXTS, STEPS, StudiedModel, read, write
from studies.truth.model import (
    N_HEADS,
    N_LAYERS,
    Replace,
    Tiny,
    other_texts,
    shapley,
    stand_ins,
    tensors,
    train_model,
    unseen,
    without,
    worths,
)
from studies.truth.tasks import TASKS, TaskTexts


def _attention(model: Tiny, texts: TaskTexts) -> np.ndarray:
    weights = torch.stack(model(*tensors(texts)).weights, dim=1)  # [text, layer, head, query, key]
    rows = weights[torch.arange(len(texts)), :, :, torch.from_numpy(texts.asked)]  # [text, layer, head, key]
    return _mean((rows * _sources(texts)).sum(dim=-1))


def _contribution(model: Tiny, texts: TaskTexts) -> np.ndarray:
    record = model(*tensors(texts))
    weights, values = torch.stack(record.weights, dim=1), torch.stack(record.values, dim=1)
    rows = weights[torch.arange(len(texts)), :, :, torch.from_numpy(texts.asked)]  # [text, layer, head, key]
    lengths = (rows[..., None] * values).norm(dim=-1)  # [text, layer, head, key]
    return _mean((lengths * _sources(texts)).sum(dim=-1))


def _rollout(model: Tiny, texts: TaskTexts) -> np.ndarray:
    """Return by how much rollout to what decides falls when a head's map is taken for looking at the word itself."""
    weights = torch.stack(model(*tensors(texts)).weights, dim=1)  # [text, layer, head, query, key]
    same = torch.eye(weights.shape[-1])
    rows, positions = torch.arange(len(texts)), torch.from_numpy(texts.asked)

    def flow(maps: Tensor) -> Tensor:
        product = same
        for layer in range(N_LAYERS):
            product = (0.5 * maps[:, layer].mean(dim=1) + 0.5 * same) @ product
        return (product[rows, positions] * torch.from_numpy(texts.sources)).sum(dim=-1)  # [text]

    full, fall = flow(weights), np.zeros((N_LAYERS, N_HEADS))
    for layer, head in np.ndindex(fall.shape):
        maps = weights.clone()
        maps[:, layer, head] = same
        fall[layer, head] = float((full - flow(maps)).mean())
    return fall


def _gradient(model: Tiny, texts: TaskTexts) -> np.ndarray:
    """Return the mean size of Σ weight · ∂ log p(answer) / ∂ weight over all rows of a head.

    A head's output is linear in its weights, so this is the gradient of a gate on it (Michel et al. 2019, equation 2).
    """
    model.w_query.requires_grad_(True)  # so that the weights of both layers have a gradient
    with torch.enable_grad():
        record = model(*tensors(texts))
        gradients = torch.autograd.grad(_sure(record.logits, texts.answers).sum(), record.weights)
    model.w_query.requires_grad_(False)
    both = zip(record.weights, gradients, strict=True)
    products = [(weights.detach() * gradient).sum(dim=(2, 3)).abs() for weights, gradient in both]
    return _mean(torch.stack(products, dim=1))


def _ablated(kind: str) -> Callable[[Tiny, TaskTexts], np.ndarray]:
    def find(model: Tiny, texts: TaskTexts) -> np.ndarray:
        record = model(*tensors(texts))
        full = _sure(record.logits, texts.answers)
        stand_in = stand_ins(record.outputs, kind, other_texts(len(texts)))
        return _replace_heads(stand_in, lambda off: full - _sure(model(*tensors(texts), off).logits, texts.answers))

    return find


def _replace_heads(stand_in: list[Tensor], find: Callable[[Replace], Tensor]) -> np.ndarray:
    """Return the mean over texts of the measure with each head's output replaced, float64 [layer, head]."""
    values = np.zeros((N_LAYERS, N_HEADS))
    for place in np.ndindex(values.shape):
        is_replaced = np.zeros(values.shape, dtype=bool)
        is_replaced[place] = True
        values[place] = float(find(without(is_replaced, stand_in)).mean())
    return values


def _patched(model: Tiny, texts: TaskTexts) -> np.ndarray:
    """Return how far a head's output on the text restores the answer on the text with a deciding word exchanged."""
    tokens, visible, positions = tensors(texts)
    clean = model(tokens, visible, positions).outputs
    changed = torch.from_numpy(texts.changed)
    margin = _margin(model(changed, visible, positions).logits, texts)
    return _replace_heads(clean, lambda put: _margin(model(changed, visible, positions, put).logits, texts) - margin)


def _direct(model: Tiny, texts: TaskTexts) -> np.ndarray:
    """Return a head's direct effect on the answer's logit minus the other answer's."""
    record = model(*tensors(texts))
    outputs = torch.stack(record.outputs, dim=1)  # [text, layer, head, token, d_model]
    head_outputs = outputs[
        torch.arange(len(texts)), :, :, torch.from_numpy(texts.asked)
    ]  # [text, layer, head, d_model]
    toward = model.w_words[:, texts.answers] - model.w_words[:, texts.others]  # [d_model, text]
    return _mean(torch.einsum("tlhd,dt->tlh", head_outputs, toward) / record.scale[:, :, None])


def _sources(texts: TaskTexts) -> Tensor:
    return torch.from_numpy(texts.sources)[:, None, None]  # [text, 1, 1, key]


def _sure(logits: Tensor, answers: np.ndarray) -> Tensor:
    """Return the logarithm of each answer's probability, [text]."""
    return logits.log_softmax(dim=-1)[torch.arange(len(logits)), torch.from_numpy(answers)]


def _margin(logits: Tensor, texts: TaskTexts) -> Tensor:
    rows = torch.arange(len(logits))
    return logits[rows, torch.from_numpy(texts.answers)] - logits[rows, torch.from_numpy(texts.others)]


def _mean(values: Tensor) -> np.ndarray:
    """Return the mean over texts, [text, layer, head] to float64 [layer, head]."""
    return values.mean(dim=0).double().numpy()


FIND: dict[str, Callable[[Tiny, TaskTexts], np.ndarray]] = {
    "attention": _attention,
    "contribution": _contribution,
    "rollout": _rollout,
    "gradient × attention": _gradient,
    "mean ablation": _ablated("mean"),
    "zero ablation": _ablated("zero"),
    "resampling ablation": _ablated("resample"),
    "activation patching": _patched,
    "direct effect": _direct,
}


def measure_model(name: str, seed: int, steps: int = STEPS, n_texts: int = N_TEXTS) -> StudiedModel:
    """Return one model's row: trained, taken apart in every way, and measured."""
    language = TASKS[name]
    with one_thread():
        model, texts = train_model(language, seed, steps), unseen(language, seed, n_texts)
        with torch.no_grad():
            worth = {kind: worths(model, texts, kind, seed) for kind in KINDS}
            values = {key: find(model, texts) for key, find in FIND.items()}
    right = float(worth[KINDS[0]][-1])
    truth = {kind: _plain(shapley(set_values)) for kind, set_values in worth.items()}
    return StudiedModel(
        name, seed, right, truth, {key: _plain(set_values.ravel()) for key, set_values in values.items()}
    )


def rows(path: Path) -> Iterator[StudiedModel]:
    """Yield the row of every model; missing rows are measured, and the file is written after each model."""
    stored = {(row.task, row.seed): row for row in read(path)} if path.exists() else {}
    for name, seed in tqdm(list(product(TASKS, range(N_SEEDS)))):
        if (name, seed) not in stored:
            stored[name, seed] = measure_model(name, seed)
            write(path, tuple(stored.values()))
        yield stored[name, seed]


def _plain(numbers: np.ndarray) -> list[float]:
    return [float(f"{number:.4g}") for number in numbers]
