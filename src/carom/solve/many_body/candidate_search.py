"""Search for the candidate pairs of all groups: the cells and trees of the broad phase, and their tables."""

from __future__ import annotations

import math

import numpy as np

from carom.compiled_model.group_search import GroupSearch
from carom.compiled_model.many_body_data import ManyBodyData
from carom.compiled_model.many_body_records import MAX_WARM_START
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.kernels.decorators import Kernel
from carom.solve.many_body import aabb_tree, cell_grid
from carom.solve.many_body.records import BOX, CANDIDATE_PAIR, CELL_GRID, PAIR_SEARCH, TREE_NODE

PAIR_OUTPUT_SIZE = 8 * math.ceil(PAIR_OUTPUT.size / 8)
"""Numbers of the result of a pair kernel: whole cache lines."""


class CandidateSearch:
    """Broad phase of a model; ``many_body`` is the table `MANY_BODY` of the run, which owns the positions."""

    def __init__(self, model: ManyBodyData, many_body: np.ndarray):
        self._many_body, self._skin = many_body, model.skin
        self._searches = [self._create(search) for search in model.searches]
        self._candidates = CANDIDATE_PAIR.zeros(0)

    def _create(self, search: GroupSearch) -> tuple[Kernel, np.ndarray, list[np.ndarray]]:
        """Return the kernel that finds the candidate pairs of a group, its table, and the arrays of the table."""
        n = search.n_shapes
        n_nodes = 0 if search.uses_cells else 2 * n
        nodes = TREE_NODE.zeros(n_nodes)
        nodes["parent"] = nodes["left"] = nodes["right"] = aabb_tree.NONE
        arrays = {
            "many_body": self._many_body,
            "shapes": search.shapes,
            "local_boxes": search.local_boxes,
            "global_boxes": BOX.zeros(len(search.shapes)),
            "kinds": search.kinds,
            "kinds_with_others": search.kinds_with_others,
            "workspace": np.zeros((cell_grid if search.uses_cells else aabb_tree).workspace_size(n), np.int64),
            "pair_output": np.zeros(PAIR_OUTPUT_SIZE),
            "warm_start": np.zeros(MAX_WARM_START),
            "grid": CELL_GRID.zeros(),
            "tree_boxes": BOX.zeros(n_nodes),
            "tree_nodes": nodes,
        }
        values = {
            "group": search.group,
            "n_shapes": n,
            "n_others": search.n_others,
            "n_types": search.n_types,
            "n_other_types": search.n_other_types,
            "skin": self._skin,
            "root": aabb_tree.NONE,
            "self_contact": search.self_contact,
        }
        table = PAIR_SEARCH.zeros()
        for name, value in (values | {name: array.ctypes.data for name, array in arrays.items()}).items():
            table[name] = value
        kernel = cell_grid.search_cells if search.uses_cells else aabb_tree.search_tree
        return kernel, table, list(arrays.values())

    def candidates(self) -> np.ndarray:
        """Return the pairs that are closer than the skin."""
        count = 0
        for kernel, table, _ in self._searches:
            while True:
                table["pairs"] = self._candidates[count:].ctypes.data
                table["pair_capacity"] = len(self._candidates) - count
                new = kernel.call(table)
                if count + new <= len(self._candidates):
                    break
                larger = CANDIDATE_PAIR.zeros(int(1.3 * (count + new)) + 64)
                larger[:count] = self._candidates[:count]
                self._candidates = larger
            count += new
        return self._candidates[:count]

    def release(self) -> None:
        """Give back the memory of the candidates."""
        self._candidates = CANDIDATE_PAIR.zeros(0)
