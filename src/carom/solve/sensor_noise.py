"""White noise that depends on its seed and the number of the value only, so that every run has the same values."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

# Constants of SplitMix64: G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators,
# OOPSLA 2014, 453–472.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FACTORS = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)


def stream_key(seed: int, name: str, signal: str) -> np.uint64:
    """Return the key of the noise of one signal."""
    text = f"{seed}\0{name}\0{signal}".encode()
    return np.uint64(int.from_bytes(blake2b(text, digest_size=8).digest(), "little"))


def white_noise(key: np.uint64, numbers: np.ndarray) -> np.ndarray:
    """Return standard normal values, one for each number."""
    from scipy.special import ndtri  # one value after the other: the bits do not depend on the length of the array

    z = mixed(mixed(numbers.astype(np.uint64)) + key)
    return np.asarray(ndtri(((z >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53))


def mixed(values: np.ndarray) -> np.ndarray:
    """Return 64 bits that look random, for each value."""
    z = values + GOLDEN
    z = (z ^ (z >> SHIFTS[0])) * FACTORS[0]
    z = (z ^ (z >> SHIFTS[1])) * FACTORS[1]
    return np.asarray(z ^ (z >> SHIFTS[2]))
