"""A slow server, as a page sees it: what its server says is held back, and let through message by message."""

from playwright.sync_api import Page, WebSocketRoute


class Held:
    """The messages of a page's server; made before the page is opened."""

    def __init__(self, page: Page) -> None:
        self._holds = False
        self._kept: list[str | bytes] = []
        self._page: WebSocketRoute | None = None
        page.route_web_socket("**/_stcore/stream", self._between)

    def _between(self, socket: WebSocketRoute) -> None:
        self._page, self._kept = socket, []
        server = socket.connect_to_server()
        server.on_message(self._came)

    def _came(self, message: str | bytes) -> None:
        if self._holds:
            self._kept.append(message)
        else:
            self._page.send(message)

    def __len__(self) -> int:
        return len(self._kept)

    def hold(self) -> None:
        """Let nothing through any more."""
        self._holds = True

    def let(self, most: int) -> None:
        """Let some messages through, those that came first."""
        now, self._kept = self._kept[:most], self._kept[most:]
        for message in now:
            self._page.send(message)

    def go(self) -> None:
        """Let everything through again."""
        self._holds = False
        self.let(len(self._kept))
