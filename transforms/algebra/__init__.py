"""The algebra of ``question/v1``: typed trees, and the operators in them.

A program is a tree (:mod:`transforms.algebra.tree`). Each operator is one folder of
:mod:`transforms.algebra.operators` with its signature, its definition in one possible world, its
form over columns and its form in SQL. No module here depends on a benchmark, a dataset or a file.
"""
