"""The URL and the session state are one: parse, encode, restrict."""

import re
from itertools import product
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from mha.app import link
from mha.app.link import parse
from mha.app.params import PAGES, URL_NAMES, Params
from mha.navigation import page_row
from tests.hostile_values import HOSTILE

NextParams, CompareParams, AtlasParams = (PAGES[page] for page in ("next", "compare", "atlas"))


def sentences(**url):
    return parse("next", {name: list(values) for name, values in url.items()})


def test_parse_reads_every_parameter():
    params, problems = sentences(
        text=["Hi"], model=["minilm"], ablate=["L1H2", "L3H4"], head=["L3H4"], word=["Paris"], reveal=["0"],
        large=["true"], versus=["London"],
    )  # fmt: skip
    assert not problems
    assert params == NextParams(
        text="Hi", model="minilm", ablate=["L1H2", "L3H4"], head="L3H4", word="Paris", reveal="0", large=True,
        versus="London",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("page", "name", "value", "expected", "reason"),
    [
        ("write", "head", "L1", None, "a head is written L5H3"),
        ("write", "step", "inf", 1, "it must be a whole number"),
        ("write", "step", "99", 1, "at most 10"),
        ("write", "reveal", "2", "1", "possible: “1”, “0”"),
        (
            "steps",
            "toy",
            "cats",
            "",
            "possible: “All is well, one head”, “All is well, two heads”, “Money Bank, full”, "
            "“Money Bank, slices”, “Money Bank, overlap”, “dog or food”, “man or astronomer”, “eight heads”",
        ),
        ("next", "word", "x" * 101, "", "at most 100 characters"),
        ("matters", "look_at", "-1", None, "at least 0"),
        ("matters", "look_at", "2000", None, "at most 1,999"),
        ("compare", "large", "perhaps", False, "it must be true or false"),
        ("next", "cut", "L1H2", [], "a cut is written L23H4:5-4, query before key"),
        ("translate", "without", "L1H2", [], "a head is written E0H7 or C1H2"),
        ("atlas", "x", "<b>", "sink_share", "there is no such value"),
    ],
)
def test_parse_replaces_an_invalid_value_and_says_why(page, name, value, expected, reason):
    params, (problem,) = parse(page, {"text": ["Hi"], name: [value]})
    assert getattr(params, name) == expected
    assert params.text == "Hi"
    assert problem == f"Problem in this link: {name} cannot be {link.quote(value)} ({reason}). Showing the default."


@pytest.mark.parametrize("page", PAGES)
def test_parse_survives_any_value(page):
    for name, value in product(PAGES[page].model_fields, HOSTILE):
        params, problems = parse(page, {URL_NAMES.get(name, name): [value, value]})
        assert len(problems) <= 1, (name, value)
        assert PAGES[page].model_validate(params.model_dump()) == params, (name, value)


def test_parse_answers_removed_names_once_and_ignores_unknown_ones():
    params, (problem,) = sentences(off=["L1H2"], on=["L0H0"], utm_source=["mail"])
    assert params == NextParams()
    assert problem == "Problem in this link: this page does not read “off\\, on”; parameters changed in 0.3."


def test_parse_reads_names_of_release_0_2():
    params, problems = sentences(heads_silenced=["L1H2"])
    assert (params.ablate, problems) == (["L1H2"], [])
    params, problems = parse("write", {"heads_step": ["4"]})
    assert (params.step, problems) == (4, [])


def test_a_parameter_that_no_page_ever_had_opens_a_page_as_without_it():
    """Heads opens with another text if the URL has parameters; a mailer's does not count."""
    test = AppTest.from_string('from mha.app import link\nlink.sync("")')
    test.query_params["utm_source"] = "mail"
    test.run()
    assert test.session_state["text"] == PAGES[""]().text
    assert test.session_state["link_problems"] == []


def test_parse_names_another_version():
    assert "another version (“9”)" in sentences(v=["9"])[1][0]


HARMFUL = "a`\n\n## b\n[c](https://example.org) www.example.org" + 80 * "x"


def test_quote_escapes_markdown_on_one_line():
    assert link.quote("a\n\n*b*") == r"“a b”".replace("b", r"\*b\*")
    assert link.quote(["L1", "`x`"]) == r"“L1\, \`x\`”"
    assert len(link.quote(HARMFUL)) < 120


@pytest.mark.parametrize("name", ["v", "model", "head", "ablate", "reveal"])
def test_a_problem_quotes_a_value_as_text(name):
    """The same value as Markdown of its own would be a heading and a link to another site."""
    problems = sentences(**{name: [HARMFUL]})[1] or [link.quote(HARMFUL)]
    (problem,) = problems
    assert "\n" not in problem
    assert not re.search(r"(?<!\\)[`\[\]#]|https?:/|www\.", problem)


def test_lists_of_heads_have_no_repetition_and_a_limit():
    heads = [f"L{layer}H{head}" for layer in range(10) for head in range(7)]
    assert parse("compare", {"ablate": ["L0H0", "L0H0", "L1H0"]})[0].ablate == ["L0H0", "L1H0"]
    assert parse("compare", {"ablate": heads[:64] * 2})[0].ablate == heads[:64]
    found, (problem,) = parse("compare", {"ablate": heads[:65]})
    assert found.ablate == []
    assert problem.startswith("Problem in this link: ablate cannot be “L0H0")
    assert problem.endswith("…” (at most 64 heads, not 65). Showing the default.")


def test_encode_leaves_defaults_out():
    values = NextParams().model_dump()
    assert link.encode("next", values) == {}
    values |= {"ablate": ["L1H2"], "large": True, "text": "Hi", "pins": ["L0H0"]}
    assert link.encode("next", values) == {"v": ["1"], "text": ["Hi"], "large": ["true"], "ablate": ["L1H2"]}


def test_encode_and_parse_are_inverse():
    params = NextParams(text="a & b #1 ?é😀", ablate=["L1H2"], word="x=y", large=True, stop=3, reveal="0")
    assert parse("next", link.encode("next", params.model_dump())) == (params, [])


SCRIPT = """
import streamlit as st
from mha.app import link
link.sync("next")
link.restrict("head", ["L0H0"])
link.restrict("ablate", ["L0H0"])
link.show_problems()
st.text_input("Text", key="text")
st.button("toggle", on_click=link.toggle, args=("ablate", "L0H0"))
"""


def test_sync_reads_the_url_once_and_then_writes_it():
    test = AppTest.from_string(SCRIPT)
    test.query_params["text"] = "Hello"
    test.run()
    assert test.text_input[0].value == "Hello"
    test.button[0].click().run()
    assert test.session_state["ablate"] == ["L0H0"]
    assert dict(test.query_params.items()) == {"v": "1", "text": "Hello", "ablate": "L0H0"}
    test.button[0].click().run()
    assert "ablate" not in test.query_params


@pytest.mark.parametrize(("name", "without"), [("head", None), ("ablate", [])])
def test_restrict_says_what_is_missing_until_the_next_choice(name, without):
    test = AppTest.from_string(SCRIPT)
    test.query_params[name] = "L7H7"
    test.run()
    assert [warning.value for warning in test.warning] == ["Problem in this link: there is no head “L7H7” here."]
    assert test.session_state[name] == without
    assert len(test.run().warning) == 1
    assert not test.button[0].click().run().warning


def test_a_default_that_is_not_an_option_is_no_problem_of_the_link():
    test = AppTest.from_string(
        'from mha.app import link\nlink.sync("atlas")\nlink.restrict("x", ["entropy"])\nlink.show_problems()'
    )
    for _ in range(2):
        test.run()
        assert not test.warning
        assert test.session_state["x"] == "entropy"
        assert not test.query_params


def test_toggle_keeps_at_most_64_heads(monkeypatch):
    heads = [f"L{layer}H0" for layer in range(65)]
    monkeypatch.setattr(st, "session_state", {"ablate": heads[:64]})
    link.toggle("ablate", heads[64])
    assert st.session_state["ablate"] == heads[1:]


@pytest.mark.parametrize("page", PAGES)
def test_every_parameter_has_its_line_in_the_document(page):
    document = (Path(__file__).parents[2] / "docs" / "link.md").read_text(encoding="utf-8")
    section = document.partition(f"## Parameters of {page_row(page).title}\n")[2].partition("\n## ")[0]
    names = (URL_NAMES.get(name, name) for name in PAGES[page].model_fields)
    assert [name for name in names if f"`{name}`" not in section] == []


def test_second_text_follows_the_text_of_the_link():
    assert CompareParams().second == "I saw the star with the telescope"
    assert CompareParams(text="All is well").second == "All is well"
    params, problems = parse("compare", {"text": ["x" * 3000], "pins": ["L0H0"] * 2 + ["none"]})
    assert (len(problems), params.second, params.pins) == (1, CompareParams().second, ["L0H0"])


def test_encode_leaves_a_followed_second_text_out():
    values = CompareParams(text="All is well").model_dump()
    assert link.encode("compare", values) == {"v": ["1"], "text": ["All is well"]}
    values["second"] = "All is lost"
    params, problems = parse("compare", link.encode("compare", values))
    assert (params.model_dump(), problems) == (values, [])


def test_pin_changes_the_shown_heads_and_the_oldest_goes(monkeypatch):
    state = {"pins": []}
    monkeypatch.setattr(st, "session_state", state)
    link.pin(["L0H0"], "L1H1")
    assert state["pins"] == ["L0H0", "L1H1"]
    link.pin(state["pins"], "L0H0")
    assert state["pins"] == ["L1H1"]
    state["pins"] = []  # L0H0 and L1H1 are picked for the text
    link.pin(["L0H0", "L1H1"], "L0H0")
    assert state["pins"] == ["L1H1"]
    link.pin(["L0H0", "L0H1", "L0H2", "L0H3"], "L5H5")
    assert state["pins"] == ["L0H1", "L0H2", "L0H3", "L5H5"]


PAGE_CHANGE = """
import streamlit as st
from mha.app import link
link.sync(st.session_state.get("to", "next"))
"""


@pytest.mark.parametrize(
    ("query", "ablate", "text"),
    [
        ({"ablate": "L23H4"}, [], CompareParams().text),
        ({"model": "minilm", "ablate": "L2H4", "text": "All is well"}, ["L2H4"], "All is well"),
    ],
    ids=["default", "another model"],
)
def test_only_a_chosen_model_goes_to_the_next_page_with_its_heads_and_text(query, ablate, text):
    test = AppTest.from_string(PAGE_CHANGE)
    test.query_params.update(query)
    test.run()
    test.query_params.clear()
    test.session_state["to"] = "compare"
    test.run()
    assert (test.session_state["model"], test.session_state["ablate"]) == ("minilm", ablate)
    assert test.session_state["text"] == text
    assert (test.session_state["second"] == text) == bool(ablate), "the second text follows a chosen one"


def walk(test, *pages):
    """Open pages by the navigation, which drops the query; return the model of the last one."""
    for page in pages:
        test.query_params.clear()
        test.session_state["to"] = page
        test.run()
    return test.session_state["model"]


def test_a_chosen_model_or_text_stays_although_it_is_the_default_of_a_page():
    """SmolLM2, chosen on Heads, is the default of Next word; so is the sentence about the capital."""
    test = AppTest.from_string(PAGE_CHANGE)
    assert walk(test, "") == "minilm"
    test.session_state["model"] = "smollm2"
    test.session_state["text"] = NextParams().text
    assert walk(test, "next", "readings", "translate", "compare") == "smollm2"
    assert test.session_state["text"] == NextParams().text


def test_a_choice_outlives_the_reload_of_the_page_whose_default_it_is():
    """A reload is a new visit that has the URL alone: it names the choice, also in the link to the next page."""
    test = AppTest.from_string(
        PAGE_CHANGE.replace("link.sync(", "link.sync(page := ") + "st.text(link.query_for_page(page))"
    )
    walk(test, "")
    test.session_state["model"] = "smollm2"
    walk(test, "next")
    url = dict(test.query_params.items())
    assert url == {"v": "1", "model": "smollm2"}
    assert test.text[0].value == str({"v": ["1"], "model": ["smollm2"]})
    reloaded = AppTest.from_string(PAGE_CHANGE)
    reloaded.query_params.update(url)
    reloaded.run()
    assert walk(reloaded, "compare") == "smollm2"
    assert reloaded.session_state["text"] == CompareParams().text


def test_a_default_chosen_on_its_own_page_stays_and_one_that_nobody_chose_does_not():
    test = AppTest.from_string(PAGE_CHANGE)
    assert walk(test, "next", "translate", "readings") == "minilm", "by way of a page without a model"
    assert walk(test, "next") == "smollm2"
    for model in ("minilm", "smollm2"):
        test.session_state["model"] = model
        test.run()
    assert walk(test, "readings") == "smollm2"


def test_a_link_to_another_model_ends_the_choice_and_one_to_the_same_keeps_it():
    test = AppTest.from_string(PAGE_CHANGE)
    walk(test, "")
    test.session_state["model"] = "smollm2"
    test.run()
    test.query_params.clear()
    test.query_params.update({"ablate": "L23H4"})  # a link to Next word leaves its default out
    test.session_state["to"] = "next"
    test.run()
    assert walk(test, "compare") == "smollm2"
    test.query_params.clear()
    test.query_params.update({"text": "All is well"})
    test.session_state["to"] = "readings"
    test.run()
    assert test.session_state["model"] == "minilm"
    assert walk(test, "next") == "smollm2"
    assert walk(test, "compare") == "minilm", "nobody chose the default of Next word after the link"


def test_a_field_may_have_another_name_in_the_url():
    params = AtlasParams(profile="L2H8", x="entropy")
    url = link.encode("atlas", params.model_dump())
    assert url == {"v": ["1"], "head": ["L2H8"], "x": ["entropy"]}
    assert parse("atlas", url) == (params, [])
    found, (problem,) = parse("atlas", {"head": ["nobody"]})
    assert found.profile is None
    assert "head cannot be “nobody”" in problem


def test_a_link_from_page_to_page_keeps_the_lesson_and_large_type():
    test = AppTest.from_string(PAGE_CHANGE)
    test.query_params.update({"large": "true", "lesson": "who-is-it", "stop": "2", "ablate": "L2H4"})
    test.run()
    test.query_params.clear()
    test.query_params.update({"model": "smollm2", "head": "L3H1"})
    test.session_state["to"] = "atlas"
    test.run()
    url = dict(test.query_params.items())
    chosen = {"large": "true", "lesson": "who-is-it", "stop": "2", "model": "smollm2", "head": "L3H1"}
    assert url == {"v": "1", **chosen}
    assert test.session_state["large"]


def test_every_parameter_is_declared_once_and_read_by_a_page():
    read = {name for params in PAGES.values() for name in params.model_fields}
    assert read == set(Params.model_fields)


def test_second_axis_of_a_model_without_bundled_numbers_is_another():
    assert AtlasParams(model="smollm2").y == "effect"
    assert AtlasParams(model="toy").y == "previous_word"


def test_a_choice_of_a_page_that_was_left_resets_nothing_else(monkeypatch):
    """A browser may send the click on an example of Next word and the step to Heads at once; Heads has no `word`."""
    state = {"link_page": "", "pins": ["L1H1"], "word": "is"}
    monkeypatch.setattr(link.st, "session_state", state)
    link.reset("word", "pins")
    assert state == {"link_page": "", "pins": [], "word": "is"}
