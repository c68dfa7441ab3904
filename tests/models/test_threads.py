"""One thread of torch while anybody asks for it."""

import pytest
import torch

from mha.models.files.environment import one_thread


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_it_is_one_until_the_last_is_done(two_threads):
    first, second = one_thread(), one_thread()
    with first:
        second.__enter__()
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 1, "the other is not done"
    second.__exit__(None, None, None)
    assert torch.get_num_threads() == 2


def test_an_error_gives_it_back(two_threads):
    with pytest.raises(ValueError, match="no"), one_thread():
        raise ValueError("no")
    assert torch.get_num_threads() == 2
