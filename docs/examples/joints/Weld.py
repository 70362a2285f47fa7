import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
arm = system.add(cm.Body("arm", mass=1.0, inertia=0.01, position=(0.25, 0.0)))
system.add(cm.Revolute(system.ground, arm, at=(0.0, 0.0)))
tip = system.add(cm.Body("tip", mass=0.5, inertia=0.004, position=(0.5, 0.15)))
joint = system.add(cm.Weld(arm, tip, at=(0.5, 0.0)))
result = cm.simulate(system, t_end=0.5)
