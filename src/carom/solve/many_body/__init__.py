"""Many bodies in contact: neighbour lists, pair forces and motion, in fixed pieces that several threads share."""
