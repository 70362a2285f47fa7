"""Planar knee: femur and tibia in contact, held by ligaments."""

from __future__ import annotations

import math

import numpy as np

from carom.forces.registry import Ligament, PointForce
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.case_law import case_law
from carom.gallery.case_variants import runs_with_laws
from carom.gallery.figures.knee import extra_figures
from carom.geometry.closest_points import closest
from carom.geometry.shapes.curve import Curve
from carom.joints.registry import Weld
from carom.kernels.expression import expression
from carom.laws.materials import Material
from carom.laws.normal.base import NormalLaw
from carom.laws.stiffness import hertz_stiffness
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

FEMUR = (-0.04014, 0.247621, 6.889185, 270.4456, 8589.942)
"""Coefficients of the femur profile y(x), in ascending powers; x and y in [m]."""
TIBIA = (0.213373, -0.0456051, 1.073446)
"""Coefficients of the tibia profile ξ(η), in ascending powers; ξ and η in [m]."""
FEMUR_SPAN, TIBIA_SPAN = (-0.08, 0.05), (-0.04, 0.05)
"""Ranges of x of the femur and of η of the tibia [m]."""
CARTILAGE = Material("cartilage", young=5e6, poisson=0.46, density=1100.0)
"""Young's modulus [Pa], Poisson's ratio [-], density [kg/m³]."""
AMPLITUDE, PULSE = 50.0, 0.1
"""Amplitude [N] and duration [s] of the kick."""
LIGAMENTS = {
    # femur, tibia, free length [m], stiffness [N/m²]
    "AC": ((-0.033, -0.017), (0.213, -0.009), 0.0438, 3.5e7),
    "PC": ((-0.019, -0.014), (0.210, 0.035), 0.0332, 3.0e7),
    "MC": ((-0.023, -0.014), (0.163, 0.008), 0.0784, 1.5e7),
    "LC": ((-0.025, -0.019), (0.178, 0.025), 0.0562, 1.5e7),
}


kick_force = expression([
    "0",
    "ratio = t/pulse; 0 if t >= pulse else -amplitude*exp(-4.73*ratio*ratio)*sin(pi*ratio)",
], amplitude=AMPLITUDE, pulse=PULSE)  # fmt: skip
"""Force on the tibia in body axes: 50 N exp(−4.73 (t/t_d)²) sin(π t/t_d) along −η, for 0.1 s."""


@check_parameters
def knee(law: str | NormalLaw = "hertz", restitution: float = 0.6, exact: bool = True) -> Case:
    """Knee joint in the sagittal plane, kicked.

    Four ligaments connect the tibia with the fixed femur, and their profiles are in contact; a force of 0.1 s pushes
    the tibia forward. ``law`` is the name of a contact law with the given ``restitution``, or a law object. The
    stiffness is Hertz's for the radii of the profiles at their initial closest points.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.knee().system
    <System 'knee': 2 bodies, 1 joints, 5 forces, 8 contacts, 1 compounds>
    """
    system = System(name="knee")
    femur = system.add(Body("femur", mass=7.580, inertia=0.1260))
    tibia_angle = math.radians(35.21)
    tibia = system.add(Body("tibia", mass=3.750, inertia=0.0165, position=(-0.2016, -0.1749), angle=tibia_angle))
    system.add(Weld(system.ground, femur, name="support"))
    condyle = Curve.polynomial(femur, x=(0.0, 1.0), y=FEMUR, span=FEMUR_SPAN, flip=True)
    plateau = Curve.polynomial(tibia, x=TIBIA, y=(0.0, 1.0), span=TIBIA_SPAN, flip=True)
    radii = start_radii(condyle, plateau)
    stiffness = hertz_stiffness(*radii, CARTILAGE, CARTILAGE)
    contact_law = case_law("knee", law, stiffness=stiffness, restitution=restitution, exact=exact)
    system.add(Contact(condyle, plateau, law=contact_law, name="cartilage"))
    for name, (on_femur, on_tibia, length, ligament_stiffness) in LIGAMENTS.items():
        system.add(Ligament(femur.point(*on_femur), tibia.point(*on_tibia), ligament_stiffness, length, name=name))
    system.add(PointForce(tibia, kick_force, frame="body", name="kick"))

    def check_results(result: Result) -> list[CheckResult]:
        times = np.linspace(0.0, float(result.t[-1]), 9)
        sample = result.sample(times)
        poses = zip(sample[tibia].x, sample[tibia].y, sample[tibia].angle, strict=True)
        expected = np.array([indentation_by_search(*pose) for pose in poses])
        return [
            energy_drift(result, 1e-8),
            max_abs_error("indentation [m] by search", sample["cartilage"].indentation, expected, 1e-8),
        ]

    def runs(laws: tuple[str, ...], result: Result) -> dict[str, Result]:
        def with_law(name: str) -> Case:
            return knee(name, restitution, exact)

        return runs_with_laws(with_law, laws, "cartilage", (case, result), t_end=result.t[-1])

    case = Case(
        knee,
        system=system,
        options={"t_end": 0.4},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("cartilage.normal_force", "tibia.angle"),
            motion=("tibia.angle", "cartilage.indentation"),
            ghosts=(0.4,),
        ),
        reference="M. Machado, P. Moreira, P. Flores, H. M. Lankarani, Compliant contact force models in multibody "
        "dynamics: Evolution of the Hertz contact theory, Mechanism and Machine Theory 53 (2012) 99–121, Figs 11–12",
        extra_figures=extra_figures(runs),
    )
    return case


def gap_along_normal(femur_x: float, x: float, y: float, angle: float) -> float:
    """Return the distance of the tibia along the femur's normal at ``femur_x`` [m], from a quadratic equation."""
    slope = sum(k * coefficient * femur_x ** (k - 1) for k, coefficient in enumerate(FEMUR) if k)
    height = sum(coefficient * femur_x**k for k, coefficient in enumerate(FEMUR))
    length = math.hypot(slope, 1.0)
    c, s = math.cos(angle), math.sin(angle)
    dx, dy = femur_x - x, height - y
    xi, eta = c * dx + s * dy, c * dy - s * dx
    normal_x, normal_y = slope / length, -1.0 / length
    normal_xi, normal_eta = c * normal_x + s * normal_y, c * normal_y - s * normal_x
    a = TIBIA[2] * normal_eta**2
    b = (TIBIA[1] + 2.0 * TIBIA[2] * eta) * normal_eta - normal_xi
    c_0 = TIBIA[0] + TIBIA[1] * eta + TIBIA[2] * eta**2 - xi
    root = math.sqrt(max(b * b - 4.0 * a * c_0, 0.0))
    return 2.0 * c_0 / (-b + math.copysign(root, -b))  # This is the root of smaller magnitude.


def indentation_by_search(x: float, y: float, angle: float) -> float:
    """Return the indentation of the profiles in a pose of the tibia [m]: the smallest gap along the femur's normals."""
    from scipy.optimize import minimize_scalar

    def gap(femur_x: float) -> float:
        return gap_along_normal(femur_x, x, y, angle)

    candidates = np.linspace(-0.06, -0.02, 81)
    nearest = min(candidates, key=gap)
    minimum = minimize_scalar(gap, bounds=(nearest - 1e-3, nearest + 1e-3), method="bounded", options={"xatol": 1e-9})
    return -float(minimum.fun)


def start_radii(condyle: Curve, plateau: Curve) -> tuple[float, float]:
    """Return the signed radii of the two profiles at their closest points [m]."""
    closest_points = closest(condyle, plateau)
    x, _ = closest_points.point_a
    tibia = plateau.body
    _, eta = tibia.to_local((float(closest_points.point_b[0]), float(closest_points.point_b[1])))
    return condyle.radius_at(float(x)), plateau.radius_at(eta)
