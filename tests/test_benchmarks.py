"""Every benchmark can be asked, answers in one form, and still measures something."""

import importlib
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import bench_load, machine
from benchmarks.__main__ import NAMES, failed
from benchmarks.command import SKIPPED, Missing, answer, parser

ROOT = Path(__file__).parents[1]
README = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
LONGEST = 120  # seconds of a quick look, of which an idle machine needs less than ten
ABOUT = {"benchmark", "commit", "quick", "seconds", "machine"}  # what every answer says beside what was measured


def module_of(name):
    return importlib.import_module(f"benchmarks.bench_{name}")


def numbers(found):
    """Yield every number of what was measured."""
    if isinstance(found, dict | list):
        for one in found.values() if isinstance(found, dict) else found:
            yield from numbers(one)
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield found


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_imported_and_asked(name):
    module = module_of(name)
    assert module.arguments().parse_args([]).quick is False
    assert module.arguments().parse_args(["--quick"]).quick is True
    assert callable(module.run)
    assert f"python -m benchmarks.bench_{name}" in module.__doc__.replace("\n", " ")
    assert f'answer("{name}", arguments(), run)' in Path(module.__file__).read_text(encoding="utf-8")
    assert f"`bench_{name}" in README, "no question of the README names it"


def test_commands_of_the_readme_are_there():
    named = set(re.findall(r"`(?:python -m benchmarks\.)?bench_(\w+)", README))
    assert named <= set(NAMES)


def tables():
    """Yield each table of the README as its rows of cells, the head first."""
    for part in README.split("\n\n"):
        lines = [line for line in part.splitlines() if line.startswith("|")]
        if lines:
            yield [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if set(line) - set("|-")]


def current():
    """Return each cell of *now*, after the head of its column; where it is a row that is of now, its name."""
    found = []
    for head, *rows in tables():
        for at in (at for at, name in enumerate(head) if name.startswith("now")):
            found += [f"{head[at]} {row[at]}" for row in rows if row[at]]
        found += [cell for row in rows for cell in row if cell.startswith("now")]
    return found


def test_every_row_of_now_says_its_commit():
    cells = current()
    assert len(cells) > 40
    without = [cell for cell in cells if not re.search(r"\([^()]*\b(?=[a-f]*\d)[0-9a-f]{7}\b", cell)]
    assert without == []


def test_a_benchmark_that_fails_lets_the_others_run_and_is_named(tmp_path):
    there = tmp_path / "there"
    commands = {
        "bad": [sys.executable, "-c", "raise SystemExit(3)"],
        "good": [sys.executable, "-c", f"open({str(there)!r}, 'w')"],
    }
    assert failed(commands) == ["bad"]
    assert there.exists()


def test_the_command_fails_where_one_failed_and_knows_its_names(monkeypatch):
    from benchmarks import __main__ as every

    ran = {}
    monkeypatch.setattr(every, "failed", lambda commands: ran.update(commands) or ["load"])
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--quick", "load", "record"])
    with pytest.raises(SystemExit, match=r"^Failed: load\.$"):
        every.main()
    assert list(ran) == ["load", "record"]
    assert all(command[-1] == "--quick" for command in ran.values())
    monkeypatch.setattr(sys, "argv", ["benchmarks", "lode"])
    with pytest.raises(SystemExit) as ended:
        every.main()
    assert ended.value.code == 2


@pytest.mark.parametrize(("target", "command"), [("bench", "benchmarks "), ("bench-quick", "benchmarks --quick")])
def test_make_runs_them_all_and_hides_no_failure(target, command):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)[1]
    assert f"python -m {command}" in recipe
    assert not re.search(r"\|\||;|^\t-", recipe, re.MULTILINE)


def answered(monkeypatch, capsys, run):
    monkeypatch.setattr(sys, "argv", ["bench", "--quick"])
    answer("one", parser("about"), run)
    return json.loads(capsys.readouterr().out)


def test_an_answer_says_where_it_was_measured(monkeypatch, capsys):
    found = answered(monkeypatch, capsys, lambda chosen: {"was quick": chosen.quick})
    assert set(found) == ABOUT | {"was quick"}
    assert found["benchmark"] == "one"
    assert found["was quick"] is True
    assert found["commit"] == machine.commit()
    assert found["machine"]["cores"] >= 1
    assert set(found["machine"]["versions"]) == set(machine.PACKAGES)


def test_what_is_missing_is_said_and_is_no_failure(monkeypatch, capsys):
    def run(_chosen):
        raise Missing("No such thing is here.")

    assert answered(monkeypatch, capsys, run)[SKIPPED] == "No such thing is here."


def test_the_last_of_a_crowd_is_its_last():
    answers = [bench_load.Answer(seconds, 1, Counter({"text": 1}), b"") for seconds in range(1, 51)]
    told = bench_load.summary(answers, 1.0)
    assert (told["p50_ms"], told["p95_ms"], told["last_ms"]) == (25_500, 48_000, 50_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_quick_look_measures_something(name):
    command = [sys.executable, "-m", f"benchmarks.bench_{name}", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert (found["benchmark"], found["quick"]) == (name, True)
    measured = {key: value for key, value in found.items() if key not in ABOUT}
    if set(measured) == {SKIPPED}:
        pytest.skip(measured[SKIPPED])
    assert any(number > 0 for number in numbers(measured))
    assert not any(number != number for number in numbers(measured)), "not a number"
