"""Freed memory returns to the system at once, and is reused while a survey runs."""

import json
import multiprocessing
import os
import subprocess
import sys

import pytest
import torch

from mha.models.files.environment import every_thread
from tests.browser.conftest import ROOT

COUNT = """
import json, resource, threading
import numpy as np
from mha.models.files import environment
environment.configure_allocator()
SIZE = 2**23

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.zeros(SIZE, dtype=np.uint8)[:] = 1
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()

found = {"before": faults()}
start = resident()
def work():
    with environment.used_again(SIZE):
        faults()
        found["again"] = faults()
thread = threading.Thread(target=work)
thread.start()
thread.join()
found["kept"] = resident() - start
found["behind"] = faults()
print(json.dumps(found))
"""
HUGE = 2**21  # bytes of the largest page that Linux gives by itself: one fault for as many


@pytest.mark.skipif(sys.platform != "linux", reason="the allocator of Linux' C library")
def test_freed_memory_is_reused_inside_the_block_only():
    done = subprocess.run([sys.executable, "-c", COUNT], cwd=ROOT, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["again"] * 5 < found["before"]
    assert found["behind"] >= 20 * 2**23 // HUGE, "each comes from the system anew, in pages of whatever size it gives"
    assert found["kept"] < 2**21


def _count() -> None:
    with every_thread():
        os._exit(torch.get_num_threads())


@pytest.mark.skipif(not hasattr(os, "register_at_fork"), reason="nothing forks there")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork")
def test_a_forked_process_computes_alone_for_torch_would_wait_for_threads_of_its_parent():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with every_thread():
            child = multiprocessing.get_context("fork").Process(target=_count)
            child.start()
            child.join(20)
    finally:
        torch.set_num_threads(before)
    assert child.exitcode == 1
