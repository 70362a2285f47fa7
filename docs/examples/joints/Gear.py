import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
small = system.add(cm.Body("small", mass=1.0, inertia=0.01, position=(0.06, 0.0)))
large = system.add(cm.Body("large", mass=1.0, inertia=0.01, position=(0.42, 0.0)))
system.add(cm.Revolute(system.ground, small, at=(0.0, 0.0)))
system.add(cm.Revolute(system.ground, large, at=(0.3, 0.0)))
joint = system.add(cm.Gear(small, large, teeth=(17, 34)))
system.add(cm.Torque(small, 0.2))
result = cm.simulate(system, t_end=0.5)
