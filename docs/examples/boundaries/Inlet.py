import carom as cm

system = cm.System(gravity=(0.0, -9.81))
law = cm.laws.Flores(stiffness=1e5, restitution=0.5)
discs = []
for k in range(12):
    body = cm.Body(f"disc {k}", mass=0.1, inertia=2e-5, position=(0.0, 0.3), velocity=(0.2, -0.5))
    discs.append(cm.Sphere(system.add(body), radius=0.02))
system.add_contacts(discs, others=[cm.Plane(system.ground)], law=law, name="heap")
system.add(cm.Inlet([disc.body for disc in discs], rate=10.0, name="feed"))
result = cm.simulate(system, t_end=1.0, output=0.01)
shown = ("disc 0.y", "disc 5.y")
