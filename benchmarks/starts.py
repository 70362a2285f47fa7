"""Starts of carom: CPU time of the import, of first runs in new processes, and of a law in Python.

`python benchmarks/starts.py [PYTHON]` measures the carom of that interpreter, with an empty kernel cache and nothing on
PATH, so that no compiler is found, and fails if a bar is missed. `make release` runs it for the wheel in an empty
environment, `make bench` for the sources with their library (`make prebuilt`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from processes import installed

IMPORT_BAR, FIRST_BAR, BEYOND_BAR, LAW_BAR, SOURCES_BAR = 0.25, 0.6, 1.5, 0.3, 12.0
"""CPU time of `import carom`, of a process to the summary of its first run, of the first run of a case beyond its
physics, of the first run with a law in Python beyond that with a built-in law, and of a first run from sources [s]."""
SIZE_BAR = 15e6
"""Size of the library [byte]."""
SHORT = 0.1
"""Part of the default duration of a case that is run [-]."""

IMPORT = """
import time, json, sys
import carom as cm
seconds = time.process_time()
print(json.dumps({"import": seconds, "numba": "numba" in sys.modules, "cases": list(cm.gallery.CASES)}))
"""
FIRST = """
import time, json, sys, warnings
import carom as cm
warnings.simplefilter("ignore")
case = cm.gallery.CASES[sys.argv[1]]()
t_end = float(sys.argv[2]) * case.options["t_end"]
case.run(t_end=t_end).summary()
first = time.process_time()
case.run(t_end=t_end)
print(json.dumps({"first": first, "beyond": 2.0 * first - time.process_time()}))
"""
LAW = """
import time, json
import carom as cm
cm.gallery.slider_crank_block().run()

def law(number):
    def written(indentation, rate, approach_speed):
        return 9.5e9 * indentation**1.5 * (number + 0.3825 * rate / approach_speed)
    return cm.laws.custom(written)

times = [time.process_time()]
for number in (1.0, 1.1):
    cm.gallery.slider_crank_block(law=law(number)).run()
    times.append(time.process_time())
print(json.dumps({"first": times[1] - times[0], "second": times[2] - times[1]}))
"""


def answer(python: str, program: str, *arguments: str, tries: int = 1, **environment: str) -> dict[str, Any]:
    """What a program prints in a new process with an empty cache; of several tries the one with the least first number.

    Byte code is kept, as it is where a package was installed.
    """
    answers = []
    for _ in range(tries):
        with tempfile.TemporaryDirectory() as cache:
            variables = installed({"NUMBA_CACHE_DIR": cache, "PATH": "", **environment})
            ended = subprocess.run([python, "-c", program, *arguments], env=variables, check=True, capture_output=True)
            answers.append(json.loads(ended.stdout))
    return min(answers, key=lambda found: next(iter(found.values())))


def measure(python: str = sys.executable) -> list[tuple[str, float, float | None]]:
    """Rows of work, CPU seconds and bar, for the carom of this interpreter with its library."""
    imported = answer(python, IMPORT, tries=3)
    note = " (which imports Numba)" if imported["numba"] else ""
    rows: list[tuple[str, float, float | None]] = [(f"import carom{note}", imported["import"], IMPORT_BAR)]
    block = answer(python, FIRST, "slider_crank_block", "1", tries=3)
    rows.append(("first run on a new machine, slider_crank_block, to the summary", block["first"], FIRST_BAR))
    beyond = {name: answer(python, FIRST, name, str(SHORT))["beyond"] for name in imported["cases"]}
    slowest = max(beyond, key=lambda name: beyond[name])
    work = f"  of the {len(beyond)} gallery cases, the slowest beyond its physics: {slowest}"
    rows.append((work, beyond[slowest], BEYOND_BAR))
    law = answer(python, LAW, tries=2)
    rows.append(("a law written in Python, compiled", law["second"], LAW_BAR))
    rows.append(("  the first one of a process, which imports Numba", law["first"], None))
    return rows


def from_sources() -> tuple[str, float, float | None]:
    """Row of a first run without the library."""
    first = answer(sys.executable, FIRST, "slider_crank_block", "1", CAROM_PREBUILT="0")["first"]
    return "first run from sources, slider_crank_block, to the summary", first, SOURCES_BAR


def library_size(python: str) -> int:
    """Size of the library that the carom of an interpreter uses [byte]; 0 without one."""
    program = "from carom.kernels.prebuilt import library_folder; print(library_folder() or '')"
    folder = subprocess.check_output([python, "-c", program], text=True).strip()
    return (Path(folder) / "kernels.bin").stat().st_size if folder else 0


def main() -> None:
    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    size = library_size(python)
    missed = not 0 < size <= SIZE_BAR
    print(f"library: {size / 1e6:.2f} MB (bar {SIZE_BAR / 1e6:g})")
    for work, seconds, bar in measure(python):
        missed |= bar is not None and seconds > bar
        print(
            f"{work}: {seconds:.2f} s" + ("" if bar is None else f" (bar {bar:g}){' MISSED' if seconds > bar else ''}")
        )
    sys.exit(missed)


if __name__ == "__main__":
    main()
