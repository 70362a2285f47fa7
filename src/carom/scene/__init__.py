"""Renderer-independent description of a run: geometry of the bodies, poses, contacts, curves and labels.

The packages `plot`, `report` and `view` draw from it.
"""

from carom.scene.scene import Scene
from carom.scene.scene_builder import describe

__all__ = ["Scene", "describe"]
