"""A page that waits for others says so, and goes on by itself."""

import threading

import streamlit as st

from mha.engine import patience, recordings, room


def test_a_long_text_that_waits_for_room_says_so_and_then_stands(visit, monkeypatch):
    monkeypatch.setattr(room, "AFTER", 0.0)
    page = visit()
    assert patience.ROOM not in page.said()
    taken, own = room.BYTES, "somebody else"
    recordings._engine._room._add(taken, own)
    said, real = [], st.text

    def noted(text):
        said.append(text)
        if text == patience.ROOM:
            threading.Timer(0.1, lambda: recordings._engine._room.give(taken, own)).start()
        return real(text)

    monkeypatch.setattr(st, "text", noted)
    text = "each of these words looks at all the others " * 14
    page.test.text_area(key="text").set_value(text)
    page.run()
    assert patience.ROOM in said
    assert patience.ROOM not in page.said()
    assert len(page.header("overview")["keys"]) > 100
