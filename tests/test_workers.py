"""Several processes behind one address: the proxy's configuration, and what is said where there is none."""

import re
import shutil
import subprocess

import pytest

from mha import workers
from mha.errors import InputError

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


def test_without_a_proxy_it_says_what_to_do(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_args, **_more: None)
    with pytest.raises(InputError, match="install it"):
        workers.serve(8501, 2, [])
