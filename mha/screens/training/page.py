"""Watch heads learn: why do heads differ, and do they stay different?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mha.engine.bundled import siblings
from mha.engine.question import ADDRESS, Ask
from mha.engine.trainings import Progress, Watched
from mha.export.heads import curves_table
from mha.figures import training as figures
from mha.link.acts import Act, Say
from mha.link.link import Link
from mha.link.training import EXPERIMENTS, SIDES, WHOLE, TrainingWords
from mha.screens.blocks import Asked, Block, CopyLink, caption, heading
from mha.screens.guessing import GuessText
from mha.screens.inputs import Choose, PageDoor, Pick
from mha.screens.places import (
    Blocks,
    Chart,
    ComponentPicture,
    End,
    Following,
    Menu,
    More,
    Notice,
    PageTable,
    Place,
    Plain,
    Side,
    Together,
)
from mha.screens.takings import Numbers
from mha.screens.training import words
from mha.screens.training.runs import PACE, status, train_live, training_spec, under_way
from mha.training.curves import Curves

REST = "More follows when training ends."
TOP, BUTTON, MIDDLE = "training_top", "training_button", "training_middle"


def page(link: Link, ask: Ask) -> Iterator[Block]:
    """Yield two runs side by side, what both were made from, and what can be seen of how their heads came to differ."""
    own = link.own
    assert isinstance(own, TrainingWords)
    yield Place(TOP, ())
    yield from _controls(own)
    yield Place(MIDDLE, ())
    if link.view.reveal:
        yield Choose(TrainingWords.of("at").name, format="%d %%")
    both = [own.fitting(side) for side in SIDES]
    yield from (Notice(instead) for _, instead in both if instead)
    asked = Watched(tuple(settings for settings, _ in both))
    every = ask(asked)
    following = under_way(every)
    runs = [progress.curves for progress in every if progress.curves is not None]
    moments = [curves.moment(own.at / WHOLE) for curves in runs]
    hero = Following("hero", asked, following, _hero(runs, moments, link.view.large), PACE)
    guessed = not link.view.reveal and bool(runs)
    if following or not guessed:
        yield Place(BUTTON, (train_live(asked, every),))
    yield Place(TOP, (_before_findings(runs[0]),) if guessed else (hero,))
    if guessed and not following:
        return  # what was trained is what is guessed at
    yield Place(MIDDLE, (Following("curves", asked, following, _curves(asked, every, own, following), PACE),))
    if following or not runs:
        yield from (Plain(REST, "faint"), End())
        return
    sections = {
        "looks": _looks(runs, moments),
        "maps": _maps(runs, moments),
        "switched_off": _switched_off(runs, moments),
        "diversity": _diversity(runs),
        "conclusions": _conclusions(),
        "foot": _foot(asked, every, runs, ask),
    }
    yield from (Place(f"section_training_{name}", blocks) for name, blocks in sections.items())


def _controls(own: TrainingWords) -> Iterator[Block]:
    """Yield the experiments, both sides' settings and what they share."""
    acts = {name: _said(experiment) for name, experiment in EXPERIMENTS.items()}
    yield Pick("training_experiment", "Experiments", tuple(acts), own.experiment, look="pills", wrap=True, acts=acts)
    shared = tuple((Choose(TrainingWords.of(name).name),) for name in ("readings", "steps", "seed", "strength"))
    sides = Side(tuple((_side(side),) for side in SIDES), (1, 1), "large")
    yield More("Settings", (sides, Side(shared, (2, 3, 2, 2), align="bottom")))
    yield Place(BUTTON, ())


def _said(experiment: TrainingWords) -> tuple[Act, ...]:
    """Return what lets all words of the page say an experiment."""
    return tuple(Say(word.name, getattr(experiment, word.field)) for word in experiment.table())


def _side(side: str) -> Side:
    more = Menu(
        "More", tuple(Choose(TrainingWords.of(f"{name}_{side}").name) for name in ("reads", "pressure", "layers"))
    )
    heads, start = (
        Choose(TrainingWords.of(f"heads_{side}").name, wrap=True),
        Choose(TrainingWords.of(f"start_{side}").name),
    )
    return Side(((heads,), (start,), (more,)), (12, 7, 4), align="bottom")


def _hero(runs: Sequence[Curves], moments: Sequence[int], large: bool) -> Iterator[Block]:
    """Yield the sentence with both runs' arcs and what they come to."""
    if runs:
        spec = training_spec("hero", runs, moments, words.task(runs[0]), large)
        yield ComponentPicture("training", spec, "training_hero", first=True)
    else:
        yield caption("Starting …", style="sub lead")


def _before_findings(run: Curves) -> Together:
    """Return the sentence and the task, which a guess is about."""
    sentence = " ".join(one for one in run.words if one != ".")
    task = tuple(("word" if kind == "word" else "plain", text) for kind, text in words.task(run))
    return Together((GuessText(sentence), Asked("sub", task)))


def _curves(asked: Watched, every: Sequence[Progress], own: TrainingWords, following: bool) -> Iterator[Block]:
    """Yield both runs' accuracy with the dotted line of the guesser; progress, Stop and Carry on."""
    yield from status(asked, every)
    over = [
        words.accuracy_said(one.curves, len(siblings(one.curves.settings)) if one.bundled else 0)
        for one in every
        if one.curves is not None
    ]
    alike = len(set(over)) == 1
    if alike:
        yield caption(over[0])
    columns = []
    for number, (settings, progress) in enumerate(zip(asked.settings, every, strict=True)):
        title, run = words.title_of(settings), progress.curves
        blocks: tuple[Block, ...] = (heading(title), caption("Waiting …"))
        if run is not None:
            others = siblings(run.settings) if progress.bundled else ()
            moment = None if following else run.moment(own.at / WHOLE)
            given = {"curves": run, "siblings": others, "moment": moment}
            chart = Chart("accuracy", given, figures.describe_accuracy(run, title))
            legend = () if alike else (caption(words.accuracy_said(run, len(others))),)
            blocks = heading(title), *legend, chart
        columns.append((Place(f"training_run_{number}", blocks),))
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
    yield Side((*columns, *[()] * (2 - len(columns))), (1, 1), "large")


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
    """Yield the three measures of how different the heads are."""
    yield heading("Do heads become different?")
    yield caption(words.differ(runs), style="sub")
    if all(run.settings.n_heads == 1 for run in runs):
        return
    names = [words.title_of(run.settings) for run in runs]
    charts = [
        Chart(
            "diversity",
            {"runs": runs, "names": names, "field": field},
            figures.describe_diversity(runs, names, field),
        )
        for field in figures.DIVERSITY
    ]
    yield Side(tuple((chart,) for chart in charts), (1, 1, 1), "medium")
    yield caption(words.diversity_lines(runs))


def _conclusions() -> Iterator[Block]:
    """Yield what this shows and what it does not, and where looking and mattering come apart."""
    yield heading("What this shows")
    yield Place("training_said", tuple(caption(claim, style="body") for claim in words.SHOWN))
    yield More("Not shown", tuple(caption(claim, style="body") for claim in words.NOT_SHOWN))
    yield PageDoor(("readings.py",), text="Two readings", arrow=False)


def _foot(asked: Watched, every: Sequence[Progress], runs: Sequence[Curves], ask: Ask) -> Iterator[Block]:
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
    bundled = [progress.bundled for progress in every]
    yield More("How is this measured?", tuple(caption(one) for one in words.measured(asked.settings[0], bundled)))
    yield CopyLink()
