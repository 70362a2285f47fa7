"""The page of the documentation with all that was measured: docs/benchmarks.md and its figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import compare
import figures
import tables
from problems import ArmInSpheres, FiveBoxes

OPENING = """# Benchmarks

carom beside Exudyn, MuJoCo and Siconos: the same problems, one after the other on one machine, each by the fastest
way we know in every program. `make bench` fetches them (Exudyn and MuJoCo from PyPI, Siconos from Debian), measures,
and writes `build/bench.json`; `python benchmarks/run.py --docs` also writes this page. The scripts are in
`benchmarks/peers`, one for each program and problem: who knows a faster way is welcome to say so.

**What is timed.** CPU time of one thread, the best of several runs. For carom it is all of `simulate`: the run, the
nodes and the result (runs of an unchanged system after the first one use what that has built). For the others it is
their loop alone, in their compiled code, without recording; lines with “loop alone” are the same of carom.

**What is equal.** Not the step but the accuracy. A program is run with several steps or tolerances; its error is that
against a [tight solution](#references) in minimal coordinates, and a setting counts as accurate as the worst of it
and all finer ones, so that errors that happen to vanish do not count. Between settings times are interpolated along
the line of the best ones. “–” means that no setting reached that accuracy. “carom is faster” is the ratio at the best
accuracy that both reached; below one, carom is slower. That accuracy is where a program happened to be driven to, and
methods of high order win there: times at the error one needs say more.
"""

REFERENCES = """## References

No reference uses carom. Two spheres: the impact in one coordinate. Slider-crank and block: crank angle and place of
the block, from event to event. Slider-crank with clearance: angles of crank and rod, from impact to impact and through
lasting contact. Loaded cam: the indentation alone, under a driven disc. Chains: the angles, with the forces in the pins
from a banded system. All by SciPy's DOP853 with relative tolerances of 1e-11 or less.
"""

NOTES = {
    "two_spheres": "Two equal spheres with Hunt and Crossley's law, which Exudyn has built in, and which is cheaper "
    "for it as a spring with a symbolic function; MuJoCo gets it as a compiled C callback. The run is short: two "
    "thirds of carom's time go into nodes, result and checks; its loop alone is near that of Exudyn at rough accuracy, "
    "and faster beyond.",
    "two_spheres_ensemble": "400 runs with different speeds of one sphere, on one thread; the time of all runs is "
    "divided by their number. carom by `cm.ensemble`, with preparation and rows; MuJoCo by its `rollout`, with the law "
    "as a compiled C callback. The error is that of the worst run.",
    "slider_crank_block": "Lankarani and Nikravesh's law, two impacts in 0.08 s. Exudyn's own contact object; MuJoCo's "
    "`connect` for the loop and the law as a C callback. Both take steps of one size. On lines of their own "
    "(“impacts known”) they are told beforehand when the impacts happen, and take small steps there alone.",
    "slider_crank_clearance": "Rigid impacts with restitution and friction. Siconos: Moreau–Jean time stepping with "
    "the model as a C plugin. MuJoCo has no rigid impacts, and its soft contacts, tuned to the restitution, do not "
    "converge to them: none of 80 combinations of its settings had errors below 1e-2 at all steps that were tried. Its "
    "ratios at equal accuracy therefore say little; the time of a step, below, says more. What makes carom accurate "
    "here is its midpoint scheme. Its Moreau scheme in generalized coordinates, the nearest to that of Siconos, has "
    "twice the error of Siconos at the same step: like with like, the ratio is half of that of a step.",
    "loaded_cam": "A disc turns eccentrically at 10 Hz under a follower that a spring presses on it, 1 s, with "
    "F = K δ^1.5 (1 + a δ̇): contact lasts. carom and Exudyn as bodies and joints, the law written by the user in "
    "Python and in symbols. Exudyn's implicit solvers, generalised-α and the trapezoidal rule, take steps of one size; "
    "its line is the better of both. On a line of its own (“follower alone”) "
    "Exudyn has one coordinate and a spring that knows the height of the disc, which is not the mechanism any more.",
    "chain_10": "1 s of a chain released from the horizontal. Exudyn as a tree in joint angles and as bodies and "
    "joints; MuJoCo in joint angles; carom as bodies and joints.",
    "chain_100": "0.5 s of it.",
    "chain_1000": "0.02 s of it. Equations in joint angles are dense, which costs MuJoCo its time here; Exudyn takes "
    "bodies and joints and sparse matrices.",
}


def table(head: Sequence[str], rows: tables.Rows) -> str:
    """As Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.strip() for cell in line) + " |\n" for line in lines)


def machine(results: dict[str, Any]) -> str:
    about = results["machine"]
    versions = ", ".join(
        f"{tables.NAMES[program['name']]} {program['version']}" for program in results["programs"] if program["version"]
    )
    text = (
        f"Measured on {about['date']}: {about['processor']}, {about['cores']} cores, {about['system']}, Python "
        f"{about['python']}; {versions}.\n"
    )
    missing = [f"{tables.NAMES[p['name']]}: {p['why']}" for p in results["programs"] if p["why"]]
    if missing:
        text += "\nNot available: " + "; ".join(missing) + ".\n"
    if about["load"] > about["cores"]:
        text += "\nOther work ran on the machine at that time; CPU time hides most of that, but not all.\n"
    return text


BOXES = f"""Five boxes of 1 kg in space fall by 10 µm to 50 µm on each other and settle, with friction. In carom each
corner has a spring of {1e-6 * FiveBoxes.stiffness:g} MN/m and a damper of {FiveBoxes.damping:g} N s/m, and the impacts
are resolved; four corners carry five boxes at a penetration of {1e6 * FiveBoxes.static_penetration:.2f} µm. MuJoCo does
not resolve impacts: it takes steps of 2 ms with contacts of its own, whose stiffness follows from a time constant and
the masses. Times are therefore not of the same problem, and there is no bar; penetration and creep tell how stiff the
contacts are and how well they hold.
"""
ARM = f"""A capsule on a hinge, driven with {ArmInSpheres.speed:g} rad/s, sweeps through {ArmInSpheres.count} spheres of
{1e3 * ArmInSpheres.radius:g} mm that fall on a floor and on it. carom takes explicit steps with Hunt and Crossley's law
and friction; its time includes building the tables. MuJoCo takes its default steps of 2 ms with contacts of its own;
how deep spheres sink in is stated beside the time.
"""
SPHERES = """All programs start from the same settled pile. carom and Exudyn take explicit steps of 0.1 ms with linear
springs, dampers and friction of the same numbers; MuJoCo its default steps of 2 ms with contacts of its own, solved
together. A second of motion with its own step is what can be compared.
"""
LAW = "Two spheres in 3000 steps of a Runge–Kutta method of fourth order, four evaluations a step.\n"
START = """CPU time of a process that imports the program; and of one that imports it, builds two spheres and runs them,
the first time and later. carom has its prebuilt kernels; without them it compiles what the model needs, the first time.
"""
FIGURES = """![Error against CPU time: two impacts, and play in a guide](images/work_precision_impacts.png)

![Error against CPU time: chains of 10, 100 and 1000 links](images/work_precision_chain.png)

Thin lines are single ways to solve a problem, strong ones the best of each program. Lower and further left is better.
"""


def written(results: dict[str, Any]) -> str:
    """The page."""
    peers = results["peers"]
    parts = [OPENING, machine(results), FIGURES]
    for problem in compare.PROBLEMS:
        if problem.key not in peers["problems"]:
            continue
        parts += [f"## {problem.title}\n", f"{NOTES[problem.key]} Counted: {problem.measure}.\n"]
        parts.append(table(tables.PRECISION_HEAD, tables.precision_rows(results, problem.key)))
        if problem.key == "slider_crank_clearance":
            parts += ["One step:\n", table(tables.STEP_HEAD, tables.step_rows(results))]
    for title, words, head, rows in (
        ("Five boxes settle into a stack", BOXES, tables.BOXES_HEAD, tables.boxes_rows(results)),
        ("An arm sweeps through 200 spheres", ARM, tables.ARM_HEAD, tables.arm_rows(results)),
        ("Spheres in a box", SPHERES, tables.SPHERE_HEAD, tables.sphere_rows(results)),
        ("A law written by the user", LAW, tables.LAW_HEAD, tables.law_rows(results)),
        ("Starting", START, tables.START_HEAD, tables.start_rows(results)),
    ):
        if rows:
            parts += [f"## {title}\n", words, table(head, rows)]
    if peers["notes"]:
        parts += ["## What did not finish\n", "".join(f"- {note}\n" for note in peers["notes"])]
    parts += ["## Bars\n", "What the design asks for, beside peers and of carom alone.\n"]
    parts.append(table(tables.RATIO_HEAD, tables.ratio_rows(results)))
    if "bars" in results:
        when = f"measured from {results['bars_at']}, the peers from {results['peers_at']}"
        parts.append(f"carom alone, at its default tolerances unless stated otherwise; {when}.\n")
        parts.append(table(tables.BAR_HEAD, tables.bar_rows(results["bars"])))
    parts.append(REFERENCES)
    return "\n".join(parts)


def write(results: dict[str, Any], docs: Path) -> None:
    figures.draw(results, docs / "images")
    (docs / "benchmarks.md").write_text(written(results), encoding="utf-8")
