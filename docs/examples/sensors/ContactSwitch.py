import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
ball = system.add(cm.Body("ball", mass=0.1, inertia=1e-5, position=(0.0, 0.1)))
law = cm.laws.ExactRestitution(stiffness=1e6, restitution=0.6)
floor = system.add(cm.Contact(cm.Sphere(ball, radius=0.02), cm.Plane(system.ground), law=law, name="floor"))
system.add(cm.ContactSwitch(floor, name="switch"))
result = cm.simulate(system, t_end=0.6)
shown = ("ball.y", "switch.closed")
