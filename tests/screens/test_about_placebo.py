"""What is said of patching and control swaps is true of whatever a calibration finds."""

from dataclasses import replace

import numpy as np
import pytest

from mha.analysis.placebo import Placebo
from mha.figures.named import figure
from mha.intervention.calibrated import calibration
from mha.screens.about.placebo import OfPath, finding, hits_chart, placebos, section, told_of
from tests.screens.told import parts

RNG = np.random.default_rng(0)
ITEMS, AUTHORS = np.arange(60) // 2, np.arange(60) // 30


def told(blocks):
    return " ".join(str(getattr(part, "markdown", "") or part) for part in parts(blocks)).replace("\xa0", " ")


def calibration_with(kinds=("attachment",), further=0.0, paths=True):
    """The bundled calibration with made-up moves: pairs ``further`` than swaps, a path that carries as much more."""
    found = calibration("minilm")
    swaps = RNG.random(60)
    made = Placebo(RNG.random(40) + further, swaps, ITEMS, AUTHORS)
    some = {}
    for name in kinds:
        kept = tuple(
            replace(path, kept=replace(path.kept, carried_of_pairs=RNG.normal(further, 1, 40), carried=swaps - 0.5))
            for path in found.kinds["pronoun"].paths
            if path.kept
        )
        some[name] = replace(found.kinds["pronoun"], kind=name, placebo=made, paths=kept if paths else ())
    return replace(found, kinds=some)


def test_a_difference_that_is_not_there_is_not_shown():
    kinds, paths = told_of(calibration_with())
    assert finding("MiniLM", kinds, paths).startswith(
        "In MiniLM, single heads move the score further where the reading changes than where it stays: not shown for "
        "any kind. Of three paths between heads, none carry more"
    )


def test_a_difference_is_said_of_its_kind_alone():
    there, not_there = (told_of(calibration_with((name,), by)) for name, by in (("attachment", 1.5), ("pronoun", 0)))
    said = finding("M", [*there[0], *not_there[0]], [*there[1], *not_there[1]])
    assert "than where it stays for the kind attachment; not shown for pronoun." in said
    assert "Of six paths between heads, three carry more where it changes." in said
    assert "Of" not in finding("M", there[0], []).split(". ")[-1][:3]


def test_one_path_carries():
    kinds, _ = told_of(calibration_with(paths=False))
    one = OfPath("attachment", (), calibration("minilm").kinds["pronoun"].paths[0].receiver, 0.2, 0.1, (0.1, 0.05, 1))
    assert finding("M", kinds, [one]).endswith("Of one path between heads, one carries more where it changes.")


def test_without_enough_changes_there_is_no_section(monkeypatch):
    found = calibration("minilm")
    bare = replace(found, kinds={name: replace(kind, placebo=None) for name, kind in found.kinds.items()})
    monkeypatch.setattr("mha.screens.about.placebo.calibration", lambda model: bare)
    assert not list(placebos("minilm"))
    monkeypatch.setattr("mha.screens.about.placebo.calibration", lambda model: None)
    assert not list(placebos("another/model"))


def test_a_model_that_nothing_is_measured_of_shows_the_default_by_its_name():
    assert "In MiniLM," in told(placebos("toy"))


@pytest.mark.parametrize("kinds", [("attachment",), ("attachment", "pronoun", "he/she", "relative clause")])
def test_the_figure_has_a_curve_and_a_dot_a_kind(kinds):
    chart = hits_chart(told_of(calibration_with(kinds, 0.3))[0])
    drawn = figure(chart.figure, chart.given, "dark")
    lines = [one for one in drawn.data if one.name]
    assert [one.name for one in lines] == list(kinds)
    for one in lines:
        assert one.x[0] == one.y[0] == 1.0  # at a threshold of nothing every change passes
        assert (np.diff(one.x) <= 0).all()
        assert (np.diff(one.y) <= 0).all()
    dots = [one for one in drawn.data if one.mode == "markers"]
    assert len(dots) == len(kinds)
    assert all(one.error_x.array[0] >= 0 and one.error_y.arrayminus[0] >= 0 for one in dots)
    assert chart.alt.count("of control swaps") == len(kinds)


def test_the_section_counts_what_it_is_from():
    said = told(section("M", *told_of(calibration_with(further=0.5))))
    assert "Test pairs and control swaps: attachment 40 and 60." in said
    assert "Mann & Whitney 1947" in said
    assert "Fleiss 1981" in said


def test_pairs_kept_apart_are_counted_against_limits_that_they_did_not_choose():
    (one,), _ = told_of(calibration_with(("pronoun",)))
    kept, floor = calibration("minilm").kinds["pronoun"].kept_apart, calibration("minilm").kinds["pronoun"].floor
    assert one.apart.n_pairs == len(kept.scores) == 69
    assert one.apart.change[0] == (abs(kept.scores) > floor.limit).mean()
    assert one.apart.head[0] == (kept.heads > np.quantile(one.placebo.swaps, 0.9)).mean()
    said = told(section("M", [one], []))
    assert "change beyond the control limit" in said
    assert "What paths carry" not in said
    assert "change beyond the control limit" not in told(section("M", [replace(one, apart=None)], []))
