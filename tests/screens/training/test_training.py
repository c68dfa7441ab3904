"""Watch heads learn without Streamlit: words of the link, experiments, sentences, what the component is sent."""

from dataclasses import replace

import numpy as np

from mha.engine.bundled import bundled_runs
from mha.link.kinds import Shape
from mha.link.training import TrainingWords
from mha.readers.envelope import seal
from mha.screens.training.runs import training_spec
from mha.screens.training.words import SHOWN, diversity, moments_said, switched_off, title_of
from mha.training.settings import EXPERIMENTS, Settings

RUNS = bundled_runs()
ONE, TWO = RUNS[Settings(n_heads=1)], RUNS[Settings(n_heads=2)]
IDENTICAL = RUNS[Settings(n_heads=4, start="identical")]


def text(spans):
    return "".join(said for _, said in spans)


def test_every_experiment_comes_with_its_runs():
    assert TrainingWords().experiment == next(iter(EXPERIMENTS))
    assert all(settings in RUNS for pair in EXPERIMENTS.values() for settings in pair)


def test_a_wrong_word_of_a_link_is_told():
    chosen, (said,) = TrainingWords.read({"training_at": ["101"], "text": ["x"]}, Shape("", 0, 0))
    assert chosen == TrainingWords()
    assert said == "Problem in this link: training_at (allowed: a whole number from 0 to 100; got “101”). Showing 100."


def test_titles_name_what_is_not_usual():
    assert title_of(Settings(n_heads=3, d_head=11)) == "3 heads in a width of 11 each"
    assert title_of(Settings(n_heads=4, pressure="positions", strength=2)) == (
        "Four heads, pushed to look at different words (λ 2)"
    )
    halves = Settings(n_heads=4, reads="random", n_reads=16, start="identical")
    assert title_of(halves) == "Four heads, identical start, each reading a random 16 of 32 numbers"


def drawn_findings(drawn):
    """Return one sentence a run, as `moments_said` has them, at the moments of the picture that is drawn."""
    found = []
    for run, sentences in zip(drawn["runs"], drawn["told"], strict=True):
        place, joint, steps = sentences["at"][run["moment"]]
        found.append(
            tuple((kind, text.format(joint=joint, steps=steps)) for kind, text in sentences["sentences"][place])
        )
    return found


def found(*drawn):
    """Return what is said of runs, each drawn at a moment."""
    runs, moments = zip(*drawn, strict=True)
    return drawn_findings(training_spec("hero", runs, moments).header)


def test_the_finding_says_what_the_heads_do_and_how_often_they_are_right():
    first, second = map(text, found((ONE, -1), (TWO, -1)))
    share = f"{round(100 * float(ONE.joint[-1]))}\u00a0%"
    assert first == f"One head mixes the two nouns: both correct in {share} of new sentences."
    assert second == "Two heads take one noun each: both correct in 100\u00a0% of new sentences."
    early = text(found((TWO, 0))[0])
    assert "take one noun" not in early
    assert early.endswith("after 0 steps.")
    lopsided = replace(ONE, looks=np.broadcast_to([[0.75, 0.15]], ONE.looks.shape))
    assert "mixes" not in text(found((lopsided, -1))[0])


def test_what_is_told_at_a_moment_is_true_at_that_moment():
    """The text follows the slider and the player: no moment is told with another one's claim."""
    for curves in (ONE, TWO, IDENTICAL):
        said = moments_said(curves)
        assert len(said["at"]) == len(curves)
        for moment in range(len(curves)):
            sentence = text(found((curves, moment))[0])
            assert sentence.endswith("sentences.") == (int(curves.step[moment]) == curves.settings.n_steps)
            looks = curves.looks[moment][0]
            assert (looks.min() >= looks.max() / 2 and looks.sum() >= 0.8) or "mix" not in sentence
            assert len(set(curves.holds(moment))) > 1 or "take one noun each" not in sentence


def test_no_title_is_built_from_the_names_of_options():
    for curves in RUNS.values():
        name = title_of(curves.settings)
        assert ":" not in name
        assert "+" not in name


def test_switching_off_is_told_from_the_numbers():
    assert switched_off(TWO).startswith("Each head carries one answer. Without head 0, B falls from 100\u00a0% to")
    assert switched_off(TWO).endswith("The other answer loses nothing.")
    assert switched_off(ONE).startswith("Without its head, A falls from ")
    still = replace(ONE, silenced=ONE.readings[:, None] - 0.001)
    assert switched_off(still, 0).startswith("Without its head, A stays at "), "it is written alike"
    four = replace(IDENTICAL, silenced=np.repeat(IDENTICAL.readings[:, None], 4, axis=1))
    assert switched_off(four) == (
        "4 of 4 heads are idle (0, 1, 2, 3): without any one of them, no answer loses more than 1 point."
    )


def test_diversity_is_told_from_the_numbers():
    assert diversity(ONE) == "With one head there is nothing to compare."
    assert "equal gradients" in diversity(IDENTICAL)
    assert f"separate by step {TWO.parted()}" in diversity(TWO)
    assert "never clearly separate" in diversity(replace(TWO, diverse_weights=np.full(len(TWO), 0.05)))


def test_the_component_gets_the_weights_of_both_runs_without_the_full_stop():
    spec = training_spec("hero", [ONE, TWO], [3, -1])
    assert spec.header["words"] == list(TWO.words[:-1])
    assert spec.header["words"][spec.header["pivot"]] == "telescope"
    assert spec.arrays["left"].shape == (len(ONE), 1, 9, 9)
    np.testing.assert_allclose(spec.arrays["right"][5, 1] / 255, TWO.weights[5, 0, 1, :9, :9], atol=0.003)
    assert [run["holds"][-1] for run in spec.header["runs"]] == [[None], list(TWO.holds())]
    assert text(spec.header["told"][0]["sentences"][0]).startswith("One head")
    assert seal(spec)


def test_c14_what_may_be_said_is_said_of_these_runs():
    assert "(in these runs)" in SHOWN[0]
    assert "cannot" not in SHOWN[0]
