"""Two readings with models that someone added: one that goes on with a text, one that fills gaps, one that answers."""

import pytest

from tests.pages.readings import DOG, Readings

SCORES = [
    ("tiny-causal", "continuations", "the text is to go on with the dog was hungry than with the food was hungry"),
    ("tiny-masked", "fills", "dog is in the place of it than food"),
    (
        "tiny-encoder-decoder",
        "targets",
        "the model is to write the dog was hungry for this text than the food was hungry",
    ),
]


@pytest.mark.parametrize(("model", "score", "told"), SCORES)
def test_a_model_is_asked_for_the_score_it_has(model, score, told, tiny_offered):
    page = Readings(text=DOG, model=model, tab="Does it matter?", readings_score=score)
    page.waits_for_the_sweep()
    said = page.blocks()
    assert "Control swaps are not measured for this score." in said
    assert f"Score: how much likelier {told}" in said
    assert "in nats" in said
    assert "effect_map" in page.kinds()


def test_what_is_typed_is_asked_and_stands_in_the_link(tiny_offered):
    page = Readings(text=DOG, model="tiny-causal", tab="Does it matter?", readings_score="continuations")
    before = page.blocks()
    page.test.text_input(key="readings_say_a").set_value("The dog was late.")
    page.run()
    assert "the text is to go on with The dog was late. than with the food was hungry" in page.blocks()
    assert page.blocks() != before
    assert page.test.session_state["readings_say_a"] == "The dog was late."
    page.test.text_input(key="readings_say_a").set_value("It <b>zzyzx</b>.")
    page.run()
    assert "The model does not know 'It <b>zzyzx</b>.'" in page.said()
    page.test.text_input(key="readings_say_a").set_value("The dog was late.")
    page.test.text_input(key="readings_say_b").set_value("The dog was late.")
    page.run()
    assert page.blocks().endswith("Both texts are the same. Change one.")


def test_a_gap_that_nothing_is_known_to_fill_asks_for_words(tiny_offered):
    page = Readings(
        text="I saw the man with the telescope", model="tiny-masked", tab="Does it matter?", readings_score="fills"
    )
    assert "Fill in “In place of the ambiguous word, reading A” to get a score." in page.blocks()


def test_minilm_predicts_no_words_and_says_so():
    page = Readings(text=DOG, tab="Does it matter?", readings_score="continuations")
    said = page.blocks()
    assert "MiniLM cannot use this score (continuations needs a causal model" in said
    assert "The score (link margin) is the cosine between the vectors of it and dog" in said  # which is read instead


@pytest.mark.sampled(3)
@pytest.mark.parametrize("tab", ["Where they look", "What carries it", "Does it matter?"])
@pytest.mark.parametrize("model", ["tiny-masked", "tiny-encoder-decoder"])
def test_every_tab_states_missing_pairs(model, tab, tiny_offered):
    page = Readings(text=DOG, model=model, tab=tab)
    assert page.kinds()
    assert "Test pairs" in page.blocks()
    assert page.blocks().count("There are no measured test pairs for") == 1
    assert not [button for button in page.test.button if button.label.startswith("Measure")]
    if tab == "What carries it":
        assert "Control swaps are not measured for" in page.blocks()
    assert "each lean has one direction" not in page.said()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("tab", ["Where they look", "What carries it", "Does it matter?"])
def test_causal_model_has_not_read_a_deciding_word_that_comes_later(tab, tiny_offered):
    page = Readings(text=DOG, model="tiny-causal", tab=tab)
    if tab == "Where they look":
        assert "each lean has one direction" in page.said()
        assert "hungry comes after it, so this model has not read it there" in page.blocks()
        assert "Choose two continuations as the score." in page.blocks()
        assert "studies.calibrate" not in page.blocks(), "no score could move"
    else:
        assert "Not comparable: tiny-causal reads from left to right, and the changed word “hungry”" in page.said()
        assert "0.00" not in page.blocks()


JOHN = "John told Bill that he was late"


@pytest.mark.parametrize("tab", ["Where they look", "Does it matter?"])
def test_first_word_of_a_causal_model_is_refused_and_a_word_offered(tab, tiny_offered):
    page = Readings(text=JOHN, model="tiny-causal", tab=tab)
    assert "no share is counted for “John”. Put a word such as “Yesterday” in front of it." in page.said()
    assert "lean_map" not in page.kinds()
    next(button for button in page.test.button if button.label == "Put “Yesterday” in front").click()
    page.run()
    assert page.test.query_params["text"] == f"Yesterday {JOHN}"
    assert "no share is counted" not in page.said()
    assert page.roles() == {"pivot": "he", "a": "John", "b": "Bill"}
