"""Hash the result of every gallery case: ``python benchmarks/result_hashes.py [FILE]``.

Without a file the hashes are printed as JSON. With one that was written before, the cases whose bits differ are listed:
a change of the code that should not change results is checked by it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np

import carom as cm

RUNS = {name: {} for name in cm.gallery.CASES} | {
    "box_of_spheres": {"t_end": 0.05},
    "cup_and_marble": {"t_end": 0.3},
    "dominoes": {"t_end": 0.2},
    "funnel": {"t_end": 0.1},
}
"""Options of the run of each case; long ones are cut."""


def digest(result: cm.Result) -> str:
    """Return a hash of times, states, signals and energies."""
    total = hashlib.sha256()
    for array in (result.t, result.q, result.signals, result.energy.columns()):
        total.update(np.ascontiguousarray(array).tobytes())
    for impact in result.impacts:
        total.update(np.array([impact.t_start, impact.peak_force, impact.restitution], dtype=float).tobytes())
    return total.hexdigest()[:16]


def main() -> None:
    hashes = {}
    for name, options in RUNS.items():
        hashes[name] = digest(cm.gallery.CASES[name]().run(**options))
        print(name, hashes[name], file=sys.stderr, flush=True)
    if len(sys.argv) < 2:
        print(json.dumps(hashes, indent=1))
        return
    before = json.loads(Path(sys.argv[1]).read_text())
    changed = [name for name in before if hashes.get(name) != before[name]]
    print(f"{len(before) - len(changed)} of {len(before)} cases have the same bits", *changed, sep="\n")
    sys.exit(bool(changed))


if __name__ == "__main__":
    main()
