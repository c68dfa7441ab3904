"""Limits of one process, and the client to which they apply; the pages and the API share them."""

from __future__ import annotations

import ipaddress
import json
import logging
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from mha.errors import InputError

PREFIX = "PARALLAX_"
TRUSTED = "PARALLAX_TRUSTED_PROXIES"  # addresses or networks whose forwarded headers are trusted, separated by commas
HOST = re.compile(r"[A-Za-z0-9.\-:\[\]]{1,255}")

log = logging.getLogger("parallax.server")
Request = Mapping[str, Any]  # an ASGI scope


@dataclass(frozen=True)
class Limits:
    """The limits of one process; an environment variable such as ``PARALLAX_SOCKETS=200`` sets the field ``sockets``.

    ``sockets`` is the number of open pages, ``sockets_per_client`` that of one address. A frame has ``frame_bytes`` at
    most. ``reruns_per_second`` with a ``rerun_burst`` apply to each socket: faster reruns wait, and a socket whose last
    ``patience`` reruns all had to wait is closed. A socket is closed if it is silent for ``silent_seconds`` after its
    handshake, or later for ``idle_seconds``; an open page reconnects by itself. At most ``opening`` pages open at a
    time and ``running`` other reruns run, each counted for ``turn_seconds`` at most; later ones queue. A client sends
    ``api_per_minute`` requests to the API. The proxy has all other limits (``deploy/nginx.conf``).
    """

    sockets: int = 120
    sockets_per_client: int = 60
    frame_bytes: int = 128 * 1024
    reruns_per_second: float = 5.0
    rerun_burst: int = 15
    patience: int = 60
    silent_seconds: float = 30.0
    idle_seconds: float = 3600.0
    opening: int = 2
    running: int = 4
    turn_seconds: float = 0.3
    api_per_minute: int = 60

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Limits:
        """Return the limits that an environment sets.

        Raises:
            InputError: a value is not a number above 0.
        """
        values: dict[str, Any] = {}
        for field in fields(cls):
            name = PREFIX + field.name.upper()
            try:
                if name in environment:
                    values[field.name] = (float if field.type == "float" else int)(environment[name])
                    if not values[field.name] > 0:
                        raise ValueError
            except ValueError as error:
                raise InputError(f"{name} takes a number above 0, not “{environment[name][:40]}”.") from error
        return cls(**values)


class Bucket:
    """A token bucket: ``burst`` tokens at once, then ``rate`` a second."""

    def __init__(self, rate: float, burst: int) -> None:
        self.rate, self.burst = rate, burst
        self._tokens, self._time = float(burst), time.monotonic()

    def wait(self) -> float:
        """Take one token and return the seconds until it is due, 0 if it is available."""
        moment = time.monotonic()
        self._tokens = min(self.burst, self._tokens + (moment - self._time) * self.rate) - 1
        self._time = moment
        return max(0.0, -self._tokens / self.rate)

    def take(self) -> bool:
        """Take one token if one is available; return whether it was."""
        if self.wait() == 0:
            return True
        self._tokens += 1
        return False


def log_refusal(reason: str, **about: str | int) -> None:
    """Write one line of JSON about a refusal; ``about`` never contains a visitor's text."""
    log.warning(json.dumps({"event": "refused", "reason": reason, **about}))


def header(request: Request, name: bytes) -> str:
    """Return the value of a header, "" without one; several lines, which some proxies add, are joined by commas."""
    return ", ".join(value.decode("latin-1") for key, value in request["headers"] if key.lower() == name)


def peer(request: Request) -> str:
    """Return the address at the other end of the connection; an IPv4 address on a socket of both families as 10.0.0.7.

    "unknown" if the server does not have it.
    """
    address = (request.get("client") or ("",))[0]
    return (address.removeprefix("::ffff:") if "." in address else address) or "unknown"


def is_trusted(address: str) -> bool:
    """Return whether an address belongs to a proxy whose forwarded headers are trusted."""
    networks = [part.strip() for part in os.environ.get(TRUSTED, "").split(",") if part.strip()]
    try:
        return any(ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False) for network in networks)
    except ValueError:
        return False


def client(request: Request) -> str:
    """Return the address of a client: the peer's, or the last untrusted address that trusted proxies have forwarded."""
    address = peer(request)
    if not is_trusted(address):
        return address
    hops = [part.strip() for part in header(request, b"x-forwarded-for").split(",") if part.strip()]
    return next((hop[:64] for hop in reversed(hops) if not is_trusted(hop)), address)


def origin(request: Request) -> str:
    """Return scheme and host as the visitor's browser has them, "" if the request lacks them.

    Forwarded values of a trusted proxy take precedence; of several the first, which is next to the visitor.
    """
    host, scheme = header(request, b"host"), str(request.get("scheme", "http"))
    if is_trusted(peer(request)):
        host = header(request, b"x-forwarded-host").partition(",")[0].strip() or host
        scheme = header(request, b"x-forwarded-proto").partition(",")[0].strip().lower() or scheme
    return f"{scheme}://{host}" if HOST.fullmatch(host) and scheme in ("http", "https") else ""
