import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
rod = system.add(cm.Body("rod", mass=0.5, inertia=0.01, position=(0.2, 0.0)))
system.add(
    cm.Bushing(system.ground, rod, stiffness=(2e3, 2e3, 5.0), damping=(5.0, 5.0, 0.02), at=(0.0, 0.0), name="rubber")
)
result = cm.simulate(system, t_end=2.0)
shown = ("rubber.dy", "rubber.angle")
