import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
law = cm.laws.ExactRestitution(stiffness=1e8, restitution=0.7)
rod = system.add(cm.Body("rod", mass=0.5, inertia=0.01, position=(0.2, 0.0)))
system.add(
    cm.RevoluteClearance(
        system.ground, rod, at=(0.0, 0.0), journal_radius=9.5e-3, bearing_radius=10.0e-3, law=law, name="pin"
    )
)
result = cm.simulate(system, t_end=0.3)
shown = ("pin.eccentricity", "pin.normal_force")
