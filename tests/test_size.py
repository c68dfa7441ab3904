"""Counts of small sources are worked out by hand; every count has a limit, and the check names each excess."""

import ast
import doctest
import json
import sys
from pathlib import Path

import pytest

from tests import size
from tests.entered import EnteredFunctions

SOURCE = '''"""A module."""

import os  # 1


class Outer:  # 2
    """A class."""

    class Inner:  # 3
        width = 1; height = 2  # 4, 5

    def area(self):  # 6
        """A method."""
        if self:  # 7
            "not a docstring"  # 8
        return [x for x in range(3)]  # 9


async def wait():  # 10
    """A function of one docstring."""
'''


def test_count_statements_without_docstrings():
    assert size.count_statements(ast.parse(SOURCE)) == 10


def test_count_classes_with_nested_ones():
    assert size.count_classes(ast.parse(SOURCE)) == 2


def test_count_script_lines_splits_long_lines():
    # an empty line, a line of 120, a line of 121 (two) and a line of 361 (four)
    assert size.count_script_lines("\n" + "a" * 120 + "\n" + "a" * 121 + "\n" + "a" * 361) == 8


def test_files_below_leaves_out_vendored_files(tmp_path, monkeypatch):
    monkeypatch.setattr(size, "ROOT", tmp_path)
    for name in ("js/a.js", "js/vendor/b.js", "css/c.css", "js/d.json"):
        file = tmp_path / "assets" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    assert [file.name for file in size.files_below(["assets", "studies"], "js", "css")] == ["c.css", "a.js"]


def test_statements_by_package_adds_files(tmp_path, monkeypatch):
    monkeypatch.setattr(size, "ROOT", tmp_path)
    for name, source in {"mha/maps.py": "a = 1", "mha/api/a.py": "b = 1; c = 2", "mha/api/b/c.py": "d = 3"}.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    assert size.statements_by_package() == {"api": 3, "top": 1}


def test_excesses_name_the_count():
    counts = {"statements": 33_501, "files": 5, "classes": 7}
    limits = {"statements": 33_500, "files": 5, "test_lines": 1}
    assert size.excesses(counts, limits) == [
        "statements in `mha` + `pages`, without docstrings: 33,501 exceeds the limit of 33,500.",
        "classes in `mha` + `pages`: tests/size.json has no limit.",
        "tests/size.json limits 'test_lines', which is not counted.",
    ]


@pytest.mark.slow  # `make check` reads the same files
def test_every_count_has_a_label_a_limit_and_an_aim():
    counts = size.size_counts()
    assert set(counts) == set(json.loads(size.LIMITS.read_text(encoding="utf-8")))
    assert set(size.COUNTS) == {*counts, "functions_of_a_sentence", "functions_of_a_pin"}
    assert all(count > 0 for count in counts.values())
    assert sum(size.PACKAGES.values()) <= size.COUNTS["statements"][1]


def test_check_fails_above_a_limit(monkeypatch, tmp_path):
    monkeypatch.setattr(size, "size_counts", lambda: {"statements": 2})
    monkeypatch.setattr(size, "LIMITS", tmp_path / "size.json")
    monkeypatch.setattr(sys, "argv", ["size", "--check"])
    size.LIMITS.write_text('{"statements": 2}')
    with pytest.raises(SystemExit) as stop:
        size.main()
    assert stop.value.code is None
    size.LIMITS.write_text('{"statements": 1}')
    with pytest.raises(SystemExit, match=r"2 exceeds the limit of 1\.$"):
        size.main()


def test_entered_functions_are_defs_of_the_folder():
    def outer():
        class Body:
            pass

        return (lambda: [inner() for _ in range(2)])()

    def inner():
        return Body

    Body = None
    with EnteredFunctions((str(Path(__file__).parent),)) as entered:
        outer()  # not counted: before the action
        # `outer` and `inner` count once each; the class body, the lambda and the list do not
        assert entered.during(outer) == 2
        assert entered.during(lambda: None) == 0
    assert sys.getprofile() is None


def test_size_examples_are_true():
    assert doctest.testmod(size) == (0, 1)


def test_dead_names_are_those_that_are_only_defined():
    tree = ast.parse("LIMIT = 3\ndef area(): ...\nclass Box:\n    def width(self): return LIMIT\nprint(area(), 'Box')")
    assert [name for name in size.defined_names(tree) if name not in size.used_names(tree)] == ["width"]
