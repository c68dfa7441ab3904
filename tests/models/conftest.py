"""Tiny models saved as snapshots and loaded by the real loading code, once a session; and the bundled one."""

import pytest

from mha.models.files.environment import prepare_environment

prepare_environment()

from mha.models.files.loading import LoadedModel, load, load_snapshot  # noqa: E402
from tests.models.tiny import Tiny  # noqa: E402


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    loaded: dict[tuple[str, str, str], LoadedModel] = {}

    def load_tiny(row: Tiny) -> LoadedModel:
        key = (row.architecture, row.tokenizer, str(row.settings))
        if key not in loaded:
            loaded[key] = load_snapshot(row.save(tmp_path_factory.mktemp(row.architecture)))
        return loaded[key]

    return load_tiny


@pytest.fixture(scope="session")
def minilm():
    return load("minilm")
