import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
bob = system.add(cm.Body("bob", mass=1.0, inertia=0.01, position=(0.5, 0.0)))
system.add(cm.SpringDamper(system.ground, bob, stiffness=60.0, damping=0.6, free_length=0.4, name="spring"))
result = cm.simulate(system, t_end=3.0)
shown = ("spring.length", "spring.tension")
