"""Parallax as an ASGI app: ``streamlit run app.py`` starts it; the default model is loaded in the background."""

import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

ROOT = Path(__file__).resolve().parent
if str(ROOT) not in sys.path:  # the package is importable from any working directory
    sys.path.insert(0, str(ROOT))

from mha.errors import AssetError  # noqa: E402

try:
    from mha import api
    from mha.app import errors, jobs
    from mha.engine import start
    from mha.models.files.environment import configure_allocator, prepare_environment
    from mha.server import first_answers, static
    from mha.server.middleware import Guard
    from mha.streamlit_facts import keep_downloads
except AssetError as error:  # no page can be drawn without assets/tokens.json
    sys.exit(f"Parallax cannot start: {error}")

configure_allocator()
prepare_environment()
jobs.register_with_engine()


@asynccontextmanager
async def lifespan(_app):
    start()
    keep_downloads()
    yield {}


# Streamlit does not compress its large scripts, so the app does. Behind a proxy that compresses, set
# PARALLAX_COMPRESS=off.
is_compressed = os.environ.get("PARALLAX_COMPRESS", "").lower() != "off"
compression = [Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)] if is_compressed else []
api_routes_at_base = api.routes_below(first_answers.base()) if first_answers.base() else []
app = st.App(
    ROOT / "pages" / "frame.py",
    routes=[*api.ROUTES, *api_routes_at_base, *static.ROUTES, *first_answers.routes()],
    middleware=[Middleware(Guard), *compression],
    lifespan=lifespan,
    on_script_error=errors.last_resort,
)
