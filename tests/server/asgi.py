"""The middleware driven as ASGI, without a server: requests, messages of a socket, and an app behind it."""

from streamlit.proto.BackMsg_pb2 import BackMsg

from mha.server.middleware import Guard, Limits
from tests.apart import run_apart

LIMITS = Limits(sockets=3, sockets_per_client=2, frame_bytes=1000, rerun_burst=5, reruns_per_second=1000, patience=7)


def scope(kind: str = "http", path: str = "/", who: str = "10.0.0.7", method: str = "GET", **headers: str) -> dict:
    named = {"host": "parallax.test", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return {
        "type": kind,
        "path": path,
        "method": method,
        "client": (who, 5000),
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
    }


def stream(**more: str) -> dict:
    return scope("websocket", "/_stcore/stream", **more)


def rerun(text: str = "") -> bytes:
    message = BackMsg()
    message.rerun_script.query_string = text
    return message.SerializeToString()


def flagged(name: str) -> bytes:
    message = BackMsg()
    setattr(message, name, True)
    return message.SerializeToString()


async def page(_scope, _receive, send) -> None:
    """Answer as an app that has one page."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/html")]})
    await send({"type": "http.response.body", "body": b"page"})


class Streamlit:
    """Stands for what is behind the door: keeps every message of a socket until the socket ends."""

    def __init__(self) -> None:
        self.seen: list[dict] = []

    async def __call__(self, _scope, receive, send) -> None:
        await send({"type": "websocket.accept"})
        while True:
            message = await receive()
            self.seen.append(message)
            if message["type"] == "websocket.disconnect":
                return


def answered(guard: Guard, request: dict) -> tuple[int, dict[str, str], bytes]:
    sent: list[dict] = []

    async def send(message):
        sent.append(message)

    run_apart(guard(request, None, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, sent[1]["body"]


def talked(guard: Guard, request: dict, *frames: bytes | str) -> tuple[list[dict], int | None]:
    """Return what is sent back over a socket that says these frames and goes, and the code it was closed with."""
    sent: list[dict] = []
    coming = [{"type": "websocket.connect"}]
    coming += [{"type": "websocket.receive", "bytes" if isinstance(f, bytes) else "text": f} for f in frames]
    coming.append({"type": "websocket.disconnect", "code": 1000})

    async def send(message):
        sent.append(message)

    async def receive():
        return coming.pop(0)

    run_apart(guard(request, receive, send))
    closed = [message["code"] for message in sent if message["type"] == "websocket.close"]
    return sent, closed[0] if closed else None
