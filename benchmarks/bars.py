"""The speed bars of the design, measured on this machine.

Times are the best of several tries, in CPU time where one process is measured, so that other work on the machine
disturbs them little. A bar that is a ratio is taken within one run.
"""

from __future__ import annotations

import math
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

import carom as cm
import ensembles
import gradients
import lasting
import lookup
import many
import parts
import rigid
import starts
from carom.kernels import call_contact_solver, call_rate
from carom.kernels.interpreted import address_of_argument
from carom.kernels.pointers import data_pointer
from carom.kernels.signatures import through_address
from carom.mechanics.model_record import MODEL
from carom.solve.compliant.cvode import Cvode
from carom.solve.compliant.cvode_rhs import VECTOR_RHS, vector_rhs
from carom.solve.compliant.cvode_solver import NORMAL, DirectSolver
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.contact_problem.lcp import Problem
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.contact_problem.registry import SOLVERS
from carom.solve.model_evaluator import ModelEvaluator
from carom_chain import chain
from carom_two_spheres import model as two_spheres
from problems import TwoSpheres


@dataclass(frozen=True)
class Row:
    """Measured value and its bar, in ``unit`` s of 1/``scale`` seconds (or bytes, or ratios).

    Without a bar it is for comparison only.
    """

    work: str
    measured: float
    bar: float | None
    unit: str
    scale: float

    @property
    def held(self) -> bool:
        return self.bar is None or self.measured <= self.bar


rows: list[Row] = []
call_vector_rhs = through_address(VECTOR_RHS)


def row(work: str, measured: float, bar: float | None, unit: str, scale: float) -> None:
    rows.append(Row(work, measured, bar, unit, scale))


@njit
def repeat(count, rate, y, ydot, model):
    for _ in range(count):
        call_rate(rate, 0.0, data_pointer(y), data_pointer(ydot), MODEL(model))


@njit
def repeat_callback(count, callback, y, ydot, rhs):
    for _ in range(count):
        call_vector_rhs(callback, 0.0, y, ydot, rhs)


def best(work: Callable[[], object], tries: int = 40) -> float:
    times = []
    for _ in range(tries):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def evaluation(system: cm.System, count: int) -> float:
    """Seconds for one evaluation of the equations of motion."""
    mechanism = ModelEvaluator(system)
    tables = mechanism.tables
    y, ydot = tables.y0.copy(), np.zeros(tables.size)
    rate, model = tables.rhs_kernel, address_of_argument(tables.model)
    repeat(1, rate, y, ydot, model)
    return best(lambda: repeat(count, rate, y, ydot, model)) / count


def sundials() -> None:
    """Runs of CVODE: time per evaluation beyond the compiled right-hand side, without tables and result."""
    case = cm.gallery.slider_crank()
    alone = evaluation(case.system, 20_000)
    cam = lasting.loaded_cam()
    for integrator in ("adams", "bdf"):
        work = f"slider-crank by {integrator} of SUNDIALS, an evaluation beyond the compiled right-hand side"
        row(work, each_evaluation(case.system, integrator, (0.2, 2.0)) - alone, 2e-6, "µs", 1e6)
        called, inside = cvode_evaluation(case.system, integrator)
        row("  projection onto the joints and callback", called - alone, None, "µs", 1e6)
        row("  vectors and error control of SUNDIALS itself", inside - called, None, "µs", 1e6)
        each = each_evaluation(cam, integrator, (0.02, 0.2)) - evaluation(cam, 20_000)
        row(f"loaded cam by {integrator}, the same with a contact", each, 2e-6, "µs", 1e6)


def each_evaluation(system: cm.System, integrator: str, lengths: tuple[float, float]) -> float:
    """Seconds per evaluation, from two runs of different lengths [s]."""
    runs = []
    for t_end in lengths:

        def work(t_end: float = t_end) -> cm.Result:
            return cm.simulate(system, t_end, integrator=integrator, output=[t_end], progress=False)

        runs.append((best(work, 8), work().stats["evaluations"]))
    (short, few), (long, many_more) = runs
    return (long - short) / (many_more - few)


def cvode_evaluation(system: cm.System, integrator: str) -> tuple[float, float]:
    """Seconds of the right-hand side as CVODE calls it, and of CVODE alone, per evaluation."""
    count, t_end = 20_000, 2.0
    mechanism = ModelEvaluator(system)
    method = Cvode(
        IntegrationRequest(
            mechanism, integrator, mechanism.tables.y0.copy(), stops=np.array([t_end]), jumps=np.array([False]),
            record_steps=False, projecting=True, rtol=1e-8, atol=1e-10, max_step=t_end,
        )
    )  # fmt: skip
    method.prepare()
    solver, rhs = method.solver.solver, method.rhs
    if not isinstance(solver, DirectSolver):
        return math.nan, math.nan
    vector, _ = solver.new_vector(mechanism.tables.size)
    address = address_of_argument(rhs)
    called = best(lambda: repeat_callback(count, vector_rhs.address, solver.y_vector, vector, address)) / count

    def integrate() -> None:
        rhs.n_evaluations = 0
        solver.restart(0.0, mechanism.tables.y0)
        assert solver.step(t_end, NORMAL, t_end).success

    return called, best(integrate, 8) / rhs.n_evaluations


def start() -> None:
    """Import, first runs with the library of prebuilt kernels, where it is built, and from sources."""
    if starts.library_size(sys.executable):
        for work, seconds, bar in starts.measure():
            row(work, seconds, bar, "s", 1.0)
        row("library of prebuilt kernels", starts.library_size(sys.executable), starts.SIZE_BAR, "MB", 1e-6)
    row(*starts.from_sources(), "s", 1.0)


def overhead() -> None:
    """Whole calls of `simulate`, in which building the model, nodes and the result count."""
    system = two_spheres()
    options = {"progress": False}
    work = "two spheres, simulate in all"
    row(work, best(lambda: cm.simulate(system, TwoSpheres.t_end, **options), 200), 4e-4, "µs", 1e6)
    fresh = [two_spheres() for _ in range(200)]
    row(
        "  of a system just built",
        best(lambda: cm.simulate(fresh.pop(), TwoSpheres.t_end, **options), 200),
        None,
        "µs",
        1e6,
    )
    case = cm.gallery.slider_crank_clearance()
    steps = case.run().stats["steps"]
    row(
        f"slider-crank with clearance, {steps} steps and their nodes, a step",
        best(case.run, 8) / steps,
        1e-6,
        "µs",
        1e6,
    )


def contacts() -> None:
    """Impacts: the slider-crank and its block, the same with a law written in Python, and clearance joints."""
    damping = 0.75 * (1.0 - 0.7**2)

    def written(indentation: float, rate: float, approach_speed: float) -> float:
        return 9.5e9 * indentation**1.5 * (1.0 + damping * rate / approach_speed)

    built_in = cm.gallery.slider_crank_block()
    custom = cm.gallery.slider_crank_block(law=cm.laws.custom(written))
    for case in (built_in, custom):
        case.run()
    times = [(best(built_in.run, 5), best(custom.run, 5)) for _ in range(12)]
    fastest = min(time for time, _ in times)
    exact = built_in.run(integrator="dop853", rtol=1e-13, atol=1e-15)["block"].vx[-1]

    def error(**options: float) -> float:
        return float(abs(built_in.run(**options)["block"].vx[-1] / exact - 1.0))

    asked = next(rtol for rtol in 10.0 ** np.arange(-3.0, -9.0, -0.5) if error(rtol=rtol, atol=1e-2 * rtol) <= 1e-6)
    enough = best(lambda: built_in.run(rtol=asked, atol=1e-2 * asked))
    work = "slider-crank and block, 0.08 s of motion, speed of the block"
    row(f"{work} to {error(rtol=asked, atol=1e-2 * asked):.0e}", enough, 5e-3, "ms", 1e3)
    row(f"  at the default tolerance, to {error():.0e}", fastest, None, "ms", 1e3)
    row("  with a law written in Python", min(time for _, time in times) / fastest, 1.2, "×", 1.0)
    clearance = cm.gallery.quick_return()
    clearance.run(t_end=0.02)
    row("quick-return with clearance, 1 s of motion", best(lambda: clearance.run(t_end=1.0), 2), 2.0, "s", 1.0)


def nonsmooth() -> None:
    """Time steps of the slider-crank with clearance, complementarity problems, and many contacts."""
    for coordinates, bar in (("generalized", 1.5e-6), ("cartesian", 3e-6)):
        case = cm.gallery.slider_crank_clearance(coordinates=coordinates)
        for scheme in ("moreau", "midpoint"):
            steps = case.run(scheme=scheme, output=0.2).stats["steps"]
            seconds = best(lambda: case.run(scheme=scheme, output=0.2), 8)  # noqa: B023
            row(f"slider-crank with clearance, {coordinates}, {scheme}, a step", seconds / steps, bar, "µs", 1e6)
    boxes = lasting.five_rigid_boxes()
    seconds = best(lambda: cm.simulate(boxes, 5.0, method="nonsmooth", step=1e-3, progress=False), 3)
    row("five rigid boxes, 5 s at 1 ms", seconds, 0.4, "s", 1.0)
    rng = np.random.default_rng(1)
    root = rng.standard_normal((12, 12))
    problem, vector = root @ root.T + 0.1 * np.eye(12), rng.standard_normal(12)
    row("LCP of 12 unknowns by Lemke", lemke(problem, vector), 5e-6, "µs", 1e6)
    many = discs(1000)
    spans = [best(lambda: cm.simulate(many, h, method="nonsmooth", step=1e-4, solver="pgs", output=h), 3)  # noqa: B023
             for h in (2e-3, 2.2e-2)]  # fmt: skip
    row("1000 contacts with friction, a step", (spans[1] - spans[0]) / 200, 5e-3, "ms", 1e3)


def space() -> None:
    """Bodies in space: one evaluation, balls in a funnel, and boxes of balls."""
    differential = cm.gallery.differential()
    row("one evaluation, differential with 320 pairs of teeth", evaluation(differential.system, 2_000), 5e-5, "µs", 1e6)
    funnel = cm.gallery.funnel()
    funnel.run(t_end=0.05)
    row("balls in a funnel, 1 s of motion", best(lambda: funnel.run(t_end=1.0), 3), 1.0, "s", 1.0)
    for balls, bar in ((1000, many.BAR), (many.BOX, many.BAR), (10 * many.BOX, many.LARGE_BAR)):
        cost, gain = many.measure(balls)
        row(f"{balls} spheres with friction, a contact and step", 1e-6 * cost, 1e-6 * bar, "µs", 1e6)
        if gain == gain:
            row("  with two threads, of the time with one", 1.0 / gain, 1.0 / many.GAIN, "×", 1.0)


def rigid_spheres() -> None:
    """A thousand rigid spheres with friction: a step while they settle, and at rest without sleeping."""
    settling, at_rest = rigid.measure(1000)
    row(f"rigid 1000 spheres settle, mean residual {settling.residual:.0e}, a step", settling.seconds, 4e-3, "ms", 1e3)
    row(f"  at rest, mean residual {at_rest.residual:.0e}", at_rest.seconds, 4e-3, "ms", 1e3)


def machines() -> None:
    """A machine among many bodies: a driven drum, by as many threads as there are cores."""
    drum = many.drum(5000)
    simulate_quietly(drum, 1e-3)
    began = time.perf_counter()
    result = cm.simulate(drum, 0.3, output=0.05, progress=False)
    seconds = (time.perf_counter() - began) / 0.3
    row(f"drum with {len(drum.bodies) - 1} spheres, a second of motion (wall time)", seconds, many.DRUM_BAR, "s", 1.0)
    overlap = float(result["grains"].largest_indentation[-1])
    row("  deepest overlap at the end, of the radius", overlap / 0.008, None, "-", 1.0)


def lasting_scenes() -> None:
    """Bodies that stay pressed together: cams, stacks, worn joints, all at the default tolerance."""
    for scene in lasting.SCENES.values():
        system = scene.build()
        simulate_quietly(system, scene.t_end)
        seconds = best(lambda: simulate_quietly(system, scene.t_end), 5)  # noqa: B023
        row(scene.title, seconds, scene.bar, "s", 1.0)
        if scene.build is lasting.five_boxes:
            stack = lasting.at_rest()
            simulate_quietly(stack, 0.1)
            spans = [best(lambda: simulate_quietly(stack, t_end), 5) for t_end in (1.0, 11.0)]  # noqa: B023
            row("  afterwards at rest, a second of a run of 11 s", spans[1] / 11.0, lasting.REST_BAR, "s", 1.0)
            row("  a run of 1 s, with compiling the model", spans[0], None, "s", 1.0)


def simulate_quietly(system: cm.System, t_end: float) -> cm.Result:
    """Run without messages: boxes that overlap at the start are meant to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return cm.simulate(system, t_end, progress=False)


def lemke(matrix: np.ndarray, vector: np.ndarray) -> float:
    """Seconds of one LCP in compiled code."""
    count = 2000
    problem = Problem(matrix, vector, np.zeros(len(vector)), np.zeros(len(vector)), 1)
    address = SOLVERS["lemke"].address
    repeat_problem(1, address, address_of_argument(problem.record))
    return best(lambda: repeat_problem(count, address, address_of_argument(problem.record)), 10) / count


@njit
def repeat_problem(count, address, problem):
    for _ in range(count):
        call_contact_solver(address, CONTACT_PROBLEM(problem))


def discs(count: int) -> cm.System:
    """Discs that slide on a plane and begin to roll."""
    system = cm.System(gravity=(0.0, -9.81))
    floor = cm.Plane(system.ground, (0.0, 0.0), (0.0, 1.0))
    for k in range(count):
        disc = system.add(cm.Body(f"disc {k}", 1.0, 0.005, position=(0.3 * k, 0.1), velocity=(1.0, 0.0)))
        system.add(cm.Contact(cm.Sphere(disc, 0.1), floor, impact=cm.ImpactLaw(0.2, 0.3)))
    return system


def measure() -> list[Row]:
    """All bars, in the order of the design."""
    rows.clear()
    crank = cm.gallery.slider_crank()
    row("one evaluation, slider-crank", evaluation(crank.system, 20_000), 2e-6, "µs", 1e6)
    case = cm.gallery.slider_crank()
    case.run()
    row("slider-crank, 0.08 s of motion", best(case.run), 5e-3, "ms", 1e3)
    sundials()
    contacts()
    lasting_scenes()
    nonsmooth()
    space()
    rigid_spheres()
    machines()
    for measured in (*lookup.measure(), *ensembles.measure(), *gradients.measure()):
        row(*measured)
    for part_row in parts.measure():
        row(*part_row)
    costs = {links: evaluation(chain(links), 40_000 // links) for links in (10, 100, 1000)}
    row("one evaluation, chain of 1000 links", costs[1000], 5e-4, "ms", 1e3)
    row("  10 → 100 links", costs[100] / costs[10], 12.0, "×", 1.0)
    row("  100 → 1000 links", costs[1000] / costs[100], 12.0, "×", 1.0)
    overhead()
    start()
    return list(rows)
