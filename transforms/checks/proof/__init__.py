"""Proves rows: computes each value and text of an item from the evidence and compares the row.

This package shares with the generator the parsed template (``transforms.language.program``), the
expression tree (``transforms.algebra.tree``, ``types``) and the ontology's data files. Everything
else, such as printing labels and times, is implemented here a second time.

Terms used in all modules:

- Program: a parsed template. Its expressions are trees; a *node* is an expression or a part of one.
- Stage: a question of a template. A template without chains has one stage.
- Case: the data of one item that a query starts from: its window, query time and names' values.
- ``asked``: a row, or rows, of ``data/`` together with the stage that it asks.
- ``given``: values that the evidence gives for nodes whose values no column of a row contains.
"""
