"""What each head does for a task, from every set of heads there is: its Shapley value.

A head's value is what it adds to the share of right answers, averaged over all orders in which the heads could join
(Shapley 1953). With eight heads there are 256 sets, and each is tried. The values add up to what all heads bring.
"""

from __future__ import annotations

from math import factorial

import numpy as np
import torch
from torch import Tensor

from mha.errors import InputError
from mha.truth.agreement import KINDS
from mha.truth.model import N_HEADS, N_LAYERS, Replace, Tiny, normed, tensors
from mha.truth.tasks import TaskTexts

N = N_LAYERS * N_HEADS


def stand_ins(outputs: list[Tensor], kind: str, order: Tensor) -> list[Tensor]:
    """Return what takes the place of heads' outputs, [layer] of [text, head, token, d_model] as they are.

    ``resample`` is the output on another text (``order`` [text]), ``mean`` that over all texts, both place by place.

    Raises:
        InputError: there is no such kind; the message lists those there are.
    """
    if kind == "resample":
        return [layer[order] for layer in outputs]
    if kind == "mean":
        return [layer.mean(dim=0, keepdim=True).expand_as(layer) for layer in outputs]
    if kind == "zero":
        return [torch.zeros_like(layer) for layer in outputs]
    raise InputError(f"A head's output is replaced by {', '.join(KINDS)}; this is {kind!r}.")


def others(count: int, seed: int = 0) -> Tensor:
    """Return for each text another one, int [text]."""
    return torch.from_numpy(np.roll(np.arange(count), 1 + seed % max(count - 1, 1)))


def without(off: np.ndarray, stand_in: list[Tensor]) -> Replace:
    """Return what replaces the outputs of the heads that are ``off``, bool [layer, head]."""
    which = torch.from_numpy(off)[:, None, :, None, None]  # [layer, 1, head, 1, 1]
    return lambda layer, given: torch.where(which[layer], stand_in[layer], given)


def right(model: Tiny, texts: TaskTexts, replace: Replace | None = None) -> float:
    """Return the share of right answers."""
    named = model(*tensors(texts), replace).logits.argmax(dim=-1).numpy()
    return float((named == texts.answers).mean())


def worths(model: Tiny, texts: TaskTexts, kind: str, seed: int = 0) -> np.ndarray:
    """Return the share of right answers with each set of heads, float64 [set]; head n is in set s if bit n is set.

    What a set of the first layer's heads makes of a text is worked out once for all sets of the second layer's, and of
    these only the asked place: the same numbers as 256 passes, in a tenth of the time.
    """
    tokens, visible, asked = tensors(texts)
    there = model(tokens, visible, asked).outputs
    first, second = stand_ins(there, kind, others(len(texts), seed))
    rows, answers = torch.arange(len(texts)), torch.from_numpy(texts.answers)
    kept = torch.from_numpy((np.arange(2**N_HEADS)[:, None] >> np.arange(N_HEADS)) & 1 == 1)  # [set of a layer, head]
    x, instead = model.embed(tokens), second[rows, :, asked]  # [text, token, d_model], [text, head, d_model]
    found = np.empty((len(kept), len(kept)))  # [set of the second layer, set of the first]
    for low, one in enumerate(kept):
        state = model.behind(0, x + torch.where(one[:, None, None], there[0], first).sum(dim=1))
        weights, values = model.look(1, state, visible)
        given = (weights[rows, :, asked][:, :, None] @ values)[:, :, 0]  # [text, head, d_model]
        for high, other in enumerate(kept):
            last = model.behind(1, state[rows, asked] + torch.where(other[:, None], given, instead).sum(dim=1))
            found[high, low] = float(((normed(last) @ model.w_words).argmax(dim=-1) == answers).double().mean())
    return found.ravel()


def shapley(worth: np.ndarray) -> np.ndarray:
    """Return each member's Shapley value, float64 [member], from what every set is worth, float64 [set].

    φ_n = Σ over sets S without n of |S|! (N − |S| − 1)! / N! · (v(S ∪ n) − v(S)).

    >>> shapley(np.array([0.0, 1.0, 1.0, 1.0]))  # either of two is enough
    array([0.5, 0.5])

    Raises:
        InputError: there is not one number for every set.
    """
    n = int(np.log2(len(worth))) if len(worth) else 0
    if 2**n != len(worth):
        raise InputError(f"Every set of N members has its number, 2 to the N of them; these are {len(worth)}.")
    sets = np.arange(len(worth))
    sizes = ((sets[:, None] >> np.arange(max(n, 1))) & 1).sum(axis=1)
    share = np.array([factorial(s) * factorial(n - s - 1) / factorial(n) for s in range(n)])
    found = np.empty(n)
    for member in range(n):
        lacking = sets[(sets >> member) & 1 == 0]
        found[member] = (share[sizes[lacking]] * (worth[lacking | 1 << member] - worth[lacking])).sum()
    return found
