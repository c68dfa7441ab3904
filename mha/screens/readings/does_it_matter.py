"""The tab "Does it matter?", in its order: the score, the sweep, sets of heads.

The sweep ablates each head in turn; it begins as the tab is drawn. `effects` says and draws what it found.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from mha.analysis.readings import Leans, leans
from mha.engine import experiments
from mha.engine.experiments import LINK, Score
from mha.engine.question import ADDRESS, Ask
from mha.engine.sweeps import SweepRequest, SweepRun
from mha.errors import AttentionUnavailable, NotComparable
from mha.export.heads import sweep_table
from mha.export.provenance import Provenance
from mha.export.tables import Table
from mha.link.acts import Begin, Say
from mha.link.readings import FURTHEST, ONLY, SILENCED, ReadingsWords, layer_label
from mha.maps import heads_of
from mha.screens.blocks import Block, caption, said
from mha.screens.inputs import Choose, Press
from mha.screens.measuring import stop
from mha.screens.places import Following, More, Notice, Place, ProgressBar, Side, Together, Wait
from mha.screens.readings.effects import (
    head_sets,
    silenced_block,
    stopped_block,
    sweep_blocks,
)
from mha.screens.readings.pairs import missing_pairs
from mha.screens.readings.recorded import (
    HOW,
    RecordedReadings,
    check_versions,
    first_word_blocks,
    provenance,
    section,
)
from mha.screens.readings.score import (
    SCORE_ROWS,
    ScoreRow,
    asked_score,
    method_blocks,
    missing_text,
    not_offered,
    score_blocks,
    scored,
    suggested,
)
from mha.screens.readings.sentence import contrast_picture
from mha.screens.takings import Numbers, OnRequest

PACE = 0.5  # seconds between looks at the sweep
TOP, METHOD = "matter_top", "matter_method"
USUAL = next(iter(SILENCED))


def tab(case: RecordedReadings, own: ReadingsWords, ask: Ask) -> Iterator[Block]:
    """Yield the tab; what stands under the sweep comes once it is over, for it waits for the same worker."""
    if not experiments.has_twin(case.row.name):
        raise AttentionUnavailable(f"{case.row.title} does not support ablation here. Choose MiniLM instead.")
    if case.ambiguity.contrast is None:
        yield contrast_picture(case)
    yield Place(TOP, ())
    wanted = row = SCORE_ROWS[own.score]
    if row.name != LINK and row.name not in ask(experiments.scores_of.of(case.row.name)):  # the engine looks at it
        row = next(iter(SCORE_ROWS.values()))
    boxes, score = _boxes(case, own, row)
    if row is not wanted:
        yield Together((said("note", "{why}", why=not_offered(wanted, case.row.short)),))
    chooses = Side((*((box,) for box in boxes), ()), (*(2,) * len(boxes), 3), align="bottom")
    yield More(HOW, (Place(METHOD, ()), chooses)) if row.name == LINK else chooses
    if untyped := missing_text(row, score):
        yield Place(TOP, (Together((said("text", "{untyped}", untyped=untyped),)),))
        return
    if row.name == LINK:
        try:
            check_versions(case)
        except NotComparable as error:
            yield Place(TOP, (Notice(str(error)),))
            return
    yield Wait("Computing the score …")
    this = scored(case, row, score, ask)
    can_be_tried = row.name == LINK and case.ambiguity.compared_with is not None
    missing = missing_pairs(case.ambiguity.kind, case.row, case.view.large) if can_be_tried else ()
    yield Place(TOP, (Together(score_blocks(this)), *missing))
    if row.name == LINK:
        yield Place(METHOD, (Together(method_blocks(this)),))
    try:
        looks = leans(case.maps, case.ambiguity.readings)
    except NotComparable as error:
        yield from first_word_blocks(case.ambiguity, error)
        return
    run = yield from _sweep(case, own, score, ask)
    if run.state == "running":
        return
    yield from _sets(case, own, looks, score, ask)


def _boxes(case: RecordedReadings, own: ReadingsWords, row: ScoreRow) -> tuple[list[Block], Score]:
    """Return the controls of which score is taken, and where or between which texts; and the score."""
    found, layers = case.ambiguity, tuple(layer_label(layer) for layer in range(case.row.n_layers))
    boxes: list[Block] = [Choose(ReadingsWords.of("score").name)]
    if row.name == LINK:
        last = max(0, len(layers) - 2)
        boxes.append(Choose(ReadingsWords.of("at").name, options=layers, first=last))
        at = layers.index(own.at) if own.at in layers else last
        return boxes, Score(at=at + 1)
    for letter, theirs in zip("AB", suggested(row, found), strict=True):
        name, hint = ReadingsWords.of(f"say_{letter.lower()}").name, theirs or "not written yet"
        boxes.append(Choose(name, label=row.box.format(letter=letter), hint=hint))
    return boxes, asked_score(row, (own.say_a, own.say_b), found)


def _sweep(case: RecordedReadings, own: ReadingsWords, score: Score, ask: Ask) -> Generator[Block, None, SweepRun]:
    """Yield the sweep, begun now if it was not; return it."""
    yield section("Ablate each head in turn", case.view.large)
    found = case.ambiguity
    asked = SweepRequest(found.text, found.readings, SILENCED[own.silenced], case.row.name, score)
    run = ask(asked)
    source = provenance(case, f"output replaced with: {own.silenced}", ask(ADDRESS))
    later = OnRequest(_sweep_table, (run, source))
    yield Numbers("What ablating each head does", "parallax-silenced", of=later)
    yield Following("sweep", asked, run.state == "running", _so_far(case, asked, run, ask), PACE)
    how = caption("Each head’s output is replaced in turn, and the score measured again (Michel et al. 2019).")
    yield More(HOW, (how, Choose(ReadingsWords.of("silenced").name)), open=own.silenced != USUAL)
    return run


def _sweep_table(run: SweepRun, source: Provenance) -> Table:
    return sweep_table(run.result(), source)


def _so_far(case: RecordedReadings, asked: SweepRequest, run: SweepRun, ask: Ask) -> Iterator[Block]:
    """Yield what is measured so far, foretold while it runs."""
    run.wait(0)  # what it raised is raised here
    if run.state == "running":
        yield ProgressBar(run.done / run.whole, f"Ablating heads: {run.done} of {run.whole}")
        yield stop(asked, run, "readings_stop")
        of = run.asked
        if run.done:  # the mean outputs of the heads are known by then
            preview = ask(experiments.foretold.of(of.text, of.readings, of.kind, of.model, of.score))
            yield Together(sweep_blocks(preview, preview=True))
        return
    if run.state == "stopped":
        yield Together((stopped_block(run.effect, run.reach),))
        yield Press("Measure the rest", (Begin(asked),))
    heads = heads_of(run.reach, case.row.n_heads)
    acts = {str(head): (Say(ReadingsWords.of("set").name, ONLY.format(head)),) for head in heads}
    yield Together(sweep_blocks(run.result()), acts)


def _sets(case: RecordedReadings, own: ReadingsWords, looks: Leans, score: Score, ask: Ask) -> Iterator[Block]:
    """Yield, closed, what several heads do together: the pinned, those with the largest leans to A, or a layer."""
    sets = head_sets(case, looks, score.reach(case.row.n_layers))
    chosen = own.set if own.set in sets else next(iter(sets))
    inside = [
        Side(((Choose(ReadingsWords.of("set").name, options=tuple(sets)),), ()), (3, 5)),
        Together((silenced_block(case, sets[chosen], own.silenced, score, ask),)),
    ]
    yield More("Ablate several heads", inside, open=own.set != FURTHEST, name="readings_several")
