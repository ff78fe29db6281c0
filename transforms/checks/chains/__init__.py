"""Chains of questions (SurgCoT) against their evidence: what, when and exactly when.

Events are found again in the written tables, every stage is answered again, every wrong option
is shown to be false; knowledge is looked up again, and clues must be of this video.
"""

from transforms.checks.chains.check import chain_problems
from transforms.checks.chains.rows import chain_rule_name, is_chain, stage_problems

__all__ = ["chain_problems", "chain_rule_name", "is_chain", "stage_problems"]
