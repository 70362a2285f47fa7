"""Comparison of carom with its peers: one set of problems, one program after the other on this machine."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Container, Iterable
from pathlib import Path
from typing import Any

import processes
from precision import Point

HERE = Path(__file__).resolve().parent / "peers"
sys.path.insert(0, str(HERE))

from environments import Program, programs  # noqa: E402
from problems import Chain, LoadedCam, SliderCrankClearance, Spheres  # noqa: E402
from reference import chain, loaded_cam, slider_crank_block, slider_crank_clearance, two_spheres  # noqa: E402

PATIENCE = 150.0
"""Seconds for one script; what it has said until then counts."""
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
Found = dict[str, float]
Line = dict[str, Any]


def relative(found: Found, reference: Found) -> float:
    """The largest relative error."""
    return max(abs(found[key] / reference[key] - 1.0) for key in reference)


def absolute(found: Found, reference: Found) -> float:
    """The largest error, of metres and radians alike."""
    return max(abs(found[key] - reference[key]) for key in reference)


def turned(found: Found, reference: Found) -> float:
    """The larger error of the crank's angle [rad] and its speed, relative to that at the start."""
    speed = abs(found["speed"] - reference["speed"]) / SliderCrankClearance.speeds[0]
    return max(abs(found["angle"] - reference["angle"]), speed)


def pressed(found: Found, reference: Found) -> float:
    """The larger error of the follower's position, relative to the eccentricity, and of the force, to the preload."""
    scales = {"position": LoadedCam.eccentricity, "force": LoadedCam.preload}
    return max(abs(found[key] - reference[key]) / scales[key.split()[0]] for key in reference)


class Problem:
    """A problem with a reference: its script in every program, and what counts as error."""

    def __init__(
        self, name: str, title: str, error: Callable[[Found, Found], float], measure: str,
        reference: Callable[[], Found], *arguments: str,
    ):  # fmt: skip
        self.name, self.title, self.error, self.measure = name, title, error, measure
        self.reference, self.arguments = reference, arguments
        self.key = "_".join((name, *arguments))


PROBLEMS = [
    Problem("two_spheres", "Two spheres", relative, "restitution, relative error", two_spheres.solve),
    Problem("two_spheres_ensemble", "Two spheres, a run of an ensemble", relative, "restitution, relative error",
            two_spheres.solve),
    Problem("slider_crank_block", "Slider-crank and block", relative, "speed of the block, relative error",
            slider_crank_block.solve),
    Problem("slider_crank_clearance", "Slider-crank with clearance, rigid", turned, "crank angle and speed, error",
            slider_crank_clearance.solve),
    Problem("loaded_cam", "Loaded cam", pressed, "position and contact force, relative error", loaded_cam.solve),
    *(
        Problem("chain", f"Chain of {links} links", absolute, "tip [m] and first angle [rad], error",
                lambda links=links: chain.solve(links), str(links))
        for links in Chain.links
    ),
]  # fmt: skip


WORK = (
    "start",
    "custom_law",
    *dict.fromkeys(problem.name for problem in PROBLEMS),
    "five_boxes",
    "arm_in_spheres",
    "spheres",
)
"""All that can be compared, by name."""


def script(program: Program, name: str, *arguments: str) -> tuple[list[Line], str]:
    """Return the report of a program's script, and the reason if it ended early."""
    path = HERE / f"{program.name}_{name}.py"
    command = [program.python, str(path), *arguments]
    environment = {**os.environ, **ONE_THREAD, "PYTHONDONTWRITEBYTECODE": "1"}
    if program.name != "carom":
        environment.pop("PYTHONPATH", None)
    elif "PYTHONPATH" in environment:
        environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, environment["PYTHONPATH"].split(os.pathsep)))
    with (
        tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as wrong,
        tempfile.TemporaryDirectory() as folder,  # some write logs where they are
    ):  # fmt: skip
        try:
            done = subprocess.run(
                command, stdout=said, stderr=wrong, env=environment, cwd=folder, timeout=PATIENCE, check=False
            )
            trouble = done.returncode != 0
            why = ""
        except subprocess.TimeoutExpired:
            trouble, why = False, f"stopped after {PATIENCE:g} s"
        said.seek(0)
        wrong.seek(0)
        lines = [json.loads(line) for line in said if line.startswith('{"way"')]
        if trouble:
            why = (wrong.read().strip().splitlines() or ["it failed without a word"])[-1]
    return lines, why


def solved_by(name: str, available: Iterable[Program]) -> list[Program]:
    """Return the programs that have a script of this problem."""
    return [program for program in available if (HERE / f"{program.name}_{name}.py").exists()]


def measure(
    available: list[Program],
    report: Callable[[str], None],
    keep: Callable[[], None],
    results: dict[str, Any],
    only: Container[str] = WORK,
) -> None:
    """Compare ``only`` these; plain data go into ``results``, and ``keep`` is called after every problem."""
    available = [program for program in available if program.python]
    for part in ("problems", "five_boxes", "arm_in_spheres", "spheres", "custom_law", "start"):
        results.setdefault(part, {})
    notes = results.setdefault("notes", [])

    def run(program: Program, name: str, *arguments: str) -> list[Line]:
        report(f"{program.name}: {name.replace('_', ' ')} {' '.join(a for a in arguments if a.isdigit())}".rstrip())
        what = f"{program.name}, {name.replace('_', ' ')} {' '.join(a for a in arguments if a.isdigit())}".rstrip()
        notes[:] = [note for note in notes if not note.startswith(f"{what}: ")]
        lines, why = script(program, name, *arguments)
        if why:
            notes.append(f"{what}: {why}")
            report(notes[-1])
        return lines

    if "start" in only:
        report("starting processes")
        results["start"] = {program.name: start(program) for program in available}
    if "custom_law" in only:
        results["custom_law"] = {p.name: run(p, "custom_law") for p in available if p.name != "siconos"}
    for problem in PROBLEMS:
        if problem.name not in only:
            continue
        reference = problem.reference()
        table: dict[str, list[Line]] = {}
        for program in solved_by(problem.name, available):
            table[program.name] = run(program, problem.name, *problem.arguments)
            for line in table[program.name]:
                error = problem.error(line["found"], reference)
                line["error"] = error if math.isfinite(error) else None
        results["problems"][problem.key] = table
        keep()
    for name in ("five_boxes", "arm_in_spheres"):
        if name in only:
            results[name] = {p.name: run(p, name) for p in solved_by(name, available)}
            keep()
    with tempfile.TemporaryDirectory() as folder:
        for count in Spheres.counts if "spheres" in only else ():
            file = f"{folder}/places.npy"  # carom, the first, writes it
            results["spheres"][str(count)] = {
                program.name: run(program, "spheres", str(count), file)
                for program in available
                if program.name != "siconos"
            }
            keep()


def points(lines: Iterable[Line]) -> list[Point]:
    """Reported lines as points of a diagram."""
    return [
        Point(line["way"], line["setting"], line["seconds"], math.inf if line["error"] is None else line["error"],
              line["steps"])
        for line in lines
    ]  # fmt: skip


MODULES = {"carom": "carom", "exudyn": "exudyn", "mujoco": "mujoco", "siconos": "siconos.kernel"}


def start(program: Program) -> dict[str, float]:
    """CPU seconds of an import, and of a process that imports, builds two spheres and runs them once."""
    times = {"import": least([program.python, "-c", f"import {MODULES[program.name]}"])}
    path = HERE / f"{program.name}_two_spheres.py"
    if path.exists():
        command = [program.python, str(path), "once"]
        if program.name == "carom":
            with tempfile.TemporaryDirectory() as cache:
                times["first"] = processes.cpu(command, {"NUMBA_CACHE_DIR": cache})
                times["next"] = least(command, {"NUMBA_CACHE_DIR": cache})
        else:
            times["first"], times["next"] = processes.cpu(command), least(command)
    return times


def least(command: list[str], environment: dict[str, str] | None = None) -> float:
    return min(processes.cpu(command, {**ONE_THREAD, **(environment or {})}) for _ in range(3))


def find(folder: Path, report: Callable[[str], None]) -> list[Program]:
    report("fetching Exudyn, MuJoCo and Siconos")
    return programs(folder, report)
