"""Search for the candidate pairs of all groups: the cells and trees of the broad phase, and their tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.compiled_model.group_search import GroupSearch
from carom.compiled_model.many_body_data import ManyBodyData
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.solve.many_body import aabb_tree, cell_grid
from carom.solve.many_body.pair_search import keep_close_pairs, search_listed
from carom.solve.many_body.records import BOX, CANDIDATE_PAIR, CELL_GRID, PAIR_SEARCH, TREE_NODE

PAIR_OUTPUT_SIZE = 8 * math.ceil(PAIR_OUTPUT.size / 8)
"""Numbers of the result of a pair kernel: whole cache lines."""


class Candidates:
    """Search for candidate pairs by a kernel: its table `PAIR_SEARCH`."""

    kernel: Any

    def __init__(self) -> None:
        self.table = PAIR_SEARCH.zeros()

    def fill_table(self, values: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Store values and addresses of arrays in the table."""
        self.arrays = arrays
        for name, value in (values | {name: array.ctypes.data for name, array in arrays.items()}).items():
            self.table[name] = value

    def select(self, is_searched: np.ndarray) -> None:
        """Search only shapes of the bodies for which ``is_searched`` is True."""
        raise NotImplementedError(f"{type(self).__name__} has no bodies")

    def store(self, candidates: np.ndarray, only_close: bool) -> int:
        """Store the pairs that are closer than the skin in a table, and return their number, also if it is too small.

        With ``only_close``, pairs for which a kernel cannot exclude it are removed.
        """
        if self.table["n_shapes"][0] == 0:
            return 0
        self.table["pairs"], self.table["pair_capacity"] = candidates.ctypes.data, len(candidates)
        count = int(self.kernel.call(self.table))
        return int(keep_close_pairs.call(self.table)) if only_close and count <= len(candidates) else count


class ListedCandidates(Candidates):
    """Search among the single contacts."""

    kernel = search_listed

    def __init__(self, pairs: np.ndarray, many_body: np.ndarray, skin: float, warm_start_size: int):
        super().__init__()
        self.pairs = pairs
        arrays = {
            "many_body": many_body,
            "listed_pairs": pairs,
            "pair_output": np.zeros(PAIR_OUTPUT_SIZE),
            "warm_start": np.zeros(warm_start_size + 1),
        }
        self.fill_table({"n_shapes": len(pairs), "skin": skin}, arrays)

    def select(self, is_searched: np.ndarray) -> None:
        """Search only pairs of bodies for which ``is_searched`` is True."""
        chosen = self.pairs[is_searched[self.pairs["body_a"]] & is_searched[self.pairs["body_b"]]]
        self.arrays["listed_pairs"], self.table["n_shapes"] = chosen, len(chosen)
        self.table["listed_pairs"] = chosen.ctypes.data


class GroupCandidates(Candidates):
    """Search for the candidate pairs of one group: its table `PAIR_SEARCH`, and the arrays of the table."""

    def __init__(self, search: GroupSearch, many_body: np.ndarray, skin: float, warm_start_size: int):
        super().__init__()
        self.search = search
        n = search.n_shapes
        broad_phase = cell_grid if search.uses_cells else aabb_tree
        self.kernel = cell_grid.search_cells if search.uses_cells else aabb_tree.search_tree
        n_nodes = 0 if search.uses_cells else 2 * n
        nodes = TREE_NODE.zeros(n_nodes)
        nodes["parent"] = nodes["left"] = nodes["right"] = aabb_tree.NONE
        arrays = {
            "many_body": many_body,
            "shapes": search.shapes,
            "local_boxes": search.local_boxes,
            "global_boxes": BOX.zeros(len(search.shapes)),
            "kinds": search.kinds,
            "kinds_with_others": search.kinds_with_others,
            "workspace": np.zeros(broad_phase.workspace_size(n), np.int64),
            "pair_output": np.zeros(PAIR_OUTPUT_SIZE),
            "warm_start": np.zeros(warm_start_size + 1),
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
            "skin": skin,
            "root": aabb_tree.NONE,
            "self_contact": search.self_contact,
        }
        self.fill_table(values, arrays)

    def select(self, is_searched: np.ndarray) -> None:
        """Search only shapes of the bodies for which ``is_searched`` is True; a tree is built anew."""
        search, chosen = self.search, is_searched[self.search.shapes["body"]]
        for name in ("shapes", "local_boxes"):
            self.arrays[name] = getattr(search, name)[chosen]
            self.table[name] = self.arrays[name].ctypes.data
        n = int(np.count_nonzero(chosen[: search.n_shapes]))
        self.table["n_shapes"], self.table["n_others"] = n, len(self.arrays["shapes"]) - n
        self.table["self_contact"], self.table["root"] = search.self_contact and n > 1, aabb_tree.NONE


class CandidateSearch:
    """Broad phase of a model; ``many_body`` is the table `MANY_BODY` of the run, which owns the positions.

    ``skin`` is the gap up to which pairs are found [m], by default that of the neighbour list.
    """

    def __init__(self, model: ManyBodyData, many_body: np.ndarray, skin: float | None = None):
        self._model = model
        skin = model.skin if skin is None else skin
        size = model.warm_start_size
        self._groups: list[Candidates] = [GroupCandidates(search, many_body, skin, size) for search in model.searches]
        if model.singles is not None and len(model.singles.pairs):
            self._groups.append(ListedCandidates(model.singles.pairs, many_body, skin, size))
        self._candidates = CANDIDATE_PAIR.zeros(0)
        if model.inlets:
            self.select_present()

    def select_present(self, others: np.ndarray | None = None) -> None:
        """Search only shapes of bodies that are present, and of the bodies with the indices ``others``."""
        is_searched = self._model.is_present
        is_searched[[] if others is None else others] = True
        for group in self._groups:
            group.select(is_searched)

    def candidates(self, only_close: bool = False) -> np.ndarray:
        """Return the pairs that are closer than the skin; only those where this is certain if ``only_close``."""
        count = 0
        for group in self._groups:
            while True:
                new = group.store(self._candidates[count:], only_close)
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
