"""Analyses: dynamics, kinematics, statics, linearisation, assembly."""
