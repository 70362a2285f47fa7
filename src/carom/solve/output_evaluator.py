"""Evaluation of the nodes of a run with the outputs of its system behind the signals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from carom.model.output import Output
from carom.result.column_info import ElementInfo
from carom.result.outcome import Outcome
from carom.solve.node_batches import NodeBatch, NodeEvaluator, ResultMetadata, result_of
from carom.solve.node_view import output_values


class OutputEvaluator:
    """Evaluator of a run, with columns for the outputs of its system; all else is that of ``inner``."""

    def __init__(self, inner: NodeEvaluator, outputs: list[Output]):
        self.inner, self.outputs = inner, outputs
        first = max((info.columns[1] for info in inner.metadata.elements), default=0)
        infos = (
            ElementInfo(output.name, "Output", "output", (), ("value",), (output.unit,), (first + k, first + k + 1))
            for k, output in enumerate(outputs)
        )
        self.metadata: ResultMetadata = replace(inner.metadata, elements=(*inner.metadata.elements, *infos))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "inner" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.inner, name)

    def evaluate(self, t: np.ndarray, nodes: np.ndarray, t_next: float | None = None) -> NodeBatch:
        """Evaluate nodes; ``t_next`` is the time of the node after them [s]."""
        batch = self.inner.evaluate(t, nodes, t_next)
        result = result_of(self.inner.metadata, batch, {}, Outcome.FINISHED, "", {})
        return replace(batch, signals=np.column_stack([batch.signals, output_values(self.outputs, result)]))
