import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
rod = system.add(cm.Body("rod", mass=0.5, inertia=0.01, position=(0.2, 0.0)))
system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0)))
system.add(cm.Torque(rod, lambda t: 1.2 * (t < 0.5), name="motor"))
result = cm.simulate(system, t_end=1.5)
shown = ("rod.angle", "rod.omega")
