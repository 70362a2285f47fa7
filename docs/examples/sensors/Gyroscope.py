import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
arm = system.add(cm.Body("arm", mass=1.0, inertia=0.02, position=(0.25, 0.0)))
system.add(cm.Revolute(system.ground, arm, at=(0.0, 0.0)))
system.add(cm.Gyroscope(arm, noise=0.4, rate=50.0, name="gyro"))
result = cm.simulate(system, t_end=2.0)
shown = ("gyro.omega", "arm.omega")
