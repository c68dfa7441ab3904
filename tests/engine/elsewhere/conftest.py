"""The desk of an engine elsewhere under a plain server, in this process."""

import threading
import time

import pytest
import uvicorn

from mha.engine.elsewhere import Elsewhere
from mha.engine.elsewhere.desk import Desk
from mha.models.files.loading import load
from tests.browser.conftest import free_port

TOKEN = "known to both"


class Serving:
    """An ASGI app under uvicorn, in a thread."""

    def __init__(self, app):
        self.port = free_port()
        self.server = uvicorn.Server(uvicorn.Config(app, port=self.port, log_level="critical"))
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{self.port}"

    def stop(self):
        self.server.should_exit = True
        self.thread.join(10)


@pytest.fixture(scope="module")
def awake():
    load("minilm")


@pytest.fixture(scope="module")
def desk(awake):
    serving = Serving(Desk(TOKEN))
    yield Elsewhere(serving.url, TOKEN)
    serving.stop()


@pytest.fixture
def app(awake):
    """Start an ASGI app, and stop it in the end."""
    running = []

    def start(app):
        running.append(Serving(app))
        return Elsewhere(running[-1].url, TOKEN)

    yield start
    for serving in running:
        serving.stop()
