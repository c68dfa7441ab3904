"""The command `parallax`, and ``python -m mha``: start the app, or write a figure into a file."""

from __future__ import annotations

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
from urllib.parse import parse_qs

from mha.assets import BESIDE
from mha.errors import InputError, MHAError, ModelError, ModelUnavailable
from mha.models.files.catalog import OPENS_WITH, VARIABLE, offer_of
from mha.models.files.hub import is_hub_id
from mha.server import workers

PORT = 8501
BASE, BASE_VARIABLE = "server.baseUrlPath", "STREAMLIT_SERVER_BASE_URL_PATH"
STOPPED = 130  # what a command ends with that Ctrl-C stopped
MOST_SAID = 80  # characters of what names no folder
TRIED = 100  # ports after the one that is taken, of which the first free one is named


def command(arguments: Sequence[str], screen: bool) -> tuple[int, int, list[str]]:
    """Return port, processes and the command of Streamlit that starts the app; it opens a browser on a screen.

    The settings come from the file beside the app, whatever the working directory; what this command does not know
    goes on to Streamlit.

    Raises:
        InputError: the port that was asked for is taken, or the working directory is gone.
        ModelError: the model cannot be offered.
    """
    parser = argparse.ArgumentParser(
        prog="parallax",
        description="See where every head of a transformer looks. Starts the app and says its address.",
        epilog="Any other option goes to streamlit, such as --server.baseUrlPath NAME. "
        "`parallax figure TEXT` writes a figure for print, `parallax --version` prints the version.",
    )
    parser.add_argument("--port", type=int, help=f"where it listens; {PORT}, or the next free one, unless given")
    parser.add_argument(
        "--model", help="a snapshot's folder, or a fetched org/name: on offer, and what the app opens with"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes, behind nginx where there are several")
    said, others = parser.parse_known_args(arguments)
    try:
        os.getcwd()  # where Streamlit looks for settings
    except OSError as error:
        raise InputError("The folder that this was started in is gone. Start it in another one.") from error
    if said.model is not None:
        os.environ.update(opening_with(said.model, os.environ))
    alone = said.workers == 1
    port = free_port(PORT if said.port is None else said.port, exactly=said.port is not None)
    place = {"server.port": port} if alone else {"server.address": "127.0.0.1"}
    options = place | {
        "server.headless": str(not (screen and alone)).lower(),
        "server.showEmailPrompt": "false",
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    return port, said.workers, ["streamlit", "run", str(BESIDE / "app.py"), *flags, *others]


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
        InputError: it is taken, and the message names one that is free; or it is none.
    """
    if not 0 < port < 65536:
        raise InputError(f"A port is a number from 1 to 65535, not {port}.")
    free = next((each for each in range(port, min(port + TRIED, 65536)) if _is_free(each)), None)
    if free == port or (free is not None and not exactly):
        return free
    offer = f"Port {free} is free: add --port {free} (with make: PORT={free})." if free else "So are the next ones."
    raise InputError(f"Port {port} is taken, or not ours to open. {offer}")


def _is_free(port: int) -> bool:
    """Return whether this process could listen there: on all addresses, as the pages do."""
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as uvicorn: what has just been closed is free
        try:
            tried.bind(("", port))
        except OSError:
            return False
    return True


def opening_with(model: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that offer a snapshot's folder, or a fetched model of the hub, and open the app with it.

    Raises:
        ModelError: it cannot be offered; the message says why.
    """
    entry = ""
    with suppress(OSError, ValueError, RuntimeError):  # no name of a file, nobody's home, or a place that is gone
        folder = Path(model).expanduser()
        entry = str(folder.resolve()) if model and folder.is_dir() else ""
    if not entry and not is_hub_id(model):
        named = model[:MOST_SAID] or "without a name"
        raise ModelUnavailable(f"There is no folder {named}, and a model of the hub is named org/name.")
    entry = entry or model
    row = offer_of(entry)
    offered = [part for part in (environment.get(VARIABLE, "").split(",")) if part.strip() and part.strip() != entry]
    return {VARIABLE: ",".join([entry, *offered]), OPENS_WITH: row.name}


def has_screen(environment: Mapping[str, str], platform: str) -> bool:
    """Return whether a browser can be opened here."""
    return platform in ("darwin", "win32") or any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def check_folder_of(file: str) -> None:
    """End the command where a file's folder is not there, before anything is computed for it."""
    folder = Path(file).parent
    if not folder.is_dir():
        sys.exit(f"There is no folder {folder}.")


def linked(text: str) -> bool:
    """Return whether what was given is the link of a page, and no sentence: an address, or words of one.

    A link that leaves the first sentence as it is has no text, but every link that the app writes has its version.
    """
    words = parse_qs(text.partition("?")[2], keep_blank_values=True)
    return text.startswith(("http://", "https://", "?")) and bool({"v", "text"} & words.keys())


def figure(arguments: Sequence[str]) -> None:
    """Write a figure for print of a text into a file, and print its size and its caption."""
    parser = argparse.ArgumentParser(
        prog="parallax figure", description="Draw where heads look in a text as a figure for print: SVG, PDF or PNG."
    )
    parser.add_argument("text", help="the sentence, or the link of a page, with its text, model and pinned heads")
    parser.add_argument("--kind", default="map", help="map, maps, arcs, grid, bars or change; map unless given")
    parser.add_argument("--head", action="append", default=[], help="a head, such as L3H1; again for a further one")
    parser.add_argument("--word", default="", help="the word that arcs leave, or its position among the tokens")
    parser.add_argument("--contrast", help="the other version of the sentence, for change and bars")
    parser.add_argument("--width", help="in mm, or single (84) or double (174)")
    for removed in ("--font", "--size", "--colours"):
        parser.add_argument(removed, default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    parser.add_argument("--model", help="a model on offer, or a fetched org/name; MiniLM unless given")
    parser.add_argument("--out", required=True, help="the file: figure.svg, figure.pdf or figure.png")
    parser.add_argument("--dpi", type=int, default=300, help="dots an inch of a PNG, or of the cells in SVG and PDF")
    said = parser.parse_args(arguments)
    check_folder_of(said.out)
    from mha.export import figure as figures  # numpy, and models below: not for who starts the app
    from mha.models.files.catalog import DEFAULT
    from mha.models.watch.attending import attend

    try:
        width = float(said.width) if said.width and said.width.replace(".", "", 1).isdecimal() else said.width
        text, link = said.text, ""
        if linked(text):
            from mha.readers.files import view_of

            link, view = text, view_of(text)
            most = figures.KINDS[said.kind][-1] if said.kind in figures.KINDS else 0
            text, said.model = view.text, said.model or view.model
            said.head = said.head or [str(head) for head in (view.pins or ())[:most]]
        model = said.model or DEFAULT
        choices = {name: vars(said)[name] for name in figures.REMOVED if name in said}
        if said.kind == "bars" and said.contrast:
            from mha.analysis.proposals import suggested
            from mha.intervention.patching import patch

            found = patch(text, said.contrast, suggested(text), model=model)
            drawn = figures.figure(found, said.kind, said.head, width, link=link, **choices)
        else:
            other = attend(said.contrast, model) if said.contrast else None
            maps = attend(text, model)
            word = int(said.word) if said.word.isdecimal() else said.word
            choices |= {"word": word, "contrast": other}
            drawn = figures.figure(maps, said.kind, said.head, width, link=link, **choices)
        written = drawn.save(said.out, said.dpi)
    except MHAError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f"{said.out} cannot be written: {error.strerror or error}.")
    print(f"{written}: {drawn.size_mm[0]:g} × {drawn.size_mm[1]:g} mm\n{drawn.caption}")


def main() -> None:
    """Do what the command line asks for; end without a word where it is stopped, or nobody reads any further."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # also where it takes ASCII alone
    try:
        try:
            run()
        finally:
            print(end="", flush=True)
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left goes nowhere
        sys.exit(1)


def run() -> None:
    """Start the app, and stay until it is stopped; or do what another word asks for."""
    if sys.argv[1:2] == ["figure"]:
        figure(sys.argv[2:])
        return
    if sys.argv[1:] == ["--version"]:
        from mha.export.provenance import app_version  # numpy: not for who starts the app

        print(f"Parallax {app_version()}")
        return
    if sys.argv[1:] and not sys.argv[1].startswith("-"):  # Streamlit would start the app and pass over the word
        sys.exit(f"Parallax has no command “{sys.argv[1][:40]}”. Its command is figure, its options: --help.")
    try:
        port, count, started = command(sys.argv[1:], has_screen(os.environ, sys.platform))
    except ModelError as error:
        sys.exit(f"--model: {error}")
    except InputError as error:
        sys.exit(str(error))
    if importlib.util.find_spec("streamlit") is None:
        sys.exit("The pages need more than the package alone: pip install 'mha-parallax[app]'.")
    folder = base_path(started, os.environ)
    if count != 1:
        try:
            workers.serve(port, count, started, folder)
        except InputError as error:
            sys.exit(str(error))
        return
    print(workers.GREETING.format(port, folder), flush=True)
    sys.argv = started
    runpy.run_module("streamlit", run_name="__main__")


if __name__ == "__main__":
    main()
