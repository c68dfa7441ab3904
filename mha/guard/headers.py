"""The security headers of every answer: what a page of ours may load, who may frame it, what it tells others."""

from __future__ import annotations

import base64
import functools
import hashlib
import os
import re

from mha.streamlit_facts import inline_scripts, own_page

EMBED = "PARALLAX_EMBED"  # who may frame the pages, separated by spaces; everyone unless said


@functools.cache
def bootstrap_hashes() -> tuple[str, ...]:
    """Return the hashes of the inline scripts in Streamlit's own page, read from the one that is installed."""
    digests = (hashlib.sha256(script.encode()).digest() for script in inline_scripts(own_page()))
    return tuple(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)


def policy(host: str = "") -> str:
    """Return the content security policy of a page that is served under a host.

    Components' loaders are modules that Streamlit imports from blob addresses; styles are set by its own styling
    library; everything else comes from this server alone. Older browsers do not count sockets as 'self', so the host's
    are named.
    """
    sockets = f" ws://{host} wss://{host}" if re.fullmatch(r"[A-Za-z0-9.\-:\[\]]{1,255}", host) else ""
    rules = {
        "default-src": "'self'",
        "script-src": f"'self' blob: {' '.join(bootstrap_hashes())}",
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": f"'self' blob: data:{sockets}",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": os.environ.get(EMBED, "*"),
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def security_headers(host: str = "") -> list[tuple[bytes, bytes]]:
    """Return the headers that every answer gets."""
    return [
        (b"content-security-policy", policy(host).encode("latin-1", "ignore")),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=()"),
    ]
