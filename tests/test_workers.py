"""Several processes behind one address: the proxy's configuration, and what is said where there is none."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

import pytest

from mha import workers
from mha.errors import InputError
from tests.browser.conftest import free_port

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


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


def test_each_process_gets_its_share_of_the_cores_and_believes_the_proxy(monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 8)
    found = workers.environment(2, {"HOME": "/x"})
    assert found == {"OMP_NUM_THREADS": "4", "PARALLAX_TRUSTED_PROXIES": "127.0.0.1", "HOME": "/x"}
    assert workers.environment(2, {"OMP_NUM_THREADS": "1"})["OMP_NUM_THREADS"] == "1"


@pytest.mark.parametrize(("count", "says"), [(0, "takes 1 to 32, not 0"), (33, "not 33")])
def test_a_strange_number_of_processes_is_refused(count, says):
    with pytest.raises(InputError, match=says):
        workers.serve(8501, count, [])


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


ANSWERING = """
import http.server, os, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        said = f"{os.getpid()} {self.headers['X-Forwarded-For']} {self.headers['Host']}".encode()
        self.send_response(200); self.send_header("Content-Length", str(len(said)))
        self.send_header("Content-Type", "text/plain" if self.path == "/file" else "text/html"); self.end_headers()
        self.wfile.write(said)
    def log_message(self, *_): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[-1])), Answer).serve_forever()
"""
SERVING = "import sys; from mha.workers import serve; serve(int(sys.argv[1]), 2, ['answering'])"


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


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.1)
    return found


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_one_browser_stays_with_one_process_and_one_that_dies_is_started_again(tmp_path):
    (tmp_path / "answering.py").write_text(ANSWERING)
    port = free_port()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(workers.BESIDE)])}
    running = subprocess.Popen([sys.executable, "-c", SERVING, str(port)], env=environment)
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
    assert [asked(port + number) for number in range(3)] == [None] * 3
