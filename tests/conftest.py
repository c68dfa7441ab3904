"""Models that whoever runs the program adds to its own: three tiny random ones, saved once, offered where asked for.

And how files are dealt out to the workers of `make test`.
"""

import pytest

BROWSER = "tests/browser/"
# A third of what is done in a browser, begun last: by then the other worker has had all else.
LAST = tuple(f"{BROWSER}test_{name}.py" for name in ("again", "another_text", "hostile", "walks"))
# Begun first, in this order: what is left for the end is short, so that no worker waits long for the other.
FIRST = (BROWSER, "tests/engine/", "tests/test_memory.py", "tests/guard/test_connections.py", "tests/pages/")


def pytest_collection_modifyitems(items):
    """Put the longest first: what is dealt out last decides how long one worker goes on alone."""

    def place(item):
        if item.nodeid.startswith(LAST):
            return len(FIRST) + 1
        return next((number for number, start in enumerate(FIRST) if item.nodeid.startswith(start)), len(FIRST))

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Deal out file by file, but what is done in a browser in two parts, each to one worker: a server and a Chromium
    for every file would cost more than they bring, and what a browser waits for is the other worker's time."""
    from xdist.scheduler import LoadFileScheduling

    class OneBrowser(LoadFileScheduling):
        def _split_scope(self, nodeid):
            if nodeid.startswith(LAST):
                return LAST[0]
            return BROWSER if nodeid.startswith(BROWSER) else super()._split_scope(nodeid)

    return OneBrowser(config, log) if config.getvalue("dist") == "loadfile" else None


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


@pytest.fixture
def damage(monkeypatch):
    """Return what damages a file that travels with the program: its name, and what becomes of its bytes."""
    from tests.damage import Damage

    return Damage(monkeypatch)
