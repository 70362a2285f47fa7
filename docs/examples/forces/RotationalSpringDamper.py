import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
rod = system.add(cm.Body("rod", mass=0.5, inertia=0.01, position=(0.2, 0.0)))
pin = system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0), name="pin"))
system.add(cm.RotationalSpringDamper(joint=pin, stiffness=2.0, damping=0.02, name="spring"))
result = cm.simulate(system, t_end=3.0)
shown = ("rod.angle", "spring.torque")
