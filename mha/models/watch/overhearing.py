"""The layers of a model that keeps its attention to itself: queries, keys and what is added, heard while it computes.

Models that have not moved to transformers' attention interface call no function that could be replaced. But they
multiply queries and keys, add to the products, and take a softmax, whatever they are called; so every operation of one
pass is listened to. A product whose result reaches the softmax had queries and keys for factors; a number that it was
multiplied by on the way is the scale, and what the softmax got beyond it is mask and position (ALiBi, buckets, parts of
DeBERTa's own). The product with the weights that follows had the values. Products may be written as einsums, and so
may W_O, which then is no part of the model that could be watched (XLNet).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from mha.errors import AttentionUnavailable

PRODUCTS = ("matmul", "__matmul__", "bmm", "baddbmm")
TIMES = ("mul", "__mul__", "__rmul__", "mul_", "__imul__", "multiply")
BY = ("div", "__truediv__", "div_", "__itruediv__", "__idiv__", "true_divide")
MASKED = -5e3  # a score this far below has no weight: no position is worth so much
AGREEMENT = 1e-4  # between weights that were heard and those recorded
SMALL = 1e-5  # of the largest score: rounding, and nothing that was added


# One layer as it was heard: query [head, query, d_head], key [group, key, d_head], the scale, the softmax's scores and
# weights [head, query, key], value [group, key, d_head] and output [head, query, d_head].
Heard = tuple[Tensor, Tensor, float, Tensor, Tensor, Tensor, Tensor]


def added(query: Tensor, key: Tensor, scale: float, scores: Tensor, weights: Tensor) -> tuple[Tensor | None, Tensor]:
    """Return what is added to the scaled products, float64 [head, query, key], or None; and which keys are seen."""
    keys = key.double().repeat_interleave(query.shape[0] // key.shape[0], dim=0)
    rest = scores.double() - scale * (query.double() @ keys.transpose(-1, -2))
    hidden = (weights == 0) & ~(rest > MASKED)
    rest = rest.masked_fill(hidden, 0)
    size = max(1.0, float(scores.double().masked_fill(hidden, 0).abs().max()))
    return (rest if float(rest.abs().max()) > SMALL * size else None), ~hidden


class Overhearing(TorchFunctionMode):
    """Hands every layer to ``tell`` as soon as its findings are there.

    ``through`` is given the matrix that an einsum puts these findings through, them [..., head · d_head], and what it
    makes of them, as a hook of a matrix is.
    """

    def __init__(
        self, tell: Callable[[Heard], None], through: Callable[[Any, tuple[Any, ...], Any], None] | None = None
    ) -> None:
        super().__init__()
        self.tell = tell
        self.through = through
        self.findings: Tensor | None = None  # of the layer that was told last
        self._forget()

    def _forget(self) -> None:
        self.kept: list[Tensor] = []  # so that no address is used twice while it is known here
        self.products: dict[int, tuple[Tensor, Tensor, float]] = {}  # by the address of what came of them
        self.scaled: dict[int, tuple[Tensor, float]] = {}  # by the address of a multiple: of what, and how many times
        self.weights: tuple[int, Tensor, Tensor, tuple[Tensor, Tensor, float]] | None = None

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        before = args[0].data_ptr() if args and isinstance(args[0], Tensor) and not args[0].is_meta else 0
        made = func(*args, **(kwargs or {}))
        if isinstance(made, Tensor) and made.is_floating_point() and made.dim() >= 2:
            self._hear(getattr(func, "__name__", ""), before, args, kwargs or {}, made)
        return made

    def _hear(self, name: str, before: int, args: Any, kwargs: dict[str, Any], made: Tensor) -> None:
        if name in PRODUCTS:
            self._product(name, args, kwargs, made)
        elif name == "einsum":
            self._einsum(args, made)
        elif name in ("softmax", "_softmax"):
            known = self.products.get(before)
            if known is not None and made.dim() == 4:
                self.weights = made.data_ptr(), args[0], made, known
        else:
            self._step(name, before, args, made)

    def _product(self, name: str, args: Any, kwargs: dict[str, Any], made: Tensor) -> None:
        left, right = (kwargs["batch1"], kwargs["batch2"]) if "batch1" in kwargs else args[-2:]
        if self.weights is not None and left.data_ptr() == self.weights[0]:
            self._told(right, made)
            return
        factor = float(kwargs.get("alpha", 1)) if name == "baddbmm" else 1.0
        for side in (left, right):
            factor *= self.scaled.get(side.data_ptr(), (None, 1.0))[1]
        left, right = (self.scaled.get(side.data_ptr(), (side, 1.0))[0] for side in (left, right))
        self.kept += [left, right, made]
        self.products[made.data_ptr()] = (left, right, factor)

    def _einsum(self, args: Any, made: Tensor) -> None:
        if not isinstance(args[0], str) or len(args) != 3:
            return
        equation, left, right = args
        if self.findings is not None and left.data_ptr() == self.findings.data_ptr() and self.through is not None:
            matrix = as_matrix(equation, right)
            if matrix is not None:
                self.through(matrix, (left.flatten(-2),), made)
            return
        product = as_product(equation, left, right, made)
        if product is not None:
            *factors, made = product
            self._product("matmul", factors, {}, made)

    def _step(self, name: str, before: int, args: Any, made: Tensor) -> None:
        """Follow a product, or the weights, through whatever leaves their size as it is."""
        factor = _factor(name, args)
        known = self.products.get(before)
        if known is not None and made.numel() == args[0].numel():
            self.kept.append(made)
            self.products[made.data_ptr()] = (known[0], known[1], known[2] * (1.0 if factor is None else factor))
        elif self.weights is not None and before == self.weights[0] and made.numel() == args[0].numel():
            self.kept.append(made)
            self.weights = (made.data_ptr(), *self.weights[1:])
        elif factor is not None and made.data_ptr() != before:
            self.kept.append(made)
            self.scaled[made.data_ptr()] = (args[0], factor)
        elif name in ("where", "torch.where") and len(args) > 1 and isinstance(args[1], Tensor):
            known = self.products.get(args[1].data_ptr())
            if known is not None:
                self.kept.append(made)
                self.products[made.data_ptr()] = known

    def _told(self, value: Tensor, output: Tensor) -> None:
        assert self.weights is not None
        _, scores, weights, (query, key, scale) = self.weights
        n_heads, n_queries, n_keys = weights.shape[1:]
        try:
            heard: Heard | None = (
                query.reshape(n_heads, n_queries, -1),
                key.transpose(-1, -2).reshape(-1, n_keys, query.shape[-1]),
                scale,
                scores[0],
                weights[0],
                value.reshape(-1, n_keys, value.shape[-1]),
                output.reshape(n_heads, n_queries, -1),
            )
        except RuntimeError:  # factors of other shapes than heads have: nothing is told of this layer
            heard = None
        self._forget()
        self.findings = output
        if heard is not None:
            self.tell(heard)


def _factor(name: str, args: Any) -> float | None:
    """Return the number that an operation multiplies its first argument by; None where it does not."""
    if name not in (*TIMES, *BY) or len(args) < 2:
        return None
    other = args[1]
    if isinstance(other, Tensor):
        if other.numel() != 1:
            return None
        other = other.item()
    if not isinstance(other, int | float) or other == 0:
        return None
    return float(other) if name in TIMES else 1 / float(other)


def check_heard(recorded: Tensor, heard: Sequence[Tensor]) -> None:
    """Raise AttentionUnavailable unless the layers that were heard have the recorded weights."""
    same = len(heard) == len(recorded) and all(
        one.shape == known.shape and float((one.float() - known).abs().max()) <= AGREEMENT
        for one, known in zip(heard, recorded, strict=True)
    )
    if not same:
        raise AttentionUnavailable(
            "This model computes its weights in a way of its own: its heads cannot be reached, and queries and keys "
            "are not available one by one."
        )


def as_product(equation: str, left: Tensor, right: Tensor, made: Tensor) -> tuple[Tensor, Tensor, Tensor] | None:
    """Return both factors and the result of an einsum as those of a product of matrices; None where it is another one.

    They are [batch …, row, inner] and [batch …, inner, column] to [batch …, row, column], ``batch`` in the order of the
    result's letters.
    """
    first, second, out = _letters(equation)
    batch = [letter for letter in out if letter in first and letter in second]
    inner = [letter for letter in first if letter in second and letter not in out]
    row = [letter for letter in first if letter not in second and letter in out]
    column = [letter for letter in second if letter not in first and letter in out]
    if not len(inner) == len(row) == len(column) == 1:
        return None
    if not len(first) == len(second) == len(out) == len(batch) + 2:
        return None

    def turned(tensor: Tensor, letters: str, order: list[str]) -> Tensor:
        return tensor.permute([letters.index(letter) for letter in order])

    return (
        turned(left, first, [*batch, *row, *inner]),
        turned(right, second, [*batch, *inner, *column]),
        turned(made, out, [*batch, *row, *column]),
    )


def as_matrix(equation: str, weight: Tensor) -> torch.nn.Linear | None:
    """Return the matrix that an einsum puts findings of heads through, "… n d, h n d -> … h"; None for another one."""
    first, second, out = _letters(equation)
    column, inner = second[:1], second[1:]
    if len(inner) != 2 or not first.endswith(inner) or out != first[: -len(inner)] + column or column in first:
        return None
    matrix = torch.nn.Linear(weight[0].numel(), len(weight), bias=False, device="meta")
    matrix.weight = torch.nn.Parameter(weight.detach().flatten(1), requires_grad=False)
    return matrix


def _letters(equation: str) -> tuple[str, str, str]:
    """Return the letters of both factors and of the result; empty ones where an einsum has no two factors.

    >>> _letters("ibnd, jbnd -> bnij"), _letters("bnij->ijbn")
    (('ibnd', 'jbnd', 'bnij'), ('', '', ''))
    """
    factors, arrow, out = equation.replace(" ", "").partition("->")
    first, comma, second = factors.partition(",")
    plain = (first + second + out).isalpha() and all(len(set(one)) == len(one) for one in (first, second, out))
    return (first, second, out) if arrow and comma and plain else ("", "", "")
