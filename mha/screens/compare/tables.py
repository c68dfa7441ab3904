"""The numbers of Change a word to take away: a row a head, with where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import numpy as np

from mha.brief import brief
from mha.export.provenance import Provenance, provenance_of
from mha.export.tables import Table
from mha.formats import counted
from mha.link.view import query
from mha.maps import ATTENTION, HeadId
from mha.screens.blocks import Said, said
from mha.screens.compare.comparison import Comparison, labels_of, moved_row
from mha.words import words

FORMATS = {"mean change": "%.3f", "largest row": "%.3f", "control limit": "%.3f"}


def table_columns(case: Comparison) -> dict[str, list[str] | np.ndarray]:
    """Return every head with its change in bits, the largest mean first; none where no row can be counted."""
    if case.found is None or not case.found.counted.any():
        return {}
    mean = case.found.mean
    heads = [HeadId(*divmod(int(place), mean.shape[1])) for place in np.argsort(-mean, axis=None, kind="stable")]
    names = labels_of(case.words[0])
    at = tuple(np.array(heads).T)
    columns: dict[str, list[str] | np.ndarray] = {
        "head": [str(head) for head in heads],
        "mean change": mean[at],
        "largest row": case.found.largest[at],
        "its word": [names[case.alignment.pairs[moved_row(case, head)][0]] for head in heads],
    }
    if case.floor is not None:
        columns |= {"control limit": case.floor.floor[at], "more than twice its limit": case.floor.twice[at]}
    return columns


def table_said(case: Comparison) -> Said:
    """Return what the columns of the table are."""
    assert case.found is not None
    rows = counted(int(case.found.counted.sum()), "row")
    floor = (
        ""
        if case.floor is None
        else f" Control limit: the largest mean change with {len(case.floor.swaps)} control words."
    )
    return said(
        "cap", "Jensen–Shannon divergence of a row between both sides, in bits: its mean over the {rows} whose word "
               "stayed, and the largest of them.{floor}", rows=rows, floor=floor,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class ChangesNumbers:
    """Every head's change, to be taken away; ``base`` is the address of the page without its words."""

    case: Comparison
    base: str

    __repr__ = brief

    def table(self) -> Table:
        """Return a row a head."""
        found = changes_table(self.case, self.base)
        assert found is not None
        return found


@dataclass(frozen=True, eq=False)
class VariantsNumbers:
    """The looks of a head over some texts, to be taken away; as `variants_table` takes them."""

    case: Comparison
    head: HeadId
    drawn: Sequence[tuple[str, np.ndarray]]
    base: str
    measure: str

    __repr__ = brief

    def table(self) -> Table:
        """Return a row a look."""
        return variants_table(self.case, self.head, self.drawn, self.base, self.measure)


def changes_table(case: Comparison, base: str = "") -> Table | None:
    """Return every head's change beside its floor, in bits; None where nothing could be compared.

    ``base`` is the address of the page without its words.
    """
    if case.found is None:
        return None
    mean, largest = case.found.mean, case.found.largest  # [layer, head]
    heads = [HeadId(layer, head) for layer in range(mean.shape[0]) for head in range(mean.shape[1])]
    columns: dict[str, list[str] | np.ndarray] = {
        "head": [str(head) for head in heads],
        "change_bits_mean": mean.ravel(),
        "change_bits_largest_row": largest.ravel(),
    }
    controls = "none"
    if case.floor is not None:
        columns["floor_bits"] = case.floor.floor.ravel()
        names = case.neutral.words
        columns |= {f"swap_{place + 1}_bits": swap.ravel() for place, swap in enumerate(case.floor.swaps)}
        columns["beyond_floor"] = case.floor.beyond.ravel().astype(np.int64)
        columns["named"] = case.floor.named.ravel().astype(np.int64)
        moved = ", ".join(map(str, case.floor.by_swap))
        controls = (
            f"{len(names)} control words in the changed place: {', '.join(names)}; heads that each moves beyond twice "
            f"the limit of the others, most first: {moved}"
        )
    told = _told(case, base, controls)
    second = f"{case.texts[1]} (scrambled copy, seed {case.choices.seed})" if case.twin else case.texts[1]
    return Table(columns, replace(told, texts=(case.texts[0], second)))


def variants_table(
    case: Comparison, head: HeadId, drawn: Sequence[tuple[str, np.ndarray]], base: str = "", measure: str = ATTENTION
) -> Table:
    """Return every look of a head over some texts, a row each; ``drawn`` has each text's rows [word, word + 1].

    ``measure`` is what its shares are of.
    """
    columns: dict[str, list[str]] = {"text": [], "looking_word": [], "looked_at_word": []}
    for text, _ in drawn:
        names = labels_of(words(text))
        for looking in names:
            for looked_at in [*names, "everything else"]:
                for column, value in zip(columns.values(), (text, looking, looked_at), strict=True):
                    column.append(value)
    shares = np.concatenate([rows.ravel() for _, rows in drawn])
    controls = f"none; head {head} over {len(drawn)} texts"
    return Table(columns | {"share": shares}, _told(case, base, controls, measure))


def _told(case: Comparison, base: str, controls: str, measure: str = ATTENTION) -> Provenance:
    return provenance_of(
        replace(case.first, measure=measure),
        model_sha256=case.row.sha256,
        scale="nothing rescaled; over the words and one key for the rest, a divergence of rows in bits",
        controls=controls,
        link=f"{base}?{urlencode([*query(case.view), *case.choices.pairs()])}",
    )
