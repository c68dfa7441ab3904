"""What docs/deploy.md tells to do on each host, as far as it can be done here."""

import re
import subprocess
from pathlib import Path

from mha.server.middleware import client
from tests.server.asgi import stream

ROOT = Path(__file__).parents[1]
DEPLOY = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
PROXY = "10.16.3.9"  # as a Space's log names the hub's own


def lines(path):
    return [line for line in (ROOT / path).read_text(encoding="utf-8").splitlines() if re.match(r"[\w-]", line)]


def test_the_cloud_installs_what_is_pinned_and_pytorch_without_cuda():
    index, *pins = lines("deploy/cloud-requirements.txt")
    assert index == "--extra-index-url https://download.pytorch.org/whl/cpu"
    assert [pin.replace("+cpu", "") for pin in pins] == lines("requirements.txt")
    assert [pin for pin in pins if pin.endswith("+cpu")] == [pin for pin in pins if pin.startswith("torch==")] != []


def test_requirements_txt_names_no_index_so_that_make_takes_the_registry_that_is_there():
    assert [line for line in lines("requirements.txt") if line.startswith("-")] == []


def test_the_front_matter_of_a_space_stands_at_the_top_of_its_readme(tmp_path):
    """The line of the recipe, run in a folder that has what it needs."""
    (command,) = re.findall(r"^    cd space && (.+)$", DEPLOY, re.MULTILINE)
    (tmp_path / "deploy").mkdir()
    for name in ("README.md", "deploy/space.md"):
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
    opened, front, rest = (tmp_path / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    assert opened == ""
    told = dict(line.split(": ", 1) for line in front.splitlines())
    assert told["sdk"] == "docker"
    assert f"EXPOSE {told['app_port']}\n" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert rest.strip() == (ROOT / "README.md").read_text(encoding="utf-8").strip()


def test_the_setting_for_a_space_tells_its_visitors_apart_and_believes_nothing_they_write(monkeypatch):
    (network,) = re.findall(r"`PARALLAX_TRUSTED_PROXIES` to `([^`]+)`", DEPLOY)
    visitors = [stream(who=PROXY, x_forwarded_for=f"203.0.113.{number}") for number in range(80)]
    forged = stream(who=PROXY, x_forwarded_for="192.0.2.1, 203.0.113.5")
    assert {client(one) for one in visitors} == {PROXY}
    monkeypatch.setenv("PARALLAX_TRUSTED_PROXIES", network)
    assert len({client(one) for one in visitors}) == 80
    assert client(forged) == "203.0.113.5"
    assert client(stream(who="198.51.100.7", x_forwarded_for="203.0.113.5")) == "198.51.100.7"
