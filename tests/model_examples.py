"""Systems that hold one of everything, for the tests of model files."""

import math

import numpy as np

import carom as cm
from carom.laws.friction.registry import FRICTIONS
from carom.laws.friction.rolling_resistance import Rolling
from carom.laws.lubrication.registry import LUBRICANTS
from carom.laws.normal.registry import LAWS

LAW_VALUES = {
    "stiffness": 1.1e7, "restitution": 0.9, "exponent": 1.45, "exact": True, "modulus": 2e11, "length": 0.03,
    "clearance": 1e-4, "damping": 123.4, "depth": 1e-4, "mass": 0.3, "tension": True,
}  # fmt: skip
FRICTION_VALUES = {
    "coefficient": 0.13, "regularisation": 2e-3, "static": 0.3, "dynamic": 0.2, "stick_speed": 0.01, "slip_speed": 0.1,
    "v0": 0.01, "v1": 0.1, "decay": 3.0, "stiffness": 1e4, "shape": 1.5, "stribeck_speed": 0.02, "damping": 10.0,
    "viscous": 0.4, "breakaway": 0.6,
}  # fmt: skip


def laws():
    """Return every normal law that acts at a point."""
    made = []
    for kind in LAWS.values():
        if kind.is_distributed:
            continue
        values = {key: LAW_VALUES[key] for key in kind.arguments if key in LAW_VALUES}
        if kind is cm.laws.KelvinVoigt:
            made.append(kind(1e6, restitution=0.6, mass=0.2))
            values = {"stiffness": 1e6, "damping": 12.0, "tension": True}
        made.append(kind(**values))
    return [*made, cm.laws.custom(cm.expression("k*indentation**1.5", ("indentation", "rate"), k=2e9), name="mine")]


def frictions():
    """Every friction law."""
    made = [kind(**{key: FRICTION_VALUES[key] for key in kind.arguments}) for kind in FRICTIONS.values()]
    return [*made, cm.friction.custom(cm.expression("0.1*tanh(speed/0.01)", "speed"))]


def planar_system(poses, gravity=(0.1, -9.81)):
    """Planar bodies at ``poses`` = [(x, y, angle), …] and every element for them."""
    system = cm.System(gravity=gravity, name="one of everything: planar")
    names = ["crank", "left wheel", "no", "1e3", 'größe — "π"']
    bodies = [
        system.add(cm.Body(name, 1.0 + k, 0.1 / (k + 3), position=pose[:2], angle=pose[2], velocity=(0.1, -0.0)))
        for k, (name, pose) in enumerate(zip(names, poses, strict=True))
    ]
    a, b, c, d, e = bodies
    ground = system.ground
    pin = system.add(cm.Revolute(ground, a, at=(0.1, 1.0 / 3.0)))
    system.add(cm.Revolute(a.marker((0.1, 0.2), angle=0.3), b.marker((0.3, 0.0), 0.7), name="=odd"))
    system.add(cm.Prismatic(ground, c, axis=(1.0, 0.3)))
    system.add(cm.Weld(a, d, name="true"))
    system.add(cm.Distance(a, e))
    system.add(cm.PointOnLine(a, c, axis=(0.2, 1.0)))
    system.add(cm.PointOnCurve(ground, e, points=[(0.0, 0.0), (0.3, 0.1), (0.6, 0.4), (1.0, 0.2)]))
    system.add(cm.Gear(a, b, teeth=(17, 31), carrier=c))
    system.add(cm.RackPinion(c, b, 0.1, axis=(1.0, 0.2)))
    for k, motion in enumerate([
        cm.ConstantSpeed(2.0), cm.SineMotion(0.1, 3.0, 0.2), cm.PolynomialMotion([0.1, 0.2, 1e-3]),
        cm.StepMotion(0.0, 0.0, 0.3, 1.0),
        cm.TableMotion([0.0, 0.1, 0.2, 0.5], [0.0, 0.1, 0.0, 0.3]), cm.FunctionMotion(cm.expression("0.1*sin(5*t)")),
        cm.FunctionMotion(cm.expression("t*t"), cm.expression("2*t"), cm.expression("2")),
    ]):  # fmt: skip
        target = [pin, (b, "x"), c.point(0.1, k / 7.0)][min(k, 2)]  # each its own coordinate
        system.add(cm.Driver(target, motion, None if k < 2 else "y", name=f"driver {k}"))
    system.add(cm.PointForce(a.point(0.1, 0.2), (1.0, 2.0), frame="body"))
    system.add(cm.PointForce(b, cm.expression(["sin(t)", '"left wheel".x*crank.omega']), name="pull"))
    system.add(cm.Torque(a, cm.expression("2*sin(3*t) - 0.1*crank.omega"), reaction_body=b))
    tension = cm.expression("length*rate", ("length", "rate"))
    system.add(cm.SpringDamper(a, b.point(0.0, 1.0), 100.0, 0.1, tension=tension))
    system.add(cm.RotationalSpringDamper(stiffness=3.0, joint=pin, free_angle=0.1))
    system.add(cm.Ligament(a, e, 1e4, order="linear"))
    system.add(cm.Bushing(a, b, (1e3, 2e3, 3.0), (1.0, 0.0, 0.5), at=(0.3, 0.4)))
    ball = cm.Sphere(a, 0.1)
    law, impact = laws()[0], cm.ImpactLaw(0.5, 0.1, law="poisson")
    shapes = [
        cm.Plane(ground, (0.0, -1.0), (0.1, 1.0)), cm.Segment(ground, (0.0, 0.0), (1.0, 1.0), 0.1, edges="ignore"),
        cm.Sphere(ground, 5.0, inside=True),
        cm.Curve.polynomial(b, (0.0, 1.0), (0.0, 0.1, 1.0), (-1.0, 1.0), flip=True),
        cm.Curve(b, [(math.cos(x), 0.5 * math.sin(x)) for x in np.linspace(0.0, 6.0, 9)[:-1]], closed=True),
        cm.Curve.function(ground, cm.expression(["s", "0.1*s*s"], "s"), (-1.0, 1.0)),
        cm.Polygon(b, [(0.0, 0.0), (0.3, 0.0), (0.1, 0.2)], 0.01, (0.1, 0.0)),
    ]  # fmt: skip
    for other in shapes:
        system.add(cm.Contact(ball, other, law, impact=impact))
    for k, each in enumerate(laws()):
        system.add(cm.Contact(cm.Point(c, (0.1 * k, 0.0)), shapes[0], each, name=f"law {k}"))
    for k, each in enumerate(frictions()):
        system.add(cm.Contact(ball, shapes[0], law, each, name=f"friction {k}"))
    group = [cm.Sphere(body, 0.1) for body in (c, d, e)]
    system.add_contacts(group, [shapes[0]], law, name="few")
    system.add(cm.RevoluteClearance(a, d, at=(0.2, 0.2), journal_radius=0.01, bearing_radius=0.0101, law=law))
    for kind in LUBRICANTS.values():
        sizes = {"journal_radius": 0.01, "bearing_radius": 0.0101, "roughness": 2e-6}
        system.add(cm.RevoluteClearance(a, d, at=(0.2, 0.3), law=law, lubricant=kind(0.05, 0.01), **sizes))
    worn = cm.wear.WearProfile(first=[1e-7] * 36)
    wear = cm.wear.Archard(1e-4, 2e9, "pressure", cycle_factor=3.0, interval=0.1, share=0.3, sectors=36, profile=worn)
    sizes = {"journal_radius": 0.01, "bearing_radius": 0.0101}
    system.add(cm.RevoluteClearance(a, d, at=(0.2, 0.4), law=law, impact=impact, wear=wear, **sizes))
    system.add(cm.PrismaticClearance(ground, e, length=0.1, width=0.05, clearance=1e-3, impact=impact, tilt=0.01))
    bore = [(0.01 * math.cos(x), 0.0102 * math.sin(x)) for x in np.linspace(0.0, 6.0, 19)[:-1]]
    system.add(cm.ProfileClearance(a, d, at=(0.2, 0.1), journal_radius=0.009, profile=bore, law=law))
    system.add(cm.GearBacklash(b, e, (17, 31), 1e-4, law, impact=impact, pressure_angle=0.4))
    system.add(cm.Outlet(box=((-1.0, -2.0), (0.5, 1 / 3))))
    system.add(cm.Accelerometer(a.marker((0.1, 0.2), angle=0.3), noise=(0.1, 1 / 3), rate=100.0, seed=3))
    system.add(cm.Gyroscope(b, noise=0.01))
    system.add(cm.JointEncoder(pin, resolution=0.01))
    system.add(cm.ContactSwitch([system["law 0"], system["few"]], threshold=0.5))
    system.add(cm.ForcePlate(ground, system["friction 0"], name="plate"))
    return system


def spatial_system(poses, gravity=(0.0, 0.3, -9.81)):
    """Return a spatial system with bodies at ``poses`` = [(x, y, z, w, i, j, k), …]."""
    system = cm.System(dim=3, gravity=gravity, name="one of everything: in space")
    inertias = [0.3, (0.2, 0.3, 0.4), [[0.3, 0.01, 0.0], [0.01, 0.4, 0.0], [0.0, 0.0, 0.5]], 0.1, 0.1]
    bodies = [
        system.add(cm.Body(f"body {k}", 1.0 + k, inertia, pose[:3], None, None, (0.1, 2.0, k), pose[3:]))
        for k, (inertia, pose) in enumerate(zip(inertias, poses, strict=True))
    ]
    a, b, c, d, e = bodies
    ground, x, z = system.ground, (1.0, 0.0, 0.0), (0.1, 0.2, 1.0)
    pin = system.add(cm.Revolute(ground, a, at=(0.1, 0.2, 0.3), axis=z))
    other = system.add(cm.Revolute(a, b, at=(0.4, 0.2, 0.3), axis=x))
    system.add(cm.Gear(pin, other, 0.5))
    system.add(cm.Prismatic(ground, c, axis=z))
    system.add(cm.Weld(c, d))
    system.add(cm.Distance(a, e, 1.5))
    system.add(cm.Spherical(ground, e, at=(1.0, 1.0, 1.0)))
    system.add(cm.Universal(a, c, (0.0, 0.0, 1.0), axis_a=x, axis_b=(0.0, 1.0, 0.0)))
    system.add(cm.Cylindrical(a, d, axis=z, limits={"angle": (-1.0, None), "displacement": (-0.1, 0.2)}))
    system.add(cm.Planar(ground, d, normal=z))
    system.add(cm.Screw(ground, e, axis=x, pitch=0.01))
    system.add(cm.PointOnCurve(ground, b, points=[(0.0, 0.0, 0.0), (0.3, 0.1, 0.1), (0.6, 0.4, 0.0), (1.0, 0.2, 0.1)]))
    system.add(cm.Driver(pin, cm.ConstantSpeed(1.0)))
    system.add(cm.Driver(e.marker((0.1, 0.2, 0.3), orientation=(1.0, 2.0, 3.0, 4.0)), cm.SineMotion(0.1, 1.0), "z"))
    system.add(cm.PointForce(a.point(0.0, 0.0, 1.0), cm.expression(["0", "1", "a*t"], a=-2.0)))
    system.add(cm.Torque(b, (0.1, 0.2, 0.3)))
    system.add(cm.Torque(b, cm.expression('-0.5*"body 1".wx'), axis=x))
    system.add(cm.RotationalSpringDamper(a, b, 3.0, axis=z))
    system.add(cm.Bushing(a.marker((0.1, 0.0, 0.0), orientation=np.eye(3)), e, (1.0,) * 6))
    law = laws()[0]
    ball = cm.Sphere(a, 0.1, (0.0, 0.0, 0.1))
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    corners = np.vstack([np.zeros(3), np.eye(3)])
    shapes = [
        cm.Plane(ground), cm.Triangle(ground, (0, 0, 0), x, (0, 1, 0)), cm.Disc(b, (0, 0, 0), z, 0.3),
        cm.Rectangle(b, (0, 0, 0), x, (0, 1, 0), 0.3, 0.4, edges="ignore"), cm.Torus(b, (0, 0, 0), z, 1.0, 0.1),
        cm.Cylinder(b, (0, 0, 0), z, 0.1, 0.5), cm.Cone(b, (0, 0, 0), z, 0.1, 0.5, inside=True),
        cm.Box(b, (0.1, 0.2, 0.3), orientation=(1.0, 1.0, 0.0, 0.5)),
        cm.Mesh(b, vertices=corners, faces=faces, scale=0.1),
        cm.Ellipsoid(b, (0.1, 0.2, 0.3), orientation=(1.0, 1.0, 0.0, 0.5)),
        cm.ConvexHull(b, corners, (0.1, 0.0, 0.0), (1.0, 1.0, 0.0, 0.5), scale=0.1),
        cm.Curve(b, [(0, 0, 0), (1, 0, 0.1), (2, 1, 0), (3, 0, 0)], radius=0.01),
        cm.Union(cm.Cylinder(ground, (0, 0, 0), z, 1.0, 0.5, True), cm.Cone(ground, (0, 0, 1), z, 1.0, 0.5, 2.0, True)),
    ]  # fmt: skip
    for shape in shapes:
        system.add(cm.Contact(ball, shape, law, rolling=Rolling(1e-4)))
    system.add(cm.Contact(shapes[7], shapes[0], law, cm.friction.Coulomb(0.3), name="box"))
    layer = cm.laws.ElasticFoundation(1e6, 0.01, poisson_ratio=0.3, damping=0.1, element_size=0.2)
    system.add(cm.Contact(shapes[8], cm.Plane(ground, (0.0, 0.0, -2.0)), layer, name="layer"))
    system.add(cm.Visual(cm.Box(a, (0.1, 0.2, 0.3)), colour="red", opacity=0.5))
    system.add(cm.SphericalClearance(a, c, (0.5, 0.5, 0.5), 0.01, 0.011, law))
    system.add(cm.CylindricalClearance(ground, c, length=0.1, journal_radius=0.01, bearing_radius=0.011, law=law))
    sizes = {"length": 0.1, "journal_radius": 0.01, "bearing_radius": 0.011, "law": law}
    system.add(cm.HingeClearance(ground, c, **sizes, bearing_length=0.05, axial_play=1e-3, collar_radius=0.02, pads=3))
    system.add(cm.GuideClearance(a, d, axis=z, length=0.1, clearance=1e-3, width=0.02, height=0.03, law=law))
    system.add(cm.GuideClearance(a, e, axis=x, length=0.1, clearance=1e-3, radius=0.02, impact=cm.ImpactLaw(0.5)))
    system.add(cm.Inlet([c, a], times=(0.1, 0.2)))
    system.add(cm.Inlet(iter([b]), rate=3.0, start=0.7, name="late"))
    system.add(cm.Outlet(at=(0.0, 0.0, -1.0), normal=(0.1, 0.0, -0.3), interval=0.02))
    turned = a.marker((0.1, 0.0, 0.0), orientation=(1.0, 2.0, 3.0, 4.0))
    for sensor in (cm.Accelerometer(turned), cm.Gyroscope(turned), cm.JointEncoder(pin), cm.ForcePlate(b)):
        system.add(sensor)
    system.add(cm.ContactSwitch(system["box"]))
    system.shapes["floor"] = shapes[0]
    system.shapes["unused"] = cm.Point(c)
    return system


def address(number):
    """Return whether a parameter may be an address, which differs from process to process."""
    return 2.0**32 <= number < 2.0**48 and number.is_integer()


def fingerprint(system):
    """Every number of a system, exactly, without compiling anything."""
    found = [system.name, system.dim, system.gravity]
    for body in system.bodies:
        turned = body.angle if body.dim == 2 else body.orientation
        found.append((body.name, body.mass, body.inertia, body.position, turned, body.velocity, body.angular_velocity))
    for element in (*system.joints, *system.forces, *system.contacts, *system.compounds):
        members = [None if body is None else body.name for body in element.members]
        found.append((type(element).__name__, element.name, members, [float(n) for n in element.parameters]))
        motion = getattr(element, "motion", None)
        if motion is not None:
            found.append((type(motion).__name__, [float(n) for n in motion.parameters(0.3)]))
        for function in (getattr(element, "torque", None), getattr(element, "force", None)):
            if callable(function):
                found.append(function.formula)
        if isinstance(element, cm.Contact):
            found.append(
                (element.pairing.swapped, [n for n in map(float, element.pairing.parameters) if not address(n)])
            )
            found.append([shape.vertices.tolist() for shape in element.shapes if isinstance(shape, cm.Mesh)])
            for law in (element.law, element.friction, element.rolling):
                found.append((type(law).__name__, getattr(law, "parameters", None)))
            found.append(element.impact)
    for sensor in system.sensors:
        marker, contacts = getattr(sensor, "marker", None), getattr(sensor, "contacts", None) or ()
        found.append((type(sensor).__name__, sensor.name, sensor.noise, sensor.rate, sensor.seed, sensor.signals))
        found.append(None if marker is None else (marker.body.name, marker.at, marker.angle, marker.turning))
        found.append([contact.name for contact in contacts])
    for boundary in system.boundaries:
        bodies = [body.name for body in getattr(boundary, "bodies", ())]
        found.append(
            (boundary.label, bodies, [float(n) for n in boundary.parameters], getattr(boundary, "interval", 0))
        )
    return repr(found)
