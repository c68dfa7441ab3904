"""Forward passes in other processes, by `PARALLAX_ENGINE`: what the worker of recordings and that of answers run then.

Without that setting nothing here is used, and everything runs in this process. Caches, equal questions that share one
run, and the bundled recordings stay here in both cases.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from mha.engine.elsewhere.client import Elsewhere
from mha.engine.elsewhere.either import Either
from mha.stepwise import whole

ADDRESS, TOKEN = "PARALLAX_ENGINE", "PARALLAX_ENGINE_TOKEN"
FALLBACK = "PARALLAX_ENGINE_FALLBACK"  # "off": no model is ever loaded here
AT_ONCE = 16  # questions under way, of recordings and of experiments each

T = TypeVar("T")


class EngineWays:
    """The ways to the engine elsewhere, as the environment has them."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        address = environment.get(ADDRESS, "")
        self.there = Elsewhere(address, environment.get(TOKEN, "")) if address else None
        self.alone = environment.get(FALLBACK, "on") == "off"
        self.either: Either | None = None
        # Here one forward pass runs at a time, and beside it one experiment, which may itself ask for passes.
        self._recording, self._experimenting = threading.Lock(), threading.Lock()

    @property
    def away(self) -> bool:
        """Whether there is an engine elsewhere that did not answer when it was last asked."""
        return self.either is not None and self.either.away

    @property
    def able(self) -> bool:
        """Whether what the worker of recordings runs is answered at once, as far as it depends on elsewhere."""
        return self.either is None or self.either.able

    def engine(self, run: Callable[[Any], Any], load: Callable[[], None]) -> dict[str, Any]:
        """Return how recordings are made: empty without an engine elsewhere; ``run`` and ``load`` are those of here."""
        if self.there is None:
            return {}
        there, either = self.there, Either(self.there, None if self.alone else load)
        self.either = either
        return {
            "run": lambda request: either.ask(
                lambda: there.record(request), lambda: _one(self._recording, run, request)
            ),
            "load": either.wake,
            "workers": AT_ONCE,
        }

    def experiment(self, name: str, arguments: Mapping[str, Any], here: Callable[[], Any]) -> Any:
        """Return the answer of an experiment, from elsewhere where there is such an engine; of here, maybe in steps."""
        if self.there is None or self.either is None:
            return here()
        there = self.there
        return self.either.ask(
            lambda: there.experiment(name, **arguments), lambda: _one(self._experimenting, lambda: whole(here()))
        )


def _one(turn: threading.Lock, make: Callable[..., T], *given: Any) -> T:
    with turn:
        return make(*given)


WAYS = EngineWays()
