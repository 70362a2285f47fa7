import carom as cm

system = cm.System(dim=2, gravity=(0.0, -9.81))
law = cm.laws.ExactRestitution(stiffness=1e8, restitution=0.7)
drawer = system.add(cm.Body("drawer", mass=2.0, inertia=0.02))
system.add(
    cm.PrismaticClearance(
        system.ground, drawer, axis=(1.0, 0.0), length=0.30, width=0.20, clearance=1e-3, law=law, name="guide"
    )
)
system.add(cm.PointForce(drawer.point(0.15, 0.08), (40.0, 0.0)))
result = cm.simulate(system, t_end=0.1)
shown = ("guide.offset", "guide.angle")
