import carom as cm

system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
law = cm.laws.ExactRestitution(stiffness=1e7, restitution=0.5)
slider = system.add(cm.Body("slider", mass=0.5, inertia=1e-3, position=(0.0, 0.0, 0.0), velocity=(0.5, 0.0, 0.0)))
system.add(
    cm.GuideClearance(
        system.ground,
        slider,
        axis=(1.0, 0.0, 0.0),
        length=0.1,
        width=0.04,
        height=0.03,
        clearance=1e-3,
        law=law,
        name="guide",
    )
)
result = cm.simulate(system, t_end=0.1)
shown = ("slider.z", "guide.touching")
