"""The algebra in SQL: the second implementation, by which every answer is proved.

It shares the tree, the types and the ontology's data with the form over columns, and no line of
code.  A program becomes one query (:mod:`transforms.algebra.sql.query`); the tables that it reads
are described in :mod:`transforms.algebra.sql.tables`.
"""
