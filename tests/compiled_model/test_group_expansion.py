"""Large contact groups as single contacts."""

from __future__ import annotations

import carom as cm
from carom.compiled_model.group_expansion import expand_groups


def test_a_system_without_large_groups_is_returned_unchanged():
    system = cm.System()
    assert expand_groups(system) is system


def test_every_pair_becomes_a_contact_of_a_copy():
    system = cm.System(dim=3)
    bodies = [system.add(cm.Body(f"b{k}", 1.0, (1.0, 1.0, 1.0), (1.0 * k, 0.0, 0.0))) for k in range(26)]
    group = system.add_contacts([cm.Sphere(body, 0.1) for body in bodies], impact=cm.ImpactLaw(0.5), name="row")
    expanded = expand_groups(system)
    assert expanded is not system
    assert len(expanded.contacts) == group.count == 26 * 25 // 2
    assert expanded.groups == []
    assert expanded.bodies is system.bodies
    assert system.contacts == []
    assert system.groups == [group]
