"""Proves rows of templates in ``question/v1``: compares every value and text with the evidence.

This package shares with the generator the parsed template (``transforms.language.program``), the
expression tree (``transforms.algebra.tree``, ``types``) and the ontology's data files. The forms of
a label, the format of times and the start of windows are implemented here a second time. A case is
the filling of one item: its drawn names and its window.
"""
