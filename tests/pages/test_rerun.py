"""What a rerun of Heads sends: how many messages and bytes. Each message costs, whatever is in it."""

import pytest
from streamlit.testing.v1 import local_script_runner

from tests.pages.conftest import Page

SENTENCE = "the man dropped the ball behind his old house"
MESSAGES, BYTES = 34, 30_000  # of a run, as to a client that keeps nothing; a spinner is two, the place of the page one


@pytest.fixture
def sent(monkeypatch):
    """Return what gives the messages of the last run."""
    runners = []
    begin = local_script_runner.LocalScriptRunner.__init__

    def noted(self, *given, **more):
        begin(self, *given, **more)
        runners.append(self)

    monkeypatch.setattr(local_script_runner.LocalScriptRunner, "__init__", noted)
    return lambda: runners[-1].forward_msg_queue._queue


def test_a_rerun_is_few_messages_and_few_bytes(sent):
    page = Page()
    page.test.text_area(key="text").set_value(SENTENCE)
    page.run()
    assert SENTENCE.split()[-1].encode() in b"".join(message.SerializeToString() for message in sent())
    assert 20 < len(sent()) <= MESSAGES
    assert 10_000 < sum(message.ByteSize() for message in sent()) < BYTES
    page.test.session_state["pins"] = ["L4H1", "L4H2"]
    page.run()
    assert page.header("overview")["pins"] == ["L4H1", "L4H2"]
    assert len(sent()) <= MESSAGES - 1  # no spinner, but the address
