"""Let it write under AppTest: steps, refusals."""

from tests.pages.conftest import opened_at
from tests.pages.test_next import markdown

CAT = "the dog and the cat"


def test_each_step_has_its_finding(tiny_offered):
    test = opened_at("write.py", model="tiny-causal", text=CAT, step="2")
    assert "To write" in markdown(test)
    assert "The model writes the likeliest token each time" in markdown(test)
    assert test.slider[0].value == 2
    test.slider[0].set_value(1).run()
    assert "step" not in test.query_params


def test_a_model_that_writes_nothing_gets_a_sentence(tiny_offered):
    """The sentence names no other model: SmolLM2 may be excluded, and has a button where it is on offer."""
    assert "MiniLM predicts no words" in markdown(opened_at("write.py", model="minilm"))
    for model in ("tiny-masked", "tiny-encoder-decoder"):
        for script, refusal in (("write.py", "does not continue a text"), ("matters.py", "does not predict the word")):
            title = opened_at(script, model=model, text=CAT).title[0].value
            assert refusal in title
            assert "SmolLM2" not in title


def test_guess_first_hides_the_written_words():
    test = opened_at("write.py", reveal="0")
    assert "Make a guess" in markdown(test)
    assert "To write" not in markdown(test)
