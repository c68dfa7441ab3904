"""What stands before Streamlit: which requests, sockets and messages come through, and the headers of every answer.

One ASGI middleware of `st.App` (user middleware runs outermost). Nothing here knows what the pages show.
"""

from mha.guard.door import Door
from mha.guard.forged import keep_out
from mha.guard.uploads import UPLOADS

__all__ = ["UPLOADS", "Door", "keep_out"]
