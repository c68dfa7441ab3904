"""A transformer of two layers of four heads, small enough to be trained in seconds and taken apart in every way.

The value of a head for a task is measured with every set of heads: it is the head's contribution to the share of right
answers, averaged over all orders in which the heads could join (Shapley 1953). With eight heads there are 256 sets, and
each is measured. The values add up to the share of all heads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from studies.truth.tasks import NOTHING, KnownTask, TaskTexts

N_LAYERS, N_HEADS, D_MODEL, D_HEAD = 2, 4, 32, 8
BATCH, RATE = 64, 5e-3
BATCHES_AT_ONCE = 50
TRAINING, UNSEEN = 1, 2  # streams of random numbers of one seed

Replace = Callable[[int, Tensor], Tensor]  # outputs of a layer's heads [text, head, token, d_model], for the next layer


@dataclass(frozen=True, eq=False)
class Passed:
    """Record of one pass.

    ``logits`` [text, word] at the asked place; ``weights`` [layer] of [text, head, query, key]; ``values`` [layer] of
    [text, head, key, d_model], already through W_O; ``outputs`` [layer] of [text, head, token, d_model]; ``scale``
    [text, 1] is the divisor of the last norm for the asked word's vector.
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

    def forward(self, tokens: Tensor, visible: Tensor, positions: Tensor, replace: Replace | None = None) -> Passed:
        """Return the record of a pass; ``replace`` may exchange the outputs of a layer's heads."""
        x, weights, values, outputs = self.embed(tokens), [], [], []
        for layer in range(N_LAYERS):
            layer_weights, value = self.look(layer, x, visible)
            head_outputs = layer_weights @ value  # [text, head, token, d_model]
            if replace is not None:
                head_outputs = replace(layer, head_outputs)
            x = self.behind(layer, x + head_outputs.sum(dim=1))
            weights.append(layer_weights)
            values.append(value)
            outputs.append(head_outputs)
        last = x[torch.arange(len(x)), positions]  # [text, d_model]
        return Passed(normed(last) @ self.w_words, weights, values, outputs, size(last))

    def everywhere(self, tokens: Tensor, visible: Tensor) -> Tensor:
        """Return the logits at every place, [text, token, word]."""
        x = self.embed(tokens)
        for layer in range(N_LAYERS):
            weights, value = self.look(layer, x, visible)
            x = self.behind(layer, x + (weights @ value).sum(dim=1))
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


def train_model(task: KnownTask, seed: int, steps: int) -> Tiny:
    """Return a model that learned a task: Adam with one cycle of its rate, the cross-entropy of every answer."""
    model = Tiny(task, seed)
    generator = np.random.default_rng([seed, TRAINING])
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for step in range(steps):
        if step % BATCHES_AT_ONCE == 0:
            texts = task.texts(BATCHES_AT_ONCE * BATCH, generator)
        rows = slice(step % BATCHES_AT_ONCE * BATCH, (step % BATCHES_AT_ONCE + 1) * BATCH)
        targets = torch.from_numpy(texts.targets[rows])
        logits = model.everywhere(torch.from_numpy(texts.tokens[rows]), torch.from_numpy(texts.visible[rows]))
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


def stand_ins(outputs: list[Tensor], kind: str, order: Tensor) -> list[Tensor]:
    """Return replacements of heads' outputs, [layer] of [text, head, token, d_model] as they are.

    ``resample`` is the output on another text (``order`` [text]), ``mean`` that over all texts, both place by place;
    ``zero`` is 0.
    """
    if kind == "resample":
        return [layer[order] for layer in outputs]
    if kind == "mean":
        return [layer.mean(dim=0, keepdim=True).expand_as(layer) for layer in outputs]
    return [torch.zeros_like(layer) for layer in outputs]


def other_texts(count: int, seed: int = 0) -> Tensor:
    """Return for each text another one, int [text]."""
    return torch.from_numpy(np.roll(np.arange(count), 1 + seed % max(count - 1, 1)))


def without(is_ablated: np.ndarray, stand_in: list[Tensor]) -> Replace:
    """Return what replaces the outputs of the heads that are ``is_ablated``, bool [layer, head]."""
    which = torch.from_numpy(is_ablated)[:, None, :, None, None]  # [layer, 1, head, 1, 1]
    return lambda layer, given: torch.where(which[layer], stand_in[layer], given)


def worths(model: Tiny, texts: TaskTexts, kind: str, seed: int = 0) -> np.ndarray:
    """Return the share of right answers with each set of heads, float64 [set]; head n is in set s if bit n is set.

    The output of a set of first-layer heads is computed once for all sets of the second layer, and then at the asked
    position only: the same numbers as 256 passes, in a tenth of the time.
    """
    tokens, visible, positions = tensors(texts)
    other_outputs = model(tokens, visible, positions).outputs
    first, second = stand_ins(other_outputs, kind, other_texts(len(texts), seed))
    rows, answers = torch.arange(len(texts)), torch.from_numpy(texts.answers)
    is_kept = torch.from_numpy(
        (np.arange(2**N_HEADS)[:, None] >> np.arange(N_HEADS)) & 1 == 1
    )  # [set of a layer, head]
    x, replacements = model.embed(tokens), second[rows, :, positions]  # [text, token, d_model], [text, head, d_model]
    shares = np.empty((len(is_kept), len(is_kept)))  # [set of the second layer, set of the first]
    for low, low_set in enumerate(is_kept):
        state = model.behind(0, x + torch.where(low_set[:, None, None], other_outputs[0], first).sum(dim=1))
        weights, values = model.look(1, state, visible)
        head_outputs = (weights[rows, :, positions][:, :, None] @ values)[:, :, 0]  # [text, head, d_model]
        for high, high_set in enumerate(is_kept):
            last = model.behind(
                1, state[rows, positions] + torch.where(high_set[:, None], head_outputs, replacements).sum(dim=1)
            )
            shares[high, low] = float(((normed(last) @ model.w_words).argmax(dim=-1) == answers).double().mean())
    return shares.ravel()


def shapley(worth: np.ndarray) -> np.ndarray:
    """Return each member's Shapley value, float64 [member], from the value of every set, float64 [set].

    φ_n = Σ over sets S without n of |S|! (N − |S| − 1)! / N! · (v(S ∪ n) − v(S)).

    >>> shapley(np.array([0.0, 1.0, 1.0, 1.0]))  # either of two is enough
    array([0.5, 0.5])
    """
    n = int(np.log2(len(worth)))
    sets = np.arange(len(worth))
    sizes = ((sets[:, None] >> np.arange(n)) & 1).sum(axis=1)
    share = np.array([factorial(s) * factorial(n - s - 1) / factorial(n) for s in range(n)])
    values = np.empty(n)
    for member in range(n):
        lacking = sets[(sets >> member) & 1 == 0]
        values[member] = (share[sizes[lacking]] * (worth[lacking | 1 << member] - worth[lacking])).sum()
    return values
