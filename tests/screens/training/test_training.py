"""Watch heads learn without Streamlit: words of the link, experiments, sentences, what the component is sent."""

import re
from dataclasses import replace

import numpy as np
import pytest

from mha.engine.bundled import bundled_runs
from mha.errors import InputError
from mha.link.kinds import Shape
from mha.link.training import EXPERIMENTS, HEADS, READ, SIDES, TrainingWords
from mha.readers.envelope import seal
from mha.screens.training.runs import training_spec
from mha.screens.training.words import SHOWN, diversity, moments_said, switched_off, title_of
from mha.training.settings import PRESSURES, STARTS, Settings

RUNS = bundled_runs()
ONE, TWO = RUNS[Settings(n_heads=1)], RUNS[Settings(n_heads=2)]
IDENTICAL = RUNS[Settings(n_heads=4, start="identical")]


def text(spans):
    return "".join(said for _, said in spans)


def test_the_defaults_are_one_head_beside_two():
    assert TrainingWords().settings("left") == Settings(n_heads=1)
    assert TrainingWords().settings("right") == Settings(n_heads=2)
    assert TrainingWords().experiment == next(iter(EXPERIMENTS))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_known_by_its_choices_and_comes_with_its_runs(name):
    assert replace(EXPERIMENTS[name], seed=7, at=40).experiment == name
    for side in SIDES:
        assert EXPERIMENTS[name].settings(side) in RUNS


def test_every_option_makes_settings_or_says_why_not():
    refused = []
    for word in TrainingWords.table():
        for option in word.kind.options(Shape("", 0, 0)):
            for heads in HEADS:
                chosen = TrainingWords(**{"heads_left": heads, "heads_right": heads, word.field: option})
                for side in SIDES:
                    try:
                        chosen.settings(side)
                    except InputError as error:
                        refused.append(str(error))
    assert set(refused) == {"3 slices of 11 do not fit into 32 numbers."}
    assert {TrainingWords(reads_left=name).settings("left").reads for name in READ} == {
        "everything",
        "slices",
        "random",
    }


def test_strength_counts_only_under_pressure():
    assert TrainingWords(strength=2.0).settings("left") == Settings(n_heads=1)
    pressed = TrainingWords(strength=0.30000000000000004, pressure_right="outputs").settings("right")
    assert pressed == Settings(n_heads=2, pressure="outputs", strength=0.3)


@pytest.mark.parametrize(
    ("name", "value", "offer"),
    [
        ("heads_left", "5", "1, 2, 3 in a width of 11 or 4"),
        ("start_right", "warm", "“usual”, “small”, “large”"),
        ("seed", "-1", "a whole number from 0 to 9,999"),
        ("seed", "many", "a whole number from 0 to 9,999"),
        ("strength", "nan", "a number from 0 to 3"),
        ("at", "101", "a whole number from 0 to 100"),
    ],
)
def test_a_wrong_word_of_a_link_is_told(name, value, offer):
    query = {f"training_{name}": [value], "text": ["x"], "training_readings": ["3"]}
    chosen, (said,) = TrainingWords.read(query, Shape("", 0, 0))
    assert chosen == TrainingWords(readings="3")
    assert said.startswith(f"Problem in this link: training_{name} (allowed: {offer}")
    assert said.endswith(f"; got “{value}”). Showing {getattr(TrainingWords, name)}.")


def test_defaults_and_empty_words_are_no_complaint():
    said = {word.name: word.kind.write(word.default) for word in TrainingWords.table()}
    assert TrainingWords.read(said, Shape("", 0, 0)) == (TrainingWords(), ())
    assert TrainingWords.read({"training_seed": [""]}, Shape("", 0, 0)) == (TrainingWords(), ())


def test_titles_name_what_is_not_usual():
    assert title_of(Settings(n_heads=1, n_layers=2)) == "Two layers of one head"
    assert title_of(Settings(n_heads=3, d_head=11)) == "3 heads in a width of 11 each"
    assert title_of(Settings(n_heads=4, pressure="outputs", strength=2)) == (
        "Four heads, pushed to gather different things (λ 2)"
    )
    halves = Settings(n_heads=4, reads="random", n_reads=16, start="small")
    assert title_of(halves) == "Four heads, small start, each reading a random 16 of 32 numbers"


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
    for curves in (ONE, TWO, IDENTICAL, RUNS[Settings(n_heads=1, n_layers=2)]):
        said = moments_said(curves)
        assert len(said["at"]) == len(curves)
        for moment in range(len(curves)):
            sentence = text(found((curves, moment))[0])
            assert sentence.endswith("sentences.") == (int(curves.step[moment]) == curves.settings.n_steps)
            looks = curves.looks[moment][0]
            assert (looks.min() >= looks.max() / 2 and looks.sum() >= 0.8) or "mix" not in sentence
            assert len(set(curves.holds(moment))) > 1 or "take one noun each" not in sentence


def test_no_title_is_built_from_the_names_of_options():
    for start in STARTS:
        for pressure in PRESSURES:
            name = title_of(Settings(n_heads=4, start=start, pressure=pressure))
            assert ":" not in name
            assert "+" not in name
            assert start not in name.split(", ")


def test_an_old_link_to_three_heads_still_says_three_heads():
    chosen, complaints = TrainingWords.read({"training_heads_left": ["3 of 11"]}, Shape("", 0, 0))
    assert (chosen.settings("left").n_heads, complaints) == (3, ())


def test_switching_off_is_told_from_the_numbers():
    assert switched_off(TWO).startswith("Each head carries one answer. Without head 0, B falls from 100\u00a0% to")
    assert switched_off(TWO).endswith("The other answer loses nothing.")
    three = RUNS[Settings(n_heads=3, d_head=11, n_readings=3)]
    assert re.search(r"The other answers lose \d points? at most\.", switched_off(three))
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


def test_two_layers_show_all_their_heads_and_arcs_of_the_last():
    layers = RUNS[Settings(n_heads=1, n_layers=2)]
    (run,) = training_spec("maps", [layers], [-1]).header["runs"]
    assert run["heads"] == ["layer 0 head 0", "layer 1 head 0"]
    assert run["last"] == [1]


def test_c14_what_may_be_said_is_said_of_these_runs():
    assert "(in these runs)" in SHOWN[0]
    assert "cannot" not in SHOWN[0]
