"""Where bodies touch and joints hold: markers, curves, and (per pair of shapes) the closest points."""
