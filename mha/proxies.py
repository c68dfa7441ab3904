"""Which proxies are trusted; what a request says of its peer, its headers, and where its reader sees the app."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from typing import Any

TRUSTED = "PARALLAX_TRUSTED_PROXIES"  # addresses or networks whose forwarded headers are trusted, separated by commas
_HOST = re.compile(r"[A-Za-z0-9.\-:\[\]]{1,255}")

Request = Mapping[str, Any]  # an ASGI scope


def peer(request: Request) -> str:
    """Return the address at the other end of the connection."""
    return unmapped((request.get("client") or ("",))[0]) or "unknown"


def unmapped(address: str) -> str:
    """Return an address as it is written outside of a socket that listens to both families: 10.0.0.7."""
    return address.removeprefix("::ffff:") if "." in address else address


def trusted(address: str) -> bool:
    """Return whether an address is that of a proxy whose headers are trusted."""
    networks = [part.strip() for part in os.environ.get(TRUSTED, "").split(",") if part.strip()]
    try:
        return any(ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False) for network in networks)
    except ValueError:
        return False


def header(request: Request, name: bytes) -> str:
    """Return a header's first value, "" without one."""
    return next((value.decode("latin-1") for key, value in request["headers"] if key.lower() == name), "")


def origin(request: Request) -> str:
    """Return the scheme and host that the reader's browser has; "" where the request does not say.

    What a proxy forwards of them is taken where it is trusted, of several values the first: the one next to the reader.
    """
    host, scheme = header(request, b"host"), str(request.get("scheme", "http"))
    if trusted(peer(request)):
        host = _first(header(request, b"x-forwarded-host")) or host
        scheme = _first(header(request, b"x-forwarded-proto")).lower() or scheme
    return f"{scheme}://{host}" if _HOST.fullmatch(host) and scheme in ("http", "https") else ""


def _first(values: str) -> str:
    return values.partition(",")[0].strip()
