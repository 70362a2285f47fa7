"""FMUs of models: checked by the validator of FMPy, run by FMPy, with the bits of `Simulation` and `simulate`."""

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu

import carom as cm
from carom.errors import suppress_warnings
from fmu_instances import VERSIONS, Instance

STEP = 1e-3
PARAMETERS = ["touch.law.stiffness", "carriage.velocity.x"]


def hammer() -> cm.System:
    """Return a carriage on a rail that is pushed against a wall and bounces."""
    system = cm.System(name="hammer")
    carriage = system.add(cm.Body("carriage", mass=0.1 + 0.2, inertia=1e-3, velocity=(2.0, 0.0)))
    system.add(cm.Prismatic(system.ground, carriage, axis=(1.0, 0.0), name="rail"))
    push = system.add(cm.Input("push", unit="N", value=1.0))
    system.add(cm.PointForce(carriage, (0.5 * push + 1.0, 0.0), name="motor"))
    ball, wall = cm.Sphere(carriage, radius=0.02), cm.Plane(system.ground, at=(0.03, 0.0), normal=(-1.0, 0.0))
    system.add(cm.Contact(ball, wall, law=cm.laws.Flores(stiffness=1e8, restitution=0.7), name="touch"))
    system.add(cm.Output("power", "motor.fx * carriage.vx", unit="W"))
    return system


OUTPUTS = ["carriage.x", "carriage.vx", "touch.normal_force", "power"]


@pytest.fixture(scope="module", params=VERSIONS)
def fmu(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("fmu") / "hammer.fmu"
    return hammer().to_fmu(
        path,
        inputs=["push"],
        outputs=OUTPUTS,
        parameters=PARAMETERS,
        fmi_version=request.param,
        communication_step=STEP,
    )


def values_of(source) -> list[float]:
    """Return the outputs of an instance of an FMU, or of a simulation."""
    if isinstance(source, Instance):
        return [source[name] for name in OUTPUTS]
    return [source["carriage"].x, source["carriage"].vx, source["touch"].normal_force, source["power"]]


def test_validator_finds_no_problem_and_variables_have_units(fmu):
    assert validate_fmu(str(fmu)) == []
    description = fmpy.read_model_description(str(fmu))
    by_name = {variable.name: variable for variable in description.modelVariables if variable.name != "time"}
    causalities = {"push": "input", **dict.fromkeys(OUTPUTS, "output"), **dict.fromkeys(PARAMETERS, "parameter")}
    assert {name: variable.causality for name, variable in by_name.items()} == causalities
    units = {"push": "N", "carriage.x": "m", "carriage.vx": "m/s", "touch.normal_force": "N", "power": "W"}
    assert {name: by_name[name].unit for name in units} == units
    assert by_name["touch.normal_force"].description == "normal force of Contact touch"
    newton = next(unit.baseUnit for unit in description.unitDefinitions if unit.name == "N")
    assert (newton.kg, newton.m, newton.s) == (1, 1, -2)
    abilities = description.coSimulation
    assert abilities.canGetAndSetFMUstate
    assert abilities.canSerializeFMUstate
    assert abilities.canHandleVariableCommunicationStepSize
    assert description.defaultExperiment.stepSize == str(STEP)


def test_fmpy_simulates_the_fmu_with_the_bits_of_simulate(fmu):
    system = hammer()
    result = cm.simulate(system, 0.04, output=[k * STEP for k in range(41)])
    run = fmpy.simulate_fmu(str(fmu), stop_time=0.04, output_interval=STEP)
    assert len(result.impacts) == 1
    np.testing.assert_array_equal(run["time"], result.t)
    np.testing.assert_array_equal(run["carriage.x"], result["carriage"].x)
    np.testing.assert_array_equal(run["touch.normal_force"], result["touch"].normal_force)
    np.testing.assert_array_equal(run["power"], result["power"].value)


def test_steps_have_the_bits_of_advance_with_inputs_that_change(fmu):
    sim = cm.Simulation(hammer())
    with Instance(fmu) as instance:
        instance.initialize()
        for k in range(40):
            sim["push"] = instance["push"] = 3.0 * np.sin(k)
            sim.advance(STEP)
            instance.step(k * STEP, (k + 1) * STEP - k * STEP)  # to (k + 1) · STEP, without rounding
            assert values_of(instance) == values_of(sim)
        assert instance["push"] == sim["push"]


def test_states_in_contact_are_restored_and_serialized_with_the_same_bits(fmu):
    with Instance(fmu) as instance:
        instance.initialize()
        t = 0.0
        while instance["touch.normal_force"] == 0.0:
            instance.step(t, 5e-5)
            t += 5e-5
        state, before = instance.save(), values_of(instance)
        content = instance.to_bytes(state)

        def go_on():
            instance["push"] = -4.0
            for k in range(10):
                instance.step(t + k * 2e-5, 2e-5)
            return values_of(instance)

        first = go_on()
        instance.restore(state)
        assert values_of(instance) == before
        assert instance["push"] == 1.0
        assert go_on() == first
        with Instance(fmu) as other:
            other.initialize(**{"touch.law.stiffness": 2e8})
            other.restore(other.from_bytes(content))
            assert other["touch.law.stiffness"] == 1e8
            assert values_of(other) == before
            other.restore(other.from_bytes(content[:100]))
            with pytest.raises(FMICallException, match="DoStep failed"):
                other.step(t, 2e-5)
            assert "these bytes are not a state of it" in other.messages[-1]
            other.restore(other.from_bytes(content))
            other.step(t, 2e-5)


def test_parameters_and_inputs_start_with_the_values_that_are_set_before_initialisation(fmu):
    system = hammer().with_changes({"touch.law.stiffness": 2e7, "carriage.velocity.x": 3.0})
    sim = cm.Simulation(system)
    sim["push"] = 5.0
    with Instance(fmu) as instance:
        assert instance["carriage.vx"] == 2.0
        instance.initialize(**{"touch.law.stiffness": 2e7, "carriage.velocity.x": 3.0, "push": 5.0})
        assert instance["power"] == 3.0 * 3.5
        for k in range(20):
            sim.run_until(k * STEP + STEP)
            instance.step(k * STEP, STEP)
        assert values_of(instance) == values_of(sim)
        instance["touch.law.stiffness"] = 1e6
        assert "'touch.law.stiffness' can be set before initialisation only" in instance.messages[-1]
        with pytest.raises(FMICallException, match="DoStep failed"):
            instance.step(20 * STEP, STEP)
        instance["touch.law.stiffness"] = 2e7
        instance.step(20 * STEP, STEP)
        instance.fmu.reset()
        instance.initialize()
        assert values_of(instance) == values_of(cm.Simulation(hammer()))


def test_bad_values_fail_the_step_with_a_message_and_the_instance_stays_usable(fmu):
    with Instance(fmu) as instance:
        instance.initialize()
        before = values_of(instance)
        for name, value, message in (("push", np.nan, "'push': value must be finite, got nan"),):
            instance[name] = value
            with pytest.raises(FMICallException, match="DoStep failed"):
                instance.step(0.0, STEP)
            assert message in instance.messages[-1]
        instance["push"] = 1.0
        with pytest.raises(FMICallException, match="DoStep failed"):
            instance.step(0.0, 0.0)
        assert "the communication step must be positive" in instance.messages[-1]
        assert values_of(instance) == before
        instance.step(0.0, STEP)
        with pytest.raises(FMICallException, match="DoStep failed"):
            instance.step(0.5, STEP)
        assert "it is at 0.001 s, but the step begins at 0.5 s" in instance.messages[-1]
        instance.step(STEP, STEP)


def test_parameters_out_of_range_fail_the_steps_until_reset(fmu):
    with Instance(fmu) as instance:
        instance.initialize(**{"touch.law.stiffness": -1.0})
        assert "stiffness: must be positive" in instance.messages[-1]
        assert np.isnan(instance["carriage.x"])
        with pytest.raises(FMICallException, match="DoStep failed"):
            instance.step(0.0, STEP)
        instance.fmu.reset()
        instance.initialize().step(0.0, STEP)
        assert instance["carriage.x"] > 0.0


def test_time_of_the_model_begins_at_the_start_time(fmu):
    with Instance(fmu) as late, Instance(fmu) as early:
        late.initialize(start_time=8.0).step(8.0, 0.25)
        early.initialize().step(0.0, 0.25)
        assert values_of(late) == values_of(early)


def test_fmus_of_one_process_are_independent(fmu, tmp_path):
    other = cm.gallery.pendulum().system.to_fmu(tmp_path / "hammer.fmu", outputs=["bob.y"])
    with Instance(fmu) as first, Instance(fmu) as second, Instance(other) as third:
        first.initialize(push=2.0).step(0.0, STEP)
        second.initialize(push=9.0).step(0.0, STEP)
        third.initialize().step(0.0, STEP)
        assert first["carriage.vx"] < second["carriage.vx"]
        sim = cm.Simulation(cm.gallery.pendulum().system)
        sim.advance(STEP)
        assert third["bob.y"] == sim["bob"].y


def arm() -> cm.System:
    """Return an arm of two rods whose end is moved out by an input, at most by 2 m."""
    system = cm.System(name="arm")
    upper = system.add(cm.Body("upper", mass=1.0, inertia=0.1, position=(0.25, 0.25 * np.sqrt(3.0)), angle=np.pi / 3))
    lower = system.add(cm.Body("lower", mass=1.0, inertia=0.1, position=(0.75, 0.25 * np.sqrt(3.0)), angle=-np.pi / 3))
    system.add(cm.Revolute(system.ground, upper, at=(0.0, 0.0)))
    system.add(cm.Revolute(upper, lower, at=(0.5, 0.5 * np.sqrt(3.0))))
    guide = system.add(cm.PointOnLine(system.ground, lower, at=(1.0, 0.0), axis=(1.0, 0.0), name="guide"))
    place = system.add(cm.Input("place", unit="m", hold="linear"))
    system.add(cm.Driver(guide, place))
    return system


@pytest.mark.parametrize("version", VERSIONS)
def test_a_run_that_fails_is_reported_and_earlier_states_can_be_restored(version, tmp_path):
    path = arm().to_fmu(tmp_path / "arm.fmu", outputs=["lower.x"], fmi_version=version)
    with Instance(path) as instance:
        instance.initialize()
        instance.step(0.0, 0.01)
        state, before = instance.save(), instance["lower.x"]
        instance["place"] = 1.5  # the rods reach 1.0
        with pytest.raises(FMICallException, match="DoStep failed"):
            instance.step(0.01, 1.0)
        reason = instance.messages[-1]
        assert "Simulation: " in reason
        with pytest.raises(FMICallException, match="DoStep failed"):
            instance.step(0.01, 1.0)
        assert "Reset it, or set an earlier state" in instance.messages[-1]
        instance.restore(state)
        assert instance["lower.x"] == before
        instance["place"] = 0.5
        instance.step(0.01, 1.0)
        assert instance["lower.x"] > before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inputs": ["pusch"]}, "unknown input 'pusch'; did you mean 'push'?"),
        ({"inputs": ["idle"]}, "nothing follows the input 'idle', so it has no effect"),
        ({"outputs": ["carriage.wx"]}, "unknown output 'carriage.wx'; did you mean 'carriage"),
        ({"outputs": ["power", "power"]}, "outputs contain 'power' twice"),
        ({"outputs": "power"}, "outputs must be a list"),
        ({"parameters": ["touch.law.stifness"]}, "did you mean stiffness?"),
        ({"parameters": ["touch.law"]}, "the parameter 'touch.law' must be a number"),
        ({"fmi_version": "1.0"}, "fmi_version must be one of '3.0', '2.0', got '1.0'"),
        ({"communication_step": -1.0}, "communication_step must be positive"),
        ({"rtoll": 1e-9}, "rtoll"),
    ],
)
def test_errors_of_an_export_name_the_problem(options, message, tmp_path):
    system = hammer()
    system.add(cm.Input("idle"))
    with pytest.raises((cm.ModelError, TypeError), match=message), suppress_warnings():
        system.to_fmu(tmp_path / "hammer.fmu", **options)
    assert list(tmp_path.iterdir()) == []


def test_python_functions_and_other_names_are_refused(tmp_path):
    system = hammer()
    with pytest.raises(cm.ModelError, match=r"path must end with \.fmu"):
        system.to_fmu(tmp_path / "hammer.zip")
    system.add(cm.Output("half", lambda s: 0.5 * s["carriage"].x))
    with pytest.raises(cm.ModelError, match="Output 'half': its Python function cannot be written in a model file"):
        system.to_fmu(tmp_path / "hammer.fmu")


def test_all_signals_are_outputs_by_default(tmp_path):
    path = hammer().to_fmu(tmp_path / "the hammer.fmu")
    description = fmpy.read_model_description(str(path))
    names = {variable.name for variable in description.modelVariables if variable.causality == "output"}
    assert {"power", "carriage.omega", "rail.displacement", "motor.fx", "touch.indentation"} <= names
    assert description.coSimulation.modelIdentifier == "the_hammer"


def test_states_of_another_fmu_are_refused(tmp_path):
    options = {"parameters": ["touch.law.stiffness"], "outputs": ["power"]}
    changed = hammer().with_changes({"carriage.mass": 0.7})
    paths = [one.to_fmu(tmp_path / f"{k}.fmu", **options) for k, one in enumerate((hammer(), changed))]
    with Instance(paths[0]) as first, Instance(paths[1]) as second:
        state = first.to_bytes(first.initialize().save())
        second.initialize()
        second.restore(second.from_bytes(state))
        with pytest.raises(FMICallException, match="DoStep failed"):
            second.step(0.0, STEP)
        assert "belongs to another model or method" in second.messages[-1]


def test_data_files_travel_with_the_fmu(tmp_path):
    corners, faces = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    mesh = tmp_path / "solid.obj"
    mesh.write_text("\n".join(lines) + "\n")
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="solid")
    body = system.add(cm.Body("solid", mass=1.0, inertia=(0.1, 0.1, 0.1)))
    system.add(cm.Visual(cm.Mesh(body, mesh)))
    path = system.to_fmu(tmp_path / "solid.fmu", outputs=["solid.vz"])
    mesh.unlink()
    with Instance(path) as instance:
        instance.initialize().step(0.0, 0.5)
        assert instance["solid.vz"] == pytest.approx(-9.81 * 0.5, rel=1e-12)


def test_nonsmooth_runs_are_exported(tmp_path):
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", mass=1.0, inertia=0.1, position=(0.0, 0.02)))
    floor = cm.Plane(system.ground, at=(0.0, 0.0), normal=(0.0, 1.0))
    system.add(cm.Contact(cm.Point(ball), floor, impact=cm.ImpactLaw(restitution=0.5), name="floor"))
    options = {"method": "nonsmooth", "step": 1e-4}
    path = system.to_fmu(tmp_path / "ball.fmu", outputs=["ball.y"], **options)
    sim = cm.Simulation(system, **options)
    with Instance(path) as instance:
        instance.initialize()
        for k in range(10):
            sim.run_until(0.01 * k + 0.01)
            instance.step(0.01 * k, 0.01)
        assert instance["ball.y"] == sim["ball"].y
