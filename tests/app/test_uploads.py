"""A field for a file: its content, and one sentence for a file that is gone or too large."""

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.testing.v1 import AppTest

from mha.app import errors, uploads


def page():
    import streamlit as st

    from mha.app import uploads

    file = uploads.field("A file", "mine", 1, ["txt"])
    st.text(f"field {file and file.getvalue()}")


@pytest.fixture
def notes(monkeypatch):
    """Return the sentences that a field shows."""
    sentences = []
    monkeypatch.setattr(errors, "say", sentences.append)
    return sentences


@pytest.fixture
def test(notes):
    return AppTest.from_function(page).run()


def texts(test):
    return [element.value for element in test.text]


def test_file_is_read_in_every_run(test, notes):
    test.file_uploader[0].upload("some.txt", b"some words")
    for _ in range(2):
        test.run()
        assert texts(test) == ["field b'some words'"]
    assert notes == []


def test_lost_file_is_requested_again(test, notes, monkeypatch):
    test.file_uploader[0].upload("some.txt", b"some words").run()
    monkeypatch.setattr(MemoryUploadedFileManager, "get_files", lambda *_, **_more: [])
    test.run()
    assert texts(test) == ["field None"]
    assert notes == [uploads.GONE]


def test_file_above_the_limit_of_its_field_is_refused(test, notes, monkeypatch):
    """A client other than Streamlit's page may send more: the server knows one limit for all fields."""
    monkeypatch.setattr(uploads, "MEGABYTE", 5)
    test.file_uploader[0].upload("some.txt", b"some words").run()
    assert texts(test)[0] == "field None"
    assert notes == [uploads.LARGE.format(1)]
