"""Visitors, and the long jobs that each follows: a job ends soon after its last follower has left.

The engine knows visitors by name. The app sets the visitor whose page is drawn, and who is still there
(`mha.app.jobs.register_with_engine`); without that, as in a notebook, no visitor ever leaves.
"""

import itertools
import threading
import time
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol
from weakref import WeakSet

from mha.engine.cache import per_process
from mha.errors import Busy

MOST = 2  # jobs of one visitor at a time, idle ones not counted
MOST_OF_ADDRESS = 4  # long jobs that pages of one address have begun, as the API allows
GRACE = 1.0  # seconds that a connection may be away: a reload, a hop from one network to another
AFTER_RUN = 1.5  # seconds from a visitor's last full run to the first idle step, and to answers if others are busy
MOST_BUSY = 3  # others for each of whom an answer waits so long; a later one goes first as soon as it is late
WHILE_DRAWN = 0.05  # seconds until an answer whose page is being drawn looks again
AFTER_REQUEST = 10.0  # seconds that idle steps wait after another visitor has asked for a pass
TOO_MANY = "You already have two long runs. Stop one or wait."
TOO_MANY_OF_ADDRESS = "Four long runs from your network are under way. Try again when one of them has ended."


class FollowedJob(Protocol):
    """A job that can be followed (`mha.engine.jobs.Job`)."""

    was_left: bool
    idle: bool
    followers: dict[str, float]

    @property
    def long(self) -> bool: ...

    @property
    def running(self) -> bool: ...

    def stop(self, was_left: bool = False) -> None: ...

    def go_on(self) -> None: ...


@dataclass(eq=False)
class Client:
    """A client of the API, a visitor for the length of one answer.

    ``address`` is the owner of its jobs, the client itself if None; ``was_left`` is set once it waits no longer.
    """

    name: str
    address: Hashable = None
    was_left: bool = False


_client: ContextVar[Client | None] = ContextVar("client", default=None)
_numbers = itertools.count()


class Followers:
    """Visitors and the jobs that they follow.

    ``visitor`` is the visitor whose page this thread draws, or None, and ``address`` the address of this visitor, or
    None; ``present`` returns whether a visitor is still there.
    """

    def __init__(self) -> None:
        self.visitor: Callable[[], str | None] = lambda: None
        self.present: Callable[[str], bool] = lambda _visitor: True
        self.address: Callable[[], Hashable] = lambda: None
        self._jobs: WeakSet[FollowedJob] = WeakSet()
        self._clients: dict[str, Client] = {}
        self._turns: dict[str, set[FollowedJob]] = {}  # the jobs that a page has followed since it began to be drawn
        self._addresses: dict[str, Hashable] = {}  # of the visitors whose pages are open
        self._runs: dict[str, float] = {}  # when the last full run of each of them ended
        self._requests: dict[str, float] = {}  # when visitors and clients last asked for a pass; the latest is last
        self._lock = threading.RLock()

    @contextmanager
    def client(self, address: Hashable = None) -> Iterator[Client]:
        """Work inside the block for a client of the API, in threads too that start with a copy of the context."""
        client = Client(f"client {next(_numbers)}", address)
        self._clients[client.name] = client
        previous = _client.set(client)
        try:
            yield client
        finally:
            client.was_left = True
            _client.reset(previous)
            del self._clients[client.name]

    def caller(self) -> str | None:
        """Return the visitor or client that this thread works for, or None."""
        client = _client.get()
        return self.visitor() if client is None else client.name

    def waits(self, name: str | None) -> bool:
        """Return whether a visitor or client still waits; a caller without a name always does."""
        if name is None:
            return True
        if name.startswith("client "):
            return name in self._clients and not self._clients[name].was_left
        return self.present(name)

    def owner(self, name: str) -> Hashable:
        """Return the owner of the jobs of a visitor or client: the visitor, or the client's address."""
        client = self._clients.get(name)
        return name if client is None or client.address is None else client.address

    def check_room(self, visitor: str, jobs: Collection[FollowedJob] = ()) -> None:
        """Raise Busy if a visitor, or the visitors of one address, may follow no further job than these.

        Idle jobs are not counted.
        """
        with self._lock:  # while a page is drawn, the jobs that it does not follow again are about to end
            jobs_of_page = self._turns.get(visitor, self._jobs)
            followed = [job for job in jobs_of_page if visitor in job.followers and job not in jobs]
            address = self._addresses.get(visitor)
            neighbours = {name for name in self._addresses if self._addresses[name] == address}
            neighbours = neighbours if address else set()
            of_address = [job for job in self._jobs if neighbours & job.followers.keys() and job not in jobs]
        if sum(job.running and not job.idle for job in followed) >= MOST:
            raise Busy(TOO_MANY)
        is_new = any(job.long and not neighbours & job.followers.keys() for job in jobs)
        if is_new and sum(job.running and job.long for job in of_address) >= MOST_OF_ADDRESS:
            raise Busy(TOO_MANY_OF_ADDRESS)

    def note_request(self, name: str | None) -> None:
        """Note that a visitor or client has asked for a forward pass: idle jobs of others wait."""
        moment = time.monotonic()
        with self._lock:
            self._requests = {
                visitor: when
                for visitor, when in self._requests.items()
                if visitor != name and moment - when < AFTER_REQUEST
            }
            if name is not None:
                self._requests[name] = moment

    def idle_seconds(self, job: FollowedJob) -> float:
        """Return the seconds until an idle job may take a step.

        A job waits `AFTER_RUN` after the last full run of its visitor, and `AFTER_REQUEST` after a request of another
        visitor. A job without a visitor who is still there need not wait: its next step ends it.
        """
        moment, followers = time.monotonic(), dict(job.followers)
        if not any(map(self.waits, followers)):
            return 0.0
        with self._lock:
            runs = [moment if visitor in self._turns else self._runs.get(visitor, 0.0) for visitor in followers]
            requests = (when for name, when in reversed(self._requests.items()) if name not in followers)
            latest = next(requests, -AFTER_REQUEST)
        return max(0.0, max(min(runs) + AFTER_RUN, latest + AFTER_REQUEST) - moment)

    def pause_seconds(self, job: FollowedJob) -> float:
        """Return the seconds until an answer that yields to texts may take a step: not while its page is being drawn.

        For each other visitor who has just asked for a pass, it waits `AFTER_RUN` after the last full run of its own,
        who may still type.
        """
        moment, followers = time.monotonic(), dict(job.followers)
        with self._lock:
            is_drawn = bool(followers) and self._turns.keys() >= followers.keys()
            n_busy = sum(moment - when < AFTER_RUN for name, when in self._requests.items() if name not in followers)
            runs = [moment if visitor in self._turns else self._runs.get(visitor, 0.0) for visitor in followers]
        if n_busy:
            return max(0.0, min(runs, default=0.0) + AFTER_RUN * min(n_busy, MOST_BUSY) - moment)
        return WHILE_DRAWN if is_drawn else 0.0

    def follow(self, visitor: str, job: FollowedJob) -> None:
        """Let a visitor follow a job; a job that its followers had left goes on.

        Raises:
            Busy: the visitor follows as many others that run.
        """
        with self._lock:
            if not job.idle:
                self.check_room(visitor, [job])
            self._jobs.add(job)
            job.followers[visitor] = time.monotonic()
            if visitor in self._turns:
                self._turns[visitor].add(job)
        if job.was_left:
            job.go_on()

    def leave(self, visitor: str, job: FollowedJob) -> None:
        """Let a visitor no longer follow a job; without followers it ends, and can go on."""
        with self._lock:
            was_last = job.followers.pop(visitor, None) is not None and not job.followers
        if was_last:
            job.stop(was_left=True)

    @contextmanager
    def turn(self, visitor: str) -> Iterator[None]:
        """Let the visitor leave, at the end of the block, every job that was not followed inside it.

        After a `BaseException` such as a rerun no job is left: the page is drawn again.
        """
        followed: set[FollowedJob] = set()
        address = self.address()
        with self._lock:
            self._turns[visitor] = followed
            self._addresses[visitor] = address
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
                    for name in [name for name in self._addresses if not self.present(name)]:
                        del self._addresses[name]
                        self._runs.pop(name, None)
                    self._runs[visitor] = time.monotonic()
                unfollowed = {job for job in self._jobs if visitor in job.followers} - followed
            for job in unfollowed if is_whole and is_latest else ():
                self.leave(visitor, job)

    def check(self, job: FollowedJob) -> None:
        """Let visitors leave a job who have been away for longer than the grace."""
        moment = time.monotonic()
        for visitor, seen in list(job.followers.items()):
            if self.waits(visitor):
                job.followers[visitor] = moment
            elif moment - seen > GRACE:
                self.leave(visitor, job)


FOLLOWERS = per_process(Followers)
