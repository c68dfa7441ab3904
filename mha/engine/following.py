"""Who follows what: long work ends soon after its last follower has left, and goes on when one comes back.

The engine knows visitors as names. Whoever serves them says whose work is being done now, and who is still there
(`serve`); without that, as in a notebook, nobody ever leaves.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from mha.engine.forked import anew
from mha.errors import Busy

MOST = 2  # long jobs of one visitor at a time
GRACE = 1.0  # seconds that a connection may be away: a reload, a hop from one network to another
LOOK = 0.25  # seconds between two looks at who is there
TOO_MANY = "You already have two long runs. Stop one or wait."


class FollowedWork(Protocol):
    """What can be followed: it ends when it is left, and goes on."""

    left: bool

    @property
    def running(self) -> bool: ...

    def leave(self) -> None: ...

    def go_on(self) -> None: ...


@dataclass(eq=False)
class Client:
    """Somebody who asks over HTTP, as a visitor for the length of one answer.

    ``address`` answers for what they ask, None for the client alone; ``left`` is set once they wait no longer.
    """

    name: str
    address: Hashable = None
    left: bool = False


_client: ContextVar[Client | None] = ContextVar("client", default=None)
_numbers = itertools.count()


class Followers:
    """Jobs under way and the visitors who follow each of them.

    ``here`` names the visitor whose page this thread draws, None for none; ``present`` says whether one is still there.
    A `client` over HTTP is a visitor too; `who` and `waits` know both.
    """

    def __init__(self, grace: float = GRACE) -> None:
        self.here: Callable[[], str | None] = lambda: None
        self.present: Callable[[str], bool] = lambda _visitor: True
        self._grace = grace
        self._seen: dict[FollowedWork, dict[str, float]] = {}  # when each follower was last there
        self._clients: dict[str, Client] = {}
        self._turns: dict[str, set[FollowedWork]] = {}  # what a page that is being drawn has followed so far
        self._lock = threading.RLock()
        self._watching = False

    def serve(self, here: Callable[[], str | None], present: Callable[[str], bool]) -> None:
        """Tell visitors apart from now on."""
        self.here, self.present = here, present

    @contextmanager
    def client(self, address: Hashable = None) -> Iterator[Client]:
        """Work inside the block for somebody who asks over HTTP; threads that it starts with its context do as well."""
        client = Client(f"client {next(_numbers)}", address)
        self._clients[client.name] = client
        before = _client.set(client)
        try:
            yield client
        finally:
            client.left = True
            _client.reset(before)
            del self._clients[client.name]

    def who(self) -> str | None:
        """Return the visitor or client that this thread works for, None for nobody."""
        client = _client.get()
        return self.here() if client is None else client.name

    def waits(self, who: str | None) -> bool:
        """Return whether a visitor or a client still waits; nobody in particular always does."""
        if who is None:
            return True
        if who.startswith("client "):
            return who in self._clients and not self._clients[who].left
        return self.present(who)

    def owner(self, who: str) -> Hashable:
        """Return who answers for what a visitor or a client asks: the visitor, or the client's address."""
        client = self._clients.get(who)
        return who if client is None or client.address is None else client.address

    def of(self, job: FollowedWork) -> frozenset[str]:
        """Return who follows a job."""
        return frozenset(self._seen.get(job, ()))  # without the lock: who is next is chosen while others hold theirs

    def running(self) -> int:
        """Return how many followed jobs run."""
        with self._lock:
            return sum(job.running for job in self._seen)

    def check_room(self, visitor: str, jobs: Collection[FollowedWork] = ()) -> None:
        """Raise Busy if a visitor may follow no further job than these."""
        with self._lock:  # while a page is drawn, what it does not follow again is on its way out
            followed = self._turns.get(visitor, {job for job, seen in self._seen.items() if visitor in seen})
            others = [job for job in followed if job.running and job not in jobs]
        if len(others) >= MOST:
            raise Busy(TOO_MANY)

    def follow(self, visitor: str, job: FollowedWork) -> None:
        """Note that a visitor follows a job; one that was left goes on.

        Raises:
            Busy: the visitor follows as many others that run.
        """
        with self._lock:
            self.check_room(visitor, [job])
            self._seen.setdefault(job, {})[visitor] = time.monotonic()
            if visitor in self._turns:
                self._turns[visitor].add(job)
            if job.left:
                job.go_on()
            if not self._watching:
                self._watching = True
                threading.Thread(target=self._watch, name="followers", daemon=True).start()

    @contextmanager
    def following(self, job: FollowedWork) -> Iterator[None]:
        """Follow a job for the length of the block, in the name of whoever this thread works for."""
        who = self.who()
        if who is None:
            yield
            return
        self.follow(who, job)
        try:
            yield
        finally:
            self.leave(who, job)

    def leave(self, visitor: str, job: FollowedWork) -> None:
        """Note that a visitor follows a job no longer; with its last follower it ends, to be gone on with."""
        with self._lock:
            seen = self._seen.get(job, {})
            if seen.pop(visitor, None) is not None and not seen:
                job.leave()

    @contextmanager
    def turn(self, visitor: str) -> Iterator[None]:
        """Let go, at the end of the block, of every job of the visitor's that was not followed inside it.

        A block that is broken off by what is no `Exception` lets go of nothing: it comes again.
        """
        followed: set[FollowedWork] = set()
        with self._lock:
            self._turns[visitor] = followed
        whole = True
        try:
            yield
        except BaseException as error:
            whole = isinstance(error, Exception)
            raise
        finally:
            with self._lock:
                if self._turns.get(visitor) is followed:
                    del self._turns[visitor]
                else:
                    whole = False  # a run that came after it draws now, or has drawn: what it follows, it knows
                before = [job for job, seen in self._seen.items() if visitor in seen] if whole else []
                for job in before:
                    if job not in followed:
                        self.leave(visitor, job)

    def look(self) -> bool:
        """Let go for those who are gone, forget jobs that are over; return whether any is left to look at."""
        with self._lock:
            now = time.monotonic()
            for job, seen in list(self._seen.items()):
                for visitor, last in list(seen.items()):
                    if self.waits(visitor):
                        seen[visitor] = now
                    elif now - last > self._grace:
                        self.leave(visitor, job)
                if not seen or not job.running:
                    del self._seen[job]
            self._watching = bool(self._seen)
            return self._watching

    def _watch(self) -> None:
        while self.look():
            time.sleep(LOOK)


FOLLOWERS = anew(Followers)
