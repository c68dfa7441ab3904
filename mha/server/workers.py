"""Several processes behind one address: each serves the app on a port of its own, and nginx shares them out.

A browser comes to the same process again, for its session lives there. A process that ends is started again.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from mha.assets import BESIDE
from mha.errors import InputError
from mha.models.files.environment import cores

TEMPLATE = BESIDE / "deploy" / "nginx.conf"
MOST = 32
FILES = 65536  # as in deploy/parallax.service
GREETING = "Parallax is at http://localhost:{}{}  (stop with Ctrl-C)"
LOOK = 1.0  # seconds between two looks at whether all run
NO_PROXY = "Several processes need nginx before them: install it (apt install nginx-light), or start without --workers."

NO_FOLDER = (
    "Several processes need a directory that may be written to: make /tmp writable, or set TMPDIR to one that is."
)


def configuration(template: str, port: int, ports: Sequence[int], folder: Path) -> str:
    """Return the proxy's configuration for these ports."""
    servers = "\n".join(f"        server 127.0.0.1:{each} max_fails=2 fail_timeout=3s;" for each in ports)
    filled = {"PORT": port, "SERVERS": servers, "FOLDER": folder, "FILES": files(), "CONNECTIONS": files() // 4}
    for name, value in filled.items():
        template = template.replace(f"@{name}@", str(value))
    return template


def files() -> int:
    """Return how many files and sockets the proxy may have open: as many as are good, or as this system gives it."""
    import resource  # where nginx runs it is there

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return FILES if most == resource.RLIM_INFINITY else min(FILES, most)


def environment(count: int, given: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment of one of ``count`` processes: its share of the cores, and a proxy that is trusted."""
    defaults = {"OMP_NUM_THREADS": str(max(1, cores() // count)), "PARALLAX_TRUSTED_PROXIES": "127.0.0.1"}
    return defaults | {"PARALLAX_COMPRESS": "off"} | dict(given)


def serve(port: int, count: int, command: Sequence[str], base: str = "") -> None:
    """Start ``count`` processes and the proxy, and stay until this one is stopped; ``command`` lacks the port.

    ``base`` is the path that the app is served below, for the greeting.

    Raises:
        InputError: there is no nginx, nowhere to write what it is told, or no such number of processes.
    """
    if not 1 <= count <= MOST:
        raise InputError(f"--workers takes 1 to {MOST}, not {count}.")
    proxy = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if proxy is None:
        raise InputError(NO_PROXY)
    ports = [port + 1 + number for number in range(count)]
    try:
        place = tempfile.gettempdir()
    except OSError as error:
        raise InputError(NO_FOLDER) from error
    with tempfile.TemporaryDirectory(prefix="parallax-", dir=place) as name:
        folder = Path(name)
        written = folder / "nginx.conf"
        written.write_text(configuration(TEMPLATE.read_text(encoding="utf-8"), port, ports, folder), encoding="utf-8")
        commands = [[sys.executable, "-m", *command, "--server.port", str(each)] for each in ports]
        commands.append([proxy, "-c", str(written), "-p", name])
        print(GREETING.format(port, base), flush=True)
        _watch(commands, environment(count))


def _watch(commands: Sequence[Sequence[str]], given: Mapping[str, str]) -> None:
    """Keep every command running until this process is told to stop."""

    def stop(*_):
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, stop)
    running = [subprocess.Popen(command, env=given) for command in commands]
    try:
        while True:
            time.sleep(LOOK)
            for place, process in enumerate(running):
                if process.poll() is not None:
                    what = "nginx" if process is running[-1] else f"Process {place + 1} of the app"
                    print(f"{what} ended ({process.returncode}) and is started again.", file=sys.stderr, flush=True)
                    running[place] = subprocess.Popen(commands[place], env=given)
    except KeyboardInterrupt:
        pass
    finally:
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
