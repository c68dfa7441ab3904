"""A walk over all pages: no shared name of the link travels to another meaning."""

from mha.app.params import PAGES
from tests.pages.conftest import opened_at

CAPITAL = "The capital of France is"
SCRIPTS = ("heads.py", "matters.py", "write.py", "compare.py", "steps.py", "atlas.py", "next.py", "heads.py")
OWN_MEANING = {  # fields whose names, in links or in other pages, look like those of another page
    "": ("lock", "look", "pins"), "next": ("word", "versus", "head"), "matters": ("look_at",),
    "steps": ("cell_head", "cell_query", "cell_key"), "atlas": ("profile",),
}  # fmt: skip


def test_no_word_or_head_travels_to_another_meaning():
    """Walk over all pages of a text with every name chosen that two pages could share."""
    test = opened_at("next.py", text=CAPITAL, model="smollm2", word=" Paris", head="L23H4")
    chosen = {"word": " Paris", "head": "L23H4"}
    for script in SCRIPTS:
        test.query_params.clear()
        test.switch_page(script)
        test.run()
        assert not test.exception
        state = test.session_state
        page = state["link_page"]
        for owner, names in OWN_MEANING.items():
            for name in names:
                if name in PAGES[page].model_fields:
                    usual = PAGES[page].model_fields[name].default  # other models have other heads
                    assert state[name] in (usual, chosen.get(name, usual)), (owner, page, name)
        if page == "" and "pins" not in chosen:
            chosen |= {"pins": ["L1H1"], "lock": 2, "look": "ask"}
            for name, value in chosen.items():
                state[name] = value
            test.run()
            assert test.session_state["pins"] == ["L1H1"]


def test_a_model_chosen_on_heads_stays_by_way_of_the_page_whose_default_it_is():
    test = opened_at("heads.py", text=CAPITAL)
    test.selectbox(key="model").set_value("smollm2").run()
    for script in ("next.py", "readings.py"):
        test.query_params.clear()
        test.switch_page(script)
        test.run()
        assert not test.exception
        assert test.selectbox(key="model").value == "smollm2"


def test_a_selected_word_stays_with_its_text():
    test = opened_at("heads.py", text="Dogs chase cats", lock="2", look="ask")
    for script, text in (("compare.py", "Cats chase dogs often"), ("heads.py", None)):
        test.query_params.clear()
        test.switch_page(script)
        test.run()
        if text:
            test.text_area(key="text").set_value(text).run()
    assert test.session_state["text"] == "Cats chase dogs often"
    assert test.session_state["lock"] is None
