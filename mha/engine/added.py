"""What a layer's heads add to one token through W_O, for the pages: worked out once, in the worker of experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mha.engine.answers import Answers
from mha.maps import HeadId

if TYPE_CHECKING:
    from mha.models.watch.output import Added

_answers = Answers(items=64)  # each holds one head's rows of W_O


def added(text: str, model: str, head: HeadId, token: int) -> Added:
    """Return what each head of ``head``'s layer adds to a token; errors as `mha.models.watch.output.added_by_heads`.

    Raises:
        Busy: too much waits, or this took too long.
    """

    def make() -> Added:
        from mha.models.watch.output import added_by_heads

        return added_by_heads(text, model, head, token)

    answer: Added = _answers.answer(("added", text, model, head, token), make)
    return answer
