"""Kernels give the same as plain Python: what Numba makes of them is what they say."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import carom as cm

RUNS = {
    "two_spheres": {},
    "slider_crank_block": {"t_end": 0.02},
    "quick_return": {"t_end": 0.02},
    "spinning_top": {"t_end": 0.005},
    "cam_follower": {"t_end": 2e-4},
    "knee": {"t_end": 1e-3},
    "bouncing_ball": {"t_end": 0.4, "step": 2e-3},
    "slider_crank_clearance": {"t_end": 1e-4},
    "stick_slip": {"t_end": 0.01},
    "painleve_rod": {"t_end": 2e-3},
}
"""Short runs: some microseconds of compiled code are a second of Python."""

PROGRAM = """
import json, sys
import numba
import carom as cm
assert numba.config.DISABLE_JIT
found = {}
for name, options in json.loads(sys.argv[1]).items():
    result = getattr(cm.gallery, name)().run(**options)
    found[name] = [result.t.tolist(), result.q[-1].tolist(), result.outcome.name]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def plain():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, json.dumps(RUNS)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_the_same_in_plain_python(plain, name):
    result = getattr(cm.gallery, name)().run(**RUNS[name])
    times, end, outcome = plain[name]
    assert outcome == result.outcome.name == "FINISHED"
    assert len(times) == len(result.t)
    np.testing.assert_allclose(times, result.t, rtol=1e-12)
    np.testing.assert_allclose(end, result.q[-1], rtol=1e-12, atol=1e-15)
