"""Chains (SurgCoT): their rows together, and what of them a model is told."""

from transforms.inference.chains.jobs import chain_jobs, told_texts
from transforms.inference.chains.rows import Chain, chains_of
from transforms.inference.chains.setting import Context, Setting, Telling, telling
from transforms.inference.stages import ASKED, BENCHMARK, LABELS, STAGES, TASKS

__all__ = [
    "ASKED",
    "BENCHMARK",
    "LABELS",
    "STAGES",
    "TASKS",
    "Chain",
    "Context",
    "Setting",
    "Telling",
    "chain_jobs",
    "chains_of",
    "telling",
    "told_texts",
]
