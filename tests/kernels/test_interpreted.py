"""Kernels give the same as plain Python: what Numba makes of them is what they say."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernels.plain_runs import all_of_them

PROGRAM = Path(__file__).with_name("plain_runs.py")
RUNS = all_of_them()


@pytest.fixture(scope="module")
def plain():
    done = subprocess.run(
        [sys.executable, str(PROGRAM)], env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::carom.CaromWarning")
@pytest.mark.parametrize("name", RUNS)
def test_the_same_comes_out_in_plain_python(plain, name):
    np.testing.assert_allclose(RUNS[name](), plain[name], rtol=1e-9, atol=1e-12)
