"""Objects with threads begin again in a forked process: it lacks its parent's threads.

So a notebook that has drawn a page may hand texts to processes of its own. They would otherwise wait forever for a
thread of the parent.
"""

import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def per_process(kind: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return an object for the life of the process; a forked process initialises the same object again."""
    instance = kind(*args, **kwargs)
    if hasattr(os, "register_at_fork"):  # not on Windows, where nothing forks
        os.register_at_fork(after_in_child=lambda: type(instance).__init__(instance, *args, **kwargs))
    return instance
