import carom as cm

system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
law = cm.laws.ExactRestitution(stiffness=1e8, restitution=0.7)
pin = system.add(cm.Body("pin", mass=0.3, inertia=(3e-6, 1e-4, 1e-4), velocity=(0.1, 0.0, 0.0)))
system.add(
    cm.CylindricalClearance(
        system.ground,
        pin,
        axis=(1.0, 0.0, 0.0),
        length=0.06,
        journal_radius=9.5e-3,
        bearing_radius=10.0e-3,
        law=law,
        name="bush",
    )
)
result = cm.simulate(system, t_end=0.1)
shown = ("bush.e1", "bush.position")
