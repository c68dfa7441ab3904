"""A transformer of two layers of four heads, small enough to be trained in seconds and taken apart in every way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mha.truth.tasks import NOTHING, KnownTask, TaskTexts

N_LAYERS, N_HEADS, D_MODEL, D_HEAD = 2, 4, 32, 8
BATCH, RATE = 64, 5e-3
BATCHES_AT_ONCE = 50
TRAINING, UNSEEN = 1, 2  # streams of random numbers of one seed

Replace = Callable[[int, Tensor], Tensor]  # of a layer, its heads' outputs [text, head, token, d_model]: what goes on


@dataclass(frozen=True, eq=False)
class Passed:
    """What one pass did.

    ``logits`` [text, word] at the asked place; ``weights`` [layer] of [text, head, query, key]; ``values`` [layer] of
    [text, head, key, d_model], already through W_O; ``outputs`` [layer] of [text, head, token, d_model]; ``scale``
    [text, 1] is what the last norm divides the asked word's vector by.
    """

    logits: Tensor
    weights: list[Tensor]
    values: list[Tensor]
    outputs: list[Tensor]
    scale: Tensor


class Tiny(nn.Module):
    """Embeddings, two layers of attention and a small network each behind a norm without numbers of its own, and words.

    A norm divides by the root of the mean square (Zhang & Sennrich 2019).
    """

    def __init__(self, task: KnownTask, seed: int) -> None:
        super().__init__()
        self.causal = task.causal
        generator = torch.Generator().manual_seed(seed)

        def numbers(*shape: int, spread: float) -> nn.Parameter:
            return nn.Parameter(spread * torch.randn(*shape, generator=generator))

        self.embeddings = numbers(task.n_words, D_MODEL, spread=0.5)
        self.positions = numbers(task.n_tokens, D_MODEL, spread=0.5)
        inward, outward = D_MODEL**-0.5, (N_HEADS * D_HEAD) ** -0.5
        self.w_query, self.w_key, self.w_value = (
            numbers(N_LAYERS, N_HEADS, D_MODEL, D_HEAD, spread=inward) for _ in range(3)
        )
        self.w_output = numbers(N_LAYERS, N_HEADS, D_HEAD, D_MODEL, spread=outward)
        self.w_in = numbers(N_LAYERS, D_MODEL, 2 * D_MODEL, spread=inward)
        self.w_out = numbers(N_LAYERS, 2 * D_MODEL, D_MODEL, spread=(2 * D_MODEL) ** -0.5)
        self.w_words = numbers(D_MODEL, task.n_words, spread=inward)

    def forward(self, tokens: Tensor, visible: Tensor, asked: Tensor, replace: Replace | None = None) -> Passed:
        """Return what a pass does; ``replace`` may exchange what the heads of a layer give."""
        x, weights, values, outputs = self.embed(tokens), [], [], []
        for layer in range(N_LAYERS):
            looked, value = self.look(layer, x, visible)
            given = looked @ value  # [text, head, token, d_model]
            if replace is not None:
                given = replace(layer, given)
            x = self.behind(layer, x + given.sum(dim=1))
            weights.append(looked)
            values.append(value)
            outputs.append(given)
        last = x[torch.arange(len(x)), asked]  # [text, d_model]
        return Passed(normed(last) @ self.w_words, weights, values, outputs, size(last))

    def everywhere(self, tokens: Tensor, visible: Tensor) -> Tensor:
        """Return the logits at every place, [text, token, word]."""
        x = self.embed(tokens)
        for layer in range(N_LAYERS):
            looked, value = self.look(layer, x, visible)
            x = self.behind(layer, x + (looked @ value).sum(dim=1))
        return normed(x) @ self.w_words

    def embed(self, tokens: Tensor) -> Tensor:
        """Return [text, token, d_model]."""
        return self.embeddings[tokens] + self.positions[: tokens.shape[1]]

    def look(self, layer: int, x: Tensor, visible: Tensor) -> tuple[Tensor, Tensor]:
        """Return a layer's weights [text, head, query, key] and its values through W_O [text, head, key, d_model]."""
        read = normed(x)[:, None]  # [text, 1, token, d_model]
        query, key = read @ self.w_query[layer], read @ self.w_key[layer]  # [text, head, token, d_head]
        scores = query @ key.transpose(2, 3) / D_HEAD**0.5
        seen = visible[:, None, None]
        if self.causal:
            seen = seen & torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        weights = scores.masked_fill(~seen, -torch.inf).softmax(dim=-1)
        return weights, read @ self.w_value[layer] @ self.w_output[layer]

    def behind(self, layer: int, x: Tensor) -> Tensor:
        """Return the residual stream behind a layer's small network."""
        return x + functional.relu(normed(x) @ self.w_in[layer]) @ self.w_out[layer]


def size(x: Tensor) -> Tensor:
    """Return the root of the mean square, [..., 1]."""
    return x.square().mean(dim=-1, keepdim=True).add(1e-6).sqrt()


def normed(x: Tensor) -> Tensor:
    """Return vectors divided by their `size`."""
    return x / size(x)


def tensors(texts: TaskTexts) -> tuple[Tensor, Tensor, Tensor]:
    """Return tokens, which are visible, and the asked places."""
    return torch.from_numpy(texts.tokens), torch.from_numpy(texts.visible), torch.from_numpy(texts.asked)


def learned(task: KnownTask, seed: int, steps: int) -> Tiny:
    """Return a model that learned a task: Adam with one cycle of its rate, the cross-entropy of every answer."""
    model = Tiny(task, seed)
    generator = np.random.default_rng([seed, TRAINING])
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for step in range(steps):
        if step % BATCHES_AT_ONCE == 0:
            texts = task.texts(BATCHES_AT_ONCE * BATCH, generator)
        some = slice(step % BATCHES_AT_ONCE * BATCH, (step % BATCHES_AT_ONCE + 1) * BATCH)
        targets = torch.from_numpy(texts.targets[some])
        logits = model.everywhere(torch.from_numpy(texts.tokens[some]), torch.from_numpy(texts.visible[some]))
        loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=NOTHING)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return model.eval().requires_grad_(False)


def unseen(task: KnownTask, seed: int, count: int) -> TaskTexts:
    """Return texts that training did not draw."""
    return task.texts(count, np.random.default_rng([seed, UNSEEN]))
