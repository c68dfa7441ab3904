"""Watch heads learn without Streamlit: the runs, their sentences, and the data of the picture."""

import base64
from dataclasses import replace

import numpy as np

from mha.engine.bundled import bundled_runs, siblings
from mha.figures.training import diversity_curves
from mha.training.settings import Settings
from mha.views import training
from mha.views.training import diversity, findings, runs_data, title_of

RUNS = bundled_runs()
ONE, TWO = RUNS[Settings(n_heads=1)], RUNS[Settings(n_heads=2)]
IDENTICAL = RUNS[Settings(n_heads=4, start="identical")]


def test_titles_name_what_is_not_usual():
    assert title_of(Settings(n_heads=3, d_head=11)) == "Three heads, 11 numbers wide"
    assert title_of(Settings(n_heads=4, pressure="positions", strength=2)) == (
        "Four heads, pushed to look at different words (λ 2)"
    )
    halves = Settings(n_heads=4, reads="random", n_reads=16, start="identical")
    assert title_of(halves) == "Four heads, identical start, each reading a random 16 of 32 numbers"


def test_the_finding_says_what_the_heads_do_and_how_often_they_are_right():
    share = f"{round(100 * float(ONE.joint[-1]))}\u00a0%"
    assert findings(ONE)[-1] == f"One head, mixing the two nouns: both correct in {share} of new sentences."
    assert findings(TWO)[-1] == "Two heads, one noun each: both correct in 100\u00a0% of new sentences."
    early = findings(TWO)[0]
    assert "one noun" not in early
    assert early.endswith("after 0 steps.")
    lopsided = replace(ONE, looks=np.broadcast_to([[0.75, 0.15]], ONE.looks.shape))
    assert "mixing" not in findings(lopsided)[-1]


def test_a_finding_is_true_at_its_moment():
    """The text follows the slider and the player: no moment has the claim of another one."""
    for curves in (ONE, TWO, IDENTICAL):
        assert len(findings(curves)) == len(curves)
        for moment, sentence in enumerate(findings(curves)):
            assert sentence.endswith("sentences.") == (int(curves.step[moment]) == curves.settings.n_steps)
            looks = curves.looks[moment][0]
            assert (looks.min() >= looks.max() / 2 and looks.sum() >= 0.8) or "mixing" not in sentence
            assert len(set(curves.holds(moment))) > 1 or "one noun each" not in sentence


def test_no_title_is_built_from_the_names_of_options():
    for curves in RUNS.values():
        name = title_of(curves.settings)
        assert ":" not in name
        assert "+" not in name


def test_diversity_is_said_from_the_numbers():
    (line,) = diversity_curves([ONE, TWO], ["One head", "Two heads"]).to_dict()["data"]
    assert line["line"]["dash"] == "dash"
    assert training.difference([ONE, TWO]).startswith("- Two heads (dashed): ")
    assert "equal gradients" in diversity(IDENTICAL)
    assert f"separate by step {TWO.parted()}." in diversity(TWO)
    assert "never clearly separate" in diversity(replace(TWO, diverse_weights=np.full(len(TWO), 0.05)))


def test_the_ablation_of_one_head_says_both_answers():
    before, after = TWO.readings[-1], TWO.ablated[-1, 0]
    assert after[1] < 0.1 < 0.9 < before[1]
    said = training.ablation(TWO, 0)
    assert said.startswith("Two heads, without head 0: A 100\u00a0% correct (100\u00a0% with all heads) and B ")


def test_the_picture_gets_the_weights_of_both_runs_without_the_full_stop():
    data = runs_data([ONE, TWO], [3, -1])
    assert data["words"] == list(TWO.words[:-1])
    assert data["words"][data["pivot"]] == "telescope"
    left, right = data["runs"]
    assert left["shape"] == [len(ONE), 1, 9, 9]
    weights = np.frombuffer(base64.b64decode(right["weights"]), np.uint8).reshape(right["shape"])
    np.testing.assert_allclose(weights[5, 1] / 255, TWO.weights[5, 0, 1, :9, :9], atol=0.003)
    assert [run["holds"][-1] for run in data["runs"]] == [[None], list(TWO.holds())]
    assert left["findings"][0].startswith("One head")


def test_c14_conclusions_are_about_these_runs():
    """The sentence is on the page of every experiment, most of which show other runs."""
    assert "(in four runs of each)" in training.CONCLUSIONS
    for run, right in ((ONE, False), (TWO, True)):
        runs = [run, *siblings(run.settings)]
        assert len(runs) == 4
        assert all((one.joint[-1] > 0.99) == right for one in runs)
    assert "cannot" not in training.CONCLUSIONS
