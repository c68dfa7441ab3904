"""Where others find this app: what whoever runs it says, else what a browser or a request shows of it.

What a request says of its peer and of its origin depends on which proxies are trusted.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

PUBLIC_URL = "PARALLAX_PUBLIC_URL"
TRUSTED = "PARALLAX_TRUSTED_PROXIES"  # addresses or networks whose forwarded headers are trusted, separated by commas
_HOST = re.compile(r"[A-Za-z0-9.\-:\[\]]{1,255}")
HERE_ONLY, SAME_NETWORK, ANYWHERE = "here only", "same network", "anywhere"

Request = Mapping[str, Any]  # an ASGI scope


def public_folder(shown: str, page: str) -> str:
    """Return the app's address as others open it, with its slash: ``shown`` is that of a page in a visitor's browser.

    "" where that is not known and nothing is said.

    >>> public_folder("https://example.org/heads-of/readings", "readings")
    'https://example.org/heads-of/'
    """
    said = os.environ.get(PUBLIC_URL, "").strip().rstrip("/")
    parts = urlsplit(said)
    if parts.scheme in ("http", "https") and parts.netloc:
        return f"{said}/"
    return shown.rstrip("/").removesuffix(f"/{page}" if page else "") + "/" if shown else ""


def reach(address: str) -> str:
    """Return who can open an address: nobody else, phones in the same network, anybody. Nothing is looked up.

    >>> reach("http://localhost:8501/"), reach("http://192.168.1.7:8501/"), reach("https://example.org/")
    ('here only', 'same network', 'anywhere')
    """
    host = (urlsplit(address).hostname or "").rstrip(".")
    if host in ("", "localhost") or host.endswith((".localhost", ".local")):
        return HERE_ONLY
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return ANYWHERE
    if number.is_loopback or number.is_unspecified:
        return HERE_ONLY
    return SAME_NETWORK if number.is_private else ANYWHERE


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
    """Return a header's value, "" without one; of several lines, in which some proxies add theirs, as one."""
    return ", ".join(value.decode("latin-1") for key, value in request["headers"] if key.lower() == name)


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
