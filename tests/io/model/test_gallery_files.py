"""Round trip of all gallery cases through model files: identical data of the compiled model."""

import numpy as np
import pytest

from carom.compiled_model.system_data import SystemData
from carom.gallery import CASES
from carom.model.system import System
from carom.solve.simulate import simulate

SMALL = {"box_of_spheres": {"balls": 128}, "cup_and_marble": {"points": 108}}
MOVED = ("pendulum", "slider_crank", "knee", "cam_follower", "bouncing_ball", "spinning_top", "slider_crank_clearance",
         "cup_and_marble", "condyles")  # fmt: skip

ELSEWHERE = ("slider_crank_clearance", "cup_and_marble", "condyles")
"""Cases without bodies, or with addresses among their numbers."""


def case_of(name):
    return CASES[name](**SMALL.get(name, {}))


def numbers(system):
    """Return the data of the compiled model without addresses."""
    tables = SystemData(system)
    tables_of_numbers = [tables.y0, tables.mass, np.array(tables._params), np.array(tables._velocity_indices)]
    groups = [np.array([n for shape in group.shapes for n in shape.parameters]) for group in system.groups]
    laws = [np.array(law.parameters) for group in system.groups for law in (group.law, group.friction) if law]
    return b"".join(array.tobytes() for array in (*tables_of_numbers, *groups, *laws))


@pytest.mark.parametrize("name", [name for name in CASES if name not in ELSEWHERE])
def test_case_round_trip(name, tmp_path):
    case = case_of(name)
    text = case.system.to_yaml(tmp_path / "model.yaml", run=case.options)
    back = System.from_yaml(tmp_path / "model.yaml")
    assert numbers(back) == numbers(case.system)
    for family in ("bodies", "joints", "forces", "contacts", "compounds", "groups"):
        assert [item.name for item in getattr(back, family)] == [item.name for item in getattr(case.system, family)]
    assert back.to_yaml(run=case.options) == text


@pytest.mark.parametrize("name", MOVED)
def test_run_of_the_file_equals_run_of_the_case(name):
    case = case_of(name)
    end = {**case.options, "t_end": min(case.options["t_end"], 0.05)}
    mine, other = simulate(case.system, **end), simulate(System.from_yaml(case.system.to_yaml()), **end)
    for key in ("t", "q", "v", "a", "signals"):
        assert getattr(mine, key).tobytes() == getattr(other, key).tobytes()


@pytest.mark.parametrize("parameters", [{}, {"crank": "driven"}, {"coordinates": "cartesian"}])
def test_generalised_system_round_trip(parameters):
    """The functions generated from the formulas have identical sources."""
    case = CASES["slider_crank_clearance"](**parameters)
    text = case.system.to_yaml(run=case.options)
    back = System.from_yaml(text)
    assert back.to_yaml(run=case.options) == text
    if parameters.get("coordinates") == "cartesian":
        assert numbers(back) == numbers(case.system)
    else:
        assert back._generated == case.system._generated
