"""Several processes behind one address: the proxy's configuration, and what is said where there is none."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import pytest

from mha import workers
from mha.errors import InputError
from mha.guard.connections import BROWSER
from mha.guard.limits import Limits
from tests.browser.conftest import free_port

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def test_the_configuration_names_every_process_and_nothing_is_left_open(tmp_path):
    written = workers.configuration(workers.TEMPLATE.read_text(), 8501, [8502, 8503, 8505], tmp_path)
    assert re.findall(r"server 127\.0\.0\.1:(\d+)", written) == ["8502", "8503", "8505"]
    assert "listen 8501;" in written
    assert not re.search(r"@[A-Z]+@", written)


def test_what_the_tests_need_of_debian_has_the_proxy_that_they_are_skipped_without():
    makefile = (workers.BESIDE / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^system:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)[1]
    assert re.search(r"apt-get install .* nginx-light >/dev/null", recipe)
    assert "the tests of the proxy are skipped" in recipe, "where it cannot be fetched"


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_nginx_takes_the_configuration(tmp_path):
    file = tmp_path / "nginx.conf"
    file.write_text(workers.configuration(workers.TEMPLATE.read_text(), 18501, [18502], tmp_path))
    done = subprocess.run([NGINX, "-t", "-c", str(file), "-p", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_proxy_asks_for_no_more_open_files_than_there_are(monkeypatch):
    resource = pytest.importorskip("resource")
    for most, given in ((1000, 1000), (1 << 20, workers.FILES), (resource.RLIM_INFINITY, workers.FILES)):
        monkeypatch.setattr(resource, "getrlimit", lambda _which, most=most: (most, most))
        assert workers.files() == given


def test_each_process_gets_its_share_of_the_cores_and_believes_the_proxy(monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: 8)
    found = workers.environment(2, {"HOME": "/x"})
    assert found == {"OMP_NUM_THREADS": "4", "PARALLAX_TRUSTED_PROXIES": "127.0.0.1", "HOME": "/x"}
    assert workers.environment(2, {"OMP_NUM_THREADS": "1"})["OMP_NUM_THREADS"] == "1"


@pytest.mark.parametrize(("count", "says"), [(0, "takes 1 to 32, not 0"), (33, "not 33")])
def test_a_strange_number_of_processes_is_refused(count, says):
    with pytest.raises(InputError, match=says):
        workers.serve(8501, count, [])


def test_only_what_is_not_refused_is_greeted(monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda *_args, **_more: "/usr/sbin/nginx")
    monkeypatch.setattr(workers, "_watch", lambda *_: None)
    with pytest.raises(InputError):
        workers.serve(8501, 0, [])
    assert capsys.readouterr().out == ""
    workers.serve(8501, 2, [])
    assert capsys.readouterr().out == "Parallax is at http://localhost:8501  (stop with Ctrl-C)\n"


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


def test_what_a_connection_is_due_is_the_same_with_and_without_the_proxy():
    written, limits = workers.TEMPLATE.read_text(), Limits()

    def seconds(name):
        return [float(found) for found in re.findall(rf"^ *{name} (\d+)s;", written, re.MULTILINE)]

    assert seconds("client_header_timeout") == [limits.header_seconds]
    assert seconds("client_body_timeout") == [limits.body_seconds]
    assert seconds("send_timeout") == [limits.answer_seconds]
    outside, inside = seconds("keepalive_timeout")
    assert outside == limits.keepalive_seconds
    assert inside < limits.keepalive_seconds, "a process closes its own only after the proxy has stopped using it"
    most = int(re.search(r"limit_conn address (\d+);", written)[1])
    assert most == (BROWSER + 1) * limits.sockets_per_client
    unit = (workers.BESIDE / "deploy" / "parallax.service").read_text()
    assert f"LimitNOFILE={workers.FILES}\n" in unit


@contextlib.contextmanager
def proxied(folder, changed):
    """Yield the port of the proxy, its configuration ``changed``, before a small process that answers."""
    if NGINX is None:
        pytest.skip("nginx is not installed")
    (folder / "answering.py").write_text(ANSWERING)
    port, behind = free_port(), free_port()
    written = workers.configuration(workers.TEMPLATE.read_text(), port, [behind], folder)
    (folder / "nginx.conf").write_text(changed(written))
    commands = [
        [sys.executable, str(folder / "answering.py"), str(behind)],
        [NGINX, "-c", str(folder / "nginx.conf"), "-p", str(folder)],
    ]
    running = [subprocess.Popen(command) for command in commands]
    try:
        until(lambda: asked(behind))
        until(lambda: asked(port))
        yield port
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait(20)


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
