"""An inverted pendulum on a cart between two walls, held up by state feedback.

The gains follow from `cm.linearize` and a linear-quadratic regulator. A hand pushes the cart against a wall; the
controller, which knows nothing of walls, catches the pole after the impacts.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_continuous_are

import carom as cm

CART, POLE, LENGTH = 1.0, 0.2, 0.5
"""Masses [kg] and length of the pole [m]."""
PERIOD = 2e-3
"""Time between two calls of the controller [s]."""
LARGEST_FORCE = 40.0
"""Largest force of the motor [N]."""


def cart_pole(left: float = 0.5, right: float = 0.15) -> cm.System:
    """Return a cart on a rail, with a pole that stands on it, and walls at distances ``left`` and ``right`` [m]."""
    system = cm.System(gravity=(0.0, -9.81), name="cart-pole between walls")
    ground = system.ground
    cart = system.add(cm.Body("cart", CART, 0.01))
    pole = system.add(cm.Body("pole", POLE, POLE * LENGTH**2 / 12.0, position=(0.0, 0.5 * LENGTH)))
    system.add(cm.Prismatic(ground, cart, axis=(1.0, 0.0), at=(0.0, 0.0), name="rail"))
    system.add(cm.Revolute(cart, pole, at=(0.0, 0.0), name="hinge"))
    push = system.add(cm.Input("push", unit="N"))
    hand = system.add(cm.Input("hand", unit="N"))
    system.add(cm.PointForce(cart, (push, 0.0), name="motor"))
    system.add(cm.PointForce(cart, (hand, 0.0), name="pushed by hand"))
    law = cm.laws.ExactRestitution(stiffness=1e6, restitution=0.4)
    for name, side, wall in (("left wall", 1.0, left), ("right wall", -1.0, right)):
        plane = cm.Plane(ground, at=(-side * wall, 0.0), normal=(side, 0.0))
        buffer = cm.Sphere(cart, radius=0.02, at=(-side * 0.08, 0.0))
        system.add(cm.Contact(buffer, plane, law=law, impact=cm.ImpactLaw(0.4), name=name))
    return system


def gains(system: cm.System) -> np.ndarray:
    """Return the gains of the regulator for (x, angle) and their rates."""
    A, B = cm.linearize(system).state_space(["cart.x", "pole.angle"])
    B, Q, R = B[:, :1], np.diag([40.0, 60.0, 2.0, 2.0]), np.array([[0.2]])
    P = solve_continuous_are(A, B, Q, R)
    return np.linalg.solve(R, B.T @ P)[0]


def add_controller(system: cm.System) -> cm.Controller:
    """Add the state feedback."""
    K = gains(system)

    def feedback(t, y):
        return float(np.clip(-K @ y, -LARGEST_FORCE, LARGEST_FORCE))

    measured = ["cart.x", "pole.angle", "cart.vx", "pole.omega"]
    return system.add(cm.Controller(PERIOD, feedback, inputs=measured, outputs=["push"], name="state feedback"))


def run(method: str = "compliant") -> cm.Result:
    """Push the cart against the right wall for 0.1 s, and return the result of 4 s."""
    system = cart_pole()
    add_controller(system)
    options = {} if method == "compliant" else {"method": "nonsmooth", "step": 2e-4}
    sim = cm.Simulation(system, **options)
    for k in range(400):
        sim["hand"] = 40.0 if 20 <= k < 30 else 0.0
        sim.advance(0.01)
    return sim.result


if __name__ == "__main__":
    result = run()
    for impact in result.impacts:
        print(f"{impact.contact}: t = {impact.t_start:.3f} s, {impact.approach_speed:.2f} m/s")
    print(f"pole at the end: {np.degrees(result['pole'].angle[-1]):.4f} degrees")
    figure = result.plot("cart.x", "pole.angle", "push.value")
    figure.savefig("cart_pole.png")
