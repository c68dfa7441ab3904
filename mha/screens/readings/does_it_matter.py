"""The tab "Does it matter?": the score and whether it may be believed, the sweep, sets of heads, one head turned."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from mha.analysis.readings import Leans, leans
from mha.brief import brief
from mha.engine import experiments
from mha.engine.asking import Here, SweepQuestion
from mha.engine.experiments import LINK, Score
from mha.engine.jobs import SweepRequest, SweepRun
from mha.engine.question import Ask
from mha.errors import InputError, ModelError
from mha.export.experiments import direct_table, sweep_table
from mha.export.provenance import MapsSource
from mha.export.tables import Table
from mha.intervention.outcomes import Direct
from mha.link.acts import Begin, Say, Stop
from mha.link.readings import ONLY, SILENCED, STEERED, ReadingsWords, layer_label
from mha.maps import HeadId
from mha.screens.blocks import Block, said
from mha.screens.inputs import Choose, Press
from mha.screens.places import Following, Place, ProgressBar, Side, Together, Wait
from mha.screens.readings import adds
from mha.screens.readings.matter import Scored, check_silencing, score_blocks, scored
from mha.screens.readings.recorded import RecordedReadings, provenance
from mha.screens.readings.scores import (
    SCORE_ROWS,
    ScoreRow,
    asked_score,
    is_offered,
    missing_text,
    not_offered,
    suggested,
)
from mha.screens.readings.section import measuring, section
from mha.screens.readings.sweep import (
    head_sets,
    kept,
    silenced_block,
    steer_blocks,
    stopped_block,
    sweep_blocks,
    turned,
)
from mha.screens.takings import Numbers

PACE = 0.5  # seconds between looks at the sweep
TOP, LINE, WORDS = "matter_top", "matter_line", "matter_words"


@dataclass(frozen=True, eq=False)
class SweepNumbers:
    """What silencing each head does as far as it is measured, to be taken away."""

    run: SweepRun
    source: MapsSource

    __repr__ = brief

    def table(self) -> Table:
        """Return it as a table."""
        return sweep_table(self.run.result(), self.source.told())


@dataclass(frozen=True, eq=False)
class DirectNumbers:
    """What each head adds directly to the next word, to be taken away."""

    found: Direct
    source: MapsSource

    __repr__ = brief

    def table(self) -> Table:
        """Return it as a table."""
        return direct_table(self.found, self.source.told())


def tab(case: RecordedReadings, own: ReadingsWords, ask: Ask) -> Iterator[Block]:
    """Yield the tab; what stands under the sweep comes once it is over, for it waits for the same worker."""
    check_silencing(case)
    yield Place(TOP, ())
    row, score = yield from _asked(case, own, ask)
    missing = missing_text(row, score)
    if missing:
        yield Place(TOP, (Together((said("text", "{missing}", missing=missing),)),))
        return
    yield Wait("Reading the score of this sentence …")
    this = scored(case, row, score, ask)
    measured = measuring(this.ambiguity.kind, case.row, case.view.large, ask) if this.can_be_tried else ()
    yield Place(TOP, (Together(score_blocks(this)), *measured))
    looks = leans(case.maps, case.ambiguity.readings)
    run = yield from _sweep(case, own, looks, score, ask)
    if run.state == "running":
        return
    yield from _adds(case, own, this, run, ask)
    yield from _sets(case, own, looks, score, ask)
    yield from _steer(case, own, score, ask)


def _asked(case: RecordedReadings, own: ReadingsWords, ask: Ask) -> Generator[Block, None, tuple[ScoreRow, Score]]:
    """Yield which score is read, and where or between which texts; return it."""
    found, layers = case.ambiguity, tuple(layer_label(layer) for layer in range(case.row.n_layers))
    wanted = row = SCORE_ROWS[own.score]
    if not is_offered(wanted, case.row.name, ask):
        row = next(iter(SCORE_ROWS.values()))
    boxes: list[Block] = [Choose(ReadingsWords.of("score").name)]
    if row.name == LINK:
        last = max(0, len(layers) - 2)
        boxes.append(Choose(ReadingsWords.of("at").name, options=layers, first=last))
        at = layers.index(own.at) if own.at in layers else last
        score = asked_score(row, ("", ""), found, at + 1)
    else:
        for letter, theirs in zip("AB", suggested(row, found), strict=True):
            name, hint = ReadingsWords.of(f"say_{letter.lower()}").name, theirs or "not written yet"
            boxes.append(Choose(name, label=row.box.format(letter=letter), hint=hint))
        score = asked_score(row, (own.say_a, own.say_b), found, len(layers))
    empty: tuple[tuple[Block, ...], ...] = ((),) * (4 - len(boxes))
    yield Side((*((box,) for box in boxes), *empty), (2, 2, 2, 3), align="bottom")
    if row is not wanted:
        yield Together((said("note", "{why}", why=not_offered(wanted, case.row.short)),))
    return row, score


def _sweep(
    case: RecordedReadings, own: ReadingsWords, looks: Leans, score: Score, ask: Ask
) -> Generator[Block, None, SweepRun]:
    """Yield the sweep, begun now if it was not; return it."""
    box = Choose(ReadingsWords.of("silenced").name)
    yield section("Silence each head once", case.view.large, box, shares=(7, 2))
    found = case.ambiguity
    asked = SweepQuestion(SweepRequest(found.text, found.readings, SILENCED[own.silenced], case.row.name, score))
    run = ask(asked)
    source = provenance(case, f"silenced by: {own.silenced}", ask(Here()))
    yield Numbers("What silencing each head does", "parallax-silenced", of=SweepNumbers(run, source))
    yield Following("sweep", asked, run.state == "running", _swept(case, asked, run, looks, ask), PACE)
    return run


def _swept(case: RecordedReadings, asked: SweepQuestion, run: SweepRun, looks: Leans, ask: Ask) -> Iterator[Block]:
    """Yield what is measured so far, foretold while it runs."""
    run.wait(0)  # what it raised is raised here
    if run.state == "running":
        yield _progress(run)
        yield Press("Stop", (Stop(asked),), name="readings_stop")
        of = run.asked
        if run.preparing is None:
            preview = ask(experiments.foretold.of(of.text, of.readings, of.kind, of.model, of.score))
            yield Together(sweep_blocks(preview, looks, "preview"))
        return
    if run.state == "stopped":
        yield Together((stopped_block(run.effect, run.reach),))
        yield Press("Measure the rest", (Begin(asked),))
    heads = case.heads(run.reach)
    acts = {str(head): (Say(ReadingsWords.of("set").name, ONLY.format(head)),) for head in heads}
    yield Together(sweep_blocks(run.result(), looks, run.state), acts)


def _progress(run: SweepRun) -> ProgressBar:
    if run.preparing is not None:
        done, whole = run.preparing
        return ProgressBar(done / whole, f"Averaging what each head does over {whole} sentences, once: {done}")
    return ProgressBar(run.done / run.whole, f"Silencing heads, low layers first: {run.done} of {run.whole}")


def _adds(case: RecordedReadings, own: ReadingsWords, this: Scored, run: SweepRun, ask: Ask) -> Iterator[Block]:
    """Yield what each head gives a next word by itself, beside the sweep; or why that cannot be told here."""
    yield section(adds.TITLE, case.view.large)
    why = adds.why_not(case, this, ask)
    if why is not None:
        yield Together((why,))
        return
    yield Wait("Adding up what each head gives …")
    try:
        found = adds.gives(case, this, ask)
    except (InputError, ModelError) as error:  # the rest of the tab stands without it
        yield Together((said("sub", "{why}", why=str(error)),))
        return
    yield Together(adds.gives_blocks(case, this, found, run.result().effect, own.silenced))
    source = provenance(case, f"direct effects on the next word, {' over '.join(found.words)}", ask(Here()))
    yield Numbers(adds.TITLE, "parallax-direct", of=DirectNumbers(found, source))


def _sets(case: RecordedReadings, own: ReadingsWords, looks: Leans, score: Score, ask: Ask) -> Iterator[Block]:
    """Yield what several heads do together: the pinned, those that lean furthest to A, or a layer."""
    yield section("Silence several together", case.view.large)
    left = kept(case, own.silenced, score, ask)
    if left:
        yield Together(left)
    sets = head_sets(case, looks, score.reach(case.row.n_layers))
    chosen = own.set if own.set in sets else next(iter(sets))
    yield Side(((Choose(ReadingsWords.of("set").name, options=tuple(sets)),), ()), (3, 5))
    yield Together((silenced_block(case, sets[chosen], own.silenced, score, ask),))


def _steer(case: RecordedReadings, own: ReadingsWords, score: Score, ask: Ask) -> Iterator[Block]:
    """Yield the score over the strength of one head."""
    yield section("Turn one head up or down", case.view.large)
    names = tuple(str(head) for head in case.heads(score.reach(case.row.n_layers)))
    first = names.index(STEERED) if STEERED in names else 0
    head = own.steered if own.steered in names else names[first]
    boxes = (
        Choose(ReadingsWords.of("steered").name, options=names, first=first),
        Choose(ReadingsWords.of("strength").name),
    )
    yield Side(((Place(LINE, ()),), (*boxes, Place(WORDS, ()))), (5, 4), "large")
    yield Wait(f"Turning {head} up and down …")
    line, beside = steer_blocks(turned(case, HeadId.parse(head), score, ask), own.strength)
    yield Place(LINE, (Together((line,)),))
    yield Place(WORDS, (Together(beside),))
