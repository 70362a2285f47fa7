"""Reference solutions of contact problems, each by a formulation of its own (minimal coordinates, first integrals).

Nothing here imports the library under test. Modules: `closed_forms`, `laws`, `two_spheres`, `slider_crank_block`,
`knee`, `falling_ball`, `pendulum_wall`, `quick_return`. What has no closed form is integrated by `contact_run` (with
`contact_problem`, `extrapolation`).
"""
