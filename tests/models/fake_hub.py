"""A small hub on 127.0.0.1: the addresses that huggingface_hub needs to fetch a model, and a log of requests."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

COMMIT = "a1b2c3d4e5" * 4


@dataclass
class Hub:
    """The models by id, each a folder of files; ``sizes`` overrides what the listing says of a file's size."""

    models: dict[str, Path]
    sizes: dict[str, int] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    url: str = ""
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)  # method, path, headers

    def fetched(self) -> set[str]:
        """Return the names of the files that were sent."""
        return {path.rsplit("/", 1)[1] for method, path, _ in self.asked if method == "GET" and "/resolve/" in path}

    def files(self, model_id: str) -> dict[str, int]:
        """Return a model's files with the sizes that the listing gives."""
        return {
            path.name: self.sizes.get(path.name, path.stat().st_size)
            for path in sorted(self.models[model_id].iterdir())
        }


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serve a hub inside the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hub.asked.append((str(self.command), urlsplit(self.path).path, dict(self.headers)))
            parts = urlsplit(self.path).path.strip("/").split("/")
            if parts[:2] == ["api", "models"]:
                self.about("/".join(parts[2:4]), parts[4:])
            else:
                self.file("/".join(parts[:2]), parts[3], parts[4])

        do_HEAD = do_GET

        def about(self, model_id: str, rest: list[str]) -> None:
            if model_id not in hub.models:
                return self.answer(404, b"", {"X-Error-Code": "RepoNotFound"})
            if rest and rest[1] not in (COMMIT, "main"):
                return self.answer(404, b"", {"X-Error-Code": "RevisionNotFound"})
            files = hub.files(model_id)
            found: Any = [
                {"type": "file", "path": name, "size": size, "oid": hashlib.sha1(name.encode()).hexdigest()}
                for name, size in files.items()
            ]
            if rest[:1] != ["tree"]:
                siblings = [{"rfilename": name, "size": size} for name, size in files.items()]
                found = {"id": model_id, "sha": COMMIT, "siblings": siblings, "private": False, "tags": []}
            return self.answer(200, json.dumps(found).encode(), {"Content-Type": "application/json"})

        def file(self, model_id: str, commit: str, name: str) -> None:
            path = hub.models.get(model_id, Path("nowhere")) / name
            if commit != COMMIT or not path.is_file():
                return self.answer(404, b"", {"X-Error-Code": "EntryNotFound"})
            if model_id in hub.gated:
                return self.answer(403, b"", {"X-Error-Code": "GatedRepo"})
            data = path.read_bytes()
            tag = f'"{hashlib.sha256(data).hexdigest()}"'
            size = str(hub.files(model_id)[name])
            return self.answer(200, data, {"ETag": tag, "X-Repo-Commit": COMMIT, "X-Linked-Size": size})

        def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(name, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)  # seconds to notice the end
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
