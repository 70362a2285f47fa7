"""Products of vectors in rows of arrays, in one order of the operations whatever the number of rows."""

from __future__ import annotations

import numpy as np


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the vector products of the rows of two arrays (n × 3).

    Examples
    --------
    >>> cross(np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 2.0, 0.0]]))
    array([[0., 0., 2.]])
    """
    ax, ay, az = a.T
    bx, by, bz = b.T
    product = np.empty((len(a), 3))
    product[:, 0] = ay * bz - az * by
    product[:, 1] = az * bx - ax * bz
    product[:, 2] = ax * by - ay * bx
    return product


def rotated(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return the vectors in rows multiplied by the matrices of their rows.

    Examples
    --------
    >>> rotated(np.array([[[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]]), np.array([[3.0, 0.0, 1.0]]))
    array([[0., 3., 1.]])
    """
    x, y, z = vectors[:, 0, None], vectors[:, 1, None], vectors[:, 2, None]
    return np.ascontiguousarray(matrices[:, :, 0] * x + matrices[:, :, 1] * y + matrices[:, :, 2] * z)


def row_sums(values: np.ndarray) -> np.ndarray:
    """Return the sum of each row, with the bits of a sum of that row alone.

    Examples
    --------
    >>> row_sums(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([3., 7.])
    """
    sums: np.ndarray = np.sum(np.ascontiguousarray(values), axis=1)
    return sums


def sums_of_chosen(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return the sum of the chosen values of each row, with the bits of a sum of these values alone.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0, 4.0], [3.0, 5.0, 7.0]])
    >>> sums_of_chosen(values, np.array([[True, False, True], [False, True, False]]))
    array([5., 5.])
    """
    counts, sums = np.count_nonzero(chosen, axis=1), np.zeros(len(values))
    for count in np.unique(counts):
        rows = np.flatnonzero(counts == count)
        sums[rows] = values[rows][chosen[rows]].reshape(len(rows), count).sum(axis=1)
    return sums
