"""Refusals, counted for Prometheus and logged in one structured line each, without a word of the visitor's text."""

from __future__ import annotations

import json
import logging

from prometheus_client import CollectorRegistry, Counter, Gauge

log = logging.getLogger("parallax.guard")

REGISTRY = CollectorRegistry()
REFUSED = Counter("parallax_refused", "Requests, sockets and messages that were refused", ["reason"], registry=REGISTRY)
SOCKETS = Gauge("parallax_sockets", "Open sockets", registry=REGISTRY)
IN_LINE = Gauge("parallax_in_line", "Pages that wait for their turn to open", registry=REGISTRY)
RERUNS = Counter("parallax_reruns", "Script runs that visitors asked for", registry=REGISTRY)


def refuse(reason: str, count: int = 1, /, **about: str | int) -> None:
    """Count a refusal, or so many at once, and log it: ``about`` is what is known of it, never what was typed."""
    REFUSED.labels(reason).inc(count)
    log.warning(json.dumps({"event": "refused", "reason": reason, **about}))
