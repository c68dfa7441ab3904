"""Several processes behind one address: each serves the app on a port of its own, and nginx shares them out.

A browser comes to the same process again, for its session lives there. A process that ends is started again.
"""

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
INTERVAL = 1.0  # seconds between two checks that all processes run
NO_PROXY = "Several processes need nginx before them: install it (apt install nginx-light), or start without --workers."

NO_FOLDER = (
    "Several processes need a directory that may be written to: make /tmp writable, or set TMPDIR to one that is."
)


def configuration(template: str, port: int, ports: Sequence[int], folder: Path) -> str:
    """Return the proxy's configuration for these ports."""
    servers = "\n".join(f"        server 127.0.0.1:{port_number} max_fails=2 fail_timeout=3s;" for port_number in ports)
    values = {"PORT": port, "SERVERS": servers, "FOLDER": folder, "FILES": files(), "CONNECTIONS": files() // 4}
    for name, value in values.items():
        template = template.replace(f"@{name}@", str(value))
    return template


def files() -> int:
    """Return how many files and sockets the proxy may have open: as many as are good, or as this system gives it."""
    import resource  # where nginx runs it is there

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return FILES if limit == resource.RLIM_INFINITY else min(FILES, limit)


def environment(count: int, variables: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment of one of ``count`` processes: its share of the cores, and a proxy that is trusted."""
    defaults = {"OMP_NUM_THREADS": str(max(1, cores() // count)), "PARALLAX_TRUSTED_PROXIES": "127.0.0.1"}
    return defaults | {"PARALLAX_COMPRESS": "off"} | dict(variables)


def serve(port: int, count: int, command: Sequence[str], base: str = "") -> None:
    """Start ``count`` processes and the proxy, and stay until this one is stopped; ``command`` lacks the port.

    ``base`` is the path that the app is served below, for the greeting.

    Raises:
        InputError: nginx or a writable directory for its configuration is missing, or the number is out of range.
    """
    if not 1 <= count <= MOST:
        raise InputError(f"--workers takes 1 to {MOST}, not {count}.")
    proxy = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if proxy is None:
        raise InputError(NO_PROXY)
    ports = [port + 1 + number for number in range(count)]
    try:
        directory = tempfile.TemporaryDirectory(prefix="parallax-")
    except OSError as error:
        raise InputError(NO_FOLDER) from error
    with directory as name:
        file = Path(name) / "nginx.conf"
        template = TEMPLATE.read_text(encoding="utf-8")
        file.write_text(configuration(template, port, ports, file.parent), encoding="utf-8")
        commands = [[sys.executable, "-m", *command, "--server.port", str(worker_port)] for worker_port in ports]
        commands.append([proxy, "-c", str(file), "-p", name])
        print(GREETING.format(port, base), flush=True)
        _watch(commands, environment(count))


def _watch(commands: Sequence[Sequence[str]], variables: Mapping[str, str]) -> None:
    """Keep every command running until this process is stopped; end all of them then."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    processes = [subprocess.Popen(command, env=variables) for command in commands]
    try:
        while True:
            time.sleep(INTERVAL)
            for number, process in enumerate(processes):
                if process.poll() is not None:
                    name = "nginx" if process is processes[-1] else f"Process {number + 1} of the app"
                    print(f"{name} ended ({process.returncode}) and is started again.", file=sys.stderr, flush=True)
                    processes[number] = subprocess.Popen(commands[number], env=variables)
    except KeyboardInterrupt:
        pass
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
