"""Which process answers: the Ray cluster that `PARALLAX_ENGINE` names, or this one.

A question whose replica was lost is asked again, and the replacement answers it; a question in pieces asks for the
missing ones. Meanwhile this process loads the model in the background, and answers as long as the cluster does not. A
visitor gets the first of both answers. Caches, equal questions that share a run, and bundled results stay here.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

from mha.engine.cluster import Away, Cluster, InPieces, Question
from mha.errors import Busy, ModelUnavailable
from mha.stepwise import Steps, finished, in_turns

ADDRESS, TOKEN = "PARALLAX_ENGINE", "PARALLAX_ENGINE_TOKEN"
FALLBACK = "PARALLAX_ENGINE_FALLBACK"  # "off": no model is ever loaded here
AT_ONCE = 16  # questions under way at the cluster
PATIENCE = 60.0  # seconds in which neither the cluster nor this process answers, before a visitor reads so
PAUSE = 0.25  # seconds until a question is asked again
LOST = "The machine that runs the model does not answer. Try again in a few seconds."

log = logging.getLogger(__name__)


class EngineWays:
    """The ways to an answer, by the environment; ``cluster`` is None if everything runs in this process."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        address = environment.get(ADDRESS, "")
        self.cluster = Cluster(address, environment.get(TOKEN, "")) if address else None
        self.alone = environment.get(FALLBACK, "on") == "off"
        self.answered_here = 0
        self._load: Callable[[], None] = lambda: None
        self._loading: threading.Thread | None = None
        self._loaded, self._lock = threading.Event(), threading.Lock()
        # Here one forward pass runs at a time, and one step of an experiment, which may itself ask for passes.
        self._recording, self._experimenting = threading.Lock(), threading.Lock()

    @property
    def threads(self) -> int:
        """How many questions are under way: one if this process computes the answers."""
        return AT_ONCE if self.cluster else 1

    @property
    def able(self) -> bool:
        """Whether a new text is answered at once, as far as it depends on the cluster."""
        return self.cluster is None or self.cluster.joined.is_set() or self._loaded.is_set()

    def engine(self, run: Callable[[Any], Any], load: Callable[[], None]) -> dict[str, Any]:
        """Return the arguments with which a `LocalEngine` asks the cluster; ``run`` and ``load`` work here."""
        if self.cluster is None:
            return {}
        self._load = load
        return {
            "run": lambda request: finished(self._answer(lambda: request, lambda: run(request), self._recording)),
            "load": self.wake,
            "batch_size": 1,
            "seconds": PATIENCE + 30.0,
        }

    def answer(self, question: Question[Any], compute: Callable[[], Any]) -> Any:
        """Return the answer of a question or the steps that find it; ``compute`` finds it in this process."""
        if self.cluster is None:
            return compute()
        return self._answer(lambda: question, compute, self._experimenting)

    def pieces(self, missing: Callable[[], InPieces]) -> Iterator[Any]:
        """Yield the pieces of the rest of a job; ``missing`` is called again if they break off."""
        if self.cluster is None:
            return missing().answer()
        return self._answer(missing, lambda: missing().answer(), self._experimenting)

    def _answer(
        self, question: Callable[[], Question[Any]], compute: Callable[[], Any], turn: threading.Lock
    ) -> Steps[Any]:
        """Take the steps of a question at the cluster or, one at a time, ``compute``; return its answer.

        Raises:
            Busy: neither has answered for `PATIENCE` seconds.
            MHAError: the question is refused.
        """
        assert self.cluster is not None
        heard = time.monotonic()
        while True:
            try:
                with closing(self.cluster.ask(question())) as pieces:
                    while True:
                        piece = next(pieces)
                        heard = time.monotonic()
                        yield piece
            except StopIteration as end:
                return end.value
            except Away as away:
                log.info("not answered by the cluster: %s", away)
            if not self.alone:
                self._load_in_background()
            if self._loaded.wait(PAUSE):
                self.answered_here += 1
                return (yield from in_turns(compute, turn))
            if time.monotonic() - heard > PATIENCE:
                raise Busy(LOST)

    def _load_in_background(self) -> None:
        with self._lock:
            if not self._loaded.is_set() and (self._loading is None or not self._loading.is_alive()):
                self._loading = threading.Thread(target=self._load_here, name="fallback", daemon=True)
                self._loading.start()

    def _load_here(self) -> None:
        try:
            self._load()
        except Exception:
            log.exception("the model could not be loaded here either")
        else:
            self._loaded.set()

    def wake(self) -> None:
        """Return once the cluster or this process answers new texts.

        Raises:
            ModelUnavailable: neither does.
        """
        assert self.cluster is not None
        self.cluster.join()
        if self.cluster.tried.wait(PATIENCE) and self.cluster.joined.is_set():
            return
        if self.alone:
            raise ModelUnavailable(LOST)
        self._load()
        self._loaded.set()


WAYS = EngineWays()
