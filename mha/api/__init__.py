"""The same results over HTTP, for programs and notebooks: JSON or arrays, with a document that says how to ask.

`ROUTES` stand beside the pages; ``uvicorn mha.api.alone:app`` serves them without any page.
"""

from mha.api.routes import ROUTES, routes_below

__all__ = ["ROUTES", "routes_below"]
