"""What waits together, answered together: the forward passes of one batch."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Hashable, Sequence

from mha.engine.recordings import Request, _record_text, _record_texts
from mha.maps import Recording

log = logging.getLogger(__name__)


def record_several(requests: Sequence[Request]) -> list[Recording | Exception]:
    """Return what each request shows, or the error that it alone raises; equal ones share a forward pass.

    Texts of one kind (`Request.kind`) run together; where that fails, each runs by itself, so that a bad one fails
    nobody else.
    """
    groups: dict[Hashable, list[Request]] = defaultdict(list)
    for request in dict.fromkeys(requests):
        groups[request if request.kind is None else request.kind].append(request)
    found: dict[Request, Recording | Exception] = {}
    for group in groups.values():
        found |= zip(group, _together(group), strict=True)
    return [found[request] for request in requests]


def _together(group: Sequence[Request]) -> Sequence[Recording | Exception]:
    if len(group) > 1:
        try:
            return _record_texts(group)
        except Exception:
            log.exception("several texts could not be recorded together; each is recorded by itself")
    return [_alone(request) for request in group]


def _alone(request: Request) -> Recording | Exception:
    try:
        return _record_text(request)
    except Exception as error:
        return error
