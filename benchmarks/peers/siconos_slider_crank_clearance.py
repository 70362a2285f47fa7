"""Slider-crank with clearance in Siconos: Moreau–Jean time stepping with θ = 1/2, the model as a compiled plugin.

Its loop over all steps runs in C++ (`run`). One Newton iteration a step, as carom takes, or as many as it needs;
of its solvers for friction in the plane NSGS does not converge here.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from measured import best, say, timed
from problems import GRAVITY
from problems import SliderCrankClearance as P

PLUGIN = Path(__file__).stem


def compiled() -> None:
    """Build the plugin and start again where Siconos finds it."""
    folder = tempfile.mkdtemp()
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        sys.exit("its plugins need a C compiler, and there is none")
    target = f"{folder}/{PLUGIN}.so"
    source = str(Path(__file__).with_suffix(".c"))
    subprocess.run([compiler, "-O3", "-shared", "-fPIC", source, "-o", target, "-lm"], check=True)
    os.environ.update(SICONOS_BENCHMARK=folder, LD_LIBRARY_PATH=folder)
    os.execv(sys.executable, [sys.executable, *sys.argv])


if "SICONOS_BENCHMARK" not in os.environ:
    compiled()
os.chdir(os.environ["SICONOS_BENCHMARK"])  # it writes files

import siconos.kernel as sk  # noqa: E402
import siconos.numerics as sn  # noqa: E402

NUMBERS = (P.crank, P.rod, P.half_length, P.half_width, P.clearance, *P.masses, *P.inertias, GRAVITY)
library = ctypes.CDLL(f"./{PLUGIN}.so")
library.set((ctypes.c_double * len(NUMBERS))(*NUMBERS))


def run(solver: str, step: float, linear: bool) -> tuple[float, tuple[int, float, float]]:
    body = sk.LagrangianDS([0.0, 0.0, 0.0], list(P.speeds), f"{PLUGIN}:mass")
    body.setComputeFGyrFunction(PLUGIN, "gyro")
    body.setComputeFIntFunction(PLUGIN, "weight")
    body.setComputeJacobianFGyrqFunction(PLUGIN, "gyro_by_q")
    body.setComputeJacobianFGyrqDotFunction(PLUGIN, "gyro_by_v")
    system = sk.NonSmoothDynamicalSystem(0.0, P.t_end)
    system.insertDynamicalSystem(body)
    for corner in (1, 2, 3, 4):
        law = sk.NewtonImpactFrictionNSL(P.restitution, 0.0, P.friction, 2)
        place = sk.LagrangianScleronomousR(f"{PLUGIN}:gap{corner}", f"{PLUGIN}:jacobian{corner}")
        system.link(sk.Interaction(law, place), body)
    problem = sk.FrictionContact(2, getattr(sn, f"SICONOS_FRICTION_2D_{solver}"))
    problem.numericsSolverOptions().dparam[sn.SICONOS_DPARAM_TOL] = 1e-12
    problem.numericsSolverOptions().iparam[sn.SICONOS_IPARAM_MAX_ITER] = 1000
    stepping = sk.TimeStepping(system, sk.TimeDiscretisation(0.0, step))
    stepping.insertIntegrator(sk.MoreauJeanOSI(0.5))
    stepping.insertNonSmoothProblem(problem)
    stepping.setNewtonTolerance(1e-10)
    stepping.setNewtonMaxIteration(1 if linear else 200)
    if linear:
        stepping.setNewtonOptions(sk.SICONOS_TS_LINEAR)
    seconds = timed(stepping.run)
    return seconds, (round(P.t_end / step), float(body.q()[0]), float(body.velocity()[0]))


def main() -> None:
    for solver, linear in (("LEMKE", True), ("ENUM", True), ("ENUM", False)):
        for step in (1e-4, 5e-5, 2e-5, 1e-5, 5e-6, 2e-6):
            seconds, (steps, angle, speed) = best(partial(run, solver, step, linear))
            way = f"{solver.capitalize()}, {'one iteration' if linear else 'Newton to 1e-10'}"
            say(way, f"step {step:.0e}", seconds, steps, angle=angle, speed=speed)


if __name__ == "__main__":
    main()
