"""What stands before Streamlit: which requests, sockets and messages come through, and the headers of every answer.

One ASGI middleware of `st.App` (user middleware runs outermost), and before it what each connection is due. Nothing
here knows what the pages show.
"""

from mha.guard.connections import guarded
from mha.guard.door import Door
from mha.guard.inbox import keep_out
from mha.guard.uploads import UPLOADS

__all__ = ["UPLOADS", "Door", "guarded", "keep_out"]
