"""What waits together, answered together: the forward passes of one batch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

from mha.engine.recordings import Request
from mha.errors import MHAError
from mha.maps import Recording
from mha.models.files.catalog import model_row
from mha.words import Accepted


def record_several(requests: Sequence[Request]) -> list[Recording | MHAError]:
    """Return what each request shows, or the error that it alone raises; equal ones share a forward pass.

    Texts of one kind (`Request.kind`) run together; where that fails, each runs by itself, so that a bad one fails
    nobody else.
    """
    groups: dict[Hashable, list[Request]] = defaultdict(list)
    for request in dict.fromkeys(requests):
        groups[request if request.kind is None else request.kind].append(request)
    found: dict[Request, Recording | MHAError] = {}
    for group in groups.values():
        try:
            found |= zip(group, _together(group), strict=True)
        except Exception:
            found |= {request: _alone(request) for request in group}
    return [found[request] for request in requests]


def _together(group: Sequence[Request]) -> list[Recording | MHAError]:
    first = group[0]
    if len(group) == 1 or model_row(first.model).kind != "transformer":
        return [_alone(request) for request in group]
    from mha.models.watch.attending import loaded_model
    from mha.models.watch.batching import record_together

    return record_together([request.text for request in group], loaded_model(first.model), first.keep)


def _alone(request: Request) -> Recording | MHAError:
    from mha.models.watch.attending import record_text

    pair = None if request.pair is None else Accepted(request.pair)
    try:
        return record_text(Accepted(request.text), model=request.model, pair=pair, keep=request.keep)
    except MHAError as error:
        return error
