import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
bob = system.add(cm.Body("bob", mass=1.0, inertia=0.01, position=(0.5, 0.0)))
system.add(cm.Ligament(system.ground, bob, stiffness=2e4, free_length=0.45, name="cord"))
result = cm.simulate(system, t_end=1.5)
shown = ("cord.length", "cord.tension")
