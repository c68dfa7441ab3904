"""Where forward passes run. Pages reach models only through these names; a queue may come behind them later.

`record` answers a `Request`, from the bundled recordings where it can; `state` is whether the model is awake;
`start` wakes it in the background.
"""

from mha.engine.recordings import ModelState, Request, cached_recording, record, start, state

__all__ = ["ModelState", "Request", "cached_recording", "record", "start", "state"]
