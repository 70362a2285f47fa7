"""Runs that go to a file and are interrupted: what comes out when they go on has the same bits."""

from __future__ import annotations

import os
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

import carom as cm
from carom.gallery import CASES
from carom.io.checkpoint_file import CheckpointWriter
from carom.io.records import checkpoint_path, read_run, records_path
from carom.result.outcome import Outcome
from carom.solve import checkpointing
from carom.solve.compliant import cvode, rk_integrator
from carom.solve.compliant.registry import CVODE_METHODS
from carom.solve.many_body import verlet_engine
from carom.solve.timestepping import time_stepper
from quick import slow_but
from solve.many_body.systems import add_sphere, box_walls, lattice
from solve.mechanisms import FourBar, pendulum
from solve.timestepping.scenes import ball_above_floor, rod_in_box


class Killed(BaseException):
    """Ends a run wherever it is; nothing in carom catches it."""


def sliding_ball(friction: Any = None, law: Any = None) -> cm.System:
    """A ball that bounces and slides to rest on a slope."""
    system = cm.System(gravity=(0.5, -9.81), name="sliding ball")
    ball = system.add(cm.Body("ball", 1.0, 0.004, position=(0.0, 0.15), velocity=(0.6, -0.5)))
    law = cm.laws.Flores(stiffness=1e5, restitution=0.6) if law is None else law
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law=law, friction=friction, name="floor"))
    return system


@cache
def hanging_point() -> cm.GeneralizedSystem:
    """A point on the line y = 0, thrown up, in coordinates of its own and with functions of Python."""
    return cm.GeneralizedSystem(
        [0.0, 0.5], [1.0, 0.0], np.eye(2), lambda q: np.array([0.0, -9.81]), lambda q: np.array([q[1]]),
        tangential=lambda q: np.array([q[0]]), impact=cm.ImpactLaw(0.6, 0.3), potential=lambda q: 9.81 * q[1],
        coordinates=["x", "y"], name="point",
    )  # fmt: skip


def three_bars() -> cm.System:
    return CASES["n_four_bar"](n=2).system


def ellipsoid_on_floor() -> cm.System:
    """A turning ellipsoid: the search for its closest points goes on from step to step."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="ellipsoid")
    body = system.add(
        cm.Body("egg", 1.0, inertia=(0.004, 0.003, 0.002), position=(0.0, 0.0, 0.2), angular_velocity=(3.0, 2.0, 1.0))
    )
    shape = cm.Surface(body, cm.surfaces.Ellipsoid(0.15, 0.1, 0.08))
    law, friction = cm.laws.Flores(stiffness=1e5, restitution=0.7), cm.friction.Coulomb(0.3)
    system.add(cm.Contact(shape, cm.Plane(system.ground), law=law, friction=friction, name="floor"))
    return system


def ball_on_floor(rolling: cm.friction.Rolling | None = None) -> cm.System:
    """A ball that falls with back spin, bounces, slides and rolls."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="ball")
    body = system.add(
        cm.Body("ball", 1.0, 0.004, (0.0, 0.0, 0.11), velocity=(1.0, 0.5, 0.0), angular_velocity=(2.0, -5.0, 3.0))
    )
    impact = cm.ImpactLaw(0.3, friction=0.3)
    shapes = cm.Sphere(body, 0.1), cm.Plane(system.ground)
    system.add(cm.Contact(*shapes, impact=impact, rolling=rolling, name="floor"))
    return system


def grains() -> cm.System:
    """Balls that fall into a box, in one group of pairs."""
    places, side = lattice(40)
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="grains")
    balls = [add_sphere(system, f"ball {k}", place) for k, place in enumerate(places)]
    law, friction = cm.laws.HuntCrossley(1e6, 0.7), cm.friction.Coulomb(0.3)
    system.add_contacts(balls, box_walls(system, side), law=law, friction=friction)
    return system


NONSMOOTH = {"method": "nonsmooth", "step": 1e-3}
RUNS: dict[str, tuple[Any, float, dict[str, Any]]] = {
    **{name: (sliding_ball, 0.4, {"integrator": name}) for name in ("dopri5", "dop853", "tsit5")},
    **{name: (sliding_ball, 0.1, {"integrator": name}) for name in CVODE_METHODS},
    "rk4": (sliding_ball, 0.1, {"integrator": "rk4", "max_step": 1e-3}),
    "state of friction": (lambda: sliding_ball(cm.friction.LuGre(0.3, 0.2, 0.1, 1e4)), 0.3, {}),
    "plastic law": (lambda: sliding_ball(law=cm.laws.LeeWang(stiffness=1e5, restitution=0.9)), 0.3, {}),
    "rejected onsets": (sliding_ball, 0.2, {"onset": "reject"}),
    "joints": (lambda: FourBar(0.5, 1.5, 1.2, 1.6).system(1.0), 1.0, {}),
    "redundant joints": (three_bars, 0.8, {}),
    "feedback": (lambda: FourBar(0.5, 1.5, 1.2, 1.6).system(1.0), 0.5, {"constraints": "baumgarte"}),
    "surface": (ellipsoid_on_floor, 0.3, {}),
    "given times": (sliding_ball, 0.3, {"output": 0.01}),
    "verlet": (grains, 0.06, {"max_step": 1e-4, "output": 0.02}),
    "midpoint": (lambda: rod_in_box(0.7, friction=0.2), 0.5, NONSMOOTH),
    "adaptive": (lambda: rod_in_box(0.7, friction=0.2), 0.5, {**NONSMOOTH, "adaptive": True, "min_step": 1e-5}),
    "theta": (lambda: ball_above_floor(0.5, 0.2), 0.5, {**NONSMOOTH, "scheme": "theta", "theta": 0.6}),
    "pgs": (lambda: ball_above_floor(0.5, 0.2, friction=0.3), 0.5, {**NONSMOOTH, "solver": "pgs"}),
    "event-driven": (lambda: rod_in_box(0.7, friction=0.2), 0.5, {"method": "nonsmooth", "scheme": "event-driven"}),
    "event-driven in 3D": (ball_on_floor, 0.5, {"method": "nonsmooth", "scheme": "event-driven"}),
    "event-driven with rolling": (
        partial(ball_on_floor, rolling=cm.friction.Rolling(2e-3, spinning=1e-3)),
        0.5,
        {"method": "nonsmooth", "scheme": "event-driven"},
    ),
    "own coordinates": (hanging_point, 0.8, NONSMOOTH),
}


@pytest.fixture
def in_small_chunks(monkeypatch):
    """Chunks as small as they can be; how long they take has no say in them."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    asked = 0

    def due(self):
        nonlocal asked
        asked += 1  # steps of multistep methods ask one by one, and restarts
        return asked % 20 == 0 if self.settings.get("integrator") in CVODE_METHODS else True

    monkeypatch.setattr(checkpointing.StreamedOutput, "checkpoint_due", property(due))
    for module in (rk_integrator, time_stepper, verlet_engine):
        monkeypatch.setattr(module, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(rk_integrator, "FIRST_BUDGET", 60)
    monkeypatch.setattr(rk_integrator, "LEAST_BUDGET", 100)
    monkeypatch.setattr(time_stepper, "FIRST_BUDGET", 7)
    monkeypatch.setattr(time_stepper, "MIN_BUDGET", 10)


def interrupt(monkeypatch, after: int, run) -> int:
    """Have ``run`` die when it has written ``after`` chunks, or let it end; how many it wrote."""
    count = 0
    write = CheckpointWriter.write

    def counted(self, *given):
        nonlocal count
        write(self, *given)
        count += 1
        if count == after:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(CheckpointWriter, "write", counted)
        if after:
            with pytest.raises(Killed):
                run()
        else:
            run()
    return count


def same(one: cm.Result, other: cm.Result) -> None:
    assert one.same_as(other)
    costs = [{name: cost for name, cost in r.stats.items() if name != "wall_time"} for r in (one, other)]
    assert costs[0] == costs[1]


QUICK = (
    "dopri5", "adams", "redundant joints", "given times", "adaptive", "event-driven", "event-driven in 3D",
    "event-driven with rolling",
)  # fmt: skip


@pytest.mark.parametrize("name", slow_but(QUICK, RUNS))
def test_a_run_that_goes_on_has_the_bits_of_one_that_was_not_interrupted(name, tmp_path, monkeypatch, request):
    make, t_end, options = RUNS[name]
    monkeypatch.setattr(cvode, "STRETCH", 40)
    whole = cm.simulate(make(), t_end, stream=tmp_path / "whole.h5", **options)
    assert whole.outcome.ok
    request.getfixturevalue("in_small_chunks")
    file = tmp_path / "run.h5"
    count = interrupt(monkeypatch, 0, lambda: cm.simulate(make(), t_end, stream=file, **options))
    assert count > 3
    same(cm.load(file), whole)
    file.unlink()
    unwritable = {"system": make()} if name == "own coordinates" else {}
    breaks = sorted({min(5, count // 3), count // 3, count // 2, count - 2})
    for k in breaks:
        interrupt(monkeypatch, k, lambda: cm.simulate(make(), t_end, stream=file, **options))
        there = cm.load(file)
        assert there.outcome is Outcome.INTERRUPTED
        assert f"interrupted at t = {there.t[-1]:.9g} s" in there.message
        assert "resume" in there.message
        np.testing.assert_array_equal(there.t, whole.t[: len(there.t)])
        np.testing.assert_array_equal(there.q, whole.q[: len(there.t)])
        if k == breaks[1]:  # and once more on the way
            interrupt(monkeypatch, max((count - k) // 2, 1), lambda: cm.resume(file, **unwritable))
        same(cm.resume(file, **unwritable), whole)
        same(cm.load(file), whole)
        assert not records_path(file).exists()
        assert not checkpoint_path(file).exists()
        file.unlink()


@pytest.mark.usefixtures("in_small_chunks")
@pytest.mark.parametrize("integrator", ["dopri5", "adams"])
def test_an_impact_in_progress_is_gone_on_with(integrator, tmp_path, monkeypatch):
    monkeypatch.setattr(cvode, "STRETCH", 19)
    file, options = tmp_path / "run.h5", {"integrator": integrator}
    whole = cm.simulate(sliding_ball(), 0.12, stream=tmp_path / "whole.h5", **options)
    n_in_impact = 0
    for k in range(2, 40, 2):
        interrupt(monkeypatch, k, lambda: cm.simulate(sliding_ball(), 0.12, stream=file, **options))
        there = cm.load(file)
        pressing = [impact for impact in there.impacts if not impact.finished]
        if pressing:
            n_in_impact += 1
            assert pressing[0].t_end >= there.t[-1]
            assert there["floor"].indentation[-1] > 0.0
            same(cm.resume(file), whole)
            if n_in_impact == 2:
                return
        records_path(file).unlink(missing_ok=True)
    raise AssertionError("no break fell into an impact")


@pytest.mark.usefixtures("in_small_chunks")
@pytest.mark.parametrize(
    ("integrator", "friction"),
    [("auto", cm.friction.LuGre(0.3, 0.2, 0.1, 1e4, 80.0)), ("implicit", cm.friction.Coulomb(0.3, 1e-4))],
    ids=["auto", "implicit"],
)
def test_a_run_is_resumed_among_its_implicit_steps(integrator, friction, tmp_path, monkeypatch):
    law = cm.laws.KelvinVoigt(1e6, damping=800.0)
    file, whole_file, options = tmp_path / "run.h5", tmp_path / "whole.h5", {"integrator": integrator}

    def run(to):
        return cm.simulate(sliding_ball(friction, law), 0.4, stream=to, **options)

    count = interrupt(monkeypatch, 0, lambda: run(whole_file))
    whole = cm.load(whole_file)
    assert whole.stats["implicit_steps"] > 10
    among_them = []
    for k in (count // 2, count - 2):
        interrupt(monkeypatch, k, lambda: run(file))
        _, state = read_run(file).checkpoint
        among_them.append("method/implicit memory" in state)
        same(cm.resume(file), whole)
        file.unlink()
    assert any(among_them)


@pytest.mark.usefixtures("in_small_chunks")
def test_a_multistep_method_is_saved_without_a_restart(tmp_path, monkeypatch):
    monkeypatch.setattr(cvode, "STRETCH", 10**9)
    file, options = tmp_path / "run.h5", {"integrator": "adams"}
    whole = cm.simulate(pendulum(), 1.0, stream=tmp_path / "whole.h5", **options)
    interrupt(monkeypatch, 3, lambda: cm.simulate(pendulum(), 1.0, stream=file, **options))
    _, state = read_run(file).checkpoint
    assert state["method/t"] > 0.0
    assert len(state["method/solver values"]) > 20
    same(cm.resume(file), whole)


def test_the_run_in_memory_has_the_same_bits(tmp_path):
    for make, options in ((sliding_ball, {}), (lambda: rod_in_box(0.7), NONSMOOTH), (three_bars, {})):
        same(cm.simulate(make(), 0.3, stream=tmp_path / "run.h5", **options), cm.simulate(make(), 0.3, **options))


def test_a_finished_run_goes_on_to_a_later_end_only(tmp_path):
    file = tmp_path / "run.h5"
    first = cm.simulate(sliding_ball(), 0.3, stream=file)
    assert cm.resume(file).same_as(first)
    assert cm.resume(file, t_end=0.2).same_as(first)
    longer = cm.resume(file, t_end=0.5)
    assert longer.outcome.ok
    assert longer.t[-1] == 0.5
    count = len(first.t) - 1
    np.testing.assert_array_equal(longer.q[:count], first.q[:count])
    expected = cm.simulate(sliding_ball(), 0.5)
    assert longer.q[-1] == pytest.approx(expected.q[-1], abs=1e-7)
    assert len(longer.impacts) == len(expected.impacts)
    at = [0.05, 0.2, 0.45]
    np.testing.assert_array_equal(
        longer.sample(at)["floor"].contact_mode > 0, expected.sample(at)["floor"].contact_mode > 0
    )


@pytest.mark.usefixtures("in_small_chunks")
@pytest.mark.parametrize("name", slow_but(["dopri5", "midpoint"], ["dopri5", "midpoint", "verlet", "event-driven"]))
def test_ctrl_c_keeps_what_there_is_and_the_run_goes_on(name, tmp_path):
    make, t_end, options = RUNS[name]
    file = tmp_path / "run.h5"
    whole = cm.simulate(make(), t_end, stream=tmp_path / "whole.h5", **options)

    def stop(fraction):
        if fraction > 0.4:
            raise KeyboardInterrupt

    stopped = cm.simulate(make(), t_end, stream=file, progress=stop, **options)
    assert stopped.outcome is Outcome.INTERRUPTED
    assert 0.0 < stopped.t[-1] < t_end
    np.testing.assert_array_equal(stopped.q, whole.q[: len(stopped.t)])
    assert cm.load(file).same_as(stopped)
    same(cm.resume(file), whole)


@pytest.mark.usefixtures("in_small_chunks")
def test_the_model_must_be_the_same(tmp_path, monkeypatch):
    file = tmp_path / "run.h5"
    interrupt(monkeypatch, 3, lambda: cm.simulate(sliding_ball(), 0.4, stream=file))
    before = records_path(file).read_bytes()
    other = sliding_ball()
    other["ball"].mass = 1.1
    with pytest.raises(cm.ModelError, match="the system differs"):
        cm.resume(file, system=other)
    assert records_path(file).read_bytes() == before
    with pytest.raises(cm.ModelError, match="must not be earlier"):
        cm.resume(file, t_end=1e-6)
    assert cm.resume(file, system=sliding_ball()).outcome.ok


@pytest.mark.usefixtures("in_small_chunks")
def test_a_model_with_functions_of_python_is_asked_for(tmp_path, monkeypatch):
    def pushed(rate: float = 1.0) -> cm.System:
        system = pendulum()
        system.add(cm.Torque(system["bob"], lambda t: 0.1 * rate * np.sin(t)))
        return system

    file = tmp_path / "run.h5"
    whole = cm.simulate(pushed(), 2.0, stream=tmp_path / "whole.h5")
    interrupt(monkeypatch, 3, lambda: cm.simulate(pushed(), 2.0, stream=file))
    assert cm.load(file).outcome is Outcome.INTERRUPTED
    with pytest.raises(cm.ModelError, match=r"does not contain the model .*system="):
        cm.resume(file)
    same(cm.resume(file, system=pushed()), whole)


def test_a_function_that_raises_keeps_what_was_computed(tmp_path):
    def broken(t):
        if t > 0.5:
            raise ZeroDivisionError("mine")
        return 0.0

    file = tmp_path / "run.h5"
    system = pendulum()
    system.add(cm.Torque(system["bob"], broken))
    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        cm.simulate(system, 1.0, stream=file)
    kept = cm.load(file)
    assert 0.3 < kept.t[-1] <= 0.5
    np.testing.assert_array_equal(caught.value.result.q, kept.q)
    assert cm.simulate(pendulum(), 1.0, stream=file).outcome.ok  # it may be started again


def test_every_goes_with_a_file():
    with pytest.raises(cm.ModelError, match="every= belongs to the deprecated"):
        cm.simulate(pendulum(), 1.0, every=0.1)
