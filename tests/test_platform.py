"""One test for each fact of Streamlit that the code leans on and no other test shows, so that an upgrade tells us."""

import functools
import re
import textwrap
from pathlib import Path
from unittest.mock import Mock

import pytest
import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import RerunData, RerunException, StopException
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.element_tree import UnknownElement
from streamlit.web.server.starlette import starlette_agent_routes, starlette_routes, starlette_websocket

from mha import streamlit_facts as facts

# ---- Streamlit


def app(body: str, **query: object) -> AppTest:
    test = AppTest.from_string("import streamlit as st\n" + textwrap.dedent(body))
    for name, value in query.items():
        test.query_params[name] = value
    return test.run()


def test_a_server_that_says_its_own_address_asks_nobody_for_it(monkeypatch, capsys):
    from streamlit import config, net_util
    from streamlit.web import bootstrap

    from tools.streamlit_config import SETTINGS

    asked = []
    monkeypatch.setattr(net_util, "get_external_ip", lambda: asked.append("outside"))
    before = config.get_option("browser.serverAddress"), config.get_where_defined("browser.serverAddress")
    for address, where, times in (("localhost", "<default>", 1), (SETTINGS["browser"]["serverAddress"], "here", 0)):
        asked.clear()
        config._set_option("browser.serverAddress", address, where)
        bootstrap._print_url(False)
        assert len(asked) == times
    config._set_option("browser.serverAddress", *before)
    assert "http://localhost:" in capsys.readouterr().out


def test_its_scripts_take_the_address_of_their_server_from_the_page():
    folder = Path(st.__file__).parent / "static" / "static" / "js"
    scripts = "".join(file.read_text(encoding="utf-8") for file in folder.glob("index.*.js"))
    assert "window.__streamlit" in scripts
    assert ".BACKEND_BASE_URL" in scripts


def test_a_widget_shows_what_its_key_holds_whatever_its_own_default_is():
    test = app("""
        held = {"text": "a & b # é", "lock": 0, "layer": None, "pins": ["none"], "sinks": False}
        for name, value in held.items():
            st.session_state.setdefault(name, value)
        st.text_area("t", key="text", height="content")
        st.number_input("l", min_value=-1, max_value=511, value=None, step=1, key="lock")
        st.selectbox("l", ["0", "1"], index=None, key="layer")
        st.multiselect("p", ["L0H0", "none"], key="pins", max_selections=4)
        st.toggle("s", key="sinks")
        st.text(str({name: st.session_state[name] for name in held}))
    """)
    assert not test.exception
    assert test.text[0].value == str({"text": "a & b # é", "lock": 0, "layer": None, "pins": ["none"], "sinks": False})


def test_a_widget_that_is_not_drawn_takes_its_key_along_and_a_key_that_is_written_anew_stays():
    test = app("""
        state = st.session_state
        state["run"] = state["run"] + 1 if "run" in state else 1
        if state["run"] > 3:
            state.setdefault("held", "anew")
        st.text(str(state.get("seen", "gone")) + " " + str(state.get("held", "gone")))
        if state["run"] == 1:
            state["seen"] = state["held"] = "there"
            st.text_input("s", key="seen")
            st.text_input("h", key="held")
    """)
    told = [test.text[0].value, *(test.run().text[0].value for _ in range(4))]
    assert told == ["gone gone", "there there", "gone gone", "gone anew", "gone anew"]


def test_a_callback_may_write_a_key_before_its_widget_is_drawn_again():
    test = app("""
        def pin():
            st.session_state["pins"] = ["b"]
        st.multiselect("p", ["a", "b"], key="pins")
        st.button("pin", on_click=pin)
    """)
    test.button[0].click().run()
    assert test.multiselect(key="pins").value == ["b"]
    assert not test.exception


def test_the_whole_address_is_written_with_one_message_and_keeps_that_it_is_embedded():
    body = """
        if not st.session_state.get("told"):
            st.session_state["told"] = True
            st.query_params.from_dict({"pins": ["b", "a"], "text": ""})
    """
    test = app(body, pins="zzz", lock="inf", embed="true")
    assert test.query_params == {"pins": ["b", "a"], "text": "", "embed": "true"}


def test_a_component_takes_bytes_as_its_whole_value_and_shows_in_a_test_as_an_unknown_element():
    test = app("""
        component = st.components.v2.component("platform_probe", js="export default function () {}\\n")
        component(key="probe", data=b"abc")
    """)
    found = [element for element in test.main if isinstance(element, UnknownElement)]
    assert found
    assert b"abc" in found[0].proto.SerializeToString()


# ---- Streamlit: what it does not promise (mha/streamlit_facts.py), a test for each


def test_each_of_these_facts_has_its_test():
    named = {name for name, found in vars(facts).items() if getattr(found, "__module__", "") == facts.__name__}
    named = {name for name in named if not name.startswith("_")} - {"Run"}
    tested = set(re.findall(r"\bfacts\.(\w+)", Path(__file__).read_text(encoding="utf-8")))
    assert named <= tested, named - tested
    assert len(named) > 5


RUN = """
    from mha import streamlit_facts as facts
    @st.fragment
    def part():
        st.button("again")
        st.text(str(facts.run().of_a_part))
    st.text(f"{facts.run().visitor} {facts.run().by_history} {facts.run().of_a_part}")
    part()
"""


def test_a_run_knows_whose_it_is_and_what_asked_for_it(monkeypatch):
    test = app(RUN)
    assert [text.value for text in test.text] == ["test session id False False", "False"]
    parts = test._fragment_storage.order_fragment_ids([*test._fragment_storage._fragments])
    assert parts
    for asked, found in (({"fragment_id_queue": parts}, "True"), ({"is_history_navigation": True}, "False")):
        with monkeypatch.context() as patch:
            patch.setattr(local_script_runner, "RerunData", functools.partial(RerunData, **asked))
            test.run()
        assert test.text[-1].value == found
    assert test.text[0].value == "test session id True False"
    assert facts.run() is None


def test_a_run_knows_its_page(tmp_path):
    body = "import streamlit as st\nfrom mha import streamlit_facts as facts\n"
    for name, more in (
        ("frame.py", "st.navigation([st.Page('a.py'), st.Page('b.py')]).run()"),
        ("a.py", ""),
        ("b.py", ""),
    ):
        (tmp_path / name).write_text(f"{body}{more or 'st.text(facts.run().page)'}\n")
    test = AppTest.from_file(tmp_path / "frame.py").run()
    first = test.text[0].value
    assert test.run().text[0].value == first
    assert test.switch_page("b.py").run().text[0].value != first


def test_a_server_knows_whose_page_is_open(monkeypatch):
    assert facts.is_open("anybody")  # no server runs
    server = Mock(Runtime)
    server.is_active_session.side_effect = {"anna": True, "ben": False}.get
    monkeypatch.setattr(Runtime, "exists", lambda: True)
    monkeypatch.setattr(Runtime, "instance", lambda: server)
    assert (facts.is_open("anna"), facts.is_open("ben")) == (True, False)


def test_reruns_and_stops_are_no_exceptions_that_a_page_holds():
    assert issubclass(RerunException, BaseException) > issubclass(RerunException, Exception)
    assert issubclass(StopException, BaseException) > issubclass(StopException, Exception)


def test_a_state_that_says_none_leaves_a_widget_empty():
    test = app('st.session_state.setdefault("t", None)\nst.text_input("l", value="x", key="t")')
    assert test.text_input[0].value is None
    assert app('st.text_input("l", value="x", key="t")').text_input[0].value == "x"


def test_a_field_whose_file_is_gone_returns_none_and_its_key_has_a_value(monkeypatch):
    test = app("""
        found = st.file_uploader("f", key="f")
        st.text(f"{found is None} {st.session_state['f'] is None}")
    """)
    assert test.text[0].value == "True True"
    test.file_uploader[0].upload("a.txt", b"words").run()
    assert test.text[0].value == "False False"
    monkeypatch.setattr(MemoryUploadedFileManager, "get_files", lambda *_, **_more: [])
    assert test.run().text[0].value == "True False"


def test_messages_say_of_what_kind_they_are():
    asks, ends = BackMsg(), ForwardMsg()
    assert facts.kind_of_message(asks.SerializeToString()) == "empty"
    assert facts.kind_of_message(b"\xff\xff\xff") is None
    asks.rerun_script.query_string = "text=a"
    assert facts.kind_of_message(asks.SerializeToString()) == "rerun_script"
    asks.backend_operation_request.deferred_file.SetInParent()
    assert facts.kind_of_message(asks.SerializeToString()) == "operation deferred_file"
    ends.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    assert facts.ends_run(ends.SerializeToString())
    ends.new_session.SetInParent()
    assert not facts.ends_run(ends.SerializeToString())


def test_its_addresses_are_these():
    assert f"/{starlette_websocket._ROUTE_WEBSOCKET_STREAM}" == facts.STREAM
    assert facts.UPLOAD.search(f"/below/{starlette_routes._ROUTE_UPLOAD_FILE}")
    for route in (
        starlette_routes.ROUTE_METRICS,
        starlette_routes.ROUTE_SCRIPT_HEALTH,
        starlette_agent_routes._ROUTE_AGENT_INTERACT,
        starlette_agent_routes._ROUTE_AGENT_SCHEMA,
        starlette_agent_routes._ROUTE_AGENT_MCP,
    ):
        assert facts.ASIDE.search(f"/{route}")
    assert not facts.ASIDE.search(f"/{starlette_routes.ROUTE_HEALTH}")


def test_a_download_outlives_the_runs_that_end_before_it_is_fetched(monkeypatch):
    storage = MemoryMediaFileStorage("/media")
    server = Mock(Runtime, media_file_mgr=MediaFileManager(storage))
    monkeypatch.setattr(Runtime, "instance", lambda: server)
    now = [100.0]
    monkeypatch.setattr(facts.time, "monotonic", lambda: now[-1])
    facts.keep_downloads()
    button = server.media_file_mgr.add_deferred(lambda: b"{}", "application/json", "0", "toy.json")
    name = server.media_file_mgr.execute_deferred(button).rpartition("/")[2]
    for _ in range(9):
        server.media_file_mgr.remove_orphaned_files()  # a run of any visitor ends
    assert storage.get_file(name).content == b"{}"
    now[:] = [100 + facts.SWEEP_SECONDS]
    server.media_file_mgr.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        storage.get_file(name)


def test_each_place_that_is_written_anew_stands_once_in_its_page():
    page = facts.own_page()
    assert page == (facts.STATIC / "index.html").read_text(encoding="utf-8")
    for name, place in facts._ANCHORS.items():
        assert len(place.findall(page)) == 1, name
        changed = facts.anchored(page, **{name: r"<p>\1 here"})
        assert changed.count(r"<p>\1 here") == 1
        assert facts.anchored("<p>no page", **{name: "x"}) == "<p>no page"
    (script,) = facts.inline_scripts(page)
    assert "prerenderReady" in script


def test_fonts_are_where_the_tool_reads_them():
    assert {path.suffix for path in (facts.STATIC / "static" / "media").glob("*Upright*")} >= {".woff2"}


def test_a_link_to_no_page_and_a_key_that_is_taken_are_errors_with_names():
    test = app("""
        from streamlit.errors import StreamlitDuplicateElementKey, StreamlitPageNotFoundError
        try:
            st.page_link("never.py", label="x")
        except StreamlitPageNotFoundError:
            st.text("no page")
        st.container(key="one")
        try:
            st.container(key="one")
        except StreamlitDuplicateElementKey:
            st.text("taken")
    """)
    assert [text.value for text in test.text] == ["no page", "taken"]
