"""Analyses of a mechanism: assembly, degrees of freedom, kinematics, statics and linearisation."""
