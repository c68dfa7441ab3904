"""Where forward passes run. Pages reach models only through these names; a queue may come behind them later.

`record` answers a `Request`, from the bundled recordings where it can; `state` says whether the model is awake;
`start` wakes it in the background.
"""

from mha.engine.recordings import Request, State, record, start, state

__all__ = ["Request", "State", "record", "start", "state"]
