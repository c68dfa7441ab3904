"""Models that whoever runs the program adds to its own: three tiny random ones, saved once, offered where asked for."""

import pytest


@pytest.fixture(scope="session")
def snapshots(tmp_path_factory):
    """Return the folders of the tiny models, by name."""
    from tests.models.snapshots import save_all

    return save_all(tmp_path_factory.mktemp("offered"))


@pytest.fixture
def tiny_offered(snapshots, monkeypatch):
    """Offer the tiny models beside the program's own, during one test; return their names."""
    from mha.models.files.catalog import added

    monkeypatch.setenv("PARALLAX_MODELS", ",".join(str(folder) for folder in snapshots.values()))
    added.cache_clear()
    yield tuple(snapshots)
    monkeypatch.undo()
    added.cache_clear()
