"""Files that come in: to a page that has a field for one, as large as that field takes, and few of them.

Streamlit keeps what is sent to its route until the session ends, whether a field asked for it or not. So a visitor's
page opens the route for itself while it draws a field, and what it may send in all is counted.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import dataclass

from starlette.types import Message, Receive

ROUTE = re.compile(r"/_stcore/upload_file/([\w-]{1,64})/[\w-]{1,64}$")
OVERHEAD = 16 * 1024  # bytes around a file in its message
FILES = 4  # a visitor may send as much as so many of the largest files, before the page lets go of them
MOST_VISITORS = 1000  # that are remembered


@dataclass
class _Field:
    most_bytes: int
    left: int


class Uploads:
    """Who may send a file now, and how much."""

    def __init__(self) -> None:
        self._fields: OrderedDict[str, _Field] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, visitor: str, most_bytes: int) -> None:
        """Let a visitor send files of at most so many bytes; what was sent before counts on."""
        with self._lock:
            known = self._fields.get(visitor)
            if known is None or known.most_bytes != most_bytes:
                self._fields[visitor] = _Field(most_bytes, FILES * (most_bytes + OVERHEAD))
            while len(self._fields) > MOST_VISITORS:
                self._fields.popitem(last=False)

    def shut(self, visitor: str) -> bool:
        """Let a visitor send nothing more; return whether they could."""
        with self._lock:
            return self._fields.pop(visitor, None) is not None

    def most_bytes(self, path: str) -> int:
        """Return how many bytes may come to an address: 0 where nobody has a field for it, or it has taken enough."""
        named = ROUTE.search(path)
        field = self._fields.get(named[1]) if named else None
        return 0 if field is None else min(field.most_bytes + OVERHEAD, field.left)

    def counted(self, path: str, receive: Receive) -> Receive:
        """Return ``receive`` with what comes in counted; it says that the client has gone once it was too much."""
        named = ROUTE.search(path)
        field = self._fields.get(named[1]) if named else None
        most = self.most_bytes(path)
        came = 0

        async def counting() -> Message:
            nonlocal came
            message = await receive()
            size = len(message.get("body", b""))
            came += size
            if field is not None:
                field.left -= size
            return {"type": "http.disconnect"} if came > most else message

        return counting


UPLOADS = Uploads()
