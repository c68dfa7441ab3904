"""What a server does not load before somebody asks for it: it is there as soon as it is, and no number changes."""

import json
import subprocess
import sys

import numpy as np
import pytest

import mha
from mha.models.files import unasked
from tests.browser.conftest import ROOT

TEXT = "The cat sat on the mat because it was tired."
SERVED = """
import json, sys
from mha.models.files.environment import prepare_environment
from mha.models.files.unasked import load_when_asked, waiting, PROMISED
prepare_environment()
load_when_asked()
import mha
"""
RECORDS = f"""
maps = mha.attend({TEXT!r})
print(json.dumps({{
    "waiting": sorted(filter(waiting, PROMISED)),
    "loaded": [name for name in ("torch.distributed.tensor", "scipy.linalg", "sympy.core") if name in sys.modules],
    "weights": maps.weights.tolist(),
}}))
"""
ASKS = """
import numpy as np, torch
from transformers import masking_utils
from transformers.loss import loss_for_object_detection as loss

rows, columns = loss.linear_sum_assignment(np.array([[4.0, 1.0], [2.0, 3.0]]))
assert (list(rows), list(columns)) == ([0, 1], [1, 0])
assert not waiting("scipy.optimize") and waiting("torch._dynamo")
import scipy.optimize
assert scipy.optimize.brentq(lambda x: x * x - 2, 0, 2) > 1.41

with masking_utils.TransformGetItemToIndex() as inside:
    assert not waiting("torch._dynamo")
from torch._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
assert masking_utils.TransformGetItemToIndex.__doc__ == TransformGetItemToIndex.__doc__
assert isinstance(TransformGetItemToIndex(), masking_utils.TransformGetItemToIndex)

@torch.compiler.disable
def plain(x):
    return x + 1

compiled = torch.compile(lambda x: plain(x * 2), backend="eager")
assert compiled(torch.tensor(3)).item() == 7

import sympy
assert sympy.Symbol("x") + 1 == 1 + sympy.Symbol("x")
assert isinstance(sympy.Symbol("x"), sympy.Basic)
"""
SUBCLASSED = """
from torch._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
assert waiting("torch._dynamo")
assert not isinstance(3, TransformGetItemToIndex) and waiting("torch._dynamo")
class Mine(TransformGetItemToIndex):
    pass
assert not waiting("torch._dynamo")
import torch._dynamo
assert Mine.__mro__[1] is torch._dynamo._trace_wrapped_higher_order_op.TransformGetItemToIndex
"""
SYMBOLS = """
import torch
from torch.fx.experimental.symbolic_shapes import expect_true, guard_or_false, is_nested_int, sym_eq, sym_or
module = "torch.fx.experimental.symbolic_shapes"
assert expect_true(True) and not guard_or_false(False) and not is_nested_int(3)
assert sym_eq(torch.Size((2, 3)), (2, 3)) and not sym_eq((2, 3), (2,)) and sym_or(False, True)
assert waiting(module)
from torch.fx.experimental.symbolic_shapes import ShapeEnv
assert not waiting(module)
symbol = ShapeEnv().create_unbacked_symint()
assert not is_nested_int(symbol) and sym_eq((symbol, 3), (4, 3)) is not True
"""


def served(lines: str) -> str:
    """Return what lines print in a process that loads when asked."""
    done = subprocess.run([sys.executable, "-c", SERVED + lines], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_sentence_is_recorded_the_same_with_all_that_waits():
    found = json.loads(served(RECORDS))
    assert found["waiting"] == sorted(unasked.PROMISED)
    assert found["loaded"] == []
    assert np.allclose(found["weights"], mha.attend(TEXT).weights, atol=1e-6)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("lines", [ASKS, SUBCLASSED, SYMBOLS], ids=["called", "subclassed", "symbols"])
def test_what_waits_is_there_when_it_is_asked_for(lines):
    served(lines)


@pytest.mark.slow
def test_in_a_notebook_nothing_waits():
    lines = """
import mha
mha.attend("dog")
from mha.models.files import unasked
assert not any(map(unasked.waiting, unasked.PROMISED))
"""
    subprocess.run([sys.executable, "-c", lines], cwd=ROOT, check=True, timeout=300)
