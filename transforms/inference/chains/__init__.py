"""Chains: their rows, and which of their texts a model sees."""

from transforms.inference.chains.jobs import chain_jobs, told_texts
from transforms.inference.chains.rows import Chain, asked_order, chains_of
from transforms.inference.chains.setting import Context, Setting, Telling, telling

__all__ = [
    "Chain",
    "Context",
    "Setting",
    "Telling",
    "asked_order",
    "chain_jobs",
    "chains_of",
    "telling",
    "told_texts",
]
