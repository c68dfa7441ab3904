"""What every tab draws from: the sentence as recorded, its score in two versions, and what is shared out between them.

`moved` and `shared` ask; everything that is said of the answers is computed from them. Arrays are [layer, head] unless
said otherwise. A name that travels as "from" is ``from_`` in the blocks of the tabs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from mha.analysis.floor import NamingRates
from mha.analysis.readings import check_change_is_read
from mha.engine import experiments
from mha.engine.question import Ask
from mha.errors import AttentionUnavailable, InputError, NotComparable
from mha.examples import OPENS_TWO_READINGS
from mha.export.provenance import MapsSource
from mha.intervention.calibrated import KindCalibration
from mha.intervention.outcomes import Patch
from mha.link.acts import Act, Say
from mha.link.view import View
from mha.maps import AttentionMaps, HeadId
from mha.models.files.catalog import ModelRow
from mha.pairs import OTHER
from mha.screens.blocks import Block, LabelledPicture, Span, heading, say, size_said
from mha.screens.inputs import Press
from mha.screens.places import More, Notice, PageTable, Place, Together
from mha.screens.readings.ambiguity import NEEDS, Ambiguity
from mha.screens.readings.score_change import ELSEWHERE, NO_PAIRS, SEVERAL, MovedScore
from mha.words import segmentation, split, with_word

Estimate = tuple[float, float, float]  # a number, and from where to where it lies


class PlacedPicture(LabelledPicture):
    """A picture of the sentence: where the pivot, the partners of both readings and the cue stand on its axis."""

    pivot: int = field(kw_only=True)
    a: tuple[int, ...] = field(kw_only=True)
    b: tuple[int, ...] = field(kw_only=True)
    cue: int | None = field(kw_only=True)


HOW = "How is this measured?"
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
    known = calibration_of(case) if not no_kind else None
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
    """The parts of a score change that heads carry.

    ``patch`` is None if the versions cannot be patched; ``why_not`` is why. ``beyond`` are the heads that pass the
    limit of one head, and ``naming`` how often that happens in test pairs and in control swaps.
    """

    ambiguity: Ambiguity
    moved: MovedScore
    patch: Patch | None = None
    beyond: tuple[HeadId, ...] = ()
    naming: NamingRates | None = None
    why_not: str = ""

    @property
    def contrast(self) -> str:
        """The changed version."""
        assert self.ambiguity.contrast is not None
        return self.ambiguity.contrast.text


def shared(case: RecordedReadings, move: MovedScore, ask: Ask) -> SharedOut | None:
    """Return the parts that heads carry of a change beyond the control limit; None within it or without one.

    Raises:
        MHAError: as the engine raises it.
    """
    if not move.passes:
        return None
    found, known = case.ambiguity, calibration_of(case)
    assert known is not None
    text, contrast = case.versions
    try:
        patch = ask(experiments.patched.of(text, contrast, found.readings, case.row.name, found.kind))
    except InputError as error:
        return SharedOut(found, move, why_not=str(error))
    return SharedOut(found, move, patch, patch.named_beyond(move.limit), known.naming)
