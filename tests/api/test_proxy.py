"""Behind a proxy, each visitor has a rate limit of their own."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from mha.server import workers
from tests.browser.conftest import free_port
from tests.server.test_workers import NGINX, until

SERVING = """
import sys, uvicorn
from mha.api import alone
uvicorn.run(alone.app, port=int(sys.argv[1]), log_level="critical")
"""


@pytest.mark.slow
@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_rate_limit_behind_nginx(tmp_path):
    """Four visitors ask at the same time, as a proxy further out names them; one of them asks far too much."""
    port, behind, few = free_port(), free_port(), 6
    config = tmp_path / "nginx.conf"
    config.write_text(workers.configuration(workers.TEMPLATE.read_text(), port, [behind], tmp_path))
    given = {"PYTHONPATH": str(workers.BESIDE), "PARALLAX_API_PER_MINUTE": str(few)}
    environment = os.environ | given | {"PARALLAX_TRUSTED_PROXIES": "127.0.0.1"}
    running = [
        subprocess.Popen([sys.executable, "-c", SERVING, str(behind)], env=environment),
        subprocess.Popen([NGINX, "-c", str(config), "-p", str(tmp_path)]),
    ]

    def asked(visitor):
        question = json.dumps({"text": "All is well", "model": "toy"}).encode()
        headers = {"Content-Type": "application/json", "X-Forwarded-For": visitor}
        request = urllib.request.Request(f"http://127.0.0.1:{port}/api/attend", question, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return visitor, answer.status
        except urllib.error.HTTPError as error:
            with error:
                return visitor, error.code

    def alive():
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=2).status == 200
        except OSError:
            return False

    try:
        until(alive, 120)
        questions = ["203.0.113.1"] * 20 + [f"203.0.113.{number}" for number in (2, 3, 4) for _ in range(3)]
        with ThreadPoolExecutor(8) as crowd:
            found = Counter(crowd.map(asked, questions))
        refused = found["203.0.113.1", 429]
        assert 20 - few - 3 <= refused < 20  # a turn comes back every ten seconds
        assert all(found[f"203.0.113.{number}", 200] == 3 for number in (2, 3, 4)), found
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait(20)
