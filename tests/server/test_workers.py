"""Several processes behind one address: the proxy's configuration, and what is said where there is none."""

import contextlib
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import pytest

from mha.errors import InputError
from mha.server import workers
from mha.server.middleware import Limits
from tests.browser.conftest import free_port
from tests.server.proxy import NGINX, nginx


def test_the_configuration_names_every_process_and_nothing_is_left_open(tmp_path):
    written = workers.configuration(workers.TEMPLATE.read_text(), 8501, [8502, 8503, 8505], tmp_path)
    assert re.findall(r"server 127\.0\.0\.1:(\d+)", written) == ["8502", "8503", "8505"]
    assert "listen 8501;" in written
    assert not re.search(r"@[A-Z]+@", written)


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_nginx_takes_the_configuration(tmp_path):
    file = tmp_path / "nginx.conf"
    file.write_text(workers.configuration(workers.TEMPLATE.read_text(), 18501, [18502], tmp_path))
    done = subprocess.run([NGINX, "-t", "-c", str(file), "-p", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_processes_share_cores_and_trust_the_proxy(monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 8)
    shared = workers.environment(2, {"HOME": "/x"})
    assert shared == {
        "OMP_NUM_THREADS": "4", "PARALLAX_TRUSTED_PROXIES": "127.0.0.1", "PARALLAX_COMPRESS": "off", "HOME": "/x",
    }  # fmt: skip
    assert workers.environment(2, {"OMP_NUM_THREADS": "1"})["OMP_NUM_THREADS"] == "1"


def test_without_a_directory_to_write_to_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_args, **_more: "/usr/sbin/nginx")
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: ["/nowhere"])
    with pytest.raises(InputError, match="make /tmp writable"):
        workers.serve(8501, 2, [])


def test_without_a_proxy_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_args, **_more: None)
    with pytest.raises(InputError, match="install it"):
        workers.serve(8501, 2, [])


def test_configuration_has_the_documented_limits():
    """`docs/deploy.md` lists them; a class of open pages has up to seven requests each."""
    configuration = workers.TEMPLATE.read_text(encoding="utf-8")
    root = Path(__file__).parents[2]  # a wheel has the configuration alone
    table = (root / "docs" / "deploy.md").read_text(encoding="utf-8").partition("## Limits of the proxy")[2]
    for setting in (
        "client_header_timeout 10s", "client_body_timeout 30s", "keepalive_timeout 15s", "send_timeout 60s",
        f"limit_conn address {7 * Limits().sockets_per_client}", "client_max_body_size 64k", "client_max_body_size 21m",
        f"zone=api:4m rate={Limits().api_per_minute}r/m", "zone=pages:4m rate=5r/s", "gzip on",
    ):  # fmt: skip
        assert f"{setting};" in configuration
        assert f"`{setting.replace('zone=api:4m ', '').replace('zone=pages:4m ', '')}`" in table, setting
    unit = (root / "deploy" / "parallax.service").read_text(encoding="utf-8")
    assert f"LimitNOFILE={workers.FILES}\n" in unit


@contextlib.contextmanager
def proxied(folder, changed):
    """Yield the port of the proxy, its configuration ``changed``, before a small process that answers."""
    if NGINX is None:
        pytest.skip("nginx is not installed")
    (folder / "answering.py").write_text(ANSWERING)
    port, behind = free_port(), free_port()
    answering = subprocess.Popen([sys.executable, str(folder / "answering.py"), str(behind)])
    try:
        until(lambda: asked(behind))
        with nginx(folder, port, behind, changed):
            until(lambda: asked(port))
            yield port
    finally:
        answering.terminate()
        answering.wait(20)


@pytest.fixture
def impatient(tmp_path):
    """Return the port of a proxy whose deadlines are shortened to a second."""
    deadlines = r"(client_header_timeout|client_body_timeout|keepalive_timeout) \d+s"
    with proxied(tmp_path, lambda written: re.sub(deadlines, r"\1 1s", written)) as port:
        yield port


FEW = 5  # requests of one address that are under way


@pytest.fixture
def crowded(tmp_path):
    """Return the port of a proxy that lets an address have a few requests under way."""
    with proxied(tmp_path, lambda written: re.sub(r"(limit_conn address) \d+;", rf"\1 {FEW};", written)) as port:
        yield port


def begun(stack, port, path):
    """Return a connection that asks for a path and waits for its answer."""
    made = stack.enter_context(socket.create_connection(("127.0.0.1", port), 20))
    made.sendall(f"GET {path} HTTP/1.1\r\nHost: parallax.test\r\nConnection: close\r\n\r\n".encode())
    return made


def test_the_proxy_answers_one_request_too_many_of_an_address_with_a_503(crowded):
    with contextlib.ExitStack() as stack:
        waiting = [begun(stack, crowded, "/slow") for _ in range(FEW)]
        time.sleep(0.2)  # the proxy has read them
        assert begun(stack, crowded, "/").recv(65536).startswith(b"HTTP/1.1 503 ")
        for made in waiting:
            assert made.recv(65536).startswith(b"HTTP/1.1 200 "), "who was there before is answered"
        assert until(lambda: begun(stack, crowded, "/").recv(65536).startswith(b"HTTP/1.1 200 ")), "there is room"


def statuses(port, path, count):
    """Return the statuses of so many requests, one after the other."""
    with contextlib.ExitStack() as stack:
        return [int(begun(stack, port, path).recv(65536).split()[1]) for _ in range(count)]


@pytest.mark.parametrize(
    ("path", "is_limited"), [("/api/attend", True), ("/_stcore/stream", True), ("/api/health", False), ("/", False)]
)
def test_proxy_limits_requests_of_an_address(tmp_path, path, is_limited):
    with proxied(tmp_path, lambda text: re.sub(r"burst=\d+", "burst=3", text)) as port:
        assert (429 in statuses(port, path, 12)) == is_limited


def test_proxy_limits_request_sizes_and_compresses(tmp_path):
    with proxied(tmp_path, lambda text: text.replace("gzip_min_length 1000", "gzip_min_length 1")) as port:
        for path, size, status in (("/api/attend", 70_000, 413), ("/_stcore/upload_file/a/b", 22 << 20, 413)):
            with socket.create_connection(("127.0.0.1", port), 20) as made:
                made.sendall(f"PUT {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode())
                assert int(made.recv(65536).split()[1]) == status
        request = urllib.request.Request(f"http://127.0.0.1:{port}/file", headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=5) as answer:
            assert answer.headers["Content-Encoding"] == "gzip"


HALVES = {
    "header": b"GET / HTTP/1.1\r\nHost: parallax.test\r\nX-Half: ",
    "body": b"POST / HTTP/1.1\r\nHost: parallax.test\r\nContent-Length: 1000\r\n\r\nhalf",
    "next request": b"GET / HTTP/1.1\r\nHost: parallax.test\r\n\r\n",
    "first word": b"",
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("what", "count"), [("header", 300), ("body", 300), ("next request", 20), ("first word", 300)])
def test_the_proxy_closes_what_keeps_it_waiting_and_answers_others_meanwhile(impatient, what, count):
    with contextlib.ExitStack() as stack:
        many = [stack.enter_context(socket.create_connection(("127.0.0.1", impatient), 20)) for _ in range(count)]
        for made in many:
            made.sendall(HALVES[what])
        assert asked(impatient)
        for made in many:
            with contextlib.suppress(ConnectionError):
                while made.recv(65536):  # a timeout fails
                    pass


ANSWERING = """
import http.server, os, sys, time
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/slow": time.sleep(2)
        said = f"{os.getpid()} {self.headers['X-Forwarded-For']} {self.headers['Host']}".encode()
        self.send_response(200); self.send_header("Content-Length", str(len(said)))
        self.send_header("Content-Type", "text/plain" if self.path == "/file" else "text/html"); self.end_headers()
        self.wfile.write(said)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[-1])), Answer).serve_forever()
"""
SERVING = "import sys; from mha.server.workers import serve; serve(int(sys.argv[1]), 2, ['answering'])"


def given(port, path="", **headers):
    """Return the cookie that an answer gives, None without one."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=5) as answer:
        return answer.headers["Set-Cookie"]


def asked(port, browser="one", **headers):
    """Return who answered, for whom, and what host was asked; None while nobody answers."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"User-Agent": browser, **headers})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.read().decode().split()
    except OSError:
        return None


def free_ports(count):
    """Return the first of consecutive free ports below the range from which the system gives ports to others."""
    for first in random.sample(range(20_000, 32_000), 100):
        with contextlib.ExitStack() as probes, contextlib.suppress(OSError):
            for port in range(first, first + count):
                probes.enter_context(socket.socket()).bind(("", port))
            return first
    raise AssertionError("100 tries found no free ports")


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_one_browser_stays_with_one_process_and_one_that_dies_is_started_again(tmp_path):
    (tmp_path / "answering.py").write_text(ANSWERING)
    port = free_ports(3)  # the proxy and two processes behind it
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(workers.BESIDE)])}
    said = tmp_path / "said"
    with said.open("w") as errors:
        running = subprocess.Popen([sys.executable, "-c", SERVING, str(port)], env=environment, stderr=errors)
    try:
        until(lambda: all(asked(port + number) for number in (1, 2)))  # a process asked too early is passed over
        until(lambda: asked(port))
        first, client, host = asked(port)
        assert {asked(port)[0] for _ in range(5)} == {first}
        assert client == "127.0.0.1"
        assert host == f"127.0.0.1:{port}"
        assert len({asked(port, f"browser {number}")[0] for number in range(20)}) == 2
        cookies = [given(port).partition(";")[0] for _ in range(20)]  # phones of one kind behind one router
        places = [{asked(port, f"browser {number}", Cookie=cookie)[0] for number in range(3)} for cookie in cookies]
        assert all(len(place) == 1 for place in places)
        assert len(set.union(*places)) == 2
        assert given(port, Cookie=cookies[0]) is None, "one is enough"
        assert given(port, "file") is None, "a page gives it, not its files"
        os.kill(int(first), signal.SIGKILL)
        until(lambda: all(asked(port + number) for number in (1, 2)))
        assert until(lambda: asked(port))[0] != first
    finally:
        running.terminate()
        assert running.wait(20) == 0
    assert re.search(r"^Process [12] of the app ended \(-9\) and is started again\.$", said.read_text(), re.MULTILINE)
    assert [asked(port + number) for number in range(3)] == [None] * 3
