"""Rows of templates in ``question/v1``: every value and every word held against the evidence.

Shares with the generator the parsed template (``transforms.language.program``), the tree
(``transforms.algebra.tree``, ``types``) and the data files of the ontology.  What the words of a
label are, how a time is printed and where a window begins is written here a second time.
"""
