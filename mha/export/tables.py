"""Tables of head measurements and weights as CSV, JSON or a NumPy archive, each with the provenance of its numbers."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mha.analysis.readings import Leaning, Leans
from mha.analysis.sinks import sink_columns
from mha.analysis.statistics import STATISTICS, head_statistics
from mha.errors import InputError
from mha.export.provenance import Provenance, provenance_array, provenance_of
from mha.intervention.outcomes import Patch, Sweep
from mha.maps import AttentionMaps, HeadId
from mha.memo import array_dataclass
from mha.saved import save_maps
from mha.training.settings import Curves

if TYPE_CHECKING:  # these load torch or one another
    from mha.models.watch.cell import Cell

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
MOST_CELLS = 2_000_000  # of a table; more belongs into `mha.export.tables.weights_npz`


@array_dataclass
class Table:
    """Columns of one length by name, texts or numbers, and where they come from.

    Raises:
        InputError: the columns differ in length, or there are more cells than a table may have.
    """

    columns: Mapping[str, Sequence[str] | np.ndarray]
    provenance: Provenance

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns.values()}
        if len(lengths) > 1:
            raise InputError(f"The columns of a table are equally long; these have {sorted(lengths)} rows.")
        if sum(lengths) * len(self.columns) > MOST_CELLS:
            raise InputError(
                f"A table has at most {MOST_CELLS:,} cells; this one has {sum(lengths) * len(self.columns):,}. "
                "Choose fewer heads, or take the NumPy archive."
            )


def display(text: str) -> str:
    """Return a text that no spreadsheet runs: led by an apostrophe where it could begin a formula.

    >>> display("=1+1")
    "'=1+1"
    """
    return "'" + text if text.startswith(FORMULA_STARTS) else text


def csv_bytes(header: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    """Return a table as CSV in UTF-8, lines ended as RFC 4180 has it; what UTF-8 cannot write is escaped."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue().encode("utf-8", errors="backslashreplace")


def table_csv(table: Table) -> bytes:
    """Return a table as CSV: numbers at full precision, an unknown one as an empty cell."""
    columns = [csv_column(column) for column in table.columns.values()]
    return csv_bytes([*map(display, table.columns)], [*zip(*columns, strict=True)])


def source_json(provenance: Provenance) -> bytes:
    """Return the provenance of a CSV as JSON, the content of ``NAME.source.json``."""
    return json.dumps(asdict(provenance), indent=2).encode("ascii")


def table_json(table: Table) -> bytes:
    """Return a table as JSON: ``provenance``, and ``columns`` by name; a number that is not known is null."""
    columns = {name: [_json(value) for value in column] for name, column in table.columns.items()}
    return json.dumps({"provenance": asdict(table.provenance), "columns": columns}, allow_nan=False).encode("ascii")


def table_npz(table: Table) -> bytes:
    """Return a table as a NumPy archive without objects: an array a column, and ``provenance``, JSON as uint8.

    Columns are ``column_0``, ``column_1`` and so on; ``names``, also JSON, has their names.
    """
    arrays: dict[str, Any] = {
        f"column_{place}": column
        if isinstance(column, np.ndarray) and column.dtype.kind in "fiub"
        else np.array([str(value) for value in column], dtype=np.str_)
        for place, column in enumerate(table.columns.values())
    }
    names = np.frombuffer(json.dumps(list(table.columns)).encode("ascii"), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, names=names, provenance=provenance_array(table.provenance), **arrays)
    return buffer.getvalue()


@dataclass(frozen=True)
class Format:
    """One format of a table: label, file ending, media type, and the function that writes it."""

    title: str
    ending: str
    mime: str
    write: Callable[[Table], bytes]


FORMATS = (
    Format("CSV", "csv", "text/csv", table_csv),
    Format("Source of the CSV", "source.json", "application/json", lambda table: source_json(table.provenance)),
    Format("JSON", "json", "application/json", table_json),
    Format("NPZ", "npz", "application/octet-stream", table_npz),
)


def csv_column(column: Sequence[str] | np.ndarray) -> list[str]:
    """Return a CSV column: numbers at full precision, empty cells for unknown ones, texts that no spreadsheet
    executes."""
    if isinstance(column, np.ndarray) and column.dtype.kind == "f":
        return ["" if math.isnan(value) else repr(value) for value in column.tolist()]
    return [display(str(value)) if isinstance(value, str) else str(value) for value in column]


def _json(value: Any) -> Any:
    plain = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


LONG = ("layer", "head", "from_place", "from", "to_place", "to", "weight", "set_aside")
MOST_ROWS = 1_048_575  # of a spreadsheet, without the line of names


def weights_npz(maps: AttentionMaps, provenance: Provenance) -> bytes:
    """Return all weights as a file that `mha.load_maps` reads, with ``provenance`` (JSON as uint8) in it."""
    buffer = io.BytesIO()
    save_maps(maps, buffer, provenance=provenance_array(provenance))
    return buffer.getvalue()


def weights_json(maps: AttentionMaps, provenance: Provenance) -> bytes:
    """Return all heads as JSON: ``provenance``, the texts of both axes, and each head's rows.

    Raises:
        InputError: there are more weights than JSON is good for.
    """
    limit = MOST_CELLS // (maps.n_queries * maps.n_keys)
    if len(maps.heads) > limit:
        raise InputError(
            f"{len(maps.heads)} heads of {maps.n_queries} × {maps.n_keys} weights are too many for this format, which "
            f"takes {limit} of them. Choose fewer heads, or take the NumPy archive."
        )
    content = {
        "provenance": asdict(provenance),
        "queries": [token.text for token in maps.tokens],
        "keys": [token.text for token in maps.key_tokens],
        "heads": {str(head): [[float(str(value)) for value in row] for row in maps[head]] for head in maps.heads},
    }
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def weights_csv(maps: AttentionMaps) -> bytes:
    """Return every weight as a CSV file in UTF-8, one row a weight.

    Weights are those before anything was set aside, so that each row of a map adds up to 1; set_aside is 1 where the
    piece looked at is a sink. Places count from 0 on the axis of these maps; hidden cells of a causal model have no
    row.

    Raises:
        InputError: there are more weights than a spreadsheet has rows.
    """
    n_rows = maps.n_layers * maps.n_heads * int(maps.visible.sum())
    if n_rows > MOST_ROWS:
        raise InputError(
            f"All weights of this text are {n_rows:,} rows; a spreadsheet takes {MOST_ROWS:,}. Shorten it."
        )
    sinks, places = sink_columns(maps), np.argwhere(np.broadcast_to(maps.visible, (maps.n_queries, maps.n_keys)))
    froms, tos = ([display(token.text) for token in tokens] for tokens in (maps.tokens, maps.key_tokens))
    rows = []
    for head in maps.heads:
        weights = maps[head].astype(np.float64)
        for query, key in places:
            weight = f"{weights[query, key]:.7g}"
            rows.append((*head, query, froms[query], key, tos[key], weight, int(sinks[key])))
    return csv_bytes(LONG, rows)


def statistics_table(
    maps: AttentionMaps, source: Provenance, statistics: Mapping[str, np.ndarray] | None = None
) -> Table:
    """Return the statistics of all heads, a row each; ``statistics`` saves computing them again."""
    values = statistics if statistics is not None else head_statistics(maps)
    layers, numbers = np.array(maps.heads, dtype=np.int64).T
    columns: dict[str, Sequence[str] | np.ndarray] = {"head": [str(head) for head in maps.heads]}
    columns |= {"layer": layers, "number": numbers}
    return Table(columns | {row.key: values[row.key].ravel() for row in STATISTICS if row.key in values}, source)


LETTERS = "abc"


def leans_table(leans: Leans, source: Provenance, leaning: Leaning | None = None) -> Table:
    """Return the lean of every head, with that in other orders of the same words if they are measured."""
    columns = {"strength_a": leans.a, "strength_b": leans.b, "lean": leans.lean, "share": leans.share}
    if leaning is not None:
        columns |= {"mean_of_orders": leaning.summary.mean, "spread_of_orders": leaning.summary.spread}
    return _per_head(columns | {"looks_along_neither": leans.is_below_even_share}, source)


def carried_table(patch: Patch, source: Provenance) -> Table:
    """Return the share of the score change between two versions that each head carries, in both directions."""
    columns = {"carried": patch.carried, "direct": patch.direct}
    if patch.into_text.size:
        columns |= {"into_text": patch.into_text, "into_contrast": patch.into_changed_version}
    return _per_head(columns, source)


def sweep_table(sweep: Sweep, source: Provenance) -> Table:
    """Return the change of the score when each head is ablated; empty if it was not measured or cannot act."""
    columns = {"effect": sweep.effect, "direct": sweep.direct}
    return _per_head(columns | {"untouched": np.full(sweep.effect.shape, sweep.score)}, source)


def curves_table(curves: Curves, source: Provenance) -> Table:
    """Return a training run, one row a moment: accuracies, attention of each head, and accuracy without it."""
    columns = {"step": curves.step, "accuracy_unseen_pairs": curves.joint, "accuracy_training_pairs": curves.joint_seen}
    for head in range(curves.looks.shape[1]):
        for noun, letter in zip(range(curves.looks.shape[2]), LETTERS, strict=False):
            columns[f"h{head}_looks_at_noun_{letter}"] = curves.looks[:, head, noun]
            columns[f"right_{letter}_without_h{head}"] = curves.ablated[:, head, noun]
    return Table(columns | {"diverse_weights": curves.diverse_weights}, source)


def arrays_table(arrays: Mapping[str, np.ndarray], source: Provenance) -> Table:
    """Return arrays [row, column] or [head, row, column], a row a number."""
    array_columns = [
        (name, str(place[0]) if array.ndim == 3 else "", *place[-2:], float(value))
        for name, array in arrays.items()
        for place, value in np.ndenumerate(array)
    ]
    names, heads, rows, columns, values = zip(*array_columns, strict=True)
    places = {"row": np.array(rows, dtype=np.int64), "column": np.array(columns, dtype=np.int64)}
    return Table({"array": names, "head": heads} | places | {"value": np.array(values)}, source)


def _per_head(columns: Mapping[str, np.ndarray], source: Provenance) -> Table:
    """Return arrays [layer, head] as columns, after the heads' names."""
    places = list(np.ndindex(next(iter(columns.values())).shape))
    table: dict[str, Sequence[str] | np.ndarray] = {"head": [str(HeadId(*place)) for place in places]}
    for name, array in columns.items():
        table[name] = np.asarray(array).ravel().astype(np.int64 if array.dtype == bool else np.float64)
    return Table(table, source)


def cell_table(cell: Cell, maps: AttentionMaps, link: str = "", model_sha256: str = "") -> Table:
    """Return one cell as a table: part, position, token, number, and the cell's name.

    Rows of the query, the key, their products, the value and the added vector have the index of the number in its
    vector; scores, weights and lengths have the key's place and its token. Scores that the mask hides are left out.
    """
    rows: list[tuple[str, str, str, float]] = []
    constants = {
        "sum of products": cell.dot,
        "scale": cell.scale,
        "scaled": cell.scaled,
        "soft cap": cell.cap,
        "capped": None if cell.cap is None else cell.capped,
        "position bias": cell.position,
        "score of a sink that is no key": cell.sink,
        "length of what the layer got": cell.stream,
    }
    rows += [(part, "", "", float(value)) for part, value in constants.items() if value is not None]
    vectors_before = cell.unrotated or (None, None)
    vectors = {
        "query": cell.q,
        "key": cell.k,
        "product": cell.products,
        "query before the rotation": vectors_before[0],
        "key before the rotation": vectors_before[1],
        "value": cell.value,
        "added by this cell": cell.contribution,
        "added by the head": cell.added,
    }
    for part, vector in vectors.items():
        rows += [(part, str(place), "", float(value)) for place, value in enumerate(() if vector is None else vector)]
    by_key = {
        "score": cell.scores,
        "weight": cell.weights,
        "length of the value": cell.lengths,
        "length behind W_O": cell.through,
        "points along what the head adds": cell.along,
    }
    for part, values in by_key.items():
        for place, value in enumerate(() if values is None else values):
            if np.isfinite(value):
                rows.append((part, str(place), cell.key_tokens[place].text, float(value)))
    parts, places, tokens, numbers = zip(*rows, strict=True)
    which: dict[str, list[str]] = {
        "head": [str(cell.head)], "stack": [cell.stack], "query_place": [str(cell.query)],
        "key_place": [str(cell.key)], "looks": [cell.tokens[cell.query].text],
        "looked_at": [cell.key_tokens[cell.key].text],
    }  # fmt: skip
    columns: dict[str, Sequence[str] | np.ndarray] = {
        "part": parts, "place": places, "token": tokens, "number": np.array(numbers),
    }  # fmt: skip
    provenance = provenance_of(
        maps, model_sha256=model_sha256, link=link, scale="as the model computes one cell; no rescaling"
    )
    return Table(columns | {name: text * len(rows) for name, text in which.items()}, provenance)
