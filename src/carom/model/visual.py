"""Shapes that are drawn and touch nothing."""

from __future__ import annotations

from typing import Any

from carom.argument_checks import finite_float, object_label, short_repr
from carom.errors import ModelError
from carom.geometry.element import Element
from carom.geometry.shapes import Shape


class Visual(Element):
    """Shape on a body that is drawn in figures, reports, animations and the viewer, and has no effect on the motion.

    ``shape`` is any shape, also a `Mesh`, or one that takes part in contacts, whose colour is then set. ``colour`` is a
    name or "#rrggbb" (default: that of its body), ``opacity`` lies in (0, 1].

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3)
    >>> arm = system.add(cm.Body("arm", mass=1.0, inertia=0.1, position=(0.0, 0.0, 0.0)))
    >>> housing = cm.Cylinder(arm, at=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), radius=0.05, half_length=0.2)
    >>> system.add(cm.Visual(housing, colour="orange", opacity=0.5)).colour
    '#ffa500'
    """

    family = "visuals"
    posed = False
    acts = False

    def __init__(
        self, shape: Shape, colour: str | None = None, opacity: float | None = None, *, name: str | None = None
    ):
        owner = object_label("Visual", name)
        if not isinstance(shape, Shape):
            raise ModelError(f"{owner}: expected a shape such as Sphere or Mesh, got {short_repr(shape)}")
        super().__init__(name, shape.body)
        self.shape = shape
        self.colour = None if colour is None else _colour(owner, colour)
        self.opacity = None if opacity is None else finite_float(owner, "opacity", opacity)
        if self.opacity is not None and not 0.0 < self.opacity <= 1.0:
            raise ModelError(f"{owner}: opacity must lie in (0, 1], got {self.opacity:g}")
        self.parameters = ()

    def _details(self) -> list[str]:
        return [f"{type(self.shape).__name__}({self.shape.body.name})", self.colour or ""]

    @property
    def all_shapes(self) -> tuple[Any, ...]:
        """The shape."""
        return (self.shape,)


def _colour(owner: str, colour: Any) -> str:
    """Return a colour as "#rrggbb"."""
    from matplotlib.colors import is_color_like, to_hex

    if not isinstance(colour, str) or not is_color_like(colour):
        raise ModelError(f"{owner}: colour must be a name or '#rrggbb', got {short_repr(colour)}")
    return str(to_hex(colour))
