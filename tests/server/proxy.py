"""nginx with the configuration of `deploy/nginx.conf`, for tests and benchmarks."""

import contextlib
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from mha.server import workers

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


@contextlib.contextmanager
def nginx(
    folder: Path, port: int, behind: int, change: Callable[[str], str] = lambda text: text
) -> Iterator[subprocess.Popen]:
    """Run nginx on a port in front of a process on another; ``change`` may alter its configuration."""
    assert NGINX, "nginx is not installed"
    configuration = workers.configuration(workers.TEMPLATE.read_text(encoding="utf-8"), port, [behind], folder)
    (folder / "nginx.conf").write_text(change(configuration), encoding="utf-8")
    process = subprocess.Popen([NGINX, "-c", str(folder / "nginx.conf"), "-p", str(folder)])
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)
