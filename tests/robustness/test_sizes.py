"""Requests that would need all memory or never end are rejected before they begin."""

import itertools

import numpy as np
import pytest

import carom as cm
from carom.cli.run import run_case
from carom.study.sampling_design import Uniform, sampling_design


@pytest.fixture(scope="module")
def fall():
    system = cm.System(gravity=(0.0, -9.81))
    system.add(cm.Body("bob", mass=1.0, position=(0.0, 1.0)))
    return system


@pytest.mark.parametrize(("options", "message"), [
    ({"output": 1e-9}, r"output every 1e-09 s up to 1 s are 1e\+09 nodes, more than 10000000"),
    ({"output": range(10**9)}, "output must have at most 10000000 times"),
    ({"output": [0.1, np.nan]}, "output must be finite"),
    ({"output": [[0.1], [0.2, 0.3]]}, "output must be a number"),
    ({"t_end": 1e300}, r"t_end must be at most 1e\+12 s, got 1e\+300"),
    ({"t_end": np.inf}, "t_end must be finite"),
    ({"t_end": 10**400}, "t_end must be finite"),
    ({"max_step": 1e-300}, r"max_step = 1e-300 s is too short for a run of 1 s, .* more than 1e\+12 steps"),
    ({"integrator": "rk4", "max_step": 1e-18}, "max_step = 1e-18 s is too short"),
    ({"integrator": "verlet", "max_step": 1e-18}, "max_step = 1e-18 s is too short|verlet"),
    ({"integrator": np.zeros(2)}, "integrator must be the name of one"),
    ({"progress": np.zeros(2)}, "progress must be True or False"),
    ({"method": "nonsmooth", "step": 1e-300}, "step = 1e-300 s is too short"),
    ({"method": "nonsmooth", "step": 1e-3, "adaptive": True, "min_step": 1e-300}, "min_step = 1e-300 s is too short"),
    ({"method": "nonsmooth", "t_end": 1e300, "scheme": "event-driven"}, "t_end must be at most"),
    ({"method": []}, "method must be a name"),
])  # fmt: skip
def test_runs_without_end(fall, options, message):
    with pytest.raises(cm.ModelError, match=message):
        cm.simulate(fall, **{"t_end": 1.0, **options})


@pytest.mark.parametrize(("parameters", "options", "message"), [
    ({"x": (0.0, 1.0)}, {"samples": 10**12}, "samples must be a whole number from 1 to 2000000, got 1000000000000"),
    ({"x": Uniform(0, 1)}, {"samples": 10**12, "method": "grid"}, "samples must be a whole number"),
    ({"x": range(1000), "y": range(1000), "z": range(1000)}, {}, "at most 2000000, got 1000000000"),
    ({"x": range(10**9)}, {}, "x must have at most 2000000 values"),
    ({"x": itertools.count()}, {}, "x must have at most 2000000 values"),
    ({"x": (0.0, 1.0)}, {"samples": 4, "seed": "x"}, "seed must be a whole number"),
    ({"x": (0.0, 1.0)}, {"samples": 4, "seed": -1}, "seed must be a whole number"),
    ({"x": np.array(1.0)}, {}, "x must be a list of values"),
])  # fmt: skip
def test_designs_that_are_too_large(parameters, options, message):
    with pytest.raises(cm.ModelError, match=message):
        sampling_design(parameters, **options)


@pytest.mark.parametrize("settings", [
    ["length=x"], ["length=nan"], ["length=1e999"], ["length=" + "9" * 5000], ["length"], ["=1"], ["length=,"],
    ["length=1e-200", "inertia=0"], ["t_end=1e300"], ["t_end=x"], ["max_step=1e-300"], ["output=1e-12"],
    ["method=\0"], ["rtol=\udcff"], ["nothing=1"], ["integrator=1"], ["mass=true,false"],
])  # fmt: skip
def test_settings_on_the_command_line(settings, tmp_path, capsys):
    """Exit code 2, and one message."""
    assert run_case("pendulum", settings, None, tmp_path, False) == 2
    messages = capsys.readouterr().err
    assert messages.startswith("error: ")
    assert "Traceback" not in messages
