"""The API without pages: ``uvicorn mha.api.alone:app``."""

from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware

from mha.api import ROUTES
from mha.engine import start
from mha.models.files.environment import give_memory_back, prepare_environment
from mha.server.middleware import Guard

give_memory_back()
prepare_environment()


@asynccontextmanager
async def lifespan(_app):
    start()
    yield


app = Starlette(routes=ROUTES, middleware=[Middleware(Guard)], lifespan=lifespan)
