"""What the pinned maps on Heads are drawn of: what looks bring, and a second text."""

import pytest

import mha

DOG = "A dog ate the food because it was hungry."
SECOND = "It had not eaten for two days."


def test_what_looks_bring_is_drawn_and_told(visit):
    page = visit(text=DOG, pins="L2H8", heads_weighed="What it brings")
    (head,) = page.header("pinned")["heads"]
    assert "".join(span[1] for span in head["caption"]).startswith("Largest contribution: ")
    assert "Kobayashi et al. 2020" in page.said()
    page.test.segmented_control(key="heads_weighed").set_value("Attention")
    page.run()
    assert "Kobayashi et al. 2020" not in page.said()


def test_where_it_is_not_known_what_a_look_brings_attention_is_drawn(visit, tiny_offered, monkeypatch):
    from mha.engine.answers import Experiment
    from mha.engine.experiments import all_brought
    from mha.errors import AttentionUnavailable

    def untold(asked, answer=Experiment.answer):
        if asked.experiment is all_brought:
            raise AttentionUnavailable("It applies another step between its heads and W_O.")
        return answer(asked)

    monkeypatch.setattr(Experiment, "answer", untold)
    page = visit(model="tiny-masked", text="a dog ate the food", heads_weighed="What it brings")
    assert "It applies another step between its heads and W_O. Showing attention instead." in page.said()
    (head,) = page.header("pinned")["heads"][:1]
    assert not "".join(span[1] for span in head["caption"]).startswith("Largest contribution")


def test_a_second_text_is_read_together_with_the_sentence(visit):
    page = visit(text=DOG, heads_pair=SECOND, pins="L2H8", units="tokens", sinks="false")
    maps = mha.attend(DOG, pair=SECOND)
    assert len(page.header("overview")["keys"]) == len(maps.tokens)
    page.test.segmented_control(key="heads_between").set_value("First at second")
    page.run()
    header = page.header("pinned")
    assert len(header["queries"]) == sum(token.segment == 0 and not token.special for token in maps.tokens)
    assert len(header["keys"]) == sum(token.segment == 1 and not token.special for token in maps.tokens)
    assert "attention from the first text to the second" in page.said()


def test_the_field_of_the_second_text_stands_where_the_link_has_one(visit, tiny_offered):
    assert not [field for field in visit(text=DOG).test.text_input if field.key == "heads_pair"]
    page = visit(text=DOG, heads_pair=SECOND)
    assert page.header("overview")["keys"][-1] == "days"
    page.test.text_input(key="heads_pair").set_value("")
    page.run()
    assert page.header("overview")["keys"][-1] == "hungry"
    page = visit(model="tiny-causal", heads_pair=SECOND)
    assert "reads one text; the second one is not used." in page.said()


@pytest.mark.slow
def test_what_looks_bring_is_bounded_and_the_page_says_so(visit, monkeypatch):
    monkeypatch.setattr("mha.models.watch.layers.layers_of", lambda *_: pytest.fail("it was worked out"))
    second = " ".join(["a dog ate it"] * 150)[:2000]
    page = visit(text=DOG, heads_pair=second, heads_weighed="What it brings")
    assert "up to 256 tokens; the two texts have 512. Showing attention instead." in page.said()
    assert "Kobayashi et al. 2020" not in page.said()
