"""The multistep methods where they cannot go on."""

from __future__ import annotations

import re
from contextlib import nullcontext

import numpy as np
import pytest

import carom as cm
from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.solve.compliant import cvode
from solve.mechanisms import parallelogram


@pytest.mark.parametrize("bars", [2, 3])
def test_bdf_names_the_joints_of_the_singular_position_it_does_not_pass(bars):
    """Released 0.3 rad above the flat position, where a parallelogram may also become an antiparallelogram."""
    with pytest.warns(cm.CaromWarning) if bars > 2 else nullcontext():
        result = cm.simulate(parallelogram(0.3, bars=bars), 2.0, integrator="bdf")
    assert result.outcome is cm.Outcome.SINGULAR
    assert all(f"'foot {k}'" in result.message for k in range(2))


def stack(count: int) -> cm.System:
    """Boxes above each other, 10 µm apart, each on its two lower corners: both touch at one moment."""
    half, gap = 0.05, 1e-5
    system = cm.System(gravity=(0.0, -9.81), name="stack")
    top = cm.Plane(system.ground)
    for k in range(count):
        box = system.add(cm.Body(f"box{k}", 1.0, 1e-3, position=(0.0, half * (2 * k + 1) + gap * (k + 1))))
        for side, x in (("left", -half), ("right", half)):
            system.add(cm.Contact(cm.Point(box, (x, -half)), top, law=KelvinVoigt(1e6, 500.0), name=f"{side}{k}"))
        top = cm.Plane(box, (0.0, half))
    return system


def test_bdf_takes_contacts_that_begin_together_once():
    """Each corner touches once, as for an explicit method; at rest below, each box weighs on the two corners."""
    runs = [cm.simulate(stack(5), 0.06, integrator=name) for name in ("bdf", "dopri5")]
    for result in runs:
        assert result.outcome is cm.Outcome.FINISHED
        assert len(result.impacts) == result.stats["events"] == 10
    assert runs[0].q[-1] == pytest.approx(runs[1].q[-1], abs=1e-11)


def test_multistep_run_without_progress_ends_at_a_contact(monkeypatch):
    monkeypatch.setattr(cvode, "MIN_ADVANCE", 0.5)
    monkeypatch.setattr(cvode, "MAX_TRIES", 100)
    result = cm.simulate(stack(5), 0.06, integrator="bdf")
    assert result.outcome is cm.Outcome.STALLED
    assert re.search(r"last event was at contact '(left|right)\d'", result.message)


def block_test() -> cm.System:
    return cm.gallery.slider_crank_block().system


def ball_in_space() -> cm.System:
    """A ball that bounces and slides on a plane."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    ball = system.add(cm.Body("ball", 0.1, (1e-5,) * 3, position=(0.0, 0.0, 0.011), velocity=(0.3, 0.1, 0.0)))
    law, friction = cm.laws.Flores(1e6, 0.6), cm.friction.Coulomb(0.3, regularisation=1e-3)
    system.add(cm.Contact(cm.Sphere(ball, 0.01), cm.Plane(system.ground), law=law, friction=friction))
    return system


@pytest.mark.parametrize("integrator", ["adams", "bdf"])
@pytest.mark.parametrize("options", [{}, {"output": 0.01}], ids=["steps", "output"])
@pytest.mark.parametrize(
    ("build", "t_end"),
    [(lambda: parallelogram(1.0, bars=2), 0.5), (lambda: stack(2), 0.03), (block_test, 0.06), (ball_in_space, 0.05)],
    ids=["mechanism", "stack", "block", "ball"],
)
def test_compiled_loop_gives_the_bits_of_single_steps(monkeypatch, integrator, options, build, t_end):
    def run() -> cm.Result:
        return cm.simulate(build(), t_end, integrator=integrator, **options)

    compiled = run()
    assert compiled.stats["steps"] > cvode.FIRST_CHUNK
    monkeypatch.setattr(cvode, "MAX_CHUNK", 1)
    short_chunks = run()
    monkeypatch.setattr(cvode.Cvode, "build_loop", lambda method: None)
    for other in (short_chunks, run()):
        np.testing.assert_array_equal(other.t, compiled.t)
        np.testing.assert_array_equal(other.q, compiled.q)
        assert other.stats["steps"] == compiled.stats["steps"]
        assert other.stats["evaluations"] == compiled.stats["evaluations"]
        assert [list(vars(i).values()) for i in other.impacts] == [list(vars(i).values()) for i in compiled.impacts]


def test_python_is_called_after_every_step_of_a_user_force(monkeypatch):
    """An exception of a user's function ends the run at once."""
    monkeypatch.setattr(cvode, "take_steps", None)
    system = cm.System(gravity=(0.0, 0.0))
    body = system.add(cm.Body("body", 1.0, 1.0))
    system.add(cm.PointForce(body, lambda t: (1.0, 0.0)))
    assert cm.simulate(system, 1.0, integrator="adams")["body"].vx[-1] == pytest.approx(1.0, rel=1e-7)


def test_multistep_run_of_smooth_motion_without_progress_ends(monkeypatch):
    monkeypatch.setattr(cvode, "MIN_ADVANCE", 0.9)
    monkeypatch.setattr(cvode, "MAX_TRIES", 30)
    result = cm.simulate(parallelogram(1.0, bars=2), 0.5, integrator="adams")
    assert result.outcome is cm.Outcome.STALLED
    assert result.stats["steps"] == 30


def test_interrupted_chunk_keeps_its_nodes(monkeypatch):
    whole = cm.simulate(parallelogram(1.0, bars=2), 0.5, integrator="adams")
    take_steps = cvode.take_steps

    class Interrupted:
        chunks = 0

        def call(self, loop):
            take_steps.call(loop)
            self.chunks += 1
            if self.chunks == 2:
                raise KeyboardInterrupt
            return cvode.CHUNK_DONE

    monkeypatch.setattr(cvode, "take_steps", Interrupted())
    monkeypatch.setattr(cvode, "MAX_CHUNK", 30)
    result = cm.simulate(parallelogram(1.0, bars=2), 0.5, integrator="adams")
    assert result.outcome is cm.Outcome.INTERRUPTED
    assert cvode.FIRST_CHUNK < result.stats["steps"] < whole.stats["steps"]
    np.testing.assert_array_equal(result.t, whole.t[: len(result.t)])
    assert len(result.t) == 1 + result.stats["steps"]
