"""The command `parallax`: start the app, in one process or several, or write a print figure into a file."""

import argparse
import importlib.util
import io
import os
import runpy
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from mha.assets import BESIDE
from mha.errors import InputError, MHAError, ModelUnavailable
from mha.models.files.catalog import OPENS_WITH, VARIABLE, entries, offer_of
from mha.models.files.inspection import is_hub_id
from mha.server import workers

PORT = 8501
BASE, BASE_VARIABLE = "server.baseUrlPath", "STREAMLIT_SERVER_BASE_URL_PATH"
INTERRUPTED = 130  # exit status of a command that Ctrl-C ended
NAME_LENGTH = 80  # characters of a wrong name in a message
TRIES = 100  # ports after a taken one
FIGURE: dict[str, dict[str, Any]] = {  # options of `parallax figure`
    "--kind": {"default": "map", "help": "map, maps, arcs, grid, bars or change; by default map"},
    "--head": {"action": "append", "default": [], "help": "a head, such as L3H1; repeat it for further heads"},
    "--word": {"default": "", "help": "the word that arcs leave, or its position among the tokens"},
    "--contrast": {"help": "the other version of the sentence, for change and bars"},
    "--width": {"help": "in mm, or single (84) or double (174)"},
    "--model": {"help": "a model on offer, a folder or an org/name; by default MiniLM"},
    "--out": {"required": True, "help": "the file: figure.svg, figure.pdf or figure.png"},
    "--dpi": {"type": int, "default": 300, "help": "dots per inch of a PNG"},
}


def main() -> None:
    """Run the command; end without a traceback if it is interrupted or its output is closed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # the stream may take ASCII alone
    try:
        try:
            run(sys.argv[1:])
        finally:
            print(end="", flush=True)
    except MHAError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the rest of the output goes nowhere
        sys.exit(1)


def run(arguments: Sequence[str]) -> None:
    """Draw a figure, print the version, or start the app and return when it ends; raise InputError or ModelError."""
    if arguments[:1] == ["figure"]:
        draw_figure(arguments[1:])
    elif arguments == ["--version"]:
        from mha.export.provenance import app_version  # imports numpy, which starting the app does not need

        print(f"Parallax {app_version()}")
    elif arguments and not arguments[0].startswith("-"):  # Streamlit would ignore the word and start the app
        raise InputError(f"Parallax has no command “{arguments[0][:40]}”. Its command is figure, its options: --help.")
    else:
        port, count, command = start_command(arguments, has_screen(os.environ, sys.platform))
        if importlib.util.find_spec("streamlit") is None:
            raise InputError("The pages need more than the package alone: pip install 'mha-parallax[app]'.")
        base = base_path(command, os.environ)
        if count == 1:
            print(workers.GREETING.format(port, base), flush=True)
            sys.argv = command
            runpy.run_module("streamlit", run_name="__main__")
        else:
            workers.serve(port, count, command, base)


def start_command(arguments: Sequence[str], screen: bool) -> tuple[int, int, list[str]]:
    """Return port, processes and the command of Streamlit that starts the app; it opens a browser on a screen.

    The settings come from the app's folder, not from the working directory; Streamlit gets unknown options.

    Raises:
        InputError: the named port is taken.
        ModelError: the model cannot be offered.
    """
    parser = argparse.ArgumentParser(
        prog="parallax",
        description="See where every head of a transformer looks. Starts the app and prints its address.",
        epilog="Any other option goes to streamlit, such as --server.baseUrlPath NAME. "
        "`parallax figure TEXT` writes a figure for print, `parallax --version` prints the version.",
    )
    parser.add_argument("--port", type=int, help=f"by default {PORT} or the next free port")
    parser.add_argument("--model", help="a snapshot folder or a fetched org/name: on offer, and the app opens with it")
    parser.add_argument("--workers", type=int, default=1, help="number of processes; several need nginx")
    options, unknown = parser.parse_known_args(arguments)
    if options.model is not None:
        os.environ.update(opening_with(options.model, os.environ))
    port = free_port(PORT if options.port is None else options.port, exactly=options.port is not None)
    is_alone = options.workers == 1
    settings: dict[str, object] = {"server.port": port} if is_alone else {"server.address": "127.0.0.1"}
    settings |= {"server.headless": str(not (screen and is_alone)).lower(), "server.showEmailPrompt": "false"}
    flags = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
    return port, options.workers, ["streamlit", "run", str(BESIDE / "app.py"), *flags, *unknown]


def base_path(options: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return the path that the app is served below, such as "/lens/", or "" for none.

    Streamlit takes it from the last option ``--server.baseUrlPath``, or else from its environment variable.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(f"--{BASE}", default=environment.get(BASE_VARIABLE, ""))
    folder = vars(parser.parse_known_args(options)[0])[BASE].strip("/")
    return f"/{folder}/" if folder else ""


def free_port(port: int, exactly: bool) -> int:
    """Return a port, or unless it must be ``exactly`` that one, the first free one from there.

    Raises:
        InputError: the port is not a port or is taken; the message names a free one.
    """
    if not 0 < port < 65536:
        raise InputError(f"A port is a number from 1 to 65535, not {port}.")
    free = next(filter(_is_free, range(port, min(port + TRIES, 65536))), None)
    if free == port or (free is not None and not exactly):
        return free
    offer = f"Port {free} is free: add --port {free} (with make: PORT={free})." if free else "So are the next ones."
    raise InputError(f"Port {port} is taken, or not ours to open. {offer}")


def _is_free(port: int) -> bool:
    """Return whether this process can listen to a port on all addresses, as the pages do."""
    with socket.socket() as probe, suppress(OSError):
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as uvicorn: a port that was just closed is free
        probe.bind(("", port))
        return True
    return False


def opening_with(model: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that offer a snapshot folder or a fetched model of the hub and open the app with it.

    Raises:
        ModelError: it cannot be offered; the message has the reason.
    """
    entry = ""
    with suppress(OSError, ValueError, RuntimeError):  # not a file name, an unknown home, or a folder that is gone
        folder = Path(model).expanduser()
        entry = str(folder.resolve()) if model and folder.is_dir() else ""
    if not entry and not is_hub_id(model):
        name = model[:NAME_LENGTH] or "without a name"
        raise ModelUnavailable(f"There is no folder {name}, and a model of the hub is named org/name.")
    entry = entry or model
    remaining = [item for item in entries(environment.get(VARIABLE, "")) if item != entry]
    return {OPENS_WITH: offer_of(entry).name, VARIABLE: ",".join([entry, *remaining])}


def has_screen(environment: Mapping[str, str], platform: str) -> bool:
    """Return whether a browser can be opened here."""
    return platform in ("darwin", "win32") or any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def draw_figure(arguments: Sequence[str]) -> None:
    """Write a print figure of a text into a file, and print its size and its caption.

    Raises:
        InputError, ModelError: the figure cannot be drawn or written.
    """
    parser = argparse.ArgumentParser(
        prog="parallax figure", description="Draw where heads look in a text as a figure for print: SVG, PDF or PNG."
    )
    parser.add_argument("text", help="the sentence")
    for name, settings in FIGURE.items():
        parser.add_argument(name, **settings)
    options = parser.parse_args(arguments)
    if not (folder := Path(options.out).parent).is_dir():
        raise InputError(f"There is no folder {folder}.")
    from mha.analysis.proposals import suggested  # numpy, and models below: not for starting the app
    from mha.export.figure import figure
    from mha.intervention.patching import patch
    from mha.models.files.catalog import DEFAULT
    from mha.models.watch.attending import attend

    text, heads, model, kind = options.text, options.head, options.model, options.kind
    is_number = (options.width or "").replace(".", "", 1).isdecimal()
    width = float(options.width) if is_number else options.width
    if kind == "bars" and options.contrast:
        result = patch(text, options.contrast, suggested(text), model=model or DEFAULT)
        drawing = figure(result, kind, heads, width)
    else:
        maps, *contrast = (attend(version, model or DEFAULT) for version in (text, options.contrast) if version)
        word = int(options.word) if options.word.isdecimal() else options.word
        drawing = figure(maps, kind, heads, width, word=word, contrast=next(iter(contrast), None))
    try:
        path = drawing.save(options.out, options.dpi)
    except OSError as error:
        raise InputError(f"{options.out} cannot be written: {error.strerror or error}.") from error
    print(f"{path}: {drawing.size_mm[0]:g} × {drawing.size_mm[1]:g} mm\n{drawing.caption}")
