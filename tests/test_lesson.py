"""Lessons are read from Markdown, and a fault names its line."""

import logging

import pytest

from mha.engine.bundled import ONE, TWO, bundled_runs
from mha.engine.question import here
from mha.engine.recordings import Request
from mha.errors import InputError
from mha.lesson import BUNDLED, MOST_BYTES, MOST_STOPS, offered, read
from mha.link.link import Link
from mha.ui.bound import models

SMALL = "# Dogs\nfor: all\ngoal: Bark.\ngoal: Stop.\n\n## One\nlink: readings?text=A dog&v=1&reveal=0\n"
SMALL += "guess: yes\nask: Who\n  barks?\n"


def test_a_lesson_is_read_with_its_fields_and_lines_that_go_on():
    plan = read(SMALL, "dogs")
    (stop,) = plan.stops
    assert (plan.name, plan.title, plan.audience, plan.goals) == ("dogs", "Dogs", "all", ("Bark.", "Stop."))
    assert (stop.page, stop.words, stop.text) == ("readings", (("text", "A dog"),), "A dog")
    assert (stop.ask, stop.guess, stop.minutes, stop.worksheet, plan.minutes) == ("Who barks?", True, 5, "lines", 5)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("", "Line 1: a lesson begins"),
        ("# A", "no stop"),
        ("# A\n\n## B\nask: C", "Line 3: the stop “B” has no link"),
        ("# A\n## B\nlink: https://example.org/readings", "Line 3: a stop’s link goes to a page of this app"),
        ("# A\n## B\nlink: //example.org", "Line 3: a stop’s link"),
        ("# A\n## B\nlink: nowhere?text=C", "Line 3: there is no page “nowhere”"),
        ("# A\n## B\nlink: ?\nminutes: 0", "Line 4: minutes are a whole number"),
        ("# A\n## B\nlink: ?\nminutes: ²", "Line 4: minutes are a whole number"),
        ("# A\n## B\nlink: ?\nguess: maybe", "Line 4: this is yes or no"),
        ("# A\n## B\nlink: ?\nworksheet: song", "Line 4: this is arcs, number"),
        ("# A\n## B\nlink: ?\nlink: ?", "Line 4: “link” is here twice"),
        ("# A\n## B\nlnk: ?", "Line 3: a stop has no field “lnk”"),
        ("# A\nlink: ?", "Line 2: a lesson, before its first stop, has no field “link”"),
        ("# A\n\nwhat is this", "Line 3: this belongs to no field"),
        ("# A\n## B\nlink: ?\nask: \x07", "Line 4: it has characters"),
        ("# A\n" + "## B\nlink: ?\n" * (MOST_STOPS + 1), f"Line {2 * MOST_STOPS + 2}: a lesson may have"),
        ("# " + "A" * 1300, "Line 1: a field may have"),
        ("# A\n" + "\n" * MOST_BYTES, "64 kB"),
        (b"# \xff", "not text in UTF-8"),
    ],
)
def test_a_fault_names_its_line(file, said):
    with pytest.raises(InputError, match=said.replace("²", ".")):
        read(file)


def test_three_lessons_come_with_the_app():
    plans = offered()
    assert {name: (plan.minutes, len(plan.stops)) for name, plan in plans.items()} == {
        "who-is-it": (45, 8), "the-telescope": (20, 5), "one-head-or-many": (15, 4),
    }  # fmt: skip


@pytest.mark.parametrize("name", BUNDLED)
def test_every_stop_opens_without_a_complaint_and_asks_something(name):
    for stop in offered()[name].stops:
        query = {word: [value] for word, value in stop.words}
        assert Link.of(stop.page, query, models())[1] == ()
        assert all((stop.ask, stop.do, stop.answer))
        if stop.text:
            assert here(Request(stop.text)).maps.merged().tokens


def test_a_folder_offers_more_and_a_wrong_file_is_left_out(tmp_path, monkeypatch, caplog):
    (tmp_path / "dogs.md").write_text(SMALL, encoding="utf-8")
    (tmp_path / "cats.md").write_text("# Cats", encoding="utf-8")
    (tmp_path / "No Name.md").write_text(SMALL, encoding="utf-8")
    monkeypatch.setenv("PARALLAX_LESSONS", f"{tmp_path}, {tmp_path / 'away.md'}")
    with caplog.at_level(logging.WARNING, "parallax.lesson"):
        assert list(offered()) == [*BUNDLED, "dogs"]
    assert "cats.md: This lesson has no stop" in caplog.text
    assert "No Name.md" in caplog.text


def test_what_lessons_say_of_the_trained_models_is_what_the_bundled_runs_show():
    said = [stop.answer for plan in offered().values() for stop in plan.stops if stop.page == "training"]
    ends = {settings: curves.joint[-1] for settings, curves in bundled_runs().items() if settings in (ONE, TWO)}
    shares = ("One head names both nouns in about half of the new sentences", "two heads in nearly all of them")
    assert sum(all(share in one for share in shares) for one in said) == 2
    assert 0.4 <= ends[ONE] <= 0.6
    assert ends[TWO] >= 0.99
