"""Statistics and leans over a corpus: ``python -m studies.corpus INPUT --out stats.parquet``.

INPUT is Parquet, CSV or plain lines; the columns pivot, a and b are optional, and rows that have them get leans.
Results are stored every few seconds: the same command resumes after an interruption. With ``--workers`` several
processes of Ray measure chunks of texts; without, this one does. Chunks are the same in both, and so is every forward
pass.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import pickle
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mha.analysis.readings import leans
from mha.analysis.statistics import STATISTICS, head_statistics
from mha.engine.recordings import check_words
from mha.engine.remote import start
from mha.errors import InputError, MHAError
from mha.maps import AttentionMaps, Reading
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.files.environment import prepare_environment
from mha.words import accept, words
from studies.moments import Moments

FORMAT = 2
CHUNK = 64  # texts measured together, so that forward passes are the same on every machine
FIELD = 1_000_000  # characters of a field of a CSV file
SAVE_SECONDS = 5.0
ABOUT = "about"  # entries besides the arrays of finished chunks
AT_A_TIME = 1024  # chunks that Ray gets at once, because waiting chunks are in memory
UNITS = {row.key: row.unit for row in STATISTICS}


class TextRow(NamedTuple):
    """One text; with a pivot and two partners, an ambiguous one."""

    text: str
    pivot: str = ""
    a: str = ""
    b: str = ""

    @property
    def ambiguous(self) -> bool:
        """Whether there are two readings."""
        return bool(self.pivot and self.a and self.b)


def chunks(file: Path) -> Iterator[tuple[int, list[TextRow]]]:
    """Yield the texts of a corpus in numbered chunks; its format follows from its ending, else it has lines.

    Raises:
        InputError: it has no column ``text``, or cannot be read.
    """
    rows = READERS.get(file.suffix.lower(), _lines)(file)
    number = 0
    while chunk := list(islice(rows, CHUNK)):
        yield number, chunk
        number += 1


def mark(file: Path) -> str:
    """Return the hash of a file's bytes.

    Raises:
        InputError: the file does not exist.
    """
    if not file.is_file():
        raise InputError(f"There is no file {file}.")
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _parquet(file: Path) -> Iterator[TextRow]:
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(file) as table_file:
            names = [name for name in TextRow._fields if name in _checked(file, table_file.schema_arrow.names)]
            for batch in table_file.iter_batches(CHUNK * 16, columns=names):
                for row in batch.to_pylist():
                    yield _row(row)
    except pyarrow.ArrowInvalid as error:
        raise InputError(f"{file.name} is not a Parquet file: {str(error)[:120]}") from error


def _csv(file: Path) -> Iterator[TextRow]:
    csv.field_size_limit(FIELD)
    with file.open(encoding="utf-8-sig", newline="") as stream:
        rows = csv.DictReader(stream)
        _checked(file, list(rows.fieldnames or ()))
        try:
            for row in rows:
                yield _row(row)
        except csv.Error as error:
            raise InputError(f"Line {rows.line_num} of {file.name} cannot be read: {error}.") from error


def _lines(file: Path) -> Iterator[TextRow]:
    with file.open(encoding="utf-8-sig", errors="replace") as stream:
        for line in stream:
            if line.strip():
                yield TextRow(line.strip())


def _checked(file: Path, names: list[str]) -> list[str]:
    if "text" not in names:
        raise InputError(
            f"{file.name} needs a column text (and may have pivot, a, b); it has {', '.join(names)[:200]}."
        )
    return names


def _row(cells: dict) -> TextRow:
    return TextRow(*(str(cells.get(name) or "").strip() for name in TextRow._fields))


READERS = {".parquet": _parquet, ".csv": _csv}


Chunk = tuple[int, list[TextRow]]
Measured = tuple[int, dict[str, Any]]


@dataclass
class CorpusState:
    """Progress of a corpus: ``whose`` identifies it, ``done`` has the finished chunks, ``refused`` the refused texts by
    reason."""

    whose: dict[str, Any]
    moments: Moments = field(default_factory=Moments)
    done: set[int] = field(default_factory=set)
    texts: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def take(self, number: int, result: dict[str, Any]) -> None:
        """Add the result of one chunk."""
        self.moments += Moments(result["table"])
        self.done.add(number)
        self.texts += result["texts"]
        self.refused.update(result["refused"])

    def save(self, file: Path) -> None:
        """Write it down, whole or not at all."""
        new_file = file.with_name(file.name + ".new")
        state = {"whose": self.whose, "done": sorted(self.done), "texts": self.texts, "refused": dict(self.refused)}
        with new_file.open("wb") as stream:
            np.savez(stream, allow_pickle=False, **{ABOUT: np.array(json.dumps(state))}, **self.moments.table)
        new_file.replace(file)

    @classmethod
    def from_file(cls, file: Path, whose: dict[str, Any]) -> CorpusState:
        """Return the progress in a file; without a file it is empty.

        Raises:
            InputError: it is of another corpus, or of another model.
        """
        if not file.exists():
            return cls(whose)
        mismatch = InputError(f"{file} was begun with another corpus or model; delete it, or choose another --out.")
        try:
            with np.load(file, allow_pickle=False) as archive:
                table = dict(archive)
            state = json.loads(str(table.pop(ABOUT)))
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise mismatch from error
        if state["whose"] != whose:
            raise mismatch
        return cls(whose, Moments(table), set(state["done"]), state["texts"], Counter(state["refused"]))


def measure(rows: list[TextRow], model: str = DEFAULT) -> dict[str, Any]:
    """Return the moments of a chunk, how many of its texts were measured, and how many were refused for what reason."""
    moments, texts, refused = Moments(), 0, Counter[str]()
    for row, recording in zip(rows, _record_rows(rows, model), strict=True):
        if isinstance(recording, MHAError):
            refused[type(recording).__name__] += 1
            continue
        statistics = dict(head_statistics(recording))
        try:
            statistics |= _lean(recording, row)
        except MHAError:
            refused["its readings alone"] += 1
        moments += Moments.from_statistics(statistics)
        texts += 1
    return {"table": moments.table, "texts": texts, "refused": dict(refused)}


def _lean(maps: AttentionMaps, row: TextRow) -> dict[str, Any]:
    if not row.ambiguous:
        return {}
    pivot, a, b = (place_of(word, words(maps.text)) for word in row[1:])
    result = leans(maps, (Reading("A", ((pivot, a),)), Reading("B", ((pivot, b),))))
    return {"lean": result.lean, "towards_a": result.a, "towards_b": result.b}


def place_of(word: str, all_words: Sequence[str]) -> int:
    """Return the index of a word given by its text, in any case, or by its index.

    Raises:
        InputError: no such word, or several.
    """
    positions = [number for number, candidate in enumerate(all_words) if candidate == word] or [
        number for number, candidate in enumerate(all_words) if candidate.casefold() == word.casefold()
    ]
    if not positions and word.isdecimal() and len(word) < 5 and int(word) < len(all_words):
        return int(word)
    if not positions:
        raise InputError("not a word of its text")
    if len(positions) > 1:
        raise InputError("it occurs more than once; give its number, counted from 0")
    return positions[0]


def _record_rows(rows: list[TextRow], model: str) -> list[AttentionMaps | MHAError]:
    """Return the maps of each text, those of about one length from one forward pass, always the same ones."""
    from mha.models.watch.attending import loaded_model
    from mha.models.watch.batching import record_many

    recordings: dict[int, AttentionMaps | MHAError] = {}
    texts: dict[int, str] = {}
    for place, row in enumerate(rows):
        try:
            text = accept(row.text).text
            check_words(model, text)
            texts[place] = text
        except MHAError as error:
            recordings[place] = error
    places = list(texts)
    for number, recording in record_many(list(texts.values()), loaded_model(model)):
        recordings[places[number]] = recording if isinstance(recording, MHAError) else recording.maps
    return [recordings[place] for place in range(len(rows))]


class Measuring:
    """Worker process of Ray: a model in memory, and chunks as bytes."""

    def __init__(self, model: str) -> None:
        prepare_environment()
        self._model = model

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Return the result of each chunk of a batch."""
        chunks = [[TextRow(*row) for row in json.loads(str(rows))] for rows in batch["rows"]]
        return {"number": batch["number"], "found": [pickle.dumps(measure(rows, self._model)) for rows in chunks]}


def with_ray(missing: Iterable[Chunk], model: str, workers: int) -> Iterator[Measured]:
    """Yield the result of each chunk when it is finished, measured by the processes of Ray Data."""
    start(workers)
    import ray.data

    ray.data.DataContext.get_current().enable_progress_bars = False
    remaining = iter(missing)
    while items := [{"number": number, "rows": json.dumps(rows)} for number, rows in islice(remaining, AT_A_TIME)]:
        results = ray.data.from_items(items, override_num_blocks=len(items)).map_batches(
            Measuring, fn_constructor_args=(model,), batch_size=1, compute=ray.data.ActorPoolStrategy(size=workers)
        )
        for row in results.iter_rows():
            yield int(row["number"]), pickle.loads(row["found"])


def measure_corpus(
    file: Path,
    out: Path,
    model: str = DEFAULT,
    workers: int = 0,
    progress: Callable[[CorpusState], None] = lambda _state: None,
) -> CorpusState:
    """Measure a corpus from where an earlier run stopped, and write the table; return the progress.

    Raises:
        InputError: the corpus cannot be read, or the earlier run has another corpus.
        ModelError: the model cannot be had.
    """
    row = model_row(model)
    identity = {"format": FORMAT, "corpus": mark(file), "model": row.name, "revision": row.revision, "chunk": CHUNK}
    part = out.with_name(out.name + ".part")
    state = CorpusState.from_file(part, identity)
    missing = (chunk for chunk in chunks(file) if chunk[0] not in state.done)
    local_results = ((number, measure(rows, model)) for number, rows in missing)
    saved = time.monotonic()
    try:
        for number, result in with_ray(missing, model, workers) if workers else local_results:
            state.take(number, result)
            progress(state)
            if time.monotonic() - saved > SAVE_SECONDS:
                state.save(part)
                saved = time.monotonic()
    except BaseException:
        state.save(part)
        raise
    tabled(state, file.name, out)
    part.unlink(missing_ok=True)
    return state


def tabled(state: CorpusState, name: str, out: Path) -> None:
    """Write the table as Parquet: a row for each statistic and head, and its provenance as metadata."""
    import pyarrow
    from pyarrow import parquet

    columns: dict[str, list[Any]] = {
        key: [] for key in ("statistic", "unit", "layer", "head", "n", "mean", "deviation", "least", "most")
    }
    for key in state.moments.table:
        n, mean, deviation = (
            moment(key) for moment in (state.moments.count, state.moments.mean, state.moments.deviation)
        )
        low, high = state.moments.range(key)
        for layer in range(n.shape[0]):
            for head in range(n.shape[1]):
                place = layer, head
                numbers = (int(n[place]), *(float(values[place]) for values in (mean, deviation, low, high)))
                for column, value in zip(columns, (key, UNITS.get(key, "weight"), *place, *numbers), strict=True):
                    columns[column].append(value)
    provenance = {**state.whose, "input": name, "texts": state.texts, "refused": dict(state.refused)}
    table = pyarrow.table(columns).replace_schema_metadata({"parallax": json.dumps(provenance)})
    new_file = out.with_name(out.name + ".new")
    parquet.write_table(table, new_file)
    new_file.replace(out)


def main(arguments: list[str] | None = None) -> None:
    """Measure a corpus from the command line, with progress."""
    parser = argparse.ArgumentParser(prog="python -m studies.corpus", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("input", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="a Parquet file; OUT.part beside it until it is done")
    parser.add_argument("--model", default=DEFAULT)
    parser.add_argument("--workers", type=int, default=0, help="processes of Ray; this one alone unless given")
    options = parser.parse_args(arguments)
    prepare_environment()
    begin = time.monotonic()
    progress: list[int] = []

    def print_progress(state: CorpusState) -> None:
        progress.append(state.texts)
        a_second = (state.texts - progress[0]) / max(time.monotonic() - begin, 1e-9)
        print(f"\r{state.texts:,} texts, {a_second:.0f} a second ", end="", file=sys.stderr, flush=True)

    try:
        state = measure_corpus(options.input, options.out, options.model, options.workers, print_progress)
    except MHAError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(f"\nStopped; the same command goes on from {options.out}.part.")
    refused = ", ".join(f"{count:,} refused ({reason})" for reason, count in state.refused.items())
    print(f"\n{options.out}: {state.texts:,} texts{refused and ', '}{refused}.", file=sys.stderr)


if __name__ == "__main__":
    main()
