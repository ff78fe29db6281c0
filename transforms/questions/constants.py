"""Published and chosen limits that define answers (not gates: those stand in templates)."""

RELATION_LIMIT = 0.30
"""SurgSTU (public, final): change of distance from which it is 'closer' or 'farther'."""

IDLE_BORDERS = (0.10, 0.25, 0.50)
"""Buckets of the idle share; only the last one is public, the others are our choice."""

IDLE_BUCKETS = ("0-10", "10-25", "25-50", "50-100")
