import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
arm = system.add(cm.Body("arm", mass=1.0, inertia=0.01, position=(0.25, 0.0)))
slot = [(-0.3, 0.2), (0.0, 0.0), (0.3, -0.05), (0.6, 0.1), (0.9, 0.4)]
joint = system.add(cm.PointOnCurve(system.ground, arm, slot, at=(0.0, 0.0)))
result = cm.simulate(system, t_end=0.5)
