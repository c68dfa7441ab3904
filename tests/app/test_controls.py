"""Examples above a page: what is typed is not lost to an example that a browser still shows as selected."""

from tests.pages.conftest import opened_at

PARIS = "The capital of France is"


def pills_state(states):
    """Return the widget state of the row of examples."""
    (found,) = [state for state in states.widgets if "example_" in state.id]
    return found


def test_typed_text_stays_if_a_browser_sends_the_former_example_again():
    test = opened_at("next.py", text=PARIS, ablate="L9H9")
    before = test._tree.get_widget_states()
    assert "capital of France" in str(pills_state(before))
    test.text_area(key="text").set_value("A dog").run()
    assert test.pills[0].value is None
    test.text_area(key="text").set_value("A dog saw")
    states = test._tree.get_widget_states()
    states.widgets.append(pills_state(before))
    test._run(states)
    assert test.session_state["text"] == "A dog saw"


def test_example_is_selected_again_by_a_click():
    test = opened_at("next.py", text="A dog")
    test.pills[0].set_value("capital of France").run()
    assert test.session_state["text"] == PARIS
    assert test.pills[0].value == "capital of France"
    test.text_area(key="text").set_value("A dog").run()
    test.pills[0].set_value("capital of France").run()
    assert test.session_state["text"] == PARIS
