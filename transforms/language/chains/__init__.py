"""Chains: a main question and three stages that lead to it, about one event (SurgCoT).

A chain template names a *finder*, which looks for events in a video's evidence and knows the
answers; the template gives the words of all four questions, of what is known before each and
of its clue.
"""

from transforms.language.chains.chain import STAGES, Chain, Stage
from transforms.language.chains.lint import lint_chains
from transforms.language.chains.load import is_chain, load_chains
from transforms.language.chains.schema import json_schema

__all__ = [
    "STAGES",
    "Chain",
    "Stage",
    "is_chain",
    "json_schema",
    "lint_chains",
    "load_chains",
]
