"""Chains of questions about one event: what, when, and exactly when (SurgCoT)."""

from transforms.questions.chains.ask import AskedChains, ask_chains

__all__ = ["AskedChains", "ask_chains"]
