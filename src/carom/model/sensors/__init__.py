"""Sensors: what instruments on bodies, joints and contacts read."""
