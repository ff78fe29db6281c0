"""Timed questions against their evidence: windows by formula, answers, rounds, and no leaks.

What was and what is, is computed from rows up to the time of the question alone; what a
round of a stream expects, from rows up to that round.
"""

from transforms.checks.queries.items import is_query, query_problems, rule_name

__all__ = ["is_query", "query_problems", "rule_name"]
