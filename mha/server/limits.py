"""How much one socket, one client and one process may ask for; whoever runs the server can change each of them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from mha.errors import InputError

PREFIX = "PARALLAX_"


@dataclass(frozen=True)
class Limits:
    """The limits of one process; an environment variable such as ``PARALLAX_SOCKETS=200`` sets the field ``sockets``.

    ``reruns_per_second`` with a ``rerun_burst`` hold for each socket, and what comes faster waits; a socket that has
    waited for ``patience`` reruns in a row is closed. ``handshakes_per_second`` with their burst hold for each client.
    A socket that says nothing for ``silent_seconds`` after its handshake is closed, and one that is idle for
    ``idle_seconds`` later on: an open page connects again by itself, with its link and its widgets.
    So many pages are ``opening`` at a time and so many others ``running``, each for ``turn_seconds`` at most; who comes
    later stands in line.
    A client asks ``api_per_minute`` questions over HTTP.
    The header of a request is due in ``header_seconds``, and so is each part of its body in ``body_seconds``; a
    connection that asks nothing more is closed after ``keepalive_seconds``, and one that takes nothing of its answer
    after ``answer_seconds``. An address has ``connections_per_client`` that wait for their client.
    Files of ``upload_mb`` are kept at a time, of ``upload_mb_per_client`` for each address, and a visit sends
    ``upload_mb_per_visit`` in all; a file goes ``upload_seconds`` after its field or its page.
    """

    sockets: int = 120
    sockets_per_client: int = 60
    frame_bytes: int = 128 * 1024
    reruns_per_second: float = 5.0
    rerun_burst: int = 15
    patience: int = 60
    handshakes_per_second: float = 5.0
    handshake_burst: int = 60
    opening: int = 2
    running: int = 4
    turn_seconds: float = 0.3
    silent_seconds: float = 30.0
    idle_seconds: float = 3600.0
    api_per_minute: int = 60
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    keepalive_seconds: float = 15.0
    answer_seconds: float = 60.0
    connections_per_client: int = 100
    upload_mb: int = 200
    upload_mb_per_client: int = 60
    upload_mb_per_visit: int = 80
    upload_seconds: float = 10.0

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ) -> Limits:
        """Return the limits that an environment sets.

        Raises:
            InputError: a value is no number above 0.
        """
        found: dict[str, Any] = {}
        for field in fields(cls):
            name = PREFIX + field.name.upper()
            if name not in environment:
                continue
            kind = float if field.type == "float" else int
            try:
                found[field.name] = kind(environment[name])
            except ValueError as error:
                raise InputError(f"{name} takes a number, not “{environment[name][:40]}”.") from error
            if not found[field.name] > 0:
                raise InputError(f"{name} takes a number above 0, not {environment[name][:40]}.")
        return cls(**found)


class Bucket:
    """A token bucket: ``burst`` at once, then ``rate`` a second."""

    def __init__(self, rate: float, burst: int) -> None:
        self.rate, self.burst = rate, burst
        self._tokens, self._seen = float(burst), time.monotonic()

    def wait(self) -> float:
        """Take one token and return how many seconds to wait for it; 0 while there are some."""
        now = time.monotonic()
        self._tokens = min(self.burst, self._tokens + (now - self._seen) * self.rate) - 1
        self._seen = now
        return max(0.0, -self._tokens / self.rate)

    def take(self) -> bool:
        """Take one token if there is one; return whether there was."""
        if self.wait() == 0:
            return True
        self._tokens += 1
        return False

    @property
    def full(self) -> bool:
        """Whether nobody has taken any for a while."""
        return self._tokens + (time.monotonic() - self._seen) * self.rate >= self.burst
