"""The public address of the app: a setting, or the address that a browser shows; and who can open an address."""

import ipaddress
import os
from urllib.parse import urlsplit

PUBLIC_URL = "PARALLAX_PUBLIC_URL"
HERE_ONLY, SAME_NETWORK, ANYWHERE = "here only", "same network", "anywhere"


def public_folder(shown: str, page: str) -> str:
    """Return the app's address as others open it, with its slash: ``shown`` is that of a page in a visitor's browser.

    The result is "" if the address is unknown.

    >>> public_folder("https://example.org/heads-of/readings", "readings")
    'https://example.org/heads-of/'
    """
    address = os.environ.get(PUBLIC_URL, "").strip().rstrip("/")
    parts = urlsplit(address)
    if parts.scheme in ("http", "https") and parts.netloc:
        return f"{address}/"
    return shown.rstrip("/").removesuffix(f"/{page}" if page else "") + "/" if shown else ""


def reach(address: str) -> str:
    """Return the reach of an address: this machine, the same network, or anywhere. No name is looked up.

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
