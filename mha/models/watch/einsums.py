"""Products of queries and keys, and of weights and values, that a model writes as one einsum (XLNet does)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Product(NamedTuple):
    """An einsum as a product of matrices: [batch …, row, inner] and [batch …, inner, column] to [batch …, row, column].

    ``batch`` stand in the order of the result's letters.
    """

    left: Tensor
    right: Tensor
    made: Tensor


def as_product(equation: str, left: Tensor, right: Tensor, made: Tensor) -> Product | None:
    """Return an einsum of two factors as a product of matrices; None where it is another one."""
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

    return Product(
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
