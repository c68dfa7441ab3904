"""Downloads: the names of files."""

import pytest

from mha.app.downloads import file_name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Every head in numbers", "every-head-in-numbers"),
        (
            "3 heads in a width of 11 each, each reading its slice of 11",
            "3-heads-in-a-width-of-11-each-each-reading-its-s",
        ),
        ("W_O · softmax", "w-o-softmax"),
    ],
)
def test_a_file_name_has_letters_digits_and_hyphens(title, name):
    assert file_name(title) == name
