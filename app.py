"""Parallax as an ASGI app: ``streamlit run app.py`` starts it; the model wakes in the background meanwhile."""

import sys
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

ROOT = Path(__file__).resolve().parent
if str(ROOT) not in sys.path:  # the package is importable from any working directory
    sys.path.insert(0, str(ROOT))

from mha import api  # noqa: E402
from mha.engine import start  # noqa: E402
from mha.guard import UPLOADS, Door, keep_out, metrics  # noqa: E402
from mha.models.files.environment import give_memory_back, prepare_environment  # noqa: E402
from mha.ui import compressed, preloaded, served, unfurled, uploads, visitors  # noqa: E402

give_memory_back()
prepare_environment()
keep_out()
visitors.serve()
uploads.serve(UPLOADS.open, UPLOADS.shut)


@asynccontextmanager
async def lifespan(_app):
    start()
    yield {}


app = st.App(
    ROOT / "pages" / "frame.py",
    routes=[*api.ROUTES, *metrics.ROUTES, *unfurled.ROUTES, *served.ROUTES],
    middleware=[
        Middleware(Door),
        *compressed.middleware(),
        Middleware(preloaded.Preloaded),
        Middleware(unfurled.Unfurled),
    ],
    lifespan=lifespan,
)
