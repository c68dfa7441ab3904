"""Which measures find the heads that matter: the study of `mha.truth`, as a section of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mha import assets
from mha.assets import ASSETS
from mha.formats import number, percent
from mha.screens.blocks import Block, caption, heading
from mha.screens.places import Chart, Listed, More, PageTable
from mha.truth.agreement import (
    EVERY,
    HOLD,
    LEARNED,
    MEASURES,
    N_TEXTS,
    Agreement,
    StudiedModel,
    Summary,
    parsed,
    summary,
)
from mha.truth.tasks import TASKS

FILE = ASSETS / "truth.json"
MARKS = "Dot and bar: the mean of all tasks and its 95 % interval over seeds. Rings: single tasks."


def truth() -> Iterator[Block]:
    """Yield how well each measure ranks the heads that matter, in models in which every set of heads was tried."""
    yield from agreement_section(*studied())


def agreement_section(ranked: Sequence[Agreement], found: Summary) -> Iterator[Block]:
    """Yield the section of these measures."""
    yield heading("Which measures find the heads that matter?")
    yield caption(finding(ranked, found), style="answer")
    yield agreement_chart(ranked, found)
    yield caption(MARKS)
    yield PageTable(_columns(ranked), "How well each measure ranks heads", "parallax-truth")
    yield More("How is this measured?", (Listed(method(found)),))


def studied() -> tuple[list[Agreement], Summary]:
    """Return every measure over all tasks, the best first, and the summary that it is from; found once a file."""
    return assets.read(FILE, _ranking)


def _ranking(content: bytes) -> tuple[list[Agreement], Summary]:
    return ranking(parsed(content))  # whose intervals take a second


def ranking(rows: Sequence[StudiedModel]) -> tuple[list[Agreement], Summary]:
    """Return the same of these models."""
    found = summary(rows)
    return sorted((found.of(name) for name in MEASURES), key=lambda one: -one.rank), found


def agreement_chart(ranked: Sequence[Agreement], found: Summary) -> Chart:
    """Return how well each measure ranks heads, with intervals, and each task for itself."""
    tasks = {
        name: [found.of(one.measure, name).rank for one in ranked]
        for name in TASKS
        if any(one.task == name for one in found.agreements)
    }
    given = {
        "names": [one.measure for one in ranked],
        "means": [(one.rank, one.rank_low, one.rank_high) for one in ranked],
        "tasks": tasks,
    }
    return Chart("agreement", given, "; ".join(f"{one.measure}: {_with_interval(one)}" for one in ranked))


def finding(ranked: Sequence[Agreement], found: Summary) -> str:
    """Return the finding in two sentences; ``ranked`` is every measure over all tasks, the best first."""
    best, last, looking = ranked[0], ranked[-1], found.of("attention")
    first = (
        f"In {found.n_models} tiny models, trained here for {_tasks(found)}, {best.measure} ranks heads best by what "
        f"they do (rank correlation {number(best.rank, 2)}), {last.measure} worst ({number(last.rank, 2)})."
    )
    where = f"Attention to the words that decide reaches {number(looking.rank, 2)}"
    if looking.rank_high < best.rank_low:
        return f"{first} {where}: where a head looks says less about what it does."
    return f"{first} {where}; the difference is not clear."


def method(found: Summary) -> tuple[str, ...]:
    """Return how it was measured, a sentence or two a line."""
    robust = " and ".join(f"{number(value, 2)} with {kind}s" for kind, value in found.truths.items())
    return (
        "Five tasks: " + "; ".join(f"*{task.name}* ({task.asked})" for task in TASKS.values()) + ".",
        f"Each model has two layers of four heads and its own seed. {_left_out(found)}",
        "What a head does is its Shapley value: what it adds to the share of right answers, averaged over all orders "
        f"in which the eight heads could join (Shapley 1953). All 256 sets of heads were tried on {N_TEXTS} texts; a "
        "head that is left out gives its output on another text.",
        f"Resampling ablation is one of these 256 sets, which favours it. Rank correlation of these values with those "
        f"from other replacements: {robust}.",
        f"The heads that matter are the fewest that together hold {percent(HOLD)} of the whole. Heads found: how many "
        "of them are among the same number of heads that a measure ranks first. Ranking by chance finds "
        f"{percent(found.chance)}.",
        "Measures of attention were given the words that decide. In a pretrained model nobody knows them, and what "
        "holds in a tiny model need not hold there.",
        "Measures: " + "; ".join(f"{row.name}, {row.of} ({row.source})" for row in MEASURES.values()) + ".",
        "`python -m mha.truth` repeats it from nothing; `--csv` and `--npz` write every number.",
    )


def _columns(ranked: Sequence[Agreement]) -> dict[str, list[str]]:
    return {
        "measure": [one.measure for one in ranked],
        "rank correlation": [_with_interval(one) for one in ranked],
        "heads found": [f"{percent(one.hit)} ({percent(one.hit_low)} to {percent(one.hit_high)})" for one in ranked],
    }


def _with_interval(one: Agreement) -> str:
    return f"{number(one.rank, 2)} ({number(one.rank_low, 2)} to {number(one.rank_high, 2)})"


def _tasks(found: Summary) -> str:
    count = len({one.task for one in found.agreements} - {EVERY})
    return "one task" if count == 1 else f"{('two', 'three', 'four', 'five')[count - 2]} tasks"


def _left_out(found: Summary) -> str:
    if not found.left_out:
        return f"All {found.n_models} learned their task ({percent(LEARNED)} right or more)."
    models = "One model" if found.left_out == 1 else f"{found.left_out} models"
    return (
        f"{models} with fewer than {percent(LEARNED)} right answers {'is' if found.left_out == 1 else 'are'} left out."
    )
