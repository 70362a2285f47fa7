"""Mean rates of values over the steps between nodes: the accelerations of a run whose velocities jump."""

from __future__ import annotations

from carom.kernels import ADDRESS, EVALUATION, INT, floats, kernel, offset, record

STEP_RATES = record(
    n_nodes=INT,
    n_values=INT,  # numbers at a node
    row_size=INT,  # numbers from node to node
    rate_row_size=INT,
    rate_spacing=INT,  # numbers from one rate to the next
    before=ADDRESS,  # time [s] and values of the node before the first one, or 0
    # tables, one row per node
    t=ADDRESS,  # [s]
    values=ADDRESS,
    rates=ADDRESS,
)


@kernel(EVALUATION, STEP_RATES)
def store_step_rates(nodes):
    """Store the mean rates of the steps that end at the nodes; the first node of a run has those of the next step."""
    t = floats(nodes.t)
    first = 0
    if nodes.before == 0:
        first = 1
    for node in range(first, nodes.n_nodes):
        values = offset(floats(nodes.values), node * nodes.row_size)
        rates = offset(floats(nodes.rates), node * nodes.rate_row_size)
        if node > 0:
            before = offset(values, -nodes.row_size)
            t_before = t[node - 1]
        else:
            before = offset(floats(nodes.before), 1)
            t_before = floats(nodes.before)[0]
        for j in range(nodes.n_values):
            rates[j * nodes.rate_spacing] = (values[j] - before[j]) / (t[node] - t_before)
    if first == 1:
        rates = floats(nodes.rates)
        for j in range(nodes.n_values):
            next_rate = rates[nodes.rate_row_size + j * nodes.rate_spacing] if nodes.n_nodes > 1 else 0.0
            rates[j * nodes.rate_spacing] = next_rate
