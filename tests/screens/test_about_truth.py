"""What is said of measures is true of whatever the study finds."""

from pathlib import Path

import pytest

import studies.truth
from mha.screens.about.truth import FILE, parse_study, study_section
from studies.truth.agreement import KINDS, MEASURES, StudiedModel, read, summary, write_summary
from studies.truth.tasks import TASKS
from tests.screens.told import parts

TRUTH = [0.5, 0.3, 0.1, 0.05, 0.03, 0.02, 0.01, -0.1]


def rows(tasks=tuple(TASKS), seeds=3, right=1.0, **found):
    same = {measure: list(TRUTH) for measure in MEASURES}
    truth = {kind: list(TRUTH) for kind in KINDS}
    return [StudiedModel(task, seed, right, truth, same | found) for task in tasks for seed in range(seeds)]


@pytest.fixture
def text(tmp_path):
    """Return the words of the section of these models."""

    def words(models):
        write_summary(tmp_path / "measures.json", summary(models))
        study = parse_study((tmp_path / "measures.json").read_bytes())
        return " ".join(str(getattr(part, "markdown", "") or part) for part in parts(study_section(study))).replace(
            "\\xa0", " "
        )

    return words


def test_attention_that_ranks_worse_is_said_to_tell_less(text):
    said = text(rows(attention=TRUTH[::-1]))
    assert "In 15 tiny models, trained here for five tasks," in said
    assert "Attention to the words that decide reaches −1.00: where a head looks says less about what it does." in said


def test_attention_that_ranks_as_well_is_not_said_to_be_worse(text):
    said = text(rows())
    assert "reaches 1.00; the difference is not clear." in said
    assert "says less" not in said


def test_models_that_learned_nothing_are_counted(text):
    said = text([*rows(), *rows(("copier",), 1, right=0.4)])
    assert "one model was excluded" in said
    assert "tasks" in text(rows(("copier", "agreement")))
    assert "for two tasks" in text(rows(("copier", "agreement")))


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_has_its_row_and_its_paper(name, text):
    said = text(rows())
    assert name in said
    assert MEASURES[name].source in said


def test_bundled_summary_is_that_of_the_models(tmp_path):
    write_summary(tmp_path / "measures.json", summary(read(Path(studies.truth.__file__).with_name("models.json"))))
    assert parse_study((tmp_path / "measures.json").read_bytes()) == parse_study(FILE.read_bytes())
