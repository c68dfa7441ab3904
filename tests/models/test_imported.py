"""Two threads that need transformers at the same time, as a page and the default model do while a server starts."""

import subprocess
import sys

import pytest

BOTH = """
import importlib, threading
failed = []
threading.excepthook = lambda what: failed.append(what.exc_value)
needed = ("mha.models.files.snapshot", "mha.intervention.subject")
threads = [threading.Thread(target=importlib.import_module, args=(name,)) for name in needed]
for one in threads:
    one.start()
for one in threads:
    one.join()
assert not failed, failed
"""


@pytest.mark.slow
def test_what_is_asked_for_while_the_model_is_being_loaded_finds_transformers_whole():
    ran = subprocess.run([sys.executable, "-c", BOTH], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
