"""Attacks on the app behind nginx: other visitors wait at most two and a half times as long as without them."""

import asyncio

import pytest

from benchmarks.bench_abuse import measured
from tests.browser.conftest import Server, free_port
from tests.server.proxy import NGINX, nginx

ATTACKS = {"half-open": 1100, "slow bodies": 300, "flood": 1500, "git_info": 300, "foreign origins": 20}
RATIO = 2.5  # of the 95th percentile of other visitors' waiting times

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.skipif(NGINX is None, reason="nginx is not installed")]


@pytest.fixture(scope="module")
def proxied_app(tmp_path_factory):
    """Return the address of nginx in front of the app, whose process has 1,024 descriptors."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    server = Server(PARALLAX_TRUSTED_PROXIES="127.0.0.1")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    port = free_port()
    try:
        server.wait()
        with nginx(tmp_path_factory.mktemp("nginx"), port, server.port):
            yield f"http://127.0.0.1:{port}"
    finally:
        server.stop()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("kind", ATTACKS)
def test_others_hardly_notice_an_attack(proxied_app, kind):
    rows = asyncio.run(measured(proxied_app, [kind], quick=False))
    assert not rows[kind]["fared"].get("ACCEPTED")
    assert rows[kind]["health_ms"] <= 500
    assert rows[kind]["ratio"] <= RATIO, rows
