"""What the pinned maps on Heads are drawn of: what looks bring, and a second text."""

import pytest

import mha
from mha.formats import percent

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
    assert page.header("pinned")["of"] == "each row’s attention"


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


def test_the_field_of_the_second_text_is_opened_by_hand_and_a_decoder_has_none(visit, tiny_offered):
    page = visit(text=DOG)
    next(button for button in page.test.button if button.label == "A second text").click()
    page.run()
    page.test.text_input(key="heads_pair").set_value(SECOND)
    page.run()
    maps = mha.attend(DOG, pair=SECOND).merged()
    assert page.header("overview")["keys"][-1] == "days"
    assert maps.tokens[-3].text == "days"
    assert not [b for b in visit(model="tiny-causal").test.button if b.label == "A second text"]


def test_one_cell_between_two_texts(visit):
    page = visit(text=DOG, heads_pair=SECOND, heads_cell="L2H8 7 16")
    found = mha.cell(DOG, (2, 8), 7, 16, pair=SECOND)
    (lead,) = [
        block
        for data in page.components("blocks_cell")
        for block in data["blocks"]
        if block["kind"] == "said" and "lead" in block["style"]
    ]
    share = percent(found.weight) if found.weight >= 0.005 else "less than 1\u00a0%"
    assert share in "".join(span[1] for span in lead["spans"])


def test_all_of_heads_is_drawn_of_what_looks_bring(visit):
    page = visit(text=DOG, heads_weights="What it brings")
    header = page.header("overview")
    assert header["brought"]
    assert page.header("pinned")["of"] == "what each row receives"
    assert header["pins"] == visit(text=DOG).header("overview")["pins"], "the heads stay those that looks chose"
    assert "passes between" in "".join(span[1] for span in page.components("bar")[0]["line"])
    assert "heads_weighed" not in [control.key for control in page.test.segmented_control]
    assert "Based on contributions." in page.said()
    assert "‖weight · value · W_O‖" in page.said()
    assert page.test.query_params["heads_weights"] == "What it brings"
    page.test.segmented_control(key="heads_weights").set_value("Attention")
    page.run()
    assert "heads looks in" in "".join(span[1] for span in page.components("bar")[0]["line"])
    assert not visit(text="All is well", model="toy", heads_weights="What it brings").test.exception


def test_where_all_of_heads_cannot_be_weighed_it_says_so(visit, reverser):
    page = visit(model="backwards", text="river boat lamp", heads_stack="Cross", heads_weights="What it brings")
    assert (
        "available for a typed sentence and a model’s first attention only. Showing attention instead." in page.said()
    )
    assert not page.header("overview")["brought"]


@pytest.mark.slow
def test_what_looks_bring_is_bounded_and_the_page_says_so(visit, monkeypatch):
    monkeypatch.setattr("mha.models.watch.layers.layers_of", lambda *_: pytest.fail("it was worked out"))
    second = " ".join(["a dog ate it"] * 150)[:2000]
    page = visit(text=DOG, heads_pair=second, heads_weights="What it brings")
    assert "up to 256 tokens; the two texts have 512. Showing attention instead." in page.said()
    assert "Kobayashi et al. 2020" not in page.said()
