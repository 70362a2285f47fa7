import carom as cm

system = cm.System(gravity=(2.0, -9.81))
law = cm.laws.Flores(stiffness=1e5, restitution=0.5)
discs = []
for k in range(5):
    body = cm.Body(f"disc {k}", mass=0.1, inertia=2e-5, position=(0.06 * k, 0.05))
    discs.append(cm.Sphere(system.add(body), radius=0.02))
system.add_contacts(discs, others=[cm.Plane(system.ground)], law=law, name="belt")
system.add(cm.Outlet(at=(0.4, 0.0), normal=(1.0, 0.0), name="end"))
result = cm.simulate(system, t_end=1.0, output=0.01)
shown = ("disc 0.x", "disc 4.x")
