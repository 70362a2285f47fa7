"""Runs of the gallery with all kernels from the library: without Numba, and with the results of compiled kernels."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from carom.kernels import library_builder

pytestmark = pytest.mark.slow

SHORT = 0.02
"""Part of the default duration of a case [-]: long enough for contacts, too short for rounding to grow in impacts."""
WITH_PYTHON_FUNCTIONS = {"bouncing_dimer", "slider_crank_clearance"}
"""Cases whose models contain functions in Python, which Numba compiles."""

PROGRAM = f"""
import json, sys, warnings
import carom as cm
numba_imported_by = []
results = {{}}
for name in sorted(cm.gallery.CASES):
    case = cm.gallery.CASES[name]()
    was_imported = "numba" in sys.modules
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = case.run(t_end={SHORT} * case.options["t_end"])
    if "numba" in sys.modules and not was_imported:
        numba_imported_by.append(name)
    results[name] = [float(result.t[-1]), *map(float, result.sample([result.t[-1]]).q.ravel())]
json.dump({{"numba": numba_imported_by, "results": results}}, sys.stdout)
"""


def run_gallery(library: str) -> dict:
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CPU_NAME"}
    command = [sys.executable, "-c", PROGRAM]
    ended = subprocess.run(command, env=environment | {"CAROM_PREBUILT": library}, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture(scope="module")
def prebuilt_runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    library_builder.build(library_builder.all_kernels(), folder)
    return run_gallery(str(folder))


def test_no_case_imports_numba_but_those_with_python_functions(prebuilt_runs):
    assert set(prebuilt_runs["numba"]) <= WITH_PYTHON_FUNCTIONS


def test_prebuilt_kernels_compute_what_compiled_ones_do(prebuilt_runs):
    compiled = run_gallery("0")["results"]
    for name, expected in compiled.items():
        found = prebuilt_runs["results"][name]
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * scale, err_msg=name)
