import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
law = cm.laws.ExactRestitution(stiffness=1e8, restitution=0.7)
ball = system.add(cm.Body("ball", mass=0.3, inertia=5e-5, position=(0.0, 0.3), velocity=(0.5, 0.0)))
system.add(
    cm.Contact(
        cm.Sphere(ball, radius=0.02),
        cm.Plane(system.ground),
        law=law,
        friction=cm.friction.Coulomb(0.2),
        impact=cm.ImpactLaw(restitution=0.7, friction=0.2),
        name="floor",
    )
)
result = cm.simulate(system, t_end=0.8)
shown = ("ball.y", "ball.omega")
