"""Pages with models that whoever runs the program offers: a cold link, choices, and names that are not on offer."""

import pytest

import mha
from mha import engine
from mha.app.errors import APOLOGY
from mha.engine import recordings as local
from mha.models.files import catalog, inspection, loading
from mha.models.files.catalog import VARIABLE
from tests.models.snapshots import N_HEADS, N_LAYERS, SNAPSHOTS
from tests.pages.conftest import opened_at
from tests.pages.test_heads import header, opened, sentences

DOG = "A dog ate the food because it was hungry"


def plain(test):
    """Return the sentences of a page without escapes."""
    return sentences(test).replace("\\", "").replace("\u2060", "")


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
    test = opened(text=DOG, model=name, pins=["L2H4", "L0H1"], units="tokens", lock="3")
    assert header(test)["pins"] == ["L2H4", "L0H1"]
    assert header(test)["causal"] == (name == "tiny-causal")
    assert len(header(test)["share"]) == N_LAYERS * N_HEADS
    assert f"{N_LAYERS} layers × {N_HEADS} heads" in sentences(test)
    assert not test.warning


@pytest.mark.parametrize("name", list(SNAPSHOTS))
def test_an_offered_model_is_chosen_in_the_picker(on_offer, name):
    test = opened(text=DOG)
    test.selectbox(key="model").set_value(name).run()
    assert test.session_state["model"] == name
    maps = engine.record(engine.Request(DOG, name)).maps
    assert (maps.n_layers, maps.n_heads) == (N_LAYERS, N_HEADS)
    assert header(test)["pins"] == [str(head) for head in dict.fromkeys(mha.opening_heads(maps))]


def test_in_a_causal_model_the_selected_word_looks_back_at_its_candidates(on_offer):
    data = header(opened(model="tiny-causal"))
    assert data["queries"][5] == "telescope"  # the first word is excluded
    assert (data["lock"], data["look"]) == (5, "from")
    assert header(opened(model="tiny-masked"))["lock"] == 6


@pytest.mark.parametrize("word", [{"pins": "L3H0"}, {"pins": "L0H5"}])
def test_a_link_to_heads_that_the_model_does_not_have_says_so(on_offer, word):
    assert f"there is no head “{word['pins']}” here" in plain(opened(model="tiny-causal", **word))


@pytest.mark.parametrize("name", ["org/name", "org/name@" + "a" * 40, "../minilm", "/etc/passwd", "tiny-causal"])
def test_a_link_to_a_model_that_is_not_on_offer_gets_the_sentence_and_nothing_is_fetched(name, monkeypatch):
    for module in (inspection, loading):
        for function in ("fetch", "cached_folder"):
            monkeypatch.setattr(module, function, lambda *_, **__: pytest.fail("the hub was asked"))
    test = opened(model=name)
    assert plain(test).count(f"Problem in this link: there is no model “{name}” here") == 1
    assert test.session_state["model"] == "minilm"
    assert header(test)["pins"] == ["L0H1", "L0H10"]


def test_a_link_to_an_absent_smollm2_gives_the_reason(monkeypatch):
    monkeypatch.setenv(VARIABLE, "-smollm2")
    catalog.offered.cache_clear()
    try:
        test = opened(model="smollm2")
    finally:
        monkeypatch.undo()
        catalog.offered.cache_clear()
    assert "SmolLM2 is not offered here: PARALLAX_MODELS contains -smollm2." in plain(test)
    assert test.session_state["model"] == "minilm"


def test_a_model_that_cannot_be_loaded_is_said_on_the_page_and_another_one_is_still_shown(on_offer):
    assert "tiny-masked" in [row.name for row in catalog.offered()]  # described while it was whole
    weights = on_offer["tiny-masked"] / "model.safetensors"
    kept = weights.read_bytes()
    weights.write_bytes(kept[:-5])
    try:
        test = opened(model="tiny-masked", text="A man saw the dog")
        assert "damaged or not a safetensors" in test.title[0].value
        assert str(on_offer["tiny-masked"]) not in test.title[0].value
        test.selectbox(key="model").set_value("tiny-causal").run()
        assert len(header(test)["pins"]) == 2
    finally:
        weights.write_bytes(kept)


def test_the_list_of_models_says_what_is_known_of_them(on_offer):
    rows = {row.name: row for row in catalog.offered()}
    text = "\n".join(element.value for element in opened_at("questions.py").markdown)
    for name in SNAPSHOTS:
        assert f"**{name}**: {rows[name].source}; licence unknown" in text


def test_missing_usual_shares_are_stated(on_offer):
    test = opened(model="tiny-causal", text="I saw the dog near the small house")
    assert sentences(test).count(r"There are no measured usual shares for tiny\-causal") == 1
    assert "Usually" not in "".join(text for _, text in header(test)["note"])
    assert "measured usual shares" not in sentences(opened(model="toy"))


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


def test_a_bare_address_opens_with_the_model_that_was_named_and_a_link_as_it_says(tiny_offered, monkeypatch):
    monkeypatch.setenv("PARALLAX_OPENS_WITH", "tiny-masked")
    assert opened().session_state["model"] == "tiny-masked"
    assert opened(text="I saw the man").session_state["model"] == "minilm"
    monkeypatch.setenv("PARALLAX_OPENS_WITH", "nothing-of-that-name")
    assert opened().session_state["model"] == "minilm"


def test_a_masked_model_reads_a_typed_mask_as_text_on_heads(on_offer):
    test = opened(model="tiny-masked", text="I saw the [MASK] with the telescope")
    assert "[MASK]" not in header(test)["keys"]
    assert "Heads reads “[MASK]” as ordinary text." in sentences(test)


def test_a_model_that_predicts_words_has_a_link_to_next_word(on_offer):
    links = {
        model: [link.proto.page for link in opened(model=model).get("page_link")]
        for model in ("minilm", "tiny-causal", "tiny-masked", "tiny-encoder-decoder")
    }
    assert {model for model, pages in links.items() if "next" in pages} == {*links} - {"minilm"}


def test_a_decoder_says_once_which_words_it_does_not_know(on_offer):
    test = opened(model="tiny-causal", text="הכלב אכל את האוכל")
    assert sentences(test).count("The model does not know “הכלב”") == 1
