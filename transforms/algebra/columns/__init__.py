"""Certain answers for many fillings at once, in columns (arrays with one entry per filling).

A filling assigns one value to each of the template's names. A possible world is one exact timeline
that the labels allow. Each value records for each filling whether it is defined in every possible
world (``ok``), and its bounds there. Only what is the same in all worlds is an answer.
"""
