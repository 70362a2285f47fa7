"""Distance, overlap and contact spots of convex shapes from their support functions."""
