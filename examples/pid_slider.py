"""A slider on a rail that a PID controller moves to set points, against friction, with a noisy encoder.

The drive is limited, and a stop ends the rail: the integral must not wind up while the slider leans on it.
"""

from __future__ import annotations

import carom as cm

MASS, DRAG = 2.0, 3.0
"""Mass [kg] and weight that pulls the slider back [N]."""
LARGEST_FORCE = 15.0
"""Largest force of the drive [N]."""
RESOLUTION = 1e-4
"""Resolution of the encoder [m]."""
STOP = 0.3
"""Position of the stop [m]."""


def slider() -> cm.System:
    """Return a slider with a drive, an encoder and a stop."""
    system = cm.System(name="slider with PID control")
    ground = system.ground
    body = system.add(cm.Body("slider", MASS, 0.01))
    rail = system.add(cm.Prismatic(ground, body, axis=(1.0, 0.0), at=(0.0, 0.0), name="rail"))
    drive = system.add(cm.Input("drive", unit="N"))
    target = system.add(cm.Input("target", unit="m"))
    system.add(cm.PointForce(body, (drive, 0.0), name="motor"))
    system.add(cm.PointForce(body, (-DRAG, 0.0), name="drag"))
    wall = cm.Plane(ground, at=(STOP + 0.05, 0.0), normal=(-1.0, 0.0))
    law = cm.laws.ExactRestitution(stiffness=1e6, restitution=0.3)
    system.add(cm.Contact(cm.Sphere(body, 0.05), wall, law=law, impact=cm.ImpactLaw(0.3), name="stop"))
    system.add(cm.JointEncoder(rail, resolution=RESOLUTION, noise=2e-5, rate=250.0, name="encoder"))
    system.add(cm.ContactSwitch(system["stop"], threshold=1.0, name="switch"))
    system.add(
        cm.PID(
            "encoder", drive, target, kp=400.0, ki=1500.0, kd=45.0, period=4e-3,
            limits=(-LARGEST_FORCE, LARGEST_FORCE), filter_time=8e-3, name="position control",
        )
    )  # fmt: skip
    return system


def run(method: str = "compliant") -> cm.Result:
    """Move to 0.2 m, against the stop, and back to 0.1 m; return the result of 4.5 s."""
    options = {} if method == "compliant" else {"method": "nonsmooth", "step": 5e-4}
    sim = cm.Simulation(slider(), **options)
    for k in range(450):
        sim["target"] = 0.2 if k < 150 else STOP + 0.1 if k < 300 else 0.1
        sim.advance(0.01)
    return sim.result


if __name__ == "__main__":
    result = run()
    for t in (1.49, 2.99, 4.49):
        x = result.sample([t])["slider"].x[0]
        print(f"t = {t:.2f} s: x = {1e3 * x:.2f} mm, switch {result.sample([t])['switch'].closed[0]:.0f}")
    result.plot("slider.x", "target.value", "drive.value").savefig("pid_slider.png")
