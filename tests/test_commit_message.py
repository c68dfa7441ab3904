"""The commit-msg hook accepts the rule of CONTRIBUTING.md and names the fault of other messages."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

from tools import check_commit_message
from tools.check_commit_message import message_error, subject_error

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "subject",
    [
        "maps: exclude padding rows from statistics",
        "docs/deploy.md: name the hosts with SmolLM2",
        "tests: embed the fonts",
        "api: process requests in batches",
        "models: focus the list on one family",
        "Merge branch 'docs'",
        'Revert "maps: exclude padding rows"',
        "fixup! maps: exclude padding rows",
        "a" * 8 + ": " + "verb " + "x" * 57,  # 8 + 2 + 5 + 57 = 72
    ],
)
def test_subject_error_accepts_the_rule(subject):
    assert subject_error(subject) == ""


@pytest.mark.parametrize(
    ("subject", "error"),
    [
        ("", "The message is empty."),
        ("a" * 8 + ": " + "verb " + "x" * 58, "The subject has 73 characters; 72 are allowed."),
        ("The soak's longest test begins before its end", "does not begin with an area"),
        ("Fix a crash", "does not begin with an area"),
        ("maps:exclude padding rows", "does not begin with an area"),
        ("maps: excluded padding rows", "'excluded' is not an imperative."),
        ("maps: excluding padding rows", "'excluding' is not an imperative."),
        ("maps: excludes padding rows", "'excludes' is not an imperative."),
        ("maps: the padding rows leave", "'the' is not a verb."),
        ("maps: exclude padding rows.", "ends with a full stop"),
    ],
)
def test_subject_error_names_the_fault(subject, error):
    assert error in subject_error(subject)


def test_message_error_skips_comments_and_diff():
    message = "# Please enter the message\n\nmaps: exclude rows\n\nPadding is no text.\n# On branch main\n"
    assert message_error(message + "# ------------------------ >8 ------------------------\n+more\n") == ""


def test_message_error_wants_an_empty_line():
    assert message_error("maps: exclude rows\nPadding is no text.\n").startswith("The second line is not empty.")


@pytest.mark.parametrize(("subject", "status"), [("maps: exclude rows", 0), ("Rows are excluded", 1)])
def test_command_fails_for_a_wrong_message(tmp_path, subject, status):
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text(f"{subject}\n")
    command = [sys.executable, "tools/check_commit_message.py", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == status
    assert done.stderr.endswith("CONTRIBUTING.md has the rule.\n") == bool(status)


def test_subject_error_examples_are_true():
    assert doctest.testmod(check_commit_message) == (0, 2)
