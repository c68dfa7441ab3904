"""What a wheel carries is enough: the README's lines run and the command starts the app, far from the checkout."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path

import pytest

from mha.errors import InputError, ModelError, ModelUnavailable
from mha.server import command_line as program
from mha.server.command_line import PORT, opening_with, start_command
from tests.browser.conftest import free_port

ROOT = Path(__file__).parents[1]
LINES = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
ASKED = "assert mha.__file__.startswith({folder!r}), mha.__file__"
PAGES = """
from mha.assets import BESIDE
from streamlit.testing.v1 import AppTest
app = AppTest.from_file(str(BESIDE / "pages" / "frame.py"), default_timeout=60).run()
assert not app.exception and len(app.get("bidi_component")) > 1
app.switch_page("questions.py").run()  # versions, every line of the glossary
assert not app.exception and any("@software{parallax" in block.value for block in app.code)
"""


def copy_of_the_checkout(folder: Path) -> Path:
    """Return a copy of what the package is built from, so that the build leaves nothing in the checkout."""
    unneeded = shutil.ignore_patterns(".git", ".venv", ".*_cache", ".hypothesis", "tests", "build", "*.egg-info")
    return shutil.copytree(ROOT, folder / "checkout", ignore=unneeded)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return the wheel, built with the tools of this environment."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*build, "-w", str(folder), str(copy_of_the_checkout(folder))], check=True, timeout=120)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    """Return the wheel's files as they would lie among the installed packages."""
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def run(folder: Path, code: str, python: str = sys.executable) -> None:
    """Run a few lines of Python from an empty folder, with the package of ``folder`` first."""
    lines = f"import mha\n{ASKED.format(folder=str(folder))}\n{code}"
    away = folder.parent / "away"
    away.mkdir(exist_ok=True)
    environment = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run([python, "-c", lines], cwd=away, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def answers(process: subprocess.Popen, url: str, seconds: float = 60) -> bytes:
    """Return what an address answers, as soon as it does."""
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.read()
        except OSError:
            assert process.poll() is None, "the command stopped"
            assert time.monotonic() < end, f"{url} did not answer"
            time.sleep(0.2)


def start_and_ask(starting: list[str], environment: dict[str, str], away: Path) -> None:
    """Start the app in an empty folder and see that it lives, has its settings, and says its address."""
    away.mkdir(exist_ok=True)
    url = f"http://localhost:{(port := free_port())}"
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen([*starting, "--port", str(port)], cwd=away, env=environment, **pipe)  # type: ignore
    try:
        assert b'"alive":true' in answers(process, f"{url}/api/health")
        assert b"Streamlit" in answers(process, url)
    finally:
        process.terminate()
        said, _ = process.communicate(timeout=20)
    assert f"Parallax is at {url}  (stop with Ctrl-C)" in said
    assert "Traceback" not in said, said
    assert "Collecting usage statistics" not in said  # the settings travelled


def test_the_wheel_carries_what_stands_beside_the_package(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    travels = [ROOT / "app.py", ROOT / "docs" / "glossary.md", ROOT / "requirements.txt"]
    travels += [ROOT / ".streamlit" / "config.toml", ROOT / "assets" / "images" / "icon.png"]
    travels += (ROOT / "pages").glob("*.py")
    assets = [path for path in (ROOT / "assets").rglob("*") if path.is_file() and path.suffix != ".png"]
    stays = [path for path in assets if path.name == "package.json" or path.name.endswith(".d.ts")]  # for the checks
    travels += set(assets) - set(stays)
    missing = {f"mha/beside/{path.relative_to(ROOT).as_posix()}" for path in travels} - names
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / "mha").rglob("*.py")}
    assert missing | (sources - names) == set()
    assert len(stays) == 2
    assert not names & {f"mha/beside/{path.relative_to(ROOT).as_posix()}" for path in stays}
    beside = [name for name in names if name.startswith("mha/beside/") and name.count("/") == 2]
    assert sorted(beside) == ["mha/beside/app.py", "mha/beside/requirements.txt"]
    assert not any(name.startswith(("tests/", "benchmarks/")) or "README" in name for name in names)


@pytest.mark.slow
def test_the_pages_are_drawn_from_the_wheel(unpacked):
    run(unpacked, PAGES)


@pytest.mark.slow
def test_the_command_starts_the_app_from_the_wheel(unpacked):
    entry = (unpacked / next(unpacked.glob("*.dist-info")) / "entry_points.txt").read_text()
    assert "parallax = mha.__main__:main" in entry
    without_screen = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment = without_screen | {"PYTHONPATH": str(unpacked)}
    start_and_ask([sys.executable, "-m", "mha"], environment, unpacked.parent / "away")


@pytest.mark.slow
def test_an_empty_environment_needs_nothing_but_the_package(tmp_path):
    """As a user does it: a new environment, ``pip install`` of the checkout, then the README and the command."""
    environment = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    install = [str(environment / "bin" / "pip"), "install", "-q"]
    torch = re.search(r"^torch==\S+", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    index = re.search(r"^TORCH_CPU := (\S+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert torch
    assert index
    small = ["--no-deps", "--retries", "0", "--timeout", "10", "--index-url", index[1], torch[0]]
    subprocess.run([*install, *small], check=False)  # as `make run`: without CUDA, where its index answers
    subprocess.run([*install, f"{copy_of_the_checkout(tmp_path)}[app]"], check=True, timeout=3600)
    python = str(environment / "bin" / "python")
    package = next((environment / "lib").glob("python*/site-packages"))
    for block in LINES:
        run(package, block, python)
    away = tmp_path / "elsewhere"
    start_and_ask([str(environment / "bin" / "parallax")], dict(os.environ), away)


def test_the_command_takes_a_port_and_hands_the_rest_on(monkeypatch):
    monkeypatch.setattr(program, "_is_free", lambda port: True)
    port, count, line = start_command(["--port", "8502", "--server.baseUrlPath", "lens"], screen=False)
    assert (port, count) == (8502, 1)
    assert line[:3] == ["streamlit", "run", str(ROOT / "app.py")]
    assert line[line.index("--server.port") + 1] == "8502"
    assert line[line.index("--server.headless") + 1] == "true"
    assert line[-2:] == ["--server.baseUrlPath", "lens"]
    assert start_command([], screen=True)[0] == PORT


def test_a_folder_is_offered_and_what_the_app_opens_with(snapshots, tmp_path):
    folder = snapshots["tiny-causal"]
    told = opening_with(str(folder), {"PARALLAX_MODELS": f"org/name,{folder}"})
    assert told == {"PARALLAX_MODELS": f"{folder},org/name", "PARALLAX_OPENS_WITH": "tiny-causal"}
    with pytest.raises(ModelUnavailable):
        opening_with(str(tmp_path), {})
    with pytest.raises(ModelError):
        opening_with("no/such-model-kept-here", {})
    with pytest.raises(
        ModelError, match="There is no folder /no/such/folder, and a model of the hub is named org/name"
    ):
        opening_with("/no/such/folder", {})


@pytest.mark.parametrize("model", ["", "\0", "~nobody-of-this-name/model", "a" * 5000])
def test_what_can_be_no_folder_is_said_to_be_none(model):
    with pytest.raises(
        ModelUnavailable, match="There is no folder .*, and a model of the hub is named org/name"
    ) as refused:
        opening_with(model, {})
    assert len(str(refused.value)) < 200


def test_a_command_writes_in_ascii_and_to_a_reader_who_has_gone():
    asked, ascii_only = [sys.executable, "-m", "mha", "figure", "--help"], os.environ | {"PYTHONIOENCODING": "ascii"}
    ended = subprocess.run(asked, cwd=ROOT, env=ascii_only, capture_output=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, b"")
    read, write = os.pipe()
    os.close(read)
    version = [sys.executable, "-m", "mha", "--version"]
    ended = subprocess.run(version, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, timeout=60)
    os.close(write)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_the_image_installs_these_versions_and_each_file_by_its_hash():
    files = [ROOT / name for name in ("requirements.txt", "requirements-models.txt")]
    asked = [pin for file in files for pin in re.findall(r"^(\S+)==(\S+)$", file.read_text("utf-8"), re.MULTILINE)]
    pinned = [
        line for line in (ROOT / "requirements-image.txt").read_text(encoding="utf-8").splitlines() if "==" in line
    ]
    found = [re.fullmatch(r"([a-z0-9._-]+)==([^ +]+)(\+cpu)? --hash=sha256:[0-9a-f]{64}", line) for line in pinned]
    assert all(found), [line for line, match in zip(pinned, found, strict=True) if not match]
    named = {match[1].replace("_", "-"): match[2] for match in found}
    assert len(named) == len(pinned) > len(asked) > 10
    for name, version in asked:
        assert named[name.replace("_", "-")] == version
    assert "setuptools" in named, "what builds the package is one of them"


def test_a_port_that_is_taken_is_said_before_the_address_is(monkeypatch):
    monkeypatch.setattr(program, "_is_free", lambda port: port > 8503)
    assert program.free_port(8501, exactly=False) == 8504
    assert program.free_port(8504, exactly=True) == 8504
    with pytest.raises(
        InputError, match=r"Port 8501 is taken.* Port 8504 is free: add --port 8504 \(with make: PORT=8504"
    ):
        program.free_port(8501, exactly=True)
    monkeypatch.setattr(program, "_is_free", lambda port: False)
    with pytest.raises(InputError, match="Port 65535 is taken"):
        program.free_port(65535, exactly=False)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["exprot", "about"], "no command “exprot”. Its command is figure"),
        (["export", "about", "-o", "about.html"], "no command “export”. Its command is figure"),
        (["--port", "0"], "from 1 to 65535, not 0"),
        (["--port", "99999"], "from 1 to 65535, not 99999"),
    ],
)
def test_what_is_no_command_and_no_port_starts_nothing(monkeypatch, given, said):
    monkeypatch.setattr(sys, "argv", ["parallax", *given])
    monkeypatch.setattr(program.runpy, "run_module", lambda *_, **__: pytest.fail("the app was started"))
    with pytest.raises(SystemExit, match=said):
        program.main()


@pytest.mark.filterwarnings("ignore:.*found in sys.modules")
@pytest.mark.parametrize(
    "name",
    ["tools.sums", "tools.fonts", "tools.streamlit_config", "tools.preview_picture"],
)
def test_a_command_that_is_asked_for_help_gives_it_and_makes_nothing(name, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(name, run_name="__main__")
    assert ended.value.code == 0
    assert f"usage: python -m {name}" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
