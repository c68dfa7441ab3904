"""Visitors, and the long jobs that each follows: a job ends soon after its last follower has left.

The engine knows visitors by name. The server sets the visitor whose page is drawn, and who is still there (`serve`);
without that, as in a notebook, no visitor ever leaves.
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
from weakref import WeakSet

from mha.engine.forked import anew
from mha.errors import Busy

MOST = 2  # long jobs of one visitor at a time
GRACE = 1.0  # seconds that a connection may be away: a reload, a hop from one network to another
TOO_MANY = "You already have two long runs. Stop one or wait."


class FollowedJob(Protocol):
    """A job that can be followed (`mha.engine.jobs.Job`)."""

    left: bool
    followers: dict[str, float]

    @property
    def running(self) -> bool: ...

    def leave(self) -> None: ...

    def go_on(self) -> None: ...


@dataclass(eq=False)
class Client:
    """A client of the API, a visitor for the length of one answer.

    ``address`` is the owner of its jobs, the client itself if None; ``left`` is set once it waits no longer.
    """

    name: str
    address: Hashable = None
    left: bool = False


_client: ContextVar[Client | None] = ContextVar("client", default=None)
_numbers = itertools.count()


class Followers:
    """Visitors and the jobs that they follow.

    ``here`` names the visitor whose page this thread draws, or is None; ``present`` tells whether one is still there.
    """

    def __init__(self, grace: float = GRACE) -> None:
        self.here: Callable[[], str | None] = lambda: None
        self.present: Callable[[str], bool] = lambda _visitor: True
        self._grace = grace
        self._jobs: WeakSet[FollowedJob] = WeakSet()
        self._clients: dict[str, Client] = {}
        self._turns: dict[str, set[FollowedJob]] = {}  # the jobs that a page has followed since it began to be drawn
        self._lock = threading.RLock()

    def serve(self, here: Callable[[], str | None], present: Callable[[str], bool]) -> None:
        """Tell visitors apart from now on."""
        self.here, self.present = here, present

    @contextmanager
    def client(self, address: Hashable = None) -> Iterator[Client]:
        """Work inside the block for a client of the API, in threads too that start with a copy of the context."""
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
        """Return the visitor or client that this thread works for, or None."""
        client = _client.get()
        return self.here() if client is None else client.name

    def waits(self, who: str | None) -> bool:
        """Return whether a visitor or client still waits; a caller without a name always does."""
        if who is None:
            return True
        if who.startswith("client "):
            return who in self._clients and not self._clients[who].left
        return self.present(who)

    def owner(self, who: str) -> Hashable:
        """Return the owner of the jobs of a visitor or client: the visitor, or the client's address."""
        client = self._clients.get(who)
        return who if client is None or client.address is None else client.address

    def of(self, job: FollowedJob) -> frozenset[str]:
        """Return the followers of a job."""
        return frozenset(job.followers)

    def _followed(self, visitor: str) -> set[FollowedJob]:
        return {job for job in self._jobs if visitor in job.followers}

    def check_room(self, visitor: str, jobs: Collection[FollowedJob] = ()) -> None:
        """Raise Busy if a visitor may follow no further job than these."""
        with self._lock:  # while a page is drawn, the jobs that it does not follow again are about to end
            others = [job for job in self._turns.get(visitor, self._followed(visitor)) if job not in jobs]
        if sum(job.running for job in others) >= MOST:
            raise Busy(TOO_MANY)

    def follow(self, visitor: str, job: FollowedJob) -> None:
        """Let a visitor follow a job; one that its followers have left goes on.

        Raises:
            Busy: the visitor follows as many others that run.
        """
        with self._lock:
            self.check_room(visitor, [job])
            self._jobs.add(job)
            job.followers[visitor] = time.monotonic()
            if visitor in self._turns:
                self._turns[visitor].add(job)
        if job.left:
            job.go_on()

    @contextmanager
    def following(self, job: FollowedJob) -> Iterator[None]:
        """Follow a job inside the block for the visitor that this thread works for."""
        who = self.who()
        if who is None:
            yield
            return
        self.follow(who, job)
        try:
            yield
        finally:
            self.leave(who, job)

    def leave(self, visitor: str, job: FollowedJob) -> None:
        """Let a visitor no longer follow a job; without followers it ends, and can go on."""
        with self._lock:
            was_last = job.followers.pop(visitor, None) is not None and not job.followers
        if was_last:
            job.leave()

    @contextmanager
    def turn(self, visitor: str) -> Iterator[None]:
        """Let the visitor leave, at the end of the block, every job that was not followed inside it.

        After a `BaseException` that is no `Exception` nothing is left: the page is drawn again.
        """
        followed: set[FollowedJob] = set()
        with self._lock:
            self._turns[visitor] = followed
        is_whole = True
        try:
            yield
        except BaseException as error:
            is_whole = isinstance(error, Exception)
            raise
        finally:
            with self._lock:
                is_latest = self._turns.get(visitor) is followed
                if is_latest:  # else a later run of the page draws now, or has drawn
                    del self._turns[visitor]
                left = self._followed(visitor) - followed if is_whole and is_latest else ()
            for job in left:
                self.leave(visitor, job)

    def check(self, job: FollowedJob) -> None:
        """Let visitors leave a job who have been away for longer than the grace."""
        now = time.monotonic()
        for visitor, seen in list(job.followers.items()):
            if self.waits(visitor):
                job.followers[visitor] = now
            elif now - seen > self._grace:
                self.leave(visitor, job)


FOLLOWERS = anew(Followers)
