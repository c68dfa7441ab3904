"""Pages with models that whoever runs the program offers: a cold link, choices, and names that are not on offer."""

import pytest

from mha import engine
from mha.app.errors import APOLOGY
from mha.engine import recordings as local
from mha.models.files import catalog, hub, loading
from mha.models.files.catalog import VARIABLE
from tests.models.snapshots import N_HEADS, N_LAYERS, SNAPSHOTS
from tests.pages.conftest import Page, opened_at

DOG = "A dog ate the food because it was hungry"


@pytest.fixture
def on_offer(tiny_offered, snapshots):
    """Offer the tiny models during one test, and let the engine forget them after it; return their folders."""
    yield snapshots
    for name in tiny_offered:
        loading._loaded.pop(name, None)
        local._engine._breakers.pop(name, None)
    results = local._engine._cache._results
    for question in [question for question in results if getattr(question, "model", "") in tiny_offered]:
        results.pop(question)


@pytest.mark.parametrize("name", list(SNAPSHOTS))
def test_a_cold_link_shows_the_model_with_its_own_heads(on_offer, name):
    page = Page(text=DOG, model=name, pins=["L2H4", "L0H1"], units="tokens", lock="3")
    assert page.header("overview")["pins"] == ["L2H4", "L0H1"]
    assert page.header("overview")["causal"] == (name == "tiny-causal")
    assert f"{N_LAYERS} layers × {N_HEADS} heads" in page.said()
    assert not page.test.error
    assert not page.test.warning


@pytest.mark.parametrize("name", list(SNAPSHOTS))
def test_an_offered_model_is_chosen_in_the_picker(on_offer, visit, name):
    page = visit()
    page.test.selectbox(key="model").set_value(name).run()
    assert not page.test.exception
    assert page.test.session_state["model"] == name
    assert len(page.header("overview")["pins"]) == 2
    maps = engine.record(engine.Request("I saw the man with the telescope", name)).maps
    assert (maps.n_layers, maps.n_heads) == (N_LAYERS, N_HEADS)


def test_in_a_causal_model_the_selected_word_looks_back_at_its_candidates(on_offer):
    header = Page(model="tiny-causal").header("overview")
    assert header["queries"][5] == "telescope"  # the first word is excluded
    assert (header["lock"], header["look"]) == (5, "from")
    assert Page(model="tiny-masked").header("overview")["lock"] == 6


@pytest.mark.parametrize("word", [{"pins": "L3H0"}, {"pins": "L0H5"}])
def test_a_link_to_heads_that_the_model_does_not_have_says_so(on_offer, visit, word):
    (name,) = word.values()
    assert f"pins has no “{name}” here." in visit(model="tiny-causal", **word).said()


@pytest.mark.parametrize("name", ["org/name", "org/name@" + "a" * 40, "../minilm", "/etc/passwd", "tiny-causal"])
def test_a_link_to_a_model_that_is_not_on_offer_gets_the_sentence_and_nothing_is_fetched(visit, name, monkeypatch):
    for module, function in ((hub, "fetch"), (hub, "kept"), (loading, "fetch"), (loading, "kept")):
        monkeypatch.setattr(module, function, lambda *_, **__: pytest.fail("the hub was asked"))
    page = visit(model=name)
    assert f"Problem in this link: model has no “{name}” here." in page.said()
    assert page.test.session_state["model"] == "minilm"


def test_a_link_to_an_absent_smollm2_gives_the_reason(visit, monkeypatch):
    monkeypatch.setenv(VARIABLE, "-smollm2")
    catalog.offered.cache_clear()
    try:
        page = visit(model="smollm2")
    finally:
        monkeypatch.undo()
        catalog.offered.cache_clear()
    assert "SmolLM2 is not offered here: PARALLAX_MODELS contains" in page.said()
    assert page.test.session_state["model"] == "minilm"


def test_a_model_that_cannot_be_loaded_is_said_on_the_page_and_another_one_is_still_shown(on_offer, visit):
    assert "tiny-masked" in [row.name for row in catalog.offered()]  # described while it was whole
    weights = on_offer["tiny-masked"] / "model.safetensors"
    kept = weights.read_bytes()
    weights.write_bytes(kept[:-5])
    try:
        page = visit(model="tiny-masked", text="A man saw the dog")
        assert "damaged or not a safetensors" in page.said()
        assert str(on_offer["tiny-masked"]) not in page.said()
        page.test.selectbox(key="model").set_value("tiny-causal").run()
        assert len(page.header("overview")["pins"]) == 2
    finally:
        weights.write_bytes(kept)


def test_the_list_of_models_says_what_is_known_of_them(on_offer):
    rows = {row.name: row for row in catalog.offered()}
    text = "\n".join(element.value for element in opened_at("questions.py").markdown)
    for name in SNAPSHOTS:
        assert f"**{name}**: {rows[name].source}; licence unknown" in text


def test_missing_usual_shares_are_stated(on_offer):
    page = Page(model="tiny-causal", text="I saw the dog near the small house")
    assert page.said().count("There are no measured usual shares for tiny-causal") == 1
    assert "Measure usual patterns" not in [button.label for button in page.test.button]
    assert "On average" not in "".join(text for _, text in page.header("overview")["note"])
    assert "measured usual shares" not in Page(model="toy").said()


@pytest.mark.parametrize("script", ["heads.py", "readings.py", "next.py", "compare.py", "steps.py", "atlas.py"])
def test_a_bare_address_of_each_page_opens_with_the_model_of_the_host(tiny_offered, monkeypatch, script):
    monkeypatch.setenv("PARALLAX_OPENS_WITH", "tiny-causal")
    test = opened_at(script)
    assert test.session_state["model"] == "tiny-causal"
    assert APOLOGY not in [text.value for text in test.text]
    assert opened_at(script, model="minilm").session_state["model"] == "minilm"


def test_next_word_opens_with_its_own_model_if_the_host_s_fills_gaps(tiny_offered, monkeypatch):
    monkeypatch.setenv("PARALLAX_OPENS_WITH", "tiny-masked")
    assert opened_at("next.py").session_state["model"] == "smollm2"
    assert opened_at("compare.py").session_state["model"] == "tiny-masked"


def test_a_bare_address_opens_with_the_model_that_was_named_and_a_link_as_it_says(visit, tiny_offered, monkeypatch):
    monkeypatch.setenv("PARALLAX_OPENS_WITH", "tiny-masked")
    assert visit(bare=True).test.session_state["model"] == "tiny-masked"
    assert visit(text="I saw the man").test.session_state["model"] == "minilm"
    monkeypatch.setenv("PARALLAX_OPENS_WITH", "nothing-of-that-name")
    assert visit(bare=True).test.session_state["model"] == "minilm"


def test_a_masked_model_reads_a_typed_mask_as_text_on_heads(on_offer):
    page = Page(model="tiny-masked", text="I saw the [MASK] with the telescope")
    assert "[MASK]" not in page.header("overview")["keys"]
    assert "Heads reads “[MASK]” as ordinary text." in page.said()


def test_a_model_that_predicts_words_has_a_link_to_next_word(on_offer):
    links = {
        model: [link.proto.page for link in Page(model=model).test.get("page_link")]
        for model in ("minilm", "tiny-causal", "tiny-masked", "tiny-encoder-decoder")
    }
    assert {model for model, pages in links.items() if "next" in pages} == {*links} - {"minilm"}


def test_a_decoder_says_once_which_words_it_does_not_know(on_offer):
    page = Page(model="tiny-causal", text="הכלב אכל את האוכל")
    assert page.said().count("The model does not know “הכלב”") == 1
