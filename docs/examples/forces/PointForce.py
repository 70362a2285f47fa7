import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
bob = system.add(cm.Body("bob", mass=1.0, inertia=0.01, position=(0.5, 0.0)))
system.add(cm.Distance(system.ground, bob))
system.add(cm.PointForce(bob, lambda t, s: (-3.0 * s.bob.vx, -3.0 * s.bob.vy), name="drag"))
result = cm.simulate(system, t_end=3.0)
shown = ("bob.x", "bob.y")
