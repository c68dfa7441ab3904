"""Einsums read as products of matrices, and those that are none."""

import numpy as np
import torch

from mha.models.watch.overhearing import as_matrix, as_product


def test_a_product_of_queries_and_keys_is_that_of_matrices() -> None:
    left, right = torch.randn(3, 2, 5, 7), torch.randn(11, 2, 5, 7)  # ibnd, jbnd
    made = torch.einsum("ibnd,jbnd->bnij", left, right)
    found = as_product("ibnd, jbnd -> bnij", left, right, made)
    assert found is not None
    np.testing.assert_allclose((found[0] @ found[1]).numpy(), found[2].numpy(), atol=1e-5)
    assert found[2].data_ptr() == made.data_ptr()
    back = torch.einsum("bnij,jbnd->ibnd", made, right)
    found = as_product("bnij,jbnd->ibnd", made, right, back)
    assert found is not None
    assert found[2].shape == (2, 5, 3, 7)
    np.testing.assert_allclose((found[0] @ found[1]).numpy(), found[2].numpy(), atol=1e-3)


def test_what_is_no_product_of_matrices_is_none() -> None:
    words, weight = torch.randn(3, 2, 11), torch.randn(11, 5, 7)
    assert as_product("ibh,hnd->ibnd", words, weight, torch.einsum("ibh,hnd->ibnd", words, weight)) is None
    for equation in ("...i,...i->...", "ibnd", "ii,ij->j", "bnij->ijbn"):
        assert as_product(equation, words, words, words) is None
        assert as_matrix(equation, weight) is None


def test_the_matrix_behind_the_heads() -> None:
    findings, weight = torch.randn(3, 2, 5, 7), torch.randn(11, 5, 7)  # ibnd, hnd
    matrix = as_matrix("ibnd,hnd->ibh", weight)
    assert matrix is not None
    made = torch.einsum("ibnd,hnd->ibh", findings, weight)
    np.testing.assert_allclose(matrix(findings.flatten(-2)).detach().numpy(), made.numpy(), atol=1e-4)
    assert as_matrix("ibnd,hdn->ibh", weight) is None, "other letters first: another matrix"
    assert as_matrix("ibnd,nd->ib", weight) is None
