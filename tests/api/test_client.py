"""A client that a tool generates from the document asks the addresses, and one behind a proxy has its own limit."""

import importlib
import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import pytest
import uvicorn

from mha.api import alone, entry
from mha.api.routes import written
from mha.models.files.loading import load
from mha.server import workers
from mha.server.limits import Limits
from tests.browser.conftest import free_port
from tests.server.test_workers import NGINX, until

DOG = "A dog ate the food because it was hungry."


def test_the_document_says_where_it_is_from_and_what_each_address_is_about():
    document = written()
    assert document["servers"] == [{"url": "/", "description": "Where this document is from"}]
    named = {tag["name"] for tag in document["tags"]}
    said = [one["tags"] for methods in document["paths"].values() for one in methods.values()]
    assert {tag for tags in said for tag in tags} == named


@pytest.fixture
def url(monkeypatch):
    load("minilm")
    monkeypatch.setattr(entry, "TURNS", entry.ClientTurns(Limits(api_per_minute=10_000)))
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(alone.app, port=port, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


@pytest.mark.skipif(find_spec("openapi_python_client") is None, reason="openapi-python-client is not installed here")
def test_a_generated_client_asks_every_kind_of_question(url, tmp_path, monkeypatch):
    (tmp_path / "openapi.json").write_text(json.dumps(written()))
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    command += ["--path", "openapi.json", "--output-path", "generated_client"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING parsing" not in done.stdout
    monkeypatch.syspath_prepend(tmp_path)

    def part(name):
        return importlib.import_module(f"generated_client.{name}")

    models, texts = part("models"), "api.texts"
    with part("client").Client(base_url=url, timeout=60) as client:
        maps = part(f"{texts}.attend").sync(client=client, body=models.Attend(text=DOG))
        assert len(maps.weights) == 6
        assert sum(maps.weights[5][3][0]) == pytest.approx(1, abs=1e-4)
        read = part(f"{texts}.readings").sync(client=client, body=models.Readings(text=DOG))
        assert read.suggested
        assert len(read.leans.lean) == 6
        figure = models.WantedPrint(text=DOG, kind=models.WantedPrintKind.MAP, heads=["L3H1"], width=60)
        drawn = part(f"{texts}.figure").sync(client=client, body=figure)
        assert drawn.svg.startswith("<svg")
        assert drawn.width_mm == 60
        refused = part(f"{texts}.figure").sync(client=client, body=models.WantedPrint(text=DOG))
        assert refused.status == 422
        assert part("api.service.models").sync(client=client).models[0].name == "minilm"


SERVING = """
import sys, uvicorn
from mha.api import alone
uvicorn.run(alone.app, port=int(sys.argv[1]), log_level="critical")
"""


@pytest.mark.slow
@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_behind_nginx_a_limit_is_each_visitor_s_and_not_the_proxy_s(tmp_path):
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
