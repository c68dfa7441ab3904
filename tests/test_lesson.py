"""Lessons are read from Markdown, and a fault names its line."""

import logging

import numpy as np
import pytest

from mha.analysis.head_effects import bundled_head_effects
from mha.app.link import parse
from mha.engine.bundled import ONE, TWO, bundled_next_words, bundled_runs
from mha.engine.recordings import Request
from mha.errors import InputError
from mha.lesson import BUNDLED, MOST_BYTES, MOST_STOPS, offered, read
from mha.maps import HeadId
from mha.models.files.catalog import model_row

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


def test_a_stop_at_the_former_page_of_conclusions_opens_its_section():
    plan = read(SMALL.replace("link: readings?text=A dog&v=1&reveal=0", "link: about?text=A dog").encode())
    assert plan.stops[0].page == "questions"
    assert plan.stops[0].words == (("section", "limits"), ("text", "A dog"))


def test_four_lessons_come_with_the_app():
    plans = offered()
    assert {name: (plan.minutes, len(plan.stops)) for name, plan in plans.items()} == {
        "who-is-it": (45, 8), "the-telescope": (20, 5), "one-head-or-many": (15, 4),
        "look-and-matter": (45, 9),
    }  # fmt: skip


@pytest.mark.parametrize("name", BUNDLED)
def test_every_stop_opens_without_a_complaint_and_asks_something(name):
    for stop in offered()[name].stops:
        query = {word: [value] for word, value in stop.words}
        problems = parse(stop.page, query)[1]
        assert list(problems) == []
        assert all((stop.ask, stop.do, stop.answer))
        if stop.text and stop.page not in ("next", "matters"):
            assert Request(stop.text).answer().maps.merged().tokens


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


def test_what_a_lesson_says_of_the_language_model_is_what_the_bundled_results_show():
    stops = {stop.title: stop for stop in offered()["look-and-matter"].stops}
    rows = {
        "One word, 270 heads": ("Paris", "*Paris*, with 77 %"),
        "One head is ablated": ("Paris", "*Paris* falls from 77 to 13 %"),
        "Another capital": ("Berlin", "without L23H4, *Berlin* falls from 80 to 14 %"),
        "Another kind of text": ("are", "The largest change is that of L19H6: *are* falls from 16 to 6 %"),
    }
    for title, (word, sentence) in rows.items():
        stop = stops[title]
        assert sentence in stop.answer
        sweep = bundled_next_words(stop.text, "smollm2").sweep
        column = sweep.words.index(word)
        change = sweep.ablated_probability[..., column] - sweep.probability[column]
        order = np.argsort(-np.abs(change), axis=None)
        head = HeadId(*np.unravel_index(order[0], change.shape))
        percents = [
            round(100 * float(p)) for p in (sweep.probability[column], sweep.ablated_probability[(*head, column)])
        ]
        assert f"{percents[0]} %" in sentence or f"{percents[0]} to {percents[1]} %" in sentence
        assert str(head) == ("L19H6" if word == "are" else "L23H4")
        if word == "are":
            assert int(order.tolist().index(23 * 9 + 4)) >= 8
        if title == "One word, 270 heads":
            assert int((np.abs(change) > 0.2).sum()) == 3
    effects = bundled_head_effects("smollm2", model_row("smollm2").revision).example
    hardest, strongest = (
        HeadId(*np.unravel_index(values.argmax(), values.shape))
        for values in (effects.attention[..., 0], effects.direct)
    )
    stop = stops["The head that looks hardest"]
    assert (effects.text, str(hardest), str(strongest)) == (stop.text, "L24H4", "L23H3")
    assert effects.matters[hardest] > 0 > effects.direct[hardest]
    assert effects.attention[(*strongest, 1)] > effects.attention[(*strongest, 0)]
    assert f"adds {effects.direct[strongest]:.2f} logits" in stop.answer
