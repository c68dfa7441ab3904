"""Statistics and leans over a corpus: ``python -m studies.corpus INPUT --out stats.parquet``.

INPUT is Parquet, CSV or plain lines; the columns pivot, a and b are optional, and rows that have them get leans.
Results are stored after every chunk of texts: the same command resumes after an interruption.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow
from pyarrow import csv, parquet
from tqdm import tqdm

from mha.analysis.readings import leans
from mha.analysis.statistics import STATISTICS, head_statistics
from mha.engine.recordings import check_words
from mha.errors import InputError, MHAError
from mha.maps import AttentionMaps, Reading
from mha.models.files.catalog import DEFAULT, model_row
from mha.models.files.environment import prepare_environment
from mha.words import accept, words
from studies.moments import Moments

FORMAT = 3
CHUNK = 64  # texts measured together, so that forward passes are the same on every machine
PROGRESS = "progress"  # the entry besides the moments in the file of an unfinished run
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


def chunks(file: Path) -> Iterator[list[TextRow]]:
    """Yield the texts of a corpus in chunks; its format follows from its ending, else it has lines.

    Raises:
        InputError: it has no column ``text``, or cannot be read.
    """
    rows = _table_rows(file) if file.suffix.lower() in (".parquet", ".csv") else _lines(file)
    while chunk := list(islice(rows, CHUNK)):
        yield chunk


def _table_rows(file: Path) -> Iterator[TextRow]:
    try:
        for batch in _batches(file):
            names = batch.schema.names
            if "text" not in names:
                raise InputError(
                    f"{file.name} needs a column text (and may have pivot, a, b); it has {', '.join(names)[:200]}."
                )
            columns = [name for name in TextRow._fields if name in names]
            for cells in batch.select(columns).to_pylist():
                yield TextRow(*(str(cells.get(name) or "").strip() for name in TextRow._fields))
    except pyarrow.ArrowInvalid as error:
        raise InputError(f"{file.name} cannot be read: {str(error)[:120]}") from error


def _batches(file: Path) -> Iterator[pyarrow.RecordBatch]:
    if file.suffix.lower() == ".parquet":
        return parquet.ParquetFile(file).iter_batches(CHUNK)
    return csv.open_csv(
        file,
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys(TextRow._fields, pyarrow.string())),
    )


def _lines(file: Path) -> Iterator[TextRow]:
    with file.open(encoding="utf-8-sig", errors="replace") as stream:
        for line in stream:
            if line.strip():
                yield TextRow(line.strip())


@dataclass
class CorpusState:
    """Progress of a run: its corpus and model, the moments so far, and the refused texts by reason."""

    identity: dict[str, Any]
    moments: Moments = field(default_factory=Moments)
    n_chunks: int = 0
    texts: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def measure(self, rows: Sequence[TextRow]) -> None:
        """Add the statistics of one chunk."""
        for row, recording in zip(rows, _record_rows(rows, self.identity["model"]), strict=True):
            if isinstance(recording, MHAError):
                self.refused[type(recording).__name__] += 1
                continue
            statistics = dict(head_statistics(recording))
            try:
                statistics |= _lean(recording, row)
            except MHAError:
                self.refused["its readings alone"] += 1
            self.moments += Moments.from_statistics(statistics)
            self.texts += 1
        self.n_chunks += 1

    def save(self, file: Path) -> None:
        """Write the progress, whole or not at all."""
        new_file = file.with_name(file.name + ".new")
        progress = json.dumps([self.identity, self.n_chunks, self.texts, self.refused])
        with new_file.open("wb") as stream:
            np.savez(stream, allow_pickle=False, **{PROGRESS: np.array(progress)}, **self.moments.table)
        new_file.replace(file)

    @classmethod
    def from_file(cls, file: Path, identity: dict[str, Any]) -> CorpusState:
        """Return the progress in a file; without a file it is empty.

        Raises:
            InputError: it is of another corpus, or of another model.
        """
        if not file.exists():
            return cls(identity)
        with np.load(file, allow_pickle=False) as archive:
            table = dict(archive)
        stored_identity, n_chunks, texts, refused = json.loads(str(table.pop(PROGRESS)))
        if stored_identity != identity:
            raise InputError(f"{file} was begun with another corpus or model; delete it, or choose another --out.")
        return cls(identity, Moments(table), n_chunks, texts, Counter(refused))


def _lean(maps: AttentionMaps, row: TextRow) -> dict[str, Any]:
    if not row.ambiguous:
        return {}
    pivot, a, b = (place_of(word, words(maps.text)) for word in row[1:])
    result = leans(maps, (Reading("A", ((pivot, a),)), Reading("B", ((pivot, b),))))
    return {"lean": result.lean, "towards_a": result.a, "towards_b": result.b}


def place_of(word: str, all_words: Sequence[str]) -> int:
    """Return the index of a word.

    Raises:
        InputError: no such word, or several.
    """
    if all_words.count(word) != 1:
        raise InputError("A word of a reading must occur once.")
    return all_words.index(word)


def _record_rows(rows: Sequence[TextRow], model: str) -> list[AttentionMaps | MHAError]:
    """Return the maps of each text, those of about one length from one forward pass, always the same ones."""
    from mha.models.files.loading import load
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
    for number, recording in record_many(list(texts.values()), load(model)):
        recordings[places[number]] = recording if isinstance(recording, MHAError) else recording.maps
    return [recordings[place] for place in range(len(rows))]


def measure_corpus(
    file: Path, out: Path, model: str = DEFAULT, progress: Callable[[CorpusState], None] = lambda _state: None
) -> CorpusState:
    """Measure a corpus from where an earlier run stopped, and write the table; return the progress.

    Raises:
        InputError: the corpus cannot be read, or the earlier run has another corpus.
        ModelError: the model cannot be had.
    """
    if not file.is_file():
        raise InputError(f"There is no file {file}.")
    with file.open("rb") as stream:
        file_hash = hashlib.file_digest(stream, "sha256").hexdigest()
    row = model_row(model)
    identity = {"format": FORMAT, "corpus": file_hash, "model": row.name, "revision": row.revision, "chunk": CHUNK}
    part = out.with_name(out.name + ".part")
    state = CorpusState.from_file(part, identity)
    for rows in islice(chunks(file), state.n_chunks, None):
        state.measure(rows)
        state.save(part)
        progress(state)
    write_table(state, file.name, out)
    part.unlink(missing_ok=True)
    return state


def write_table(state: CorpusState, name: str, out: Path) -> None:
    """Write the table as Parquet: a row for each statistic and head, and its provenance as metadata."""
    tables = []
    for key in state.moments.table:
        n = state.moments.count(key)
        layers, heads = np.indices(n.shape).reshape(2, -1)
        least, most = state.moments.range(key)
        mean, deviation = state.moments.mean(key), state.moments.deviation(key)
        columns: dict[str, Any] = {"statistic": [key] * n.size, "unit": [UNITS.get(key, "weight")] * n.size}
        columns |= {"layer": layers, "head": heads, "n": n.astype(int).ravel()}
        columns |= {"mean": mean.ravel(), "deviation": deviation.ravel(), "least": least.ravel(), "most": most.ravel()}
        tables.append(pyarrow.table(columns))
    provenance = {**state.identity, "input": name, "texts": state.texts, "refused": state.refused}
    table = pyarrow.concat_tables(tables).replace_schema_metadata({"parallax": json.dumps(provenance)})
    new_file = out.with_name(out.name + ".new")
    parquet.write_table(table, new_file)
    new_file.replace(out)


def main() -> None:
    """Measure a corpus from the command line, with progress."""
    parser = argparse.ArgumentParser(prog="python -m studies.corpus", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("input", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="a Parquet file; OUT.part beside it until it is done")
    parser.add_argument("--model", default=DEFAULT)
    options = parser.parse_args()
    prepare_environment()
    bar = tqdm(unit=" texts")
    try:
        state = measure_corpus(options.input, options.out, options.model, lambda state: bar.update(state.texts - bar.n))
    except MHAError as error:
        sys.exit(str(error))
    bar.close()
    refused = "".join(f", {count:,} refused ({reason})" for reason, count in state.refused.items())
    print(f"{options.out}: {state.texts:,} texts{refused}.", file=sys.stderr)


if __name__ == "__main__":
    main()
