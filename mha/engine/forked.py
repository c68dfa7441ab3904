"""What works in threads, begun anew in a process that was forked from this one: it has none of its parent's threads.

So a notebook that has drawn a page may hand texts to processes of its own, which would wait forever for a thread that
is not theirs.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def anew(kind: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return one of a kind, for as long as the process lives; in a forked one the same object begins from nothing."""
    made = kind(*args, **kwargs)
    if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
        os.register_at_fork(after_in_child=lambda: type(made).__init__(made, *args, **kwargs))
    return made
