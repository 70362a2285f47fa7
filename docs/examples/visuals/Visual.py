import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
arm = system.add(cm.Body("arm", mass=1.0, inertia=0.01, position=(0.25, 0.0)))
system.add(cm.Revolute(system.ground, arm, at=(0.0, 0.0)))
cover = cm.Polygon(arm, [(-0.27, -0.04), (0.27, -0.04), (0.27, 0.04), (-0.27, 0.04)])
system.add(cm.Visual(cover, colour="orange", opacity=0.5))
result = cm.simulate(system, t_end=1.0)
shown = ("arm.x", "arm.y")
