import carom as cm

system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
law = cm.laws.ExactRestitution(stiffness=1e6, restitution=0.7)
balls = []
for k in range(12):
    place = (0.03 * (k % 2), 0.04 * (k % 3), 0.1 + 0.06 * k)
    balls.append(cm.Sphere(system.add(cm.Body(f"ball {k}", 0.05, 8e-6, position=place)), radius=0.02))
system.add_contacts(balls, others=[cm.Plane(system.ground)], law=law, name="heap")
result = cm.simulate(system, t_end=0.3)
shown = ("ball 0.z", "ball 5.z")
