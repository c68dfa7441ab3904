"""The same results over HTTP, for programs and notebooks: JSON, with an OpenAPI document.

`ROUTES` are mounted next to the pages; ``uvicorn mha.api.routes:alone`` serves them without any page.
"""

from mha.api.routes import ROUTES, routes_below

__all__ = ["ROUTES", "routes_below"]
