"""Heads that a link names and what is drawn has not: said, kept, and in nobody's way."""

import pytest

from mha.link.kinds import Shape
from mha.link.pages import corrected
from mha.link.view import View, parse, query
from mha.maps import HeadId
from mha.models.files.snapshot import described
from mha.screens.heads.picture import elsewhere
from mha.screens.shown import shown_for
from tests.screens.heads.test_own import some

SIDES = {"tall": Shape("Tall", 2, 3, beside=(5, 2)), "minilm": Shape("MiniLM", 6, 12)}
ENCODER, DECODER = some(layers=2, heads=3), some(layers=5, heads=2)


@pytest.mark.parametrize(
    ("config", "beside"),
    [
        (
            {"model_type": "bart", "encoder_layers": 2, "decoder_layers": 5}
            | {"encoder_attention_heads": 3, "decoder_attention_heads": 7},
            (5, 7),
        ),
        ({"model_type": "t5", "num_layers": 2, "num_decoder_layers": 5, "num_heads": 3}, (5, 3)),
        ({"model_type": "t5", "num_layers": 2, "num_heads": 3}, (2, 3)),
    ],
)
def test_described_encoder_decoder_has_both_sizes(config, beside):
    row = described(config)
    assert (row.n_layers, row.n_heads, row.beside) == (2, 3, beside)
    assert described({"model_type": "gpt2"}).beside is None


@pytest.mark.parametrize("pin", ["L0H0", "L1H2", "L4H1"])
def test_a_link_may_pin_heads_of_both_stacks(pin):
    link = {"model": ["tall"], "pins": [pin]}
    assert corrected(link, "", SIDES) == ({}, ())
    view, notes = parse(link, SIDES)
    assert notes == ()
    assert parse({name: [value] for name, value in query(view)}, SIDES)[0] == view, "it comes back from its link"


@pytest.mark.parametrize("pin", ["L2H2", "L5H0"])
def test_what_no_stack_has_gets_its_complaint(pin):
    _, notes = corrected({"model": ["tall"], "pins": [pin]}, "", SIDES)
    assert notes == (
        "Problem in this link: pins (Tall has heads L0H0 to L1H2 and, in its other attention, heads L0H0 to L4H1, not "
        f"{pin}). Showing heads picked for this text.",
    )


def test_each_stack_shows_what_it_has_and_says_what_it_has_not():
    view = View(pins=(HeadId(1, 2), HeadId(0, 1), HeadId(4, 1)))
    encoder, decoder = shown_for(view, ENCODER), shown_for(view, DECODER)
    assert (encoder.pins, decoder.pins) == ((HeadId(1, 2), HeadId(0, 1)), (HeadId(0, 1), HeadId(4, 1)))
    assert elsewhere(view, ENCODER) == (
        "L4H1 does not exist in this attention (it has L0H0 to L1H2). It returns when you switch back."
    )
    assert elsewhere(view, DECODER) == (
        "L1H2 does not exist in this attention (it has L0H0 to L4H1). It returns when you switch back."
    )
    assert elsewhere(View(), ENCODER) == elsewhere(View(pins=()), ENCODER) == ""


def test_the_app_chooses_where_nothing_that_was_chosen_is_there():
    shown = shown_for(View(pins=(HeadId(4, 1),)), ENCODER)
    assert shown.pins == shown_for(View(), ENCODER).pins
    assert shown_for(View(pins=()), ENCODER).pins == ()
