import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
rack = system.add(cm.Body("rack", mass=1.0, inertia=0.01, position=(0.0, 0.0)))
pinion = system.add(cm.Body("pinion", mass=1.0, inertia=0.01, position=(0.0, 0.1)))
system.add(cm.Prismatic(system.ground, rack, axis=(1.0, 0.0)))
system.add(cm.Revolute(system.ground, pinion, at=(0.0, 0.1)))
joint = system.add(cm.RackPinion(rack, pinion, radius=0.1, axis=(1.0, 0.0)))
system.add(cm.Torque(pinion, 0.2))
result = cm.simulate(system, t_end=0.5)
