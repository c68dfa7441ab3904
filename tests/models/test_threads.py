"""One thread of torch for whoever asks for it, and for nobody else."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from mha.models.files import environment
from mha.models.files.environment import one_thread


@pytest.fixture
def two_threads(monkeypatch):
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    monkeypatch.setattr(environment, "_whole", 2)
    yield
    torch.set_num_threads(before)


def test_it_is_one_until_the_outermost_block_ends(two_threads):
    with one_thread():
        with one_thread():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2


def test_each_thread_has_its_own_number_and_has_it_back(two_threads):
    first, second = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
    in_first, in_second, first_out = threading.Event(), threading.Event(), threading.Event()

    def before():
        with one_thread():
            in_first.set()
            assert in_second.wait(5)
            inside = torch.get_num_threads()
        first_out.set()
        return inside, torch.get_num_threads()

    def behind():
        assert in_first.wait(5)
        with one_thread():
            inside = torch.get_num_threads()
            in_second.set()
            assert first_out.wait(5)
        return inside, torch.get_num_threads()

    found = [first.submit(before), second.submit(behind)]
    assert [one.result(10) for one in found] == [(1, 2), (1, 2)]
