import carom as cm

system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
law = cm.laws.ExactRestitution(stiffness=1e8, restitution=0.7)
rod = system.add(cm.Body("rod", mass=0.5, inertia=1e-3, position=(0.03, 0.05, 0.0)))
system.add(
    cm.HingeClearance(
        system.ground,
        rod,
        at=(0.0, 0.0, 0.0),
        axis=(1.0, 0.0, 0.0),
        length=0.04,
        journal_radius=9.5e-3,
        bearing_radius=10.0e-3,
        law=law,
        name="hinge",
    )
)
result = cm.simulate(system, t_end=0.1)
shown = ("hinge.tilt", "rod.z")
