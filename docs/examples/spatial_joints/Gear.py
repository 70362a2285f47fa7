import carom as cm

system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
bar = system.add(cm.Body("bar", mass=1.0, inertia=(0.005, 0.02, 0.02), position=(0.25, 0.0, 0.0)))
wheel = system.add(cm.Body("wheel", 1.0, 0.01, position=(0.0, 0.0, 0.5)))
hinges = [cm.Revolute(system.ground, one, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)) for one in (bar, wheel)]
joint = system.add(cm.Gear(system.add(hinges[0]), system.add(hinges[1]), ratio=2.0))
result = cm.simulate(system, t_end=0.5)
