"""A field for a file: what it says to the guard, and that nothing but Streamlit's own store keeps its bytes."""

import gc

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.testing.v1 import AppTest

from mha.ui import uploads


@pytest.fixture
def told(monkeypatch):
    """Return what is told of the fields of each page that was drawn whole."""
    said = []
    monkeypatch.setattr(uploads, "_open", lambda _visitor, most: said.append(most))
    monkeypatch.setattr(uploads, "_tell", lambda _visitor, held, fields: said.append((len(held), fields)))
    return said


def page():
    import streamlit as st

    from mha.ui import uploads

    other = st.checkbox("another page")
    with uploads.turn("other" if other else "one"):
        before = uploads.held("mine")
        st.text(f"before {before.getvalue() if before else None}")
        if st.checkbox("breaks off"):
            raise ValueError
        if not other:
            st.text(f"drawn {uploads.field('A file', 'mine', 3, ['txt'])}")


@pytest.fixture
def test():
    return AppTest.from_function(page).run()


def texts(test):
    return [element.value for element in test.text]


def test_what_stands_in_a_field_is_read_before_and_where_it_is_drawn_at_every_run(test, told):
    test.file_uploader[0].upload("some.txt", b"some words")
    for _ in range(3):
        test.run()
        assert texts(test) == ["before b'some words'", "drawn b'some words'"]
    assert told == [3 * uploads.MEGABYTE, (1, True)] * 3


def test_a_page_without_a_field_says_so_and_one_that_breaks_off_says_nothing(test, told):
    test.file_uploader[0].upload("some.txt", b"some words").run()
    told.clear()
    test.checkbox[1].check().run()
    assert told == []
    test.checkbox[0].check().run()
    assert told == [(0, False)], "what was left is certain"
    test.checkbox[1].uncheck().run()
    assert told == [(0, False)] * 2


def held():
    """Return the files that something still keeps open; types are asked, as other objects may answer with a warning."""
    return [found for found in gc.get_objects() if issubclass(type(found), UploadedFile) and not found.closed]


def test_nothing_keeps_the_bytes_of_a_file_that_was_removed(test, told):
    test.file_uploader[0].upload("some.txt", b"some words").run()
    test.run()
    gc.collect()
    files = held()
    assert files, "Streamlit's session holds its own"
    for name in {file.file_id for file in files}:
        for visitor in list(uploads._objects):
            uploads.forget(visitor, name)
    gc.collect()
    assert not held()


def test_a_file_that_is_gone_is_said_to_be_and_asked_for_again(test, told, monkeypatch):
    test.file_uploader[0].upload("some.txt", b"some words").run()
    monkeypatch.setattr(MemoryUploadedFileManager, "get_files", lambda *_, **_more: [])
    test.run()
    assert texts(test) == ["before None", uploads.GONE, "drawn None"]
    assert told[-1] == (0, True)
