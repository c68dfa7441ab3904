"""A long text on the Heads page: offered, taken in, told of; the sentence waits behind it."""

import threading
import time

from mha.screens.long import long_text as longs

TEXT = "The dog saw the cat in the garden behind the house, and the cat saw the dog. " * 12


def parts(page):
    return {data[0]["part"]: data for data in page.components("long")}


def waited(page):
    """Run until the survey and its second look are done."""
    for _ in range(100):
        page.run()
        if parts(page).get("reader", ({}, {}))[0].get("map"):
            return page
        time.sleep(0.2)
    raise AssertionError("the survey did not end")


def test_a_longer_text_is_offered_and_the_way_back_is_the_sentence(visit):
    page = visit(text="A dog ate the food")
    next(button for button in page.test.button if button.label == "A longer text").click()
    page.run()
    assert parts(page)["box"][0]["most"] == 100_000
    assert "Links do not include long texts" in parts(page)["box"][0]["note"]
    assert not page.components("overview")
    next(button for button in page.test.button if button.label == "← The sentence").click()
    page.run()
    assert page.components("overview")
    assert page.test.session_state["text"] == "A dog ate the food"


def test_a_long_text_is_read_through_a_window(visit, tiny_offered):
    page = visit(model="tiny-causal")
    page.test.session_state[longs.LONG_OPEN] = True
    page.test.session_state[longs.TEXT] = TEXT
    waited(page)
    header, arrays = parts(page)["reader"]
    assert "Read: tokens 0 to 127 of 228, the limit of this model. Not read: the last 100." in page.said()
    assert (header["count"], header["tokens"], header["causal"]) == (64, 128, True)
    assert arrays["map"].shape == (64, 64)
    assert parts(page)["profiles"][1]["weights"].shape == (3, 5, 128)
    assert parts(page)["overview"][0]["done"] == 3
    page.test.text_input(key=longs.SEARCH).set_value("garden")
    page.run()
    assert len(parts(page)["reader"][0]["hits"]) == 7
    next(button for button in page.test.button if button.label == "Next →").click()
    page.run()
    hit = parts(page)["reader"][0]["hits"][0]
    start = parts(page)["reader"][0]["start"]
    assert start <= hit < start + 64
    page.test.number_input(key=longs.BEGIN).set_value(100)
    waited(page)
    assert "Read: tokens 100 to 227 of 228" in page.said()


def test_a_toy_says_that_it_reads_sentences_only(visit):
    page = visit(model="toy", text="The man saw an astronomer with a telescope")
    page.test.session_state[longs.LONG_OPEN] = True
    page.run()
    assert "reads single sentences only" in page.said()


def test_heads_come_layer_by_layer_and_stop_leaves_the_rest_hatched(visit, tiny_offered, monkeypatch):
    from mha.models.watch import survey as surveying

    first, go_on = threading.Event(), threading.Event()
    whole = surveying.survey

    def slow(*given, progress, **more):
        def told(done, count, overview):
            progress(done, count, overview)
            first.set()
            go_on.wait(20)

        return whole(*given, progress=told, **more)

    monkeypatch.setattr(surveying, "survey", slow)
    page = visit(model="tiny-causal")
    page.test.session_state[longs.LONG_OPEN] = True
    page.test.session_state[longs.TEXT] = f"Another text. {TEXT}"
    try:
        page.run()
        assert first.wait(20)
        page.run()
        assert parts(page)["overview"][0]["done"] == 1, "one layer of three is drawn while the next is read"
        assert parts(page)["overview"][0]["layers"] == 3
        assert "reader" not in parts(page)
        next(button for button in page.test.button if button.label == "Stop").click()
        page.run()
    finally:
        go_on.set()
    for _ in range(50):
        page.run()
        if "Stopped after" in page.said():
            break
        time.sleep(0.1)
    assert "of 3 layers. Hatched layers are not computed yet." in page.said()
    assert parts(page)["overview"][0]["done"] < 3
    assert "Begin again" in [button.label for button in page.test.button]
