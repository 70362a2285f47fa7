"""CVODE called directly with a compiled right-hand side, and through scikit-sundae."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import carom as cm
from carom.solve.compliant import cvode_solver, replay, sundials_library
from carom.solve.compliant.cvode_solver import DirectSolver, ScikitSundaeSolver
from solve.mechanisms import parallelogram


def bouncing_ball() -> cm.System:
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", 1.0, 1e-3, position=(0.0, 0.11)))
    law = cm.laws.Flores(1e6, 0.7)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law=law, name="floor"))
    return system


@pytest.fixture
def without_library(monkeypatch):
    """A platform on which the library cannot be reached."""
    monkeypatch.setattr(cvode_solver, "sundials_library", lambda: None)


def test_the_installed_wheel_has_all_functions_of_the_library():
    library = sundials_library.sundials_library()
    assert library is not None
    for name in sundials_library.FUNCTIONS:
        assert library.address(name) != 0


def test_libraries_of_a_windows_wheel_are_found_by_their_names(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(sundials_library.ctypes, "CDLL", opened.append)
    folder = tmp_path / "scikit_sundae.libs"
    folder.mkdir()
    names = ["sundials_cvode-163885f2.dll", "sundials_core-db7c109a.dll", "sundials_ida-5aa2d08e.dll"]
    for name in names:
        (folder / name).touch()
    extension = tmp_path / "sksundae" / "_cy_cvode.cp311-win_amd64.pyd"
    list(sundials_library.shared_libraries(extension, "win32"))
    assert [Path(path).name for path in opened] == names[:2]
    opened.clear()
    list(sundials_library.shared_libraries(Path("elsewhere/sksundae/_cy_cvode.pyd"), "win32"))
    assert opened == ["sundials_cvode.dll", "sundials_core.dll"]  # Conda
    opened.clear()
    list(sundials_library.shared_libraries(extension, "darwin"))
    assert opened == [str(extension)]


def test_library_without_a_function_is_not_used(monkeypatch):
    monkeypatch.setitem(sundials_library.FUNCTIONS, "CVodeOfTomorrow", (None, ()))
    assert sundials_library.sundials_library.__wrapped__() is None


@pytest.mark.parametrize("integrator", ["adams", "bdf"])
@pytest.mark.parametrize(("build", "t_end"), [(bouncing_ball, 0.2), (lambda: parallelogram(1.0, bars=2), 0.3)])
def test_both_interfaces_give_the_same_bits(build, t_end, integrator, request):
    direct = cm.simulate(build(), t_end, integrator=integrator)
    request.getfixturevalue("without_library")
    other = cm.simulate(build(), t_end, integrator=integrator)
    np.testing.assert_array_equal(other.t, direct.t)
    np.testing.assert_array_equal(other.q, direct.q)
    for name in ("steps", "evaluations", "events"):
        assert other.stats.get(name) == direct.stats.get(name)


def test_the_interface_is_chosen_by_the_library(monkeypatch):
    chosen = []
    create = cvode_solver.cvode_solver

    def remember(rhs, options):
        chosen.append(create(rhs, options))
        return chosen[-1]

    monkeypatch.setattr(replay, "cvode_solver", remember)
    cm.simulate(bouncing_ball(), 0.01, integrator="bdf")
    monkeypatch.setattr(cvode_solver, "sundials_library", lambda: None)
    cm.simulate(bouncing_ball(), 0.01, integrator="bdf")
    assert [type(solver) for solver in chosen] == [DirectSolver, ScikitSundaeSolver]


@pytest.mark.parametrize("direct", [True, False])
def test_recorded_run_that_outgrows_its_array_has_the_same_bits(direct, tmp_path, monkeypatch, request):
    if not direct:
        request.getfixturevalue("without_library")
    expected = cm.simulate(bouncing_ball(), 0.1, integrator="adams", stream=tmp_path / "a.h5")
    monkeypatch.setattr(replay, "FIRST_CAPACITY", 2)
    result = cm.simulate(bouncing_ball(), 0.1, integrator="adams", stream=tmp_path / "b.h5")
    np.testing.assert_array_equal(result.q, expected.q)


def test_a_failure_of_cvode_prints_nothing(capfd):
    """The outcome of the run reports it."""
    result = cm.simulate(parallelogram(0.3, bars=2), 2.0, integrator="bdf")
    assert result.outcome is cm.Outcome.SINGULAR
    sys.stdout.flush()
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err == ""
