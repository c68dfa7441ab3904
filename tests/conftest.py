"""Models that whoever runs the program adds to its own: three tiny random ones, saved once, offered where asked for.

And how files are dealt out to the workers of `make test`.
"""

import itertools

import pytest
from hypothesis import settings

settings.register_profile("patient", deadline=None)  # a busy machine is not a wrong answer
settings.load_profile("patient")

BROWSER = "tests/browser/"
SECOND = tuple(f"{BROWSER}test_{name}.py" for name in ("again", "another_text", "hostile", "walks", "heads"))
# Begun first, in this order: what is left for the end is short, so that no worker waits long for the other.
FIRST = (BROWSER, "tests/test_memory.py", "tests/engine/", "tests/pages/")


@pytest.hookimpl(tryfirst=True)  # before what is slow is left out
def pytest_collection_modifyitems(items):
    """Leave most of what is `sampled` to the soak, and put the longest first: what is dealt out last decides how long
    one worker goes on alone."""
    families = {}
    for item in items:
        if item.nodeid.startswith("tests/studies/"):
            item.add_marker("slow")
        sampled = item.get_closest_marker("sampled")
        if sampled and next(families.setdefault(item.nodeid.partition("[")[0], itertools.count())) % sampled.args[0]:
            item.add_marker("slow")

    def place(item):
        if item.nodeid.startswith(SECOND):
            return 0.5
        return next((number for number, start in enumerate(FIRST) if item.nodeid.startswith(start)), len(FIRST))

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Deal out file by file, but tests in a browser to one worker, in the soak to two.

    A server and a Chromium for every file would cost more than they bring.
    """
    from xdist.scheduler import LoadFileScheduling

    class OneBrowser(LoadFileScheduling):
        def _split_scope(self, nodeid):
            if config.getoption("markexpr") == "slow" and nodeid.startswith(SECOND):
                return SECOND[0]
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
    from mha.models.files.catalog import offered

    monkeypatch.setenv("PARALLAX_MODELS", ",".join(str(folder) for folder in snapshots.values()))
    offered.cache_clear()
    yield tuple(snapshots)
    monkeypatch.undo()
    offered.cache_clear()


@pytest.fixture
def damage(monkeypatch):
    """Return what damages a file that travels with the program: its name, and what becomes of its bytes."""
    from tests.damage import Damage

    return Damage(monkeypatch)
