"""Every hostile text below the page: accepted or refused with a sentence, and literal wherever it goes."""

import html
from urllib.parse import parse_qs, urlencode

import pytest

import mha
from mha.analysis.sinks import set_aside
from mha.app.link import parse
from mha.errors import InputError, MHAError
from mha.export.provenance import provenance_of
from mha.figures.heatmaps import layer_heatmaps
from mha.formats import labels, truncate
from mha.models.toy import record_toy
from mha.saved import sound
from mha.views.component_data import seal
from mha.views.heads import select
from mha.views.heads_pictures import overview
from mha.views.heads_sentences import sentence_pieces
from mha.words import Accepted, accept, split
from tests.hostile import asked_model, hostile, outcomes, raw
from tests.unsealed import unseal

TEXTS, LINKS, MODELS = hostile("text"), hostile("url"), raw("model")


def accepted(item):
    """Return the text as it is used, or None where there is nothing to look at; and the notices."""
    try:
        return accept(item.text).text, list(accept(item.text).notes)
    except InputError as error:
        return None, [str(error)]


USED = [pytest.param(accepted(item)[0], id=item.name) for item in TEXTS if accepted(item)[0] is not None]


def test_the_list_is_whole():
    assert (len(TEXTS), len(LINKS), len(MODELS)) == (33, 10, 10)


@pytest.mark.parametrize("item", MODELS, ids=lambda item: item["id"])
def test_a_model_is_rejected_in_a_notebook_and_nothing_of_it_is_run(item, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = asked_model(item, tmp_path)
    if item.get("fixture") == "automap":  # its architecture is native, so its code is ignored
        assert mha.attend("All is well", model=name).n_layers
    else:
        with pytest.raises(MHAError) as refused:
            mha.attend("All is well", model=name)
        assert "Traceback" not in str(refused.value)
        assert len(str(refused.value)) < 400
    assert not list(tmp_path.rglob("PWNED*"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("item", TEXTS, ids=lambda item: item.name)
def test_a_text_has_one_of_its_outcomes(item):
    text, notices = accepted(item)
    assert outcomes(notices) & item.expected
    assert (text is None) == ("empty" in outcomes(notices))


@pytest.mark.parametrize("item", LINKS, ids=lambda item: item.name)
def test_a_link_has_one_of_its_outcomes(item):
    query = parse_qs(item.query, keep_blank_values=True, errors="replace")
    params, problems = parse("", query)
    assert outcomes([*problems, *accept(params.text).notes]) & item.expected


@pytest.mark.parametrize("text", USED)
def test_what_is_accepted_is_accepted_as_it_is_and_cut_into_its_pieces(text):
    assert accept(text) == Accepted(text)
    assert "".join(piece.text for piece in split(text)) == "".join(text.split())
    assert all(piece.text == text[piece.start : piece.end] for piece in split(text))


@pytest.mark.parametrize("text", USED)
def test_a_link_carries_it_there_and_back(text):
    query = parse_qs(urlencode({"v": "1", "text": text}))
    params, problems = parse("", query)
    assert (params.text, problems) == (text, [])


LONG = {"P28", "P29"}  # as many tokens as the model takes


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("text", "attend"),
    [
        pytest.param(*item.values, attend, id=f"{name}-{item.id}", marks=[pytest.mark.slow] if slow else [])
        for name, attend in {"minilm": mha.attend, "toy": lambda text: record_toy(text).maps}.items()
        for item in USED
        for slow in (name == "minilm" and item.id in LONG,)
    ],
)
def test_it_is_literal_in_sentence_overview_figure_and_file(text, attend):
    maps = attend(text)
    shown = set_aside(sound(sound(maps).merged()))
    said = "".join(piece["text"] for piece in sentence_pieces(shown.maps) if not piece.get("special"))
    assert said == "".join(text.split())
    header, _ = unseal(seal(*overview(select(maps))))
    assert header["keys"] == list(labels(shown.maps.key_tokens))
    if shown.maps.n_keys <= 128:  # longer ones have no figure
        ticks = layer_heatmaps(shown.maps, [(0, 0)]).layout.template.layout.xaxis.ticktext
        assert not any("<" in tick or ">" in tick for tick in ticks)
        assert [html.unescape(tick) for tick in ticks] == [truncate(token.text) for token in shown.maps.key_tokens]
    assert provenance_of(maps).texts == (maps.text,) == (text,)


@pytest.mark.parametrize("text", ["a" * 101, "👍🏽 yes"])
def test_a_word_that_the_model_does_not_know_is_named(text):
    from mha.models.watch.attending import record_text

    notes = record_text(text).notes
    assert any(note.startswith("The model does not know “") for note in notes)


def test_typed_signs_are_letters_and_only_the_model_s_own_are_special():
    maps = mha.attend("[CLS] [SEP] [MASK] [PAD] [UNK]")
    assert [token.text for token in maps.tokens if token.special] == ["[CLS]", "[SEP]"]
    assert maps.tokens[0].special
    assert maps.tokens[-1].special
