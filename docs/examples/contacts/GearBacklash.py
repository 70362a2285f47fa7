import carom as cm

system = cm.System(dim=2)
pinion = system.add(cm.Body("pinion", mass=0.2, inertia=1e-5, angular_velocity=10.0))
wheel = system.add(cm.Body("wheel", mass=0.8, inertia=2e-4, position=(0.06, 0.0)))
for gear in (pinion, wheel):
    system.add(cm.Revolute(system.ground, gear, at=gear.position))
law = cm.laws.ExactRestitution(stiffness=1e8, restitution=0.7)
system.add(cm.GearBacklash(pinion, wheel, teeth=(20, 40), backlash=1e-4, law=law, name="gears"))
result = cm.simulate(system, t_end=0.03)
shown = ("gears.position", "wheel.omega")
