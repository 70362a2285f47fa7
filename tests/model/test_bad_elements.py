"""Joints, motions, forces and requests that cannot be right: each is refused in a sentence with its name and value."""

import math
from collections.abc import Callable

import pytest

import carom as cm
from quick import each

NAN = math.nan


@pytest.fixture
def system() -> cm.System:
    """Bodies ram and link with a pin between them, and a frame welded to the ground."""
    system = cm.System(name="press")
    a = system.add(cm.Body("ram", 1.0, 1.0))
    b = system.add(cm.Body("link", 1.0, 1.0, position=(1.0, 0.0)))
    system.add(cm.Revolute(a, b, at=(0.5, 0.0), name="pin"))
    system.add(cm.Weld(system.ground, system.add(cm.Body("frame", 1.0, 1.0)), name="seam"))
    return system


Make = Callable[[cm.System, cm.Body, cm.Body], object]
LINE = [(0.0, 0.0), (1.0, 0.0), (2.0, 1.0)]
TURN = cm.ConstantSpeed(1.0)

BAD_JOINTS: dict[str, tuple[Make, str]] = {
    "a body with itself": (
        lambda s, a, b: cm.Revolute(a, a, at=(0, 0), name="hook"),
        r"Revolute 'hook': needs different bodies, got 'ram' twice",
    ),
    "ground with itself": (
        lambda s, a, b: cm.Weld(s.ground, s.ground),
        r"Weld .*: needs different bodies, got 'ground' twice",
    ),
    "carrier is a gear": (
        lambda s, a, b: cm.Gear(a, b, 2.0, carrier=a, name="box"),
        r"Gear 'box': needs different bodies, got 'ram' twice",
    ),
    "no point": (lambda s, a, b: cm.Revolute(a, b, name="hook"), r"Revolute 'hook': set at=\(x, y\)"),
    "three numbers": (
        lambda s, a, b: cm.Revolute(a, b, at=(1, 2, 3), name="hook"),
        r"Revolute 'hook': at must be 2 numbers, got 3: \(1, 2, 3\)",
    ),
    "point at nan": (
        lambda s, a, b: cm.Revolute(a, b, at=(0, NAN), name="hook"),
        r"Revolute 'hook': at\[1\] must be finite, got nan",
    ),
    "no body": (lambda s, a, b: cm.Revolute(a, "link", at=(0, 0)), r"Revolute: expected a Body, .*, got 'link'"),
    "zero axis": (
        lambda s, a, b: cm.Prismatic(a, b, axis=(0, 0), name="slide"),
        r"Prismatic 'slide': axis must have a direction, got a zero vector \(0\.0, 0\.0\)",
    ),
    "zero axis of a slot": (
        lambda s, a, b: cm.PointOnLine(a, b, axis=(0, 0), name="slot"),
        r"PointOnLine 'slot': axis must have a direction",
    ),
    "no axis": (lambda s, a, b: cm.Prismatic(a, b, name="slide"), r"Prismatic 'slide': axis is missing; set axis="),
    "axis of three": (
        lambda s, a, b: cm.Prismatic(a, b, axis=(1, 0, 0), name="slide"),
        r"Prismatic 'slide': axis must be 2 numbers, got 3",
    ),
    "rod without length": (
        lambda s, a, b: cm.Distance(s.ground, a, name="rod"),
        r"Distance 'rod': the two points coincide; set length=",
    ),
    "rod of negative length": (
        lambda s, a, b: cm.Distance(a, b, -1.0, name="rod"),
        r"Distance 'rod': length must be positive, got -1",
    ),
    "rod of length nan": (lambda s, a, b: cm.Distance(a, b, NAN, name="rod"), r"Distance 'rod': length must be finite"),
    "gear ratio zero": (lambda s, a, b: cm.Gear(a, b, 0.0, name="box"), r"Gear 'box': ratio must not be zero"),
    "gear without ratio": (lambda s, a, b: cm.Gear(a, b, name="box"), r"Gear 'box': set either ratio= or teeth="),
    "gear with both": (
        lambda s, a, b: cm.Gear(a, b, 2.0, teeth=(10, 20), name="box"),
        r"Gear 'box': set either ratio= or teeth=",
    ),
    "gear without teeth": (
        lambda s, a, b: cm.Gear(a, b, teeth=(0, 20), name="box"),
        r"Gear 'box': teeth must be positive, got \(0, 20\)",
    ),
    "gear with three wheels": (
        lambda s, a, b: cm.Gear(a, b, teeth=(1, 2, 3), name="box"),
        r"Gear 'box': teeth must be",
    ),
    "gear on nothing": (lambda s, a, b: cm.Gear(a, None, 2.0, name="box"), r"Gear 'box': .*got None"),
    "gear on a joint": (lambda s, a, b: cm.Gear(a, s["pin"], 2.0, name="box"), r"Gear 'box': .*got <Revolute 'pin'"),
    "pinion without radius": (
        lambda s, a, b: cm.RackPinion(a, b, 0.0, axis=(1, 0), name="rack"),
        r"RackPinion 'rack': radius must not be zero",
    ),
    "rack without axis": (
        lambda s, a, b: cm.RackPinion(a, b, 0.1, name="rack"),
        r"RackPinion 'rack': axis is missing; set axis=",
    ),
    "slot with coincident points": (
        lambda s, a, b: cm.PointOnCurve(a, b, [(0, 0), (1, 0), (1, 0), (2, 2)], name="cam"),
        r"PointOnCurve 'cam': points 1 and 2 coincide",
    ),
    "slot of two points": (
        lambda s, a, b: cm.PointOnCurve(a, b, [(0, 0), (1, 0)], name="cam"),
        r"PointOnCurve 'cam': points must be at least 3 pairs",
    ),
    "driver on a weld": (
        lambda s, a, b: cm.Driver(s["seam"], TURN),
        r"Weld 'seam': has no free coordinate to drive; drive a coordinate of a body instead",
    ),
    "driver on an unknown coordinate": (
        lambda s, a, b: cm.Driver(s["pin"], TURN, "displacement"),
        r"Revolute 'pin': unknown coordinate 'displacement'; choose from angle",
    ),
    "driver on a body as a whole": (
        lambda s, a, b: cm.Driver(a, TURN, name="motor"),
        r"Driver 'motor': coordinate must be 'x', 'y' or 'angle', got None",
    ),
    "driver on a body's z": (
        lambda s, a, b: cm.Driver((a, "z"), TURN, name="motor"),
        r"Driver 'motor': coordinate must be 'x', 'y' or 'angle', got 'z'",
    ),
    "driver of a number": (
        lambda s, a, b: cm.Driver(s["pin"], 3.0, name="motor"),
        r"Driver 'motor': motion must be a motion .* or a function of time, got 3\.0",
    ),
    "driver of nothing": (lambda s, a, b: cm.Driver("pin", TURN), r"Driver: expected a Body, .*, got 'pin'"),
    "driver of a function of two": (
        lambda s, a, b: cm.Driver(s["pin"], lambda t, x: t),
        r"the function must have 1 arguments, '<lambda>' has 2",
    ),
}

BAD_MOTIONS: dict[str, tuple[Make, str]] = {
    "table too short": (
        lambda s, a, b: cm.TableMotion([0, 1, 2], [0, 1, 2]),
        r"TableMotion: needs at least four points, got 3",
    ),
    "table of unequal lists": (
        lambda s, a, b: cm.TableMotion([0, 1, 2, 3], [0, 1, 2]),
        r"TableMotion: x must be 4 numbers, got 3: \[0, 1, 2\]",
    ),
    "table that goes back": (
        lambda s, a, b: cm.TableMotion([0, 2, 1, 3], [0, 1, 2, 3]),
        r"TableMotion: times must increase",
    ),
    "table with nan": (
        lambda s, a, b: cm.TableMotion([0, 1, 2, 3], [0, 1, NAN, 3]),
        r"TableMotion: x\[2\] must be finite, got nan",
    ),
    "table of a number": (lambda s, a, b: cm.TableMotion(1.0, 2.0), r"TableMotion: times must be .*got 1\.0"),
    "empty polynomial": (lambda s, a, b: cm.PolynomialMotion([]), r"PolynomialMotion: needs at least one coefficient"),
    "polynomial of a number": (
        lambda s, a, b: cm.PolynomialMotion(3.0),
        r"PolynomialMotion: coefficients must be .*got 3\.0",
    ),
    "step back in time": (
        lambda s, a, b: cm.StepMotion(1, 0, 0.5, 1),
        r"StepMotion: t1 must be after t0, got t0=1, t1=0\.5",
    ),
    "rough step": (
        lambda s, a, b: cm.StepMotion(0, 0, 1, 1, smooth="rough"),
        r"StepMotion: smooth must be one of .*, got 'rough'",
    ),
    "speed nan": (lambda s, a, b: cm.ConstantSpeed(NAN), r"ConstantSpeed: speed must be finite, got nan"),
    "frequency as text": (
        lambda s, a, b: cm.SineMotion(1, "high"),
        r"SineMotion: frequency must be a number, got 'high'",
    ),
    "function that is none": (
        lambda s, a, b: cm.FunctionMotion(3.0),
        r"FunctionMotion: value, rate and acceleration must be functions of time, got 3\.0",
    ),
    "rate that is none": (
        lambda s, a, b: cm.FunctionMotion(lambda t: t, 1.0),
        r"FunctionMotion: value, rate and acceleration must be functions of time, got 1",
    ),
}

BAD_FORCES: dict[str, tuple[Make, str]] = {
    "a body with itself": (
        lambda s, a, b: cm.SpringDamper(a.point(0, 0), a.point(1, 0), 1.0, name="coil"),
        r"SpringDamper 'coil': needs different bodies, got 'ram' twice",
    ),
    "negative stiffness": (
        lambda s, a, b: cm.SpringDamper(a, b, -5.0, name="coil"),
        r"SpringDamper 'coil': stiffness must be positive or zero, got -5",
    ),
    "negative damping": (
        lambda s, a, b: cm.RotationalSpringDamper(a, b, damping=-2.0, name="coil"),
        r"RotationalSpringDamper 'coil': damping must be positive or zero, got -2",
    ),
    "torsion spring on a joint": (
        lambda s, a, b: cm.RotationalSpringDamper(a, s["pin"], 1.0, name="coil"),
        r"RotationalSpringDamper 'coil': .*got <Revolute 'pin'",
    ),
    "torsion spring on nothing": (
        lambda s, a, b: cm.RotationalSpringDamper(a, None, 1.0, name="coil"),
        r"RotationalSpringDamper 'coil': .*got None",
    ),
    "slack for ever": (
        lambda s, a, b: cm.Ligament(a, b, 1.0, -1.0, name="cord"),
        r"Ligament 'cord': free_length must be positive, got -1",
    ),
    "limp": (
        lambda s, a, b: cm.Ligament(a, b, 0.0, name="cord"),
        r"Ligament 'cord': stiffness must be positive, got 0",
    ),
    "cubic ligament": (
        lambda s, a, b: cm.Ligament(a, b, 1.0, order="cubic", name="cord"),
        r"Ligament 'cord': order must be one of 'quadratic', 'linear', got 'cubic'",
    ),
    "bushing of two": (
        lambda s, a, b: cm.Bushing(a, b, (1.0, 2.0), name="mount"),
        r"Bushing 'mount': stiffness must be 3 numbers, got 2",
    ),
    "negative bushing": (
        lambda s, a, b: cm.Bushing(a, b, (1.0, -2.0, 1.0), name="mount"),
        r"Bushing 'mount': stiffness and damping must not be negative, got \(1\.0, -2\.0, 1\.0\)",
    ),
    "torque as text": (lambda s, a, b: cm.Torque(a, "much", name="motor"), r"Torque 'motor': torque must be a number"),
    "torque on a joint": (
        lambda s, a, b: s.add(cm.Torque(s["pin"], 1.0, name="motor")),
        r"Torque 'motor': .*'pin'",
    ),
    "torque on itself": (
        lambda s, a, b: cm.Torque(a, 1.0, reaction_body=a, name="motor"),
        r"Torque 'motor': needs different bodies, got 'ram' twice",
    ),
    "force at nan": (
        lambda s, a, b: cm.PointForce(a, (0.0, NAN), name="push"),
        r"PointForce 'push': force\[1\] must be finite, got nan",
    ),
    "frame": (
        lambda s, a, b: cm.PointForce(a, (0.0, 1.0), "local", name="push"),
        r"PointForce 'push': frame must be one of 'global', 'body', got 'local'",
    ),
}

BAD_REQUESTS: dict[str, tuple[Make, str]] = {
    "no time": (lambda s, a, b: cm.simulate(s, 0.0), r"simulate: t_end must be positive, got 0"),
    "back in time": (lambda s, a, b: cm.simulate(s, -1.0), r"simulate: t_end must be positive, got -1"),
    "until nan": (lambda s, a, b: cm.simulate(s, NAN), r"simulate: t_end must be finite, got nan"),
    "for ever": (lambda s, a, b: cm.simulate(s, math.inf), r"simulate: t_end must be finite, got inf"),
    "integrator": (
        lambda s, a, b: cm.simulate(s, 1.0, integrator="euler"),
        r"simulate: integrator must be one of 'auto', 'dopri5', .*, got 'euler'",
    ),
    "constraints": (
        lambda s, a, b: cm.simulate(s, 1.0, constraints="hope"),
        r"simulate: constraints must be one of 'projection', 'baumgarte', 'augmented', got 'hope'",
    ),
    "method": (lambda s, a, b: cm.simulate(s, 1.0, method="magic"), r"simulate: method must be one of .*, got 'magic'"),
    "fixed steps of unknown size": (
        lambda s, a, b: cm.simulate(s, 1.0, integrator="rk4"),
        r"simulate: 'rk4' takes fixed steps; set max_step=",
    ),
    "step zero": (
        lambda s, a, b: cm.simulate(s, 1.0, integrator="rk4", max_step=0.0),
        r"simulate: max_step must be positive, got 0",
    ),
    "tolerance": (lambda s, a, b: cm.simulate(s, 1.0, rtol=-1e-6), r"simulate: rtol must be positive, got -1e-06"),
    "interval": (lambda s, a, b: cm.simulate(s, 1.0, output=-0.1), r"simulate: output must be positive, got -0\.1"),
    "output after the end": (
        lambda s, a, b: cm.simulate(s, 1.0, output=[0.5, 2.0]),
        r"simulate: output times must lie between 0 and t_end = 1 s, got 0\.5 to 2",
    ),
    "output before the start": (
        lambda s, a, b: cm.simulate(s, 1.0, output=[-0.5, 0.5]),
        r"simulate: output times must lie between 0 and t_end = 1 s, got -0\.5 to 0\.5",
    ),
    "output at nan": (
        lambda s, a, b: cm.simulate(s, 1.0, output=[0.5, NAN]),
        r"simulate: output must be finite, got nan",
    ),
    "no bodies": (lambda s, a, b: cm.simulate(cm.System(name="void"), 1.0), r"System 'void' has no body; add one"),
    "no system": (lambda s, a, b: cm.simulate("press", 1.0), r"simulate: .*'press'"),
    "keep what is not there": (
        lambda s, a, b: s.assemble(keep=[(a, "colour")]),
        r"assemble: 'colour' of 'ram' cannot be kept; choose from x, y, angle",
    ),
    "keep a stranger": (
        lambda s, a, b: s.assemble(keep=[cm.Body("stranger", 1.0)]),
        r"assemble: keep must list bodies of the system .*'stranger'",
    ),
}


def test_a_table_must_cover_the_run(system: cm.System):
    system.add(cm.Driver((system["ram"], "x"), cm.TableMotion([0, 1, 2, 3], [0, 0, 0, 0]), name="motor"))
    with pytest.raises(cm.ModelError, match=r"Driver 'motor': its table covers 0 s to 3 s, the run needs 0 to 5 s"):
        cm.simulate(system, 5.0)


@each("case", BAD_JOINTS)
def test_a_joint_or_driver_that_cannot_be_is_refused(case: str, system: cm.System):
    make, message = BAD_JOINTS[case]
    with pytest.raises(cm.ModelError, match=message):
        make(system, system["ram"], system["link"])


@each("case", BAD_MOTIONS)
def test_a_motion_that_cannot_be_is_refused(case: str, system: cm.System):
    make, message = BAD_MOTIONS[case]
    with pytest.raises(cm.ModelError, match=message):
        make(system, system["ram"], system["link"])


@each("case", BAD_FORCES)
def test_a_force_that_cannot_be_is_refused(case: str, system: cm.System):
    make, message = BAD_FORCES[case]
    with pytest.raises(cm.ModelError, match=message):
        make(system, system["ram"], system["link"])


@pytest.mark.parametrize("case", BAD_REQUESTS)
def test_a_request_that_cannot_be_is_refused(case: str, system: cm.System):
    make, message = BAD_REQUESTS[case]
    with pytest.raises(cm.ModelError, match=message):
        make(system, system["ram"], system["link"])
