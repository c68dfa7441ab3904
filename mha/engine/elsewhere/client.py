"""An engine in other processes, asked over HTTP: the same protocol, without a model here."""

from __future__ import annotations

import http.client
import json
import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from mha import errors
from mha.engine.elsewhere.coding import read, write
from mha.engine.elsewhere.frames import ANSWER, BEAT, Broken, next_frame
from mha.errors import Busy, InputError, MHAError
from mha.maps import Recording

if TYPE_CHECKING:
    from mha.engine.protocol import Health
    from mha.engine.recordings import Request

CONNECT_SECONDS = 1.0
SILENT_SECONDS = 2.5  # two signs of life are missing
RECORD_SECONDS = 10.0  # as in this process
EXPERIMENT_SECONDS = 85.0  # a moment less than whoever asks waits
HEALTH_SECONDS = 2.0
MODEL = "serve_multiplexed_model_id"  # the header by which Ray Serve finds a replica that holds the model
FULL = "Many sentences are waiting right now. Try again in a few seconds."
SLOW = "This took too long and was given up. Try again in a few seconds."
KINDS = {kind.__name__: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, MHAError)}

log = logging.getLogger(__name__)


class Away(Exception):
    """The engine elsewhere cannot be reached, stopped answering, or failed; ``again`` where asking once more may help.

    No `MHAError`: whoever asks decides what the reader is told.
    """

    def __init__(self, reason: str, again: bool = False) -> None:
        super().__init__(reason)
        self.again = again


@dataclass(frozen=True)
class Elsewhere:
    """The engine at ``url``, for whoever knows its ``token``. Every method may raise `Away`."""

    url: str
    token: str = ""

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"PARALLAX_ENGINE takes an address such as http://127.0.0.1:8700, not {self.url[:80]!r}.")

    def record(self, request: Request) -> Recording:
        """Return what one forward pass shows of a request."""
        found: Recording = self._ask("record", request.model, _asked(request), RECORD_SECONDS)
        return found

    def statistics(self, request: Request) -> dict[str, np.ndarray]:
        """Return every statistic of every head, each float64 [layer, head], by name."""
        found: dict[str, np.ndarray] = self._ask("statistics", request.model, _asked(request), RECORD_SECONDS)
        return found

    def experiment(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Return the answer of an experiment of `mha.engine.experiments`."""
        body = {"name": name, "args": list(args), "kwargs": kwargs}
        return self._ask("experiment", str(kwargs.get("model", "")), body, EXPERIMENT_SECONDS)

    def health(self) -> Health:
        """Return how the engine is."""
        found: Health = self._ask("health", "", {}, HEALTH_SECONDS)
        return found

    def _ask(self, what: str, model: str, body: dict[str, Any], seconds: float) -> Any:
        """Return an answer; raise what was refused, `Busy` where too much waits, `Away` where nothing answers."""
        end = time.monotonic() + seconds
        parts = urlsplit(self.url)
        secure = parts.scheme == "https"
        connection = (http.client.HTTPSConnection if secure else http.client.HTTPConnection)(
            parts.hostname or "", parts.port, timeout=CONNECT_SECONDS
        )
        headers = {"Authorization": f"Bearer {self.token}", "X-Seconds": str(seconds)}
        if model:
            headers[MODEL] = model
        try:
            connection.connect()
            connection.sock.settimeout(min(SILENT_SECONDS, seconds))
            connection.request("POST", f"{parts.path.rstrip('/')}/{what}", write(body), headers)
            response = connection.getresponse()
            if response.status != 200:
                raise _refused(response)
            while True:
                kind, content = next_frame(response.read)
                if kind != BEAT:
                    break
                if time.monotonic() > end:
                    raise Busy(SLOW)
        except TimeoutError as error:
            raise Away("it stopped answering") from error
        except (OSError, http.client.HTTPException, Broken) as error:
            raise Away(f"{type(error).__name__}: {str(error)[:120]}", again=True) from error
        finally:
            connection.close()
        if kind == ANSWER:
            return read(content)
        told = json.loads(content)
        if told["error"] not in KINDS:
            raise Away(f"it failed with {told['error']}")
        raise KINDS[told["error"]](told["message"])


def _asked(request: Request) -> dict[str, Any]:
    return {"text": request.text, "model": request.model, "pair": request.pair, "keep": list(request.keep)}


def _refused(response: http.client.HTTPResponse) -> Exception:
    if response.status == 429:
        return Busy(FULL)
    if response.status == 401:
        log.error("the engine elsewhere does not take this token; see PARALLAX_ENGINE_TOKEN")
    return Away(f"it answered {response.status}", again=response.status >= 500)
