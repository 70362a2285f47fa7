import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
arm = system.add(cm.Body("arm", mass=1.0, inertia=0.01, position=(0.25, 0.0)))
pin = system.add(cm.Revolute(system.ground, arm, at=(0.0, 0.0)))
joint = system.add(cm.Driver(pin, cm.SineMotion(amplitude=0.8, frequency=1.0)))
result = cm.simulate(system, t_end=0.5)
