"""Runs of the gallery with all kernels from the library: without Numba, and with the results of compiled kernels."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import carom as cm
from carom.kernels import library_builder

pytestmark = pytest.mark.slow

SHORT = 0.02
"""Part of the default duration of a case [-]: long enough for contacts, too short for rounding to grow in impacts."""
WITH_FUNCTIONS = {"crank_press", "differential", "knee", "slider_crank_clearance"}
"""Cases whose models contain functions or expressions of their author, which Numba compiles."""

PROGRAM = f"""
import json, sys, warnings
import carom as cm
case = cm.gallery.CASES[sys.argv[1]]()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    result = case.run(t_end={SHORT} * case.options["t_end"])
state = [float(result.t[-1]), *map(float, result.sample([result.t[-1]]).q.ravel())]
json.dump({{"needs_numba": "numba" in sys.modules, "state": state}}, sys.stdout)
"""
"""One case in a process of its own: a module that another case has imported would hide that this one needs it."""


def run_case(name: str, library: str) -> dict:
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CPU_NAME"}
    command = [sys.executable, "-c", PROGRAM, name]
    ended = subprocess.run(command, env=environment | {"CAROM_PREBUILT": library}, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def run_gallery(library: str) -> dict[str, dict]:
    return {name: run_case(name, library) for name in sorted(cm.gallery.CASES)}


@pytest.fixture(scope="module")
def prebuilt_runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    library_builder.build(library_builder.all_kernels(), folder)
    return run_gallery(str(folder))


def test_only_cases_with_functions_of_their_author_import_numba(prebuilt_runs):
    assert {name for name, run in prebuilt_runs.items() if run["needs_numba"]} == WITH_FUNCTIONS


def test_prebuilt_kernels_compute_what_compiled_ones_do(prebuilt_runs):
    for name, compiled in run_gallery("0").items():
        expected = compiled["state"]
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(prebuilt_runs[name]["state"], expected, rtol=0.0, atol=1e-9 * scale, err_msg=name)
