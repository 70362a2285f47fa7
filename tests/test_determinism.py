"""A model gives the same bits on one machine, in every process and with any number of threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from carom.gallery import CASES

ROOT = Path(__file__).resolve().parents[1]
QUICK = ("bouncing_ball", "box_of_spheres", "four_bar", "newtons_cradle", "slider_crank_block")
"""One of every kind: an impact, many bodies, joints, several contacts, time stepping."""

RUN = """
import hashlib, json, sys, warnings
import carom as cm
from carom.gallery import CASES

warnings.simplefilter("ignore")
found = {}
for name in sys.argv[2:]:
    case = CASES[name]()
    result = case.run(t_end=float(sys.argv[1]) * case.options["t_end"], progress=False)
    total = hashlib.sha256()
    for array in (result.t, result.q, result.v, result.a, result.signals, result.energy.columns()):
        total.update(array.tobytes())
    total.update(repr(result.impacts.columns()).encode())
    found[name] = total.hexdigest()
print(json.dumps(found))
"""


def digests(part: float, names: tuple[str, ...]) -> list[dict[str, str]]:
    """Return the digests of runs over a part of the time of each case, in processes with one thread and with two."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", RUN, str(part), *names], cwd=ROOT, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "NUMBA_NUM_THREADS": threads},
        )
        for threads in ("1", "2")
    ]  # fmt: skip
    return [json.loads(process.communicate()[0]) for process in processes]


def test_runs_have_the_same_bits_with_one_thread_and_with_two():
    one, two = digests(0.02, QUICK)
    assert list(one) == list(QUICK)
    assert len(set(one.values())) == len(one)
    assert one == two


@pytest.mark.slow
def test_every_case_of_the_gallery_has_the_same_bits():
    rest = tuple(name for name in CASES if name not in QUICK)
    one, two = digests(0.02, rest)
    assert one == two
