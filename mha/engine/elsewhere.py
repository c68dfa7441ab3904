"""Who answers: the cluster that `PARALLAX_ENGINE` names, or this process without one and while that is away.

What broke off there is asked again, for another replica may take it: a question in pieces for what is still missing.
Where nothing answers, the model is loaded here, in the background, and this process answers until the cluster is joined
again; nobody waits over five seconds to hear of it. Caches, equal questions that share one run, and what comes with the
program stay here in both cases.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

from mha.engine.cluster import Away, Cluster
from mha.engine.question import InPieces, Question
from mha.errors import Busy, ModelUnavailable
from mha.stepwise import Steps, finished, in_turns

ADDRESS, TOKEN = "PARALLAX_ENGINE", "PARALLAX_ENGINE_TOKEN"
FALLBACK = "PARALLAX_ENGINE_FALLBACK"  # "off": no model is ever loaded here
AT_ONCE = 16  # questions under way, of each kind of worker
PATIENCE = 4.0  # seconds until somebody hears that it cannot be answered now
TRIES, PAUSE = 3, 0.25  # of what broke off, and the seconds between them
POLL = 0.1  # seconds between looks at who is there
WAKING_SECONDS = 60.0  # what a cluster may take to load its model
LOST = "The machine that runs the model does not answer. Try again in a few seconds."

log = logging.getLogger(__name__)


class EngineWays:
    """The ways to an answer, as the environment has them; ``cluster`` is None where everything runs here."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        address = environment.get(ADDRESS, "")
        self.cluster = Cluster(address, environment.get(TOKEN, "")) if address else None
        self.alone = environment.get(FALLBACK, "on") == "off"
        self.answered_here = 0  # for whoever counts
        self._load: Callable[[], None] = lambda: None
        self._waking: threading.Thread | None = None
        self._awake, self._lock = threading.Event(), threading.Lock()
        # Here one forward pass runs at a time, and beside it a step of one experiment, which may itself ask for passes.
        self._recording, self._experimenting = threading.Lock(), threading.Lock()

    @property
    def threads(self) -> int:
        """How many questions of one kind are under way: here one, for it is this process that works."""
        return AT_ONCE if self.cluster else 1

    @property
    def away(self) -> bool:
        """Whether there is a cluster that does not answer."""
        return self.cluster is not None and self.cluster.tried.is_set() and not self.cluster.joined.is_set()

    @property
    def able(self) -> bool:
        """Whether a new text is answered at once, as far as it depends on the cluster."""
        return not self.away or self._awake.is_set()

    def engine(self, run: Callable[[Any], Any], load: Callable[[], None]) -> dict[str, Any]:
        """Return how recordings are made: empty without a cluster; ``run`` and ``load`` are those of here."""
        if self.cluster is None:
            return {}
        self._load = load
        return {
            "run": lambda request: finished(
                self._answer(lambda: request, lambda: run(request), self._recording, PATIENCE)
            ),
            "load": self.wake,
            "workers": AT_ONCE,
        }

    def answer(self, question: Question[Any], here: Callable[[], Any]) -> Any:
        """Return the answer of a question or the steps that find it, ``here`` being what finds it in this process."""
        if self.cluster is None:
            return here()
        return self._answer(lambda: question, here, self._experimenting, PATIENCE)

    def pieces(self, rest: Callable[[], InPieces]) -> Iterator[Any]:
        """Yield the pieces of what is left to do: ``rest`` is called once more where they broke off."""
        if self.cluster is None:
            return rest().answer()
        return self._answer(rest, lambda: rest().answer(), self._experimenting, WAKING_SECONDS)

    def _answer(
        self,
        question: Callable[[], Question[Any]],
        here: Callable[[], Any],
        turn: threading.Lock,
        patience: float,
    ) -> Steps[Any]:
        """Do the steps of a question there, or ``here``, in turns; return its answer.

        Raises:
            Busy: neither can, for now.
            MHAError: what the answer itself is.
        """
        assert self.cluster is not None
        heard, tries = time.monotonic(), 0
        while True:
            try:
                with closing(self.cluster.ask(question())) as coming:
                    while True:
                        piece = next(coming)
                        heard, tries = time.monotonic(), 0
                        yield piece
            except StopIteration as end:
                return end.value
            except Away as away:
                log.info("not answered by the cluster: %s", away)
                tries += 1
                if away.again and tries < TRIES:
                    time.sleep(PAUSE)
                elif not self._joined_again(heard + patience):
                    break
        if not self._awake.is_set():
            raise Busy(LOST)
        self.answered_here += 1
        return (yield from in_turns(here, turn))

    def _joined_again(self, end: float) -> bool:
        """Wait until the cluster that was lost is joined, or the model is loaded here; return whether it is the first.

        What failed on a cluster that is there is not asked for again.
        """
        assert self.cluster is not None
        if not self.alone:
            self._wake_here()
        lost = not self.cluster.joined.is_set()
        while not self._awake.is_set() and time.monotonic() < end:
            if lost and self.cluster.joined.is_set():
                return True
            self._awake.wait(POLL)
        return False

    def _wake_here(self) -> None:
        with self._lock:
            if self._awake.is_set() or (self._waking is not None and self._waking.is_alive()):
                return
            self._waking = threading.Thread(target=self._load_here, name="fallback", daemon=True)
            self._waking.start()

    def _load_here(self) -> None:
        try:
            self._load()
        except Exception:
            log.exception("the model could not be loaded here either")
        else:
            self._awake.set()

    def wake(self) -> None:
        """Return once a new text would be answered, by the cluster or here.

        Raises:
            ModelUnavailable: by neither.
        """
        assert self.cluster is not None
        self.cluster.join()
        if self.cluster.tried.wait(WAKING_SECONDS) and self.cluster.joined.is_set():
            return
        if self.alone:
            raise ModelUnavailable(LOST)
        self._load()
        self._awake.set()


WAYS = EngineWays()
