"""How many threads torch works in, which is a number of the whole process: one while anybody asks for one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_asking = 0
_before = 1


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch work in this thread alone until the last of those who asked for it is done.

    What two threads share of nine words costs a third more CPU than one needs, and two add up in another order.
    """
    global _asking, _before
    import torch

    with _lock:
        if not _asking:
            _before = torch.get_num_threads()
            torch.set_num_threads(1)
        _asking += 1
    try:
        yield
    finally:
        with _lock:
            _asking -= 1
            if not _asking:
                torch.set_num_threads(_before)
