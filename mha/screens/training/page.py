"""Watch heads learn: why do heads differ, and do they stay different?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mha.engine.bundled import bundled_runs, siblings
from mha.engine.question import ADDRESS, Ask
from mha.export.heads import curves_table
from mha.figures import training as figures
from mha.link.link import Link
from mha.link.training import WHOLE, TrainingWords
from mha.screens.blocks import Asked, Block, CopyLink, caption, heading
from mha.screens.guessing import GuessText
from mha.screens.inputs import Choose, PageDoor
from mha.screens.places import Blocks, Chart, ComponentPicture, More, PageTable, Place, Plain, Side, Together
from mha.screens.takings import Numbers
from mha.screens.training import words
from mha.screens.training.runs import training_spec
from mha.training.curves import Curves
from mha.training.settings import EXPERIMENTS

TOP, MIDDLE = "training_top", "training_middle"
MISSING = "The recorded runs are not available."


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield two recorded runs side by side, and what can be seen of how their heads came to differ."""
    own = link.own
    assert isinstance(own, TrainingWords)
    yield Place(TOP, ())
    yield Choose(TrainingWords.of("experiment").name, wrap=True)
    yield Place(MIDDLE, ())
    if link.view.reveal:
        yield Choose(TrainingWords.of("at").name, format="%d %%")
    runs = [run for settings in EXPERIMENTS[own.experiment] if (run := bundled_runs().get(settings))]
    if len(runs) < 2:
        yield caption(MISSING, style="sub lead")
        return
    moments = [curves.moment(own.at / WHOLE) for curves in runs]
    if not link.view.reveal:
        yield Place(TOP, (_before_findings(runs[0]),))
        return
    hero = training_spec("hero", runs, moments, words.task(runs[0]), link.view.large)
    yield Place(TOP, (ComponentPicture("training", hero, "training_hero", first=True),))
    yield Place(MIDDLE, tuple(_curves(runs, moments)))
    sections = {
        "looks": _looks(runs, moments),
        "maps": _maps(runs, moments),
        "switched_off": _switched_off(runs, moments),
        "diversity": _diversity(runs),
        "conclusions": _conclusions(),
        "foot": _foot(runs, ask),
    }
    yield from (Place(f"section_training_{name}", blocks) for name, blocks in sections.items())


def _before_findings(run: Curves) -> Together:
    """Return the sentence and the task, which a guess is about."""
    sentence = " ".join(one for one in run.words if one != ".")
    task = tuple(("word" if kind == "word" else "plain", text) for kind, text in words.task(run))
    return Together((GuessText(sentence), Asked("sub", task)))


def _curves(runs: Sequence[Curves], moments: Sequence[int]) -> Iterator[Block]:
    """Yield both runs' accuracy with the dotted line of the guesser, and other seeds thin."""
    others = [siblings(run.settings) for run in runs]
    legends = [words.accuracy_said(run, len(seeds)) for run, seeds in zip(runs, others, strict=True)]
    alike = len(set(legends)) == 1
    if alike:
        yield caption(legends[0])
    columns = []
    for number, (run, moment) in enumerate(zip(runs, moments, strict=True)):
        title = words.title_of(run.settings)
        given = {"curves": run, "siblings": others[number], "moment": moment}
        chart = Chart("accuracy", given, figures.describe_accuracy(run, title))
        legend = () if alike else (caption(legends[number]),)
        columns.append((Place(f"training_run_{number}", (heading(title), *legend, chart)),))
    yield Side(tuple(columns), (1, 1), "large")


def _looks(runs: Sequence[Curves], moments: Sequence[int]) -> Iterator[Block]:
    """Yield where the pivot looks while the runs learn."""
    pivot = runs[0].words[runs[0].pivot]
    yield heading(f"Where “{pivot}” looks during training")
    columns: list[Blocks] = []
    for run, moment in zip(runs, moments, strict=True):
        title = words.title_of(run.settings)
        chart = Chart("looks", {"curves": run, "moment": moment}, figures.describe_looks(run, title))
        columns.append((heading(title, "h3"), chart))
    yield Side(tuple(columns), (1, 1), "large")


def _maps(runs: Sequence[Curves], moments: Sequence[int]) -> Iterator[Block]:
    """Yield every head of both runs, word by word."""
    yield heading("Every head, word by word")
    yield ComponentPicture("training", training_spec("maps", runs, moments), "training_maps_drawn")


def _switched_off(runs: Sequence[Curves], moments: Sequence[int]) -> Iterator[Block]:
    """Yield what each reading loses when a head is switched off."""
    yield heading("Switch one head off (ablation)")
    for run, moment in zip(runs, moments, strict=True):
        title = words.title_of(run.settings)
        yield heading(title, "h3")
        yield caption(words.switched_off(run, moment), style="sub")
        given = {"curves": run, "moment": moment}
        yield Chart("switched off", given, figures.describe_silenced(run, title, moment))


def _diversity(runs: Sequence[Curves]) -> Iterator[Block]:
    """Yield how different the heads are."""
    yield heading("Do heads become different?")
    yield caption(words.differ(runs), style="sub")
    names = [words.title_of(run.settings) for run in runs]
    chart = Chart("diversity", {"runs": runs, "names": names}, figures.describe_diversity(runs, names))
    yield Side(((chart,), (), ()), (1, 1, 1), "medium")
    yield caption(words.diversity_lines(runs))


def _conclusions() -> Iterator[Block]:
    """Yield what this shows and what it does not, and where looking and mattering come apart."""
    yield heading("What this shows")
    yield Place("training_said", tuple(caption(claim, style="body") for claim in words.SHOWN))
    yield More("Not shown", tuple(caption(claim, style="body") for claim in words.NOT_SHOWN))
    yield PageDoor(("readings.py",), text="Two readings", arrow=False)


def _foot(runs: Sequence[Curves], ask: Ask) -> Iterator[Block]:
    """Yield the curves as tables, where the numbers come from, and the link."""
    tables: list[Block] = []
    for number, run in enumerate(runs, start=1):
        title = words.title_of(run.settings)
        tables += [Plain(title), PageTable(words.table(run), "", f"parallax-curves-{number}", title, sorts=True)]
    yield More("Numbers of these curves", tables)
    address = ask(ADDRESS)
    for number, run in enumerate(runs, start=1):
        made = curves_table(run, words.provenance(run, address))
        yield Numbers(words.title_of(run.settings), f"parallax-training-{number}", of=made)
    yield More("How is this measured?", tuple(caption(one) for one in words.measured(runs[0].settings)))
    yield CopyLink()
