"""The bar of a lesson, the way from stop to stop, and the page for the teacher."""

import io

import pytest
from streamlit.testing.v1 import AppTest

from mha.app.lesson_bar import AT, KEY, LEFT, NEXT_STOP, OWN, _handle_event, plans
from mha.examples import DEFAULT_TEXT
from mha.lesson import BUNDLED, OPEN, offered, read
from mha.views import lesson as views
from tests.pages.conftest import FRAME, opened_at, pictures

TROPHY = "The trophy didn't fit in the suitcase because it was too big."


def bars(page):
    return page.components("lesson")


def test_a_stop_has_its_bar_and_next_opens_the_next_one(visit):
    page = visit(v="1", text=TROPHY, lock="9", look="from", reveal="0", lesson="who-is-it", stop="1")
    (bar,) = bars(page)
    assert (bar["number"], bar["state"], bar["guess"], bar["minutes"]) == (
        1, "guess first", True, [5, 6, 7, 6, 7, 5, 5, 4],
    )  # fmt: skip
    assert "".join(span[1] for span in bar["question"]) == "What does it mean here? Where will heads look from it?"
    assert [button.label for button in page.test.button if button.label == "Show findings"] == []
    page.test.session_state[NEXT_STOP] = ("who-is-it", 2)
    page.run()
    assert (bars(page)[0]["number"], page.test.session_state["look"]) == (2, "ask")
    page.test.session_state["reveal"] = "1"
    page.run()
    assert bars(page)[0]["state"] == "findings shown"
    page.test.session_state["lesson"] = ""
    page.run()
    assert bars(page) == []


def test_findings_are_shown_where_all_words_of_a_stop_are_defaults(visit):
    page = visit(v="1", text=DEFAULT_TEXT, reveal="0", lesson="the-telescope", stop="1")
    assert page.test.query_params["lesson"] == "the-telescope"
    page.test.session_state["reveal"] = "1"
    page.run()
    assert bars(page)[0]["state"] == "findings shown"
    page.run()
    assert bars(page)[0]["state"] == "findings shown"


def test_findings_that_were_shown_are_shown_after_a_reload_where_all_words_of_a_stop_are_defaults(visit):
    link = {"lesson": "the-telescope", "stop": "1"}
    assert bars(visit(**link))[0]["state"] == "guess first"
    followed = {"v": "1", "text": DEFAULT_TEXT, **link}
    assert bars(visit(reveal="0", **followed))[0]["state"] == "guess first"
    assert bars(visit(**followed))[0]["state"] == "findings shown"


def test_a_lesson_is_left_where_all_words_of_its_stop_are_defaults(visit):
    page = visit(v="1", text=DEFAULT_TEXT, lesson="the-telescope", stop="1")
    assert len(bars(page)) == 1
    page.test.session_state["lesson"], page.test.session_state["stop"] = "", 1
    page.test.session_state[AT], page.test.session_state[LEFT] = None, True  # as the bar's button leaves it
    page.run()
    assert bars(page) == []
    assert "lesson" not in page.test.query_params
    page.run()
    assert bars(page) == []


def test_a_name_that_is_not_here_is_said_with_those_that_are(visit):
    page = visit(v="1", text="Dogs bark", lesson="<b>", stop="1")
    for _ in range(2):  # until something is chosen
        assert f"No lesson is called “<b>” here. There are: {', '.join(BUNDLED)}." in page.said()
        page.run()


def test_a_lesson_of_ones_own_that_a_reload_has_ended_is_said_and_leaves_the_address(visit):
    page = visit(v="1", text="Dogs bark", lesson=OPEN, stop="2")
    assert "Open its file again." in page.said()
    page.test.session_state["large"] = True  # something is chosen
    page.run()
    assert "Open its file again." not in page.said()
    assert not {"lesson", "stop"} & set(page.test.query_params)


def test_what_a_browser_says_of_a_stop_is_checked(monkeypatch):
    from mha.app import lesson_bar

    plan = known_plan()
    state = {KEY: {"go": 99}}
    monkeypatch.setattr(lesson_bar.st, "session_state", state)
    for wrong in (99, 0, "2", None):
        state[KEY] = {"go": wrong}
        _handle_event("go", plan)
        assert NEXT_STOP not in state
    state[KEY] = {"go": 1}
    _handle_event("go", plan)
    assert state[NEXT_STOP] == (OPEN, 1)
    for wrong in ("2", 1, True, None):
        state[KEY] = {"show": wrong}
        _handle_event("show", plan)
        assert "reveal" not in state
    for said in ("0", "0", "1"):  # what is to be, and no turning round: a server may hear two presses as one
        state[KEY] = {"show": said}
        _handle_event("show", plan)
        assert state["reveal"] == said
    for said in ("0", "1", "1", True, None):
        state[KEY] = {"large": said}
        _handle_event("large", plan)
        assert state["large"] is (said != "0")


def known_plan():
    plan = read("# Mine\n## One\nlink: ?text=Dogs bark\n")
    assert OPEN not in plans()
    return plan


def opened(**link):
    """Return the sheet on the page for the teacher as HTML."""
    (sheet,) = opened_at("lesson.py", **link).get("html")
    return sheet.proto.body


def test_the_page_for_the_teacher_has_measured_answers_and_a_worksheet_without():
    plan = opened(lesson_which="who-is-it")
    assert "L3H1 gives 58\xa0% of its attention to <em>trophy</em>, and L0H6 gives 42\xa0% to <em>suitcase</em>" in plan
    assert "58\xa0% and 61\xa0%" in plan
    assert "→" not in plan
    sheet = opened(lesson_which="who-is-it", lesson_sheet="Worksheet")
    assert "58\xa0%" not in sheet
    assert "fit in the suitcase because <em>it</em> was too big." in sheet
    assert "because <em>it</em> was delicious." in sheet
    assert "<p class=rule>Attention shows</p><p class=rule>It does not show</p>" in sheet
    assert "<img" not in sheet  # no other device can open this address


def test_the_teachers_page_opens_with_the_lesson_that_is_on():
    test = opened_at("lesson.py", lesson="the-telescope", stop="2")
    assert "<h1>The telescope</h1>" in test.get("html")[0].proto.body
    assert "MiniLM" in test.caption[0].value


def test_a_lesson_that_is_not_here_is_named_and_another_one_opens():
    test = opened_at("lesson.py", lesson_which="<b>")
    assert any("No lesson is called" in element.value for element in test.text)
    assert len(test.get("html")) == 1


def test_a_sheet_escapes_a_text_and_has_codes_that_phones_can_open():
    plan = read("# <b>\n## One\nlink: ?text=Dogs bark\nask: Is *<i>* it?\n", "mine")
    sheet = views.sheet(plan, views.WORKSHEET, "http://192.168.0.7:8501/")
    assert "<h1>&lt;b&gt;</h1>" in sheet
    assert "<em>&lt;i&gt;</em>" in sheet
    assert 'alt="QR code of the lesson"' in sheet


def test_a_lesson_of_ones_own_is_opened_for_the_visit_and_a_fault_names_its_line(monkeypatch):
    from mha.app import lesson_bar

    state, faults, runs = {}, [], []
    monkeypatch.setattr(lesson_bar.st, "session_state", state)
    monkeypatch.setattr(lesson_bar.st, "rerun", lambda: runs.append(1))
    monkeypatch.setattr(lesson_bar.st, "button", lambda *_, **__: None)
    for content in (b"# Mine\n## One\nlink: ?text=Dogs bark\n", b"# Mine\n## One\nlink: nowhere\n"):
        monkeypatch.setattr(lesson_bar.uploads, "field", lambda *_, content=content: io.BytesIO(content))
        monkeypatch.setattr(lesson_bar.errors, "say", lambda *said: faults.append(said))
        lesson_bar.field()
    assert plans()[OPEN].title == "Mine"
    assert len(faults) == len(runs) == 1
    assert "Line 3" in str(faults)


def test_a_lesson_of_ones_own_is_started():
    test = AppTest.from_file(FRAME, default_timeout=60)
    test.session_state[OWN] = read("# Mine\n## One\nlink: ?text=Dogs bark because it rains\n")
    test.query_params["lesson_which"] = OPEN
    test.switch_page("lesson.py")
    test.run()
    assert "Others need the file" in test.caption[0].value
    test.button(key="lesson_start").click().run()
    (bar,) = pictures(test, "lesson")
    assert (bar["lesson"], bar["number"], test.session_state["text"]) == (OPEN, 1, "Dogs bark because it rains")


@pytest.mark.parametrize("where", ["", "/parallax"])
@pytest.mark.parametrize("page", ["", "readings"])
def test_the_code_for_phones_is_the_address_of_the_stop_from_whatever_page(monkeypatch, page, where):
    from mha.app import lesson_bar

    mine = read("# Mine\n## One\nlink: readings?text=Dogs bark\n")
    home = f"http://192.168.0.7:8501{where}"
    monkeypatch.delenv("PARALLAX_PUBLIC_URL", raising=False)
    monkeypatch.setattr(lesson_bar.st, "session_state", {"link_page": page})
    monkeypatch.setattr(type(lesson_bar.st.context), "url", f"{home}/{page}" if page else home)
    assert lesson_bar.stop_address(offered()["who-is-it"], 3) == f"{home}/?lesson=who-is-it&stop=3"
    assert lesson_bar.stop_address(mine, 1) == f"{home}/readings?v=1&text=Dogs+bark"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", BUNDLED)
def test_every_stop_is_its_own_view_until_the_reader_wanders_and_the_bar_leads_back(visit, name):
    page = visit(v="1", text="Dogs bark", lesson=name, stop="1")
    (bar,) = bars(page)
    assert bar["away"]
    for number, stop in enumerate(offered()[name].stops, 1):
        page.test.session_state[NEXT_STOP] = (name, number)
        page.run().run()
        (bar,) = bars(page)
        assert (bar["number"], bar["away"]) == (number, False), stop.title
    page.test.session_state[NEXT_STOP] = (name, 1)
    page.run()
    text = page.test.session_state["text"]
    page.test.session_state["reveal"] = "1"
    page.run()
    assert not bars(page)[0]["away"]
    page.test.session_state["text"] = "Dogs bark"
    page.run()
    assert bars(page)[0]["away"]
    page.test.session_state[NEXT_STOP] = (name, 1)
    page.run()
    assert (bars(page)[0]["away"], page.test.session_state["text"]) == (False, text)
    assert page.test.session_state["reveal"] == "1"  # findings that were shown are not hidden again


def test_the_bar_leads_back_to_the_very_cell_of_a_stop(visit):
    page = visit(v="1", text="Dogs bark", lesson="who-is-it", stop="1")
    for text in (None, "Dogs bark"):
        page.test.session_state["text"] = text or page.test.session_state["text"]
        page.run()
        page.test.session_state[NEXT_STOP] = ("who-is-it", 6)
        page.run().run()
        assert not bars(page)[0]["away"]
        assert page.test.session_state["cell_key"] == 1
