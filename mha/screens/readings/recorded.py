"""What every tab draws from: the sentence as recorded, its score in two versions, and what is shared out between them.

`moved` and `shared` ask; everything that is said of the answers is computed from them. Arrays are [layer, head] unless
said otherwise. A name that travels as "from" is ``from_`` in the blocks of the tabs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from mha.analysis.floor import NamingRates
from mha.analysis.readings import Leans, check_change_is_read, given_to, leans
from mha.engine import experiments
from mha.engine.question import Ask
from mha.engine.recordings import Request
from mha.errors import AttentionUnavailable, InputError, NotComparable
from mha.examples import OPENS_TWO_READINGS
from mha.export.provenance import MapsSource
from mha.intervention.calibrated import Followed, KindCalibration
from mha.intervention.outcomes import Patch, Path
from mha.link.acts import Act, Say
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import ModelRow
from mha.pairs import OTHER
from mha.screens.blocks import Block, LabelledPicture, Span, heading, say, size_said
from mha.screens.inputs import Press
from mha.screens.places import More, Notice, PageTable, Place, Together
from mha.screens.readings.ambiguity import NEEDS, Ambiguity
from mha.screens.readings.states import ELSEWHERE, NO_PAIRS, SEVERAL, MovedScore
from mha.screens.shown import in_words
from mha.words import segmentation, split, with_word

Range = tuple[float, float]
Estimate = tuple[float, float, float]  # a number, and from where to where it lies


class PlacedPicture(LabelledPicture):
    """A picture of the sentence: where the pivot, the partners of both readings and the cue stand on its axis."""

    pivot: int = field(kw_only=True)
    a: tuple[int, ...] = field(kw_only=True)
    b: tuple[int, ...] = field(kw_only=True)
    cue: int | None = field(kw_only=True)


HOW = "How is this measured?"
PAIRS_SAID = "Test pairs and control swaps were written for this app and not checked with readers."
SMALLEST_TURN = 0.05  # of the receiver's lean, under which a path is not followed in one sentence
TAKE_DOG = Say("text", OPENS_TWO_READINGS), Say("lock", None), Say("look", "at")
Acts = Mapping[str, tuple[Act, ...]]
NO_ACTS: Acts = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class RecordedReadings:
    """The view, the ambiguity, the maps of its sentence as recorded, and the model's row of the catalog.

    Raises:
        InputError: a word of the readings was cut away by the model's length limit.
    """

    view: View
    ambiguity: Ambiguity
    maps: AttentionMaps
    row: ModelRow

    def __post_init__(self) -> None:
        found, seen = self.ambiguity, {token.word for token in self.maps.tokens}
        for number in (found.pivot, *found.a, *found.b, found.cue):
            if number is not None and number not in seen:
                raise InputError(
                    f"“{found.words[number]}” is beyond the first {len(self.maps.tokens)} tokens, the limit of this "
                    "model. Choose an earlier word or shorten the text."
                )

    @property
    def versions(self) -> tuple[str, ...]:
        """The text, and its contrast if there is one."""
        contrast = self.ambiguity.contrast
        return (self.ambiguity.text,) if contrast is None else (self.ambiguity.text, contrast.text)


def in_parts(blocks: Sequence[Block], acts: Acts, on: Acts = NO_ACTS) -> Iterator[Block]:
    """Yield sentences and pictures as components, and between them disclosures with theirs, and tables."""
    run: list[Block] = []
    for block in (*blocks, None):
        if block is not None and not isinstance(block, More | PageTable):
            run.append(block)
            continue
        if run:
            yield Together(tuple(run), acts, on=on)
            run = []
        if isinstance(block, More):
            yield replace(block, blocks=tuple(in_parts(tuple(block.blocks), acts, on)))
        elif block is not None:
            yield block


def section(title: str, large: bool) -> Place:
    """Return a section's heading."""
    return Place(f"section_readings_{title.split()[-1]}{'_large' if large else ''}", (heading(title),))


def provenance(case: RecordedReadings, controls: str, link: str) -> MapsSource:
    """Return where the numbers of a case come from, its contrast among the texts."""
    return MapsSource(case.maps, case.row.sha256, controls, link, case.versions)


def foot_said(case: RecordedReadings) -> tuple[Span, ...]:
    """Return which model it is, and how a text without spaces was cut."""
    row, cuts = case.row, segmentation(" ".join(case.versions))
    return say(
        f"{{model}}, {{origin}}, {size_said(row.n_layers, row.n_heads)}.{{cuts}}",
        cuts=f" {cuts}" if cuts else "",
        model=row.short,
        origin=row.origin_said,
    )


def calibration_of(case: RecordedReadings) -> KindCalibration | None:
    """Return what is known of the kind that a case is held against; None where it fits none, or nothing is known."""
    kind = case.ambiguity.compared_with
    return None if kind is None else experiments.calibration_of_kind(kind, case.row.name)


def moved(case: RecordedReadings, ask: Ask) -> MovedScore:
    """Return how the score moves between both versions; there must be another one.

    Raises:
        AttentionUnavailable: the model's heads cannot be taken from another version.
        NotComparable: the model is causal, and the versions differ only after the words of the score.
        MHAError: what the engine raises.
    """
    found, model = case.ambiguity, case.row.name
    check_versions(case)
    if not experiments.has_twin(model):
        raise AttentionUnavailable(
            f"{case.row.title} does not support activation patching here. Choose MiniLM to see what carries the change."
        )
    contrast, (number, before, after) = found.contrast, found.change
    assert contrast is not None

    def score(text: str) -> float:
        return ask(experiments.scores.of(text, found.readings, model=model))[0]

    seconds = [(one, score(with_word(found.text, number, one))) if one else None for one in found.seconds]
    first, second = reversed(seconds) if contrast.forces == "A" else seconds
    no_kind = ""
    if len(contrast.changed) > 1:
        no_kind = SEVERAL
    elif found.kind == OTHER:
        no_kind = NO_PAIRS
    elif not found.compared_with:
        no_kind = (
            f"Type “{found.kind}” needs {NEEDS[found.kind]} as the ambiguous word; here it is "
            f"“{found.words[found.at]}”, so no test pairs apply."
        )
    elif not found.changed_in_place:
        no_kind = ELSEWHERE
    known = calibration_of(case)
    gate = known.scores.gates[known.carrying.at] if known else None
    return MovedScore(
        words=(before, after),
        scores=(score(found.text), score(contrast.text)),
        names=(found.partner("a"), found.partner("b")),
        pivot=found.called[found.at],
        kind=found.kind,
        model=case.row.short,
        forces=contrast.forces,
        seconds=(first, second),
        no_kind=no_kind,
        floor=known.floor if known else None,
        rates=known.two_words if known else None,
        valid=gate is None or gate.tells,
        by_words=gate is not None and not gate.from_order,
        at=max(0, case.row.n_layers - 2),
        tuned="sentence-transformers" in f"{case.row.name} {case.row.source}",
    )


def first_word_blocks(found: Ambiguity, error: NotComparable) -> Iterator[Block]:
    """Yield why the first word of a causal model has no lean, and the way to one."""
    yield Notice(str(error))
    yield Press("Put “Yesterday” in front", (Say("text", f"Yesterday {found.text}"), Say("lock", None)))


def check_versions(case: RecordedReadings) -> None:
    """Raise NotComparable if a causal model has the same score in both versions whatever it does."""
    found = case.ambiguity
    if case.maps.causal and found.contrast is not None:
        compared = {found.at, *found.a, *found.b}
        check_change_is_read(split(found.text), split(found.contrast.text), compared, case.row.short)


@dataclass(frozen=True, eq=False)
class SharedOut:
    """What is known of a difference that may be shared out; pairs are (as typed, with the other word).

    ``patch`` is None where patching is not possible; ``why_not`` says why. ``beyond`` are the heads that pass the limit
    of one head, and ``naming`` is how often that happens where the reading is kept. ``path`` is the one that the pairs
    of the kind have, None where they have none, and ``own`` the same followed in this sentence, None where it was not;
    ``why_not_own`` says why.
    """

    ambiguity: Ambiguity
    moved: MovedScore
    maps: tuple[AttentionMaps, AttentionMaps]
    leans: tuple[Leans, Leans]
    patch: Patch | None = None
    beyond: tuple[HeadId, ...] = ()
    naming: NamingRates | None = None
    why_not: str = ""
    path: Followed | None = None
    own: Path | None = None
    why_not_own: str = ""

    @property
    def named(self) -> tuple[HeadId, ...]:
        """The heads that may be named: those beyond, where pairs have such heads more often than swaps."""
        return self.beyond if self.naming is not None and self.naming.shown else ()

    @property
    def contrast(self) -> str:
        """The other version."""
        assert self.ambiguity.contrast is not None
        return self.ambiguity.contrast.text

    @cached_property
    def looks(self) -> tuple[np.ndarray, np.ndarray]:
        """Where heads look from the pivot in each version, as `from_pivot` has it."""
        return self.from_pivot(self.maps)

    def from_pivot(self, maps: tuple[AttentionMaps, AttentionMaps]) -> tuple[np.ndarray, np.ndarray]:
        """Return where heads look from the pivot in each version, float64 [3, layer, head], by some maps.

        To the changed word (NaN if that is the pivot), to A and to B: shares of all attention; of several partners the
        sum.
        """
        found, number = self.ambiguity, self.ambiguity.change[0]
        looks = []
        for one in map(in_words, maps):
            to_a, to_b = (given_to(one, found.at, partners) for partners in (found.a, found.b))
            first = np.full(to_a.shape, np.nan) if number == found.pivot else given_to(one, found.at, (number,))
            looks.append(np.stack([first, to_a, to_b]))
        return looks[0], looks[1]


def shared(case: RecordedReadings, move: MovedScore, ask: Ask) -> SharedOut | None:
    """Return what heads carry of a difference, and the path that brings it; None where nothing may be shared out.

    Raises:
        MHAError: what the engine raises.
    """
    if not move.state.shares:
        return None
    found, model = case.ambiguity, case.row.name
    text, contrast = case.versions
    pair, known = found.readings, calibration_of(case)
    assert known is not None
    maps, path = (case.maps, ask(Request(contrast, model)).maps), path_of(known)
    both = leans(maps[0], pair), leans(maps[1], pair)
    this = SharedOut(found, move, maps, both, path=path)
    try:
        patch = ask(experiments.patched.of(text, contrast, pair, model, found.kind))
    except InputError as error:
        return replace(this, why_not=str(error), why_not_own=str(error))
    this = replace(this, patch=patch, beyond=patch.named_beyond(move.limit), naming=known.naming)
    if path is None:
        return this
    turn = both[0].lean[path.receiver] - both[1].lean[path.receiver]
    if abs(turn) < SMALLEST_TURN:
        return replace(this, why_not_own=f"{path.receiver}’s lean hardly changes here ({abs(turn):.2f}).")
    return replace(this, own=ask(experiments.followed.of(text, contrast, pair, path.senders, path.receiver, model)))


def path_of(known: KindCalibration | None) -> Followed | None:
    """Return the path of a kind that moves its receiver furthest, over pairs; None where its pairs have none."""
    return max(known.paths, key=lambda path: path.share[0] * path.difference, default=None) if known else None


def carrying(case: RecordedReadings, ask: Ask) -> tuple[HeadId, ...]:
    """Return the heads that may be said to carry the difference of a sentence; none where nothing is shared out."""
    try:
        found = shared(case, moved(case, ask), ask)
    except NotComparable:
        return ()
    return found.named if found else ()
