"""The command `parallax`, and ``python -m mha``: start the app."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Mapping, Sequence

from mha.assets import BESIDE

PORT = 8501


def command(arguments: Sequence[str], screen: bool) -> tuple[int, list[str]]:
    """Return the port, and the command of Streamlit that starts the app; it opens a browser where there is a screen.

    The settings come from the file beside the app, whatever the working directory; what this command does not know
    goes on to Streamlit.
    """
    parser = argparse.ArgumentParser(
        prog="parallax",
        description="See where every head of a transformer looks. Starts the app and says its address.",
        epilog="Any other option goes to streamlit, such as --server.baseUrlPath NAME.",
    )
    parser.add_argument("--port", type=int, default=PORT, help=f"where it listens; {PORT} unless said")
    said, others = parser.parse_known_args(arguments)
    options = {
        "server.port": said.port,
        "server.headless": str(not screen).lower(),
        "server.showEmailPrompt": "false",
        "browser.serverAddress": "localhost",
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    return said.port, ["streamlit", "run", str(BESIDE / "app.py"), *flags, *others]


def has_screen(environment: Mapping[str, str], platform: str) -> bool:
    """Return whether a browser can be opened here."""
    return platform in ("darwin", "win32") or any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def main() -> None:
    """Start the app, and stay until it is stopped."""
    port, sys.argv = command(sys.argv[1:], has_screen(os.environ, sys.platform))
    print(f"Parallax is at http://localhost:{port}  (stop with Ctrl-C)", flush=True)
    runpy.run_module("streamlit", run_name="__main__")


if __name__ == "__main__":
    main()
