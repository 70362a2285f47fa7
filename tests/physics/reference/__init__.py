"""Reference solutions of contact problems, each by a formulation of its own (minimal coordinates, first integrals).

Nothing here imports the library under test. Modules: `closed_forms`, `laws`, `two_spheres`, `slider_crank_block`,
`knee`, `falling_ball`, `pendulum_wall`, `quick_return`; `extrapolation` and `contact_run` integrate what has no closed form.
"""
