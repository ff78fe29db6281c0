"""Region of an anomaly between its key frames; see :mod:`ontology.evolution`."""

from ontology.evolution import BoxXywh, Evolution, KeyFrame, check_onset, printed

__all__ = ["BoxXywh", "Evolution", "KeyFrame", "check_onset", "printed"]
