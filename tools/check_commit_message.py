"""Check the message of a commit: ``python tools/check_commit_message.py FILE``, the commit-msg hook of pre-commit.

The rule is in CONTRIBUTING.md: ``area: verb object``, at most 72 characters, then an empty line and the reason.
"""

import re
import sys
from pathlib import Path

LONGEST = 72  # characters of a subject: `git log` shows it whole in a terminal of 80
SCISSORS = re.compile(r"^# -+ >8 -+$", re.MULTILINE)  # `git commit --verbose` puts the diff below this line
MADE_BY_GIT = re.compile(r"^(Merge|Revert|fixup!|squash!|amend!) ")
SUBJECT = re.compile(r"^(?P<area>[a-z][a-z0-9_./ -]*): (?P<verb>\S+)")
ARTICLES = {"a", "an", "the", "this", "that", "these", "those", "it", "some", "all", "every", "each", "no", "new"}
NOT_IMPERATIVE = re.compile(r"(ed|ing|(?<!s)s)$")
IMPERATIVES = {  # verbs whose stem has one of these endings
    *("embed", "exceed", "feed", "need", "proceed", "seed", "shed", "shred", "speed", "succeed"),
    *("bring", "ring", "string", "swing", "alias", "bias", "canvas", "focus"),
}


def subject_error(subject: str) -> str:
    """Return one sentence about the first fault of a subject, or an empty string if it has none.

    >>> subject_error("maps: exclude padding rows from statistics")
    ''
    >>> subject_error("maps: excluded padding rows")
    "'excluded' is not an imperative. Write the verb as a command: 'maps: exclude padding rows'."
    """
    if MADE_BY_GIT.match(subject):
        return ""
    if not subject:
        return "The message is empty. Write 'area: verb object' in its first line."
    if len(subject) > LONGEST:
        return f"The subject has {len(subject)} characters; {LONGEST} are allowed. Move the reason to the body."
    match = SUBJECT.match(subject)
    if match is None:
        return f"The subject '{subject}' does not begin with an area, as 'maps: ' or 'docs: ' do."
    verb = match["verb"]
    if verb.lower() in ARTICLES:
        return f"'{verb}' is not a verb. Write 'area: verb object', as in 'maps: exclude padding rows'."
    if NOT_IMPERATIVE.search(verb.lower()) and verb.lower() not in IMPERATIVES:
        return f"'{verb}' is not an imperative. Write the verb as a command: 'maps: exclude padding rows'."
    if subject.endswith("."):
        return "The subject ends with a full stop. Remove it."
    return ""


def message_error(message: str) -> str:
    """Return one sentence about the first fault of a message as git hands it to a hook, or an empty string."""
    lines = [line for line in SCISSORS.split(message)[0].splitlines() if not line.startswith("#")]
    while lines and not lines[0].strip():
        del lines[0]
    subject, *body = lines or [""]
    if error := subject_error(subject.rstrip()):
        return error
    if body and body[0].strip():
        return "The second line is not empty. Leave it empty and write the reason below it."
    return ""


def main(file: str) -> str | None:
    """Return the fault of the message in a file with the place of the rule, or None: the argument of `sys.exit`."""
    error = message_error(Path(file).read_text(encoding="utf-8"))
    return f"{error} CONTRIBUTING.md has the rule." if error else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
