"""Ray: of this machine alone, unless a cluster is named. Whoever needs Ray takes it from here.

Ray's own ports run whatever they are sent. So they listen on this machine alone and ask for a token that nobody is
told; what says so must stand in the environment before Ray is imported.
"""

from __future__ import annotations

import logging
import os
import secrets
from typing import Any

CLUSTER = "RAY_ADDRESS"  # Ray's own: a cluster that was started with `ray start`, on one machine or several
OBJECTS = 100 * 2**20  # bytes of the object store: what is large goes past it

if CLUSTER not in os.environ:
    os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))

import ray  # noqa: E402
import ray.data  # noqa: E402
from ray import serve  # noqa: E402

__all__ = ["join", "ray", "serve"]


def join(processes: int) -> None:
    """Start Ray on this machine for so many processes, or join the cluster that is named."""
    alone: dict[str, Any] = {"num_cpus": processes, "object_store_memory": OBJECTS, "include_dashboard": False}
    ray.init(logging_level=logging.WARNING, **({} if CLUSTER in os.environ else alone))
