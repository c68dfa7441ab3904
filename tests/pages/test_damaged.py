"""Files of the program that are damaged: each page that uses one names it, and goes on without it where it can."""

import itertools
import sys

import pytest

from mha import assets
from mha.app.errors import APOLOGY
from mha.engine import answers, jobs, recordings
from mha.intervention import bank
from mha.models.files import loading
from mha.views.questions import names
from tests.damage import DAMAGES
from tests.pages.conftest import Page

DOG = "A dog ate the food because it was hungry."
INSTEAD, NAMED = "is missing or damaged. Parallax goes on without it.", "is damaged."

# A file; a page that uses it, by its link; how the page names it; and a component that stands there all the same, or
# None where nothing can be drawn without it.
USES = [
    ("habit_minilm.npz", "heads", {}, INSTEAD, "overview"),
    ("recordings_minilm.npz", "heads", {}, INSTEAD, "overview"),
    ("examples.json", "heads", {}, INSTEAD, "overview"),
    ("calibration_minilm.json", "readings", {"tab": "What carries it"}, INSTEAD, "versions"),
    ("examples.json", "readings", {"text": DOG}, INSTEAD, "sentence_next"),
    ("habit_minilm.npz", "readings", {}, INSTEAD, "sentence_next"),
    ("recordings_minilm.npz", "compare", {}, INSTEAD, "heads_grid"),
    ("training_runs.npz", "training", {}, INSTEAD, None),
    ("profiles_minilm.npz", "atlas", {"head": "L2H8"}, INSTEAD, None),
    ("questions.json", "questions", {}, NAMED, None),
    ("measures.json", "questions", {}, NAMED, None),
]
LINKS = {
    "heads": ({}, {"text": DOG}, {"text": "nobody has seen this"}),
    "readings": ({}, *({"tab": tab} for tab in ("Where they look", "What carries it", "Does it matter?"))),
    "compare": ({}, {"text": DOG}),
    "steps": ({}, {"text": DOG}, {"toy": "Money Bank, full"}),
    "training": ({}, {"experiment": "kept apart"}),
    "atlas": ({}, {"head": "L2H8"}),
    "questions": tuple({"questions_open": name} for name in names()),
    "lesson": tuple({"lesson_which": name} for name in ("who-is-it", "the-telescope", "one-head-or-many")),
}
CUT = {"text": "My grandmother's name is Ruth. Everyone calls her", "cut": "L24H4:9-5", "head": "L24H4"}
LINKS_OF = {  # of files that these pages alone read, by a part of the name
    "links": {"next": (CUT,)},
    "own_answers": {"readings": ({"model": "smollm2", "tab": "Does it matter?"},)},
    "translator": {"translate": ({}, {"without": "E0H7"})},
    "smollm2": {
        "heads": ({"model": "smollm2"},),
        "next": ({}, {"ablate": "L23H4"}, {"text": "The keys to the old cabinet", "ablate": "L1H1"}),
        "matters": ({},),
        "questions": ({},),
        "atlas": ({"model": "smollm2"}, {"model": "smollm2", "head": "L23H4"}),
    },
}


class Visitor(Page):
    """A visitor of a page, who asks for an answer where there is a question."""

    def __init__(self, page, link):
        super().__init__(bare=not link, at="" if page == "heads" else f"{page}.py", seconds=120, **link)
        labels = ("Show", "Then show")
        for key in [button.key for button in self.test.button if button.label.startswith(labels)]:
            if any(button.key == key for button in self.test.button):
                self.test.button(key=key).click()
                self.run()

    def told(self):
        return [element.value for element in self.test.text]


@pytest.fixture
def nothing_known(monkeypatch):
    """Let nothing be in a cache that a damaged file could have been in."""
    monkeypatch.setattr(bank, "_means", type(bank._means)())
    one, known = recordings._engine, answers._answers
    for results in (one._cache._results, one._live, known.cache._results):
        results.clear()
    for asked in list(jobs.RUNS._runs):
        jobs.RUNS.forget(asked)
    for module in [module for name, module in sys.modules.items() if name.startswith("mha.")]:
        for kept in vars(module).values():
            if hasattr(kept, "cache_clear"):
                kept.cache_clear()
    loading.load("minilm")  # by itself: on a busy machine that takes longer than a page waits
    yield
    for name in list(one._breakers):
        one._breakers.pop(name)


def no_fault(visitor, caplog):
    assert APOLOGY not in visitor.told()
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []
    assert str(assets.BESIDE) not in "\n".join(visitor.told())


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("name", "page", "link", "says", "stands"), USES, ids=lambda one: one if isinstance(one, str) else ""
)
def test_a_page_names_the_file_and_goes_on_without_it(damage, nothing_known, caplog, name, page, link, says, stands):
    damage(f"assets/{name}", DAMAGES["cut"])
    visitor = Visitor(page, link)
    no_fault(visitor, caplog)
    named = [told for told in visitor.told() if f"assets/{name}" in told]
    assert len(named) == 1
    assert f"assets/{name} {says}" in named[0]
    if stands:
        assert visitor.components(stands)


def test_a_whole_program_names_no_file():
    for page in ("heads", "questions"):
        assert "missing or damaged" not in Visitor(page, {}).said()


STUDIES = ("language_model", "pairs", "same_reading", "take_back")  # no page reads them
UNUSED = ("assets/copier/", "assets/reverser/", *(f"assets/{name}.json" for name in STUDIES))
FILES = sorted(name for name in assets.sums() if not name.startswith(UNUSED))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "how"), list(zip(FILES, itertools.cycle(DAMAGES), strict=False)))
def test_no_damage_to_any_file_is_a_fault_on_any_page(damage, nothing_known, caplog, name, how):
    damage(name, DAMAGES[how])
    named = 0
    for page, links in next((links for part, links in LINKS_OF.items() if part in name), LINKS).items():
        for link in links:
            visitor = Visitor(page, link)
            no_fault(visitor, caplog)
            named += any(name in told for told in visitor.told())
    assert named
