import carom as cm

system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
bar = system.add(cm.Body("bar", mass=1.0, inertia=(0.005, 0.02, 0.02), position=(0.25, 0.0, 0.0)))
joint = system.add(cm.Driver((bar, "z"), cm.SineMotion(0.1, 1.0)))
result = cm.simulate(system, t_end=0.5)
