import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
arm = system.add(cm.Body("arm", mass=1.0, inertia=0.02, position=(0.25, 0.0)))
system.add(cm.Revolute(system.ground, arm, at=(0.0, 0.0)))
system.add(cm.Accelerometer(arm.point(0.25, 0.0), noise=0.2, rate=200.0, name="imu"))
result = cm.simulate(system, t_end=2.0)
shown = ("imu.ax", "imu.ay")
