import carom as cm

system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
law = cm.laws.ExactRestitution(stiffness=1e8, restitution=0.7)
rod = system.add(cm.Body("rod", mass=0.5, inertia=(1e-4, 0.01, 0.01), position=(0.2, 0.0, 0.0)))
system.add(
    cm.SphericalClearance(
        system.ground, rod, at=(0.0, 0.0, 0.0), ball_radius=9.5e-3, socket_radius=10.0e-3, law=law, name="socket"
    )
)
result = cm.simulate(system, t_end=0.2)
shown = ("socket.eccentricity", "socket.normal_force")
