"""Switching a model's attention function for the length of a call, also when calls overlap.

Models read the name of their attention function from their config at every layer, so a name that one thread puts there
is seen by all. Calls that want the same name share it: the first sets it, the last restores what was there. A call that
wants another name waits until the config is free.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

FIELD = "_attn_implementation_internal"  # written past the public setter, which would write into sub-configs too


@dataclass
class _Hold:
    config: Any
    name: str
    before: Any
    holders: int = 0


_changed = threading.Condition()
_holds: dict[int, _Hold] = {}  # by identity of the config: two models may share one


@contextmanager
def attention_named(configs: Sequence[Any], name: str) -> Iterator[None]:
    """Let every one of these configs name this attention function inside the block."""
    _take(configs, name)
    try:
        yield
    finally:
        _give_back(configs)


def _take(configs: Sequence[Any], name: str) -> None:
    with _changed:
        _changed.wait_for(lambda: all(_free(config, name) for config in configs))
        for config in configs:
            hold = _holds.get(id(config))
            if hold is None:
                hold = _holds[id(config)] = _Hold(config, name, getattr(config, FIELD, None))
                setattr(config, FIELD, name)
            hold.holders += 1


def _free(config: Any, name: str) -> bool:
    hold = _holds.get(id(config))
    return hold is None or hold.name == name


def _give_back(configs: Sequence[Any]) -> None:
    with _changed:
        for config in configs:
            hold = _holds[id(config)]
            hold.holders -= 1
            if hold.holders == 0:
                setattr(config, FIELD, hold.before)
                del _holds[id(config)]
        _changed.notify_all()
