"""A process that may write to no directory: a sentence, no traceback, and an answer as soon as there is one."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ASKS = """
    import logging, os, sys, tempfile
    from pathlib import Path

    folder = Path(sys.argv[1])
    tempfile._candidate_tempdir_list = lambda: [str(folder)]  # for whoever is root, every directory can be written to
    os.environ.pop("TORCHINDUCTOR_CACHE_DIR", None)
    logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="LOG %(message)s")

    from mha.engine import Request, record, start, state
    from mha.engine.experiments import neutral_words
    from mha.errors import MHAError
    from mha.models.files.environment import prepare_environment
    from starlette.testclient import TestClient
    from mha.api.routes import alone

    prepare_environment()
    start()
    client = TestClient(alone, raise_server_exceptions=False)

    def ask(number):
        for question in (lambda: record(Request(f"a new text {number}")), lambda: neutral_words("A bird sang", 1)):
            try:
                print("ANSWER", bool(question()))
            except MHAError as error:
                print("SAYS", error)
        found = client.post("/api/attend", json={"text": f"another new text {number}"})
        print("HTTP", found.status_code, found.json().get("detail", ""))

    for number in range(3):
        ask(number)
    print("STATE", state().phase)
    folder.mkdir()
    ask(3)
    print("STATE", state().phase)
"""


@pytest.mark.slow
def test_without_a_directory_to_write_to_it_says_so_once_and_answers_as_soon_as_there_is_one(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(ASKS), str(tmp_path / "later")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    said = done.stdout.splitlines()
    assert "Traceback" not in done.stdout + done.stderr
    assert "already registered" not in done.stdout + done.stderr
    assert [line for line in said if line.startswith("LOG the model could not be loaded")] == [said[0]]
    told = [line for line in said if line.startswith("SAYS")]
    assert len(told) == 6
    assert all("There is no directory here that may be written to, and PyTorch needs one." in line for line in told)
    assert [line for line in said if line.startswith("STATE")] == ["STATE failed", "STATE ready"]
    assert [line for line in said if line.startswith("ANSWER")] == ["ANSWER True"] * 2
    *refused, taken = (line for line in said if line.startswith("HTTP"))
    assert len(refused) == 3
    assert all(re.match(r"HTTP 503 .*There is no directory here that may be written to", line) for line in refused)
    assert taken.split() == ["HTTP", "200"]
