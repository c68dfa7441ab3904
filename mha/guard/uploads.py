"""Files that come in: to a page that has a field for one, as large as that field takes, and few of them.

Streamlit keeps what is sent to its route until the session ends, whether a field asked for it or not, and forgets a
session that has ended when the next visitor comes. So a visitor's page opens the route for itself while it draws a
field, what is kept for each address and in all has an end, and so has what one visit may send; a file that no field
holds any more, or whose page has gone, goes after some seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.types import Message, Receive

from mha.guard.limits import Limits
from mha.streamlit_facts import UPLOAD

log = logging.getLogger("parallax.guard")

OVERHEAD = 16 * 1024  # bytes around a file in its message; the least that a file counts for
MEGABYTE = 1024 * 1024
MUCH = "With this file you would have sent more than {} MB since you opened this page. Reload the page to send more."
CROWDED = (
    "There is no room for this file: files from your network, yours and others', may have {} MB in all. "
    "Remove one, or try again in a minute."
)
FULL = "This server has no room for another file right now. Try again in a minute."


class RefusedFile(Exception):
    """A file may not come in; the message is one sentence for whoever sent it."""

    def __init__(self, status: int, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.reason = status, reason


@dataclass
class _Visit:
    most_bytes: int = 0  # of one file, while a field for it stands on the page
    sent: int = 0
    files: dict[str, _File] = field(default_factory=dict)
    away: float | None = None  # since when its page is closed


@dataclass(eq=False)
class _File:
    visit: _Visit
    name: str
    address: str
    came: int = 0
    bytes: int = 0  # that it counts for
    spare: float | None = None  # since when no field holds it; None: one does, or nobody has looked yet


class Uploads:
    """Who may send a file now, how much, and which files are to go."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._given = limits
        self._visits: dict[str, _Visit] = {}
        self._coming: list[_File] = []
        self._lock = threading.Lock()

    @functools.cached_property
    def limits(self) -> Limits:
        """The limits that hold, which the environment may set until they are first asked for."""
        return self._given or Limits.of()

    @property
    def bytes(self) -> int:
        """How much is kept or on its way in."""
        with self._lock:
            return sum(file.bytes for file in self._known())

    def open(self, visitor: str, most_bytes: int) -> None:
        """Let a visitor send files of at most so many bytes; what was sent before counts on."""
        with self._lock:
            self._visits.setdefault(visitor, _Visit()).most_bytes = most_bytes

    def drawn(self, visitor: str, held: Collection[str], fields: bool) -> None:
        """Take which files the fields of a page hold that was drawn whole; without ``fields`` nothing may be sent."""
        with self._lock:
            visit = self._visits.get(visitor)
            if visit is None:
                return
            if not fields:
                visit.most_bytes = 0
            for name, file in visit.files.items():
                file.spare = None if name in held else file.spare or time.monotonic()

    def begin(self, path: str, address: str, length: int) -> _File:
        """Let a file come in that says it has so many bytes, 0 where it does not say; call `end` after it.

        Raises:
            RefusedFile: nobody has a field for it, it is too large, or there is no room for it.
        """
        with self._lock:
            file = _File(*self._visit(path), address)
            self._coming.append(file)
            try:
                self._make_room(file, max(length, OVERHEAD))
            except RefusedFile:
                self._coming.remove(file)
                raise
            return file

    def counted(self, file: _File, receive: Receive) -> Receive:
        """Return ``receive`` with what comes of a file counted, which raises `RefusedFile` at what is too much."""

        async def counting() -> Message:
            message = await receive()
            if size := len(message.get("body", b"")):
                with self._lock:
                    file.came += size
                    file.visit.sent += size
                    self._make_room(file, file.came)
            return message

        return counting

    def end(self, file: _File, kept: bool) -> None:
        """Count a file that has come in among those that are kept, or forget it."""
        with self._lock:
            self._coming.remove(file)
            file.visit.sent += max(0, OVERHEAD - file.came)
            if kept:
                file.bytes = max(file.came, OVERHEAD)
                file.visit.files[file.name] = file

    def remove(self, path: str) -> Callable[[], None]:
        """Return what is to be called once a visitor has removed a file.

        Raises:
            RefusedFile: there is no field for it on their page.
        """
        with self._lock:
            visit, name = self._visit(path)

        def removed() -> None:
            with self._lock:
                visit.files.pop(name, None)

        return removed

    def spare(self, present: Callable[[str], bool]) -> list[tuple[str, str]]:
        """Return which files are to go, as visitor and file, and forget them and the visits that are over."""
        seconds, now, found = self.limits.upload_seconds, time.monotonic(), []
        with self._lock:
            for visitor, visit in list(self._visits.items()):
                visit.away = None if present(visitor) else visit.away or now
                over = visit.away is not None and now - visit.away >= seconds
                for name, file in list(visit.files.items()):
                    if over or (file.spare is not None and now - file.spare >= seconds):
                        found.append((visitor, name))
                        del visit.files[name]
                if over and not any(file.visit is visit for file in self._coming):  # whose files would be nobody's
                    del self._visits[visitor]
        return found

    @asynccontextmanager
    async def kept_short(
        self, present: Callable[[str], bool], forget: Callable[[str, str], None]
    ) -> AsyncIterator[None]:
        """Let go of files, inside, some seconds after their page or their field: ``forget`` takes visitor and file."""

        async def look() -> None:
            while True:
                await asyncio.sleep(min(1.0, self.limits.upload_seconds / 4))
                try:
                    for visitor, name in self.spare(present):
                        forget(visitor, name)
                except Exception:
                    log.exception("files could not be let go of")

        looking = asyncio.create_task(look())
        try:
            yield
        finally:
            looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await looking

    def _visit(self, path: str) -> tuple[_Visit, str]:
        named = UPLOAD.search(path)
        visit = self._visits.get(named[1]) if named else None
        if named is None or visit is None or not visit.most_bytes:
            raise RefusedFile(404, "closed route", "Not found.")
        return visit, named[2]

    def _make_room(self, file: _File, size: int) -> None:
        """Reserve so many bytes in all for a file on its way in; what it has reserved already it keeps."""
        limits, more, visit = self.limits, size - file.bytes, file.visit
        file.bytes = max(file.bytes, size)
        if size > visit.most_bytes + OVERHEAD:
            most = visit.most_bytes // MEGABYTE
            raise RefusedFile(413, "large file", f"This file is too large: this field takes up to {most} MB.")
        if visit.sent + max(0, more) > limits.upload_mb_per_visit * MEGABYTE:
            raise RefusedFile(429, "many files of one visit", MUCH.format(limits.upload_mb_per_visit))
        if more <= 0:
            return
        known = self._known()
        if sum(one.bytes for one in known if one.address == file.address) > limits.upload_mb_per_client * MEGABYTE:
            raise RefusedFile(429, "many files of one client", CROWDED.format(limits.upload_mb_per_client))
        if sum(one.bytes for one in known) > limits.upload_mb * MEGABYTE:
            raise RefusedFile(503, "no room for files", FULL)

    def _known(self) -> list[_File]:
        return [*(file for visit in self._visits.values() for file in visit.files.values()), *self._coming]


UPLOADS = Uploads()
