"""The algebra of ``question/v1``: typed trees, and what each operator takes, gives and means.

A program is a tree (:mod:`transforms.algebra.tree`).  Each operator is one folder of
:mod:`transforms.algebra.operators` with its signature, its definition over one world, its form
over columns and its form in SQL.  Nothing here knows a benchmark, a dataset or a file.
"""
