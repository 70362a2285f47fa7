import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
law = cm.laws.ExactRestitution(stiffness=1e8, restitution=0.7)
rod = system.add(cm.Body("rod", mass=0.5, inertia=0.01, position=(0.2, 0.0)))
bore = cm.profiles.OutOfRound(radius=0.01, harmonics=[(2, 5e-5, 0.0)])
system.add(cm.ProfileClearance(system.ground, rod, (0.0, 0.0), 9.5e-3, bore, law=law, name="pin"))
result = cm.simulate(system, t_end=0.2)
shown = ("pin.eccentricity", "pin.ex")
