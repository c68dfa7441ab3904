"""One test for each fact of Streamlit, plotly and transformers that the code leans on, so that an upgrade tells us."""

import asyncio
import inspect
import textwrap
from pathlib import Path
from unittest.mock import Mock

import pytest
import streamlit as st
import torch
import transformers
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import UnknownElement
from transformers import AttentionInterface, AttentionMaskInterface, BertConfig, BertModel

from tests.apart import run_apart

# ---- Streamlit


def app(body: str, **query: object) -> AppTest:
    test = AppTest.from_string("import streamlit as st\n" + textwrap.dedent(body))
    for name, value in query.items():
        test.query_params[name] = value
    return test.run()


def test_the_app_object_takes_a_script_routes_and_a_lifespan():
    names = set(inspect.signature(st.App).parameters)
    assert {"script_path", "routes", "middleware", "lifespan"} <= names


def test_a_server_that_says_its_own_address_asks_nobody_for_it(monkeypatch, capsys):
    from streamlit import config, net_util
    from streamlit.web import bootstrap

    from mha.ui.streamlit_config import SETTINGS

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


def test_a_bound_widget_is_seeded_from_the_link():
    test = app('st.text_input("t", value="x", key="text", bind="query-params")', text="a & b # é")
    assert test.text_input(key="text").value == "a & b # é"


def test_a_field_of_many_lines_is_bound_as_one_of_one_line_is():
    body = 'st.text_area("t", value="x", key="text", height="content", bind="query-params")'
    assert app(body, text="a & b # é").text_area(key="text").value == "a & b # é"


def test_the_ticks_of_a_table_can_be_written():
    test = app("""
        st.session_state["t"] = {"selection": {"rows": [1], "columns": [], "cells": []}}
        modes = ["multi-row", "single-cell"]
        found = st.dataframe({"a": [1, 2, 3]}, key="t", on_select="rerun", selection_mode=modes)
        st.text(str(found["selection"]["rows"]))
    """)
    assert test.text[0].value == "[1]"


def test_a_bound_widget_drops_a_bad_value_without_a_word():
    test = app('st.selectbox("l", ["0", "1"], index=None, key="layer", bind="query-params")', layer="99")
    assert test.selectbox(key="layer").value is None
    assert not test.exception


def test_a_bound_list_repeats_its_parameter_and_an_option_of_the_list_survives():
    body = 'st.multiselect("p", ["L0H0", "L0H1", "none"], key="pins", max_selections=4, bind="query-params")'
    assert app(body, pins=["L0H1", "L0H0"]).multiselect(key="pins").value == ["L0H1", "L0H0"]
    assert app(body, pins="none").multiselect(key="pins").value == ["none"]


def test_the_link_holds_the_label_that_is_displayed_so_names_are_their_own_labels():
    body = 'st.selectbox("m", ["a", "b"], format_func={"a": "A long", "b": "B long"}.get, key="m", bind="query-params")'
    assert app(body, m="b").selectbox(key="m").value == "a"
    assert app(body, m="B long").selectbox(key="m").value == "b"


def test_a_bound_switch_reads_true_and_false_only():
    body = 'st.toggle("s", value=True, key="sinks", bind="query-params")'
    assert app(body, sinks="false").toggle(key="sinks").value is False
    assert app(body, sinks="0").toggle(key="sinks").value is True


def test_a_number_without_a_value_is_none_and_takes_zero_from_the_link():
    body = 'st.number_input("l", min_value=-1, max_value=511, value=None, step=1, key="lock", bind="query-params")'
    assert app(body).number_input(key="lock").value is None
    assert app(body, lock="0").number_input(key="lock").value == 0
    assert app(body, lock="-1").number_input(key="lock").value == -1


def test_widgets_are_seeded_from_what_the_address_says_after_it_was_corrected():
    body = """
        from streamlit.runtime.state import get_session_state
        if not st.session_state.get("checked"):
            st.session_state["checked"] = True
            with get_session_state().query_params() as query:
                query.set_corrected_value("pins", ["b"], "string_array_value")
                query.remove_param("lock")
                query.set_initial_query_params_from_current()
        st.multiselect("p", ["a", "b"], key="pins", bind="query-params")
        st.number_input("l", min_value=-1, max_value=511, value=None, step=1, key="lock", bind="query-params")
    """
    test = app(body, pins="zzz", lock="inf")
    assert not test.exception
    assert (test.session_state["pins"], test.session_state["lock"]) == (["b"], None)
    assert test.query_params == {"pins": "b"}


def test_an_infinite_number_in_a_link_kills_a_page_that_lets_it_through():
    body = 'st.number_input("l", min_value=-1, max_value=511, value=None, step=1, key="lock", bind="query-params")'
    assert app(body, lock="inf").exception


def test_a_callback_may_write_a_bound_key_before_the_widget_is_drawn_again():
    test = app("""
        def pin():
            st.session_state["pins"] = ["b"]
        st.multiselect("p", ["a", "b"], key="pins", bind="query-params")
        st.button("pin", on_click=pin)
    """)
    test.button[0].click().run()
    assert test.multiselect(key="pins").value == ["b"]
    assert not test.exception


def test_a_mirror_may_be_set_before_it_is_drawn():
    test = app("""
        st.selectbox("l", ["0", "1"], index=None, key="layer", bind="query-params")
        st.session_state["layer_shown"] = st.session_state["layer"] or "0"
        st.segmented_control("Layer", ["0", "1"], key="layer_shown")
    """)
    test.selectbox(key="layer").select("1").run()
    assert test.session_state["layer_shown"] == "1"


def test_a_component_takes_bytes_as_its_whole_value_and_shows_in_a_test_as_an_unknown_element():
    test = app("""
        component = st.components.v2.component("platform_probe", js="export default function () {}\\n")
        component(key="probe", data=b"abc")
    """)
    found = [element for element in test.main if isinstance(element, UnknownElement)]
    assert found
    assert b"abc" in found[0].proto.SerializeToString()


def test_a_dataframe_takes_a_click_on_a_cell():
    assert {"on_select", "selection_mode", "alt"} <= set(inspect.signature(st.dataframe).parameters)
    assert "alt" in inspect.signature(st.plotly_chart).parameters


def test_the_store_of_files_gives_one_back_and_an_object_of_a_file_lets_go_of_its_bytes():
    from streamlit.proto.Common_pb2 import FileURLs
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
    from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec
    from streamlit.web.server.starlette import starlette_app

    assert "MemoryUploadedFileManager(" in inspect.getsource(starlette_app.App._create_runtime)
    store, record = MemoryUploadedFileManager("/there"), UploadedFileRec("file", "a.txt", "text/plain", b"x" * 1000)
    store.add_file("visitor", record)
    file = UploadedFile(record, FileURLs())
    store.remove_file("visitor", "file")
    store.remove_file("visitor", "file")  # a second time does nothing
    assert not store.get_files("visitor", ["file"])
    file.close()
    assert file.closed
    assert file.file_id == "file"
    with pytest.raises(ValueError, match="closed"):
        file.getvalue()


# ---- uvicorn


def test_it_begins_to_listen_by_the_loops_public_method_once_the_lifespan_has_begun():
    from uvicorn.server import Server

    source = inspect.getsource(Server.startup)
    assert 0 < source.index("lifespan.startup()") < source.index("loop.create_server(create_protocol")


@pytest.mark.parametrize("kind", ["h11", "httptools"])
def test_its_protocol_says_what_it_awaits(kind):
    """`mha.guard.connections.awaited` reads it, and closes an idle connection by its own timer."""
    pytest.importorskip(kind)
    from uvicorn.config import HTTP_PROTOCOLS, Config
    from uvicorn.importer import import_from_string
    from uvicorn.server import ServerState

    from mha.guard.connections import awaited

    async def answer(_scope, receive, send):
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def run():
        protocol = import_from_string(HTTP_PROTOCOLS[kind])(Config(answer), ServerState(), {})
        protocol.connection_made(Mock(asyncio.Transport, is_closing=lambda: False, get_extra_info=lambda *_: None))
        found = [awaited(protocol)]
        for part in (b"POST / HTTP/1.1\r\nHost: x\r\nContent-", b"Length: 6\r\n\r\nabc", b"def"):
            protocol.data_received(part)
            found.append(awaited(protocol))
        await asyncio.gather(*protocol.tasks)
        assert isinstance(protocol.timeout_keep_alive, int)
        assert protocol.timeout_keep_alive_task is not None
        protocol.connection_lost(None)
        return [*found, awaited(protocol)]

    assert run_apart(run()) == ["header", "header", "body", "", "header"]


# ---- transformers


@pytest.fixture
def tiny_bert():
    config = BertConfig(
        hidden_size=6, num_hidden_layers=2, num_attention_heads=3, intermediate_size=5, vocab_size=11,
        max_position_embeddings=13,
    )  # fmt: skip
    return BertModel(config).eval()


def test_attention_functions_can_be_registered_by_name():
    assert "sdpa" in AttentionInterface().valid_keys()
    assert "eager" in AttentionMaskInterface().valid_keys()
    assert hasattr(AttentionInterface, "register")
    assert hasattr(AttentionMaskInterface, "register")


def test_without_eager_attentions_are_an_empty_tuple_and_not_none(tiny_bert):
    tiny_bert.set_attn_implementation("sdpa")
    with torch.inference_mode():
        outputs = tiny_bert(torch.tensor([[1, 2, 3]]))
    assert not outputs.attentions
    tiny_bert.set_attn_implementation("eager")
    with torch.inference_mode():
        outputs = tiny_bert(torch.tensor([[1, 2, 3]]), output_attentions=True)
    assert outputs.attentions[0].shape == (1, 3, 3, 3)


def test_head_mask_is_swallowed_silently(tiny_bert):
    with torch.inference_mode():
        plain = tiny_bert(torch.tensor([[1, 2, 3]])).last_hidden_state
        masked = tiny_bert(torch.tensor([[1, 2, 3]]), head_mask=torch.zeros(2, 3)).last_hidden_state
    assert torch.equal(plain, masked)


def test_the_attention_module_names_its_eager_function():
    module = inspect.getmodule(transformers.models.bert.modeling_bert.BertSelfAttention)
    assert callable(module.eager_attention_forward)
